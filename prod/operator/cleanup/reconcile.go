package cleanup

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Reconcile takes the cluster's daemons away and wipes its nodes. It returns nil
// when nothing is left that can be wiped.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	s, err := observe(ctx, p)
	if err != nil {
		return err
	}
	switch known, err := s.remember(ctx, p); {
	case err != nil:
		return err
	case !known && len(s.hosts()) == 0:
		return nil // it has nothing on any host
	case !known:
		return pass.Refuse(v1.ReasonIdentityMissing,
			"the fsid of CephCluster %s/%s is lost, and nothing is wiped without knowing whose it is: restore its Secret, or take spec.cleanupPolicy.confirmation away to let the cluster go and keep its data",
			p.Cluster.Namespace, p.Cluster.Name)
	}
	if err := s.stop(ctx, p); err != nil {
		return err
	}
	return s.wipe(ctx, p)
}

// Remember writes down in the status what is to be wiped, as far as it can be seen
// now. It is called as soon as the loss is agreed to, since what tells of it may
// go while something else still holds the deletion back: by a deletion in the
// foreground, say.
func Remember(ctx context.Context, p *pass.Pass) error {
	s, err := observe(ctx, p)
	if err != nil {
		return err
	}
	_, err = s.remember(ctx, p)
	return err
}

// remember adds what is seen to what is written down. known says whether anything
// is: a cluster without an fsid, or without a host, has nothing that can be.
func (s *stock) remember(ctx context.Context, p *pass.Pass) (known bool, err error) {
	before := p.Cluster.Status.Cleanup
	hosts := s.hosts()
	if before != nil {
		hosts = slices.Compact(slices.Sorted(slices.Values(append(hosts, before.Nodes...))))
		if slices.Equal(hosts, before.Nodes) {
			return true, nil
		}
	}
	if len(hosts) == 0 {
		return false, nil
	}
	after := &v1.CleanupStatus{Since: metav1.NewTime(p.Clock.Now()), Nodes: hosts}
	if before != nil {
		after.FSID, after.Since = before.FSID, before.Since
	} else if after.FSID, err = s.fsid(ctx, p); err != nil || after.FSID == "" {
		return false, err
	}
	p.Cluster.Status.Cleanup = after
	p.Log.Infof("the data of cluster in namespace %s is to be destroyed on the nodes %s", p.Cluster.Namespace, strings.Join(hosts, ", "))
	return true, p.SaveStatus(ctx)
}

// stop takes away what runs of the cluster.
func (s *stock) stop(ctx context.Context, p *pass.Pass) error {
	owner := object.OwnedBy(p.Cluster)
	var running []client.Object
	for i := range s.deployments {
		running = append(running, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: s.deployments[i].Name}})
	}
	for i := range s.jobs {
		running = append(running, &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: s.jobs[i].Name}})
	}
	for _, each := range running {
		if _, err := object.Delete(ctx, p.Client, each, owner); err != nil {
			return err
		}
	}
	if len(running) > 0 {
		return pass.WaitFor(v1.ReasonDeleting, againForPods, "the daemons to end: %d Deployments and Jobs are left", len(running))
	}
	return nil
}

// wipe starts the jobs and waits for them.
func (s *stock) wipe(ctx context.Context, p *pass.Pass) error {
	cleanup := p.Cluster.Status.Cleanup
	var waiting, stuck, left []string
	again := againForJob
	for _, hostname := range cleanup.Nodes {
		found := s.at(hostname)
		found.since = cleanup.Since.Time
		d := decide(found, p.Clock.Now())
		if d.again > 0 {
			again = min(again, d.again)
		}
		switch d.do {
		case start:
			job := Job(p, Request{
				Node: hostname, Namespace: p.Cluster.Namespace, FSID: cleanup.FSID, DataDir: p.Cluster.Spec.DataDirHostPath,
				Directories: s.directories[hostname], Disks: p.Cluster.Spec.CleanupPolicy.SanitizeDisks,
			})
			if _, err := object.EnsureOnce(ctx, p.Client, job, object.OwnedBy(p.Cluster)); err != nil {
				return err
			}
			waiting = append(waiting, fmt.Sprintf("Job %s to wipe node %s", job.Name, hostname))
		case wait:
			waiting = append(waiting, d.why)
		case failed:
			stuck = append(stuck, d.why)
		case leave:
			left = append(left, d.why)
		case done:
		}
	}
	if len(waiting)+len(stuck) > 0 {
		return unfinished(ctx, p, waiting, stuck, again)
	}
	return tell(ctx, p, left)
}

// unfinished says what is waited for, and what keeps the jobs from being done.
func unfinished(ctx context.Context, p *pass.Pass, waiting, stuck []string, again time.Duration) error {
	trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, daemon.AppLabels(App, p.Cluster.Namespace))
	if err != nil {
		return err
	}
	text := strings.Join(append(stuck, waiting...), "; ")
	if trouble != "" {
		text += ": " + trouble
	}
	if len(stuck) == 0 && trouble == "" {
		return pass.WaitFor(v1.ReasonDeleting, again, "%s", text)
	}
	return pass.WaitFor(v1.ReasonFailed, min(again, againForNode), "%s; delete a failed Job to have it tried again, or take spec.cleanupPolicy.confirmation away to let the cluster go and keep what is left of its data", text)
}

// tell tells a person what was not wiped. It is told again rather than never by
// an operator that is restarted right then.
func tell(ctx context.Context, p *pass.Pass, left []string) error {
	alone, err := leftAlone(ctx, p)
	if err != nil {
		return err
	}
	if left = append(left, alone...); len(left) == 0 {
		p.Log.Infof("the data of cluster in namespace %s is destroyed", p.Cluster.Namespace)
		return nil
	}
	text := "not wiped: " + strings.Join(left, "; ")
	p.Log.Warningf("the data of cluster in namespace %s is destroyed; %s", p.Cluster.Namespace, text)
	p.Events.Event(p.Cluster, door.Warning, "NotWiped", text)
	return nil
}

// leftAlone is what the jobs say that they have not taken away. A log that cannot
// be read any more says nothing.
func leftAlone(ctx context.Context, p *pass.Pass) ([]string, error) {
	var pods corev1.PodList
	where := []client.ListOption{client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(daemon.AppLabels(App, p.Cluster.Namespace))}
	if err := p.Client.List(ctx, &pods, where...); err != nil {
		return nil, fmt.Errorf("failed to list the pods of the cleanup: %w", err)
	}
	var left []string
	for i := range pods.Items {
		pod := &pods.Items[i]
		log, err := p.Pods.PodLog(ctx, pod.Namespace, pod.Name, container)
		if err != nil {
			p.Log.Warningf("failed to read what pod %s has left alone: %v", pod.Name, err)
			continue
		}
		for line := range strings.Lines(log) {
			if _, what, ok := strings.Cut(strings.TrimSpace(line), LeftAlone); ok {
				left = append(left, "node "+pod.Spec.NodeSelector[daemon.HostnameLabel]+": "+what)
			}
		}
	}
	slices.Sort(left)
	return slices.Compact(left), nil
}
