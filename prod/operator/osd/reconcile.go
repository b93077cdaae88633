package osd

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

// nodeKey is the data key of a result's ConfigMap that names the node.
const nodeKey = "node"

// Reconcile brings the OSDs nearer to what the spec asks for. What is still to
// come is noted with [pass.Pass.Later] and in the condition OSDsReady, and does
// not end the pass; only as long as there is no OSD at all does the pass wait
// for the first one, without which nothing that follows could work (S63).
func Reconcile(ctx context.Context, p *pass.Pass) error {
	nodes, err := listNodes(ctx, p)
	if err != nil {
		return err
	}
	targets := Targets(&p.Cluster.Spec, nodes)
	results, err := results(ctx, p, targets)
	if err != nil {
		return err
	}
	missing, err := reconcileNodes(ctx, p, nodes, targets, results)
	if err != nil {
		return err
	}
	written := entries(results)
	running, err := deployments(ctx, p)
	if err != nil {
		return err
	}
	m, err := lookAt(ctx, p, missing, written, running)
	if err != nil {
		return err
	}
	placed, twice := placedOSDs(written, m)
	osds := findOSDs(written, running, m, &p.Cluster.Spec, nodes)
	late, err := lookAfter(ctx, p, placed, osds, running)
	if err != nil {
		return err
	}
	missing = append(append(missing, twice...), late...)
	if len(targets) == 0 && len(results) == 0 {
		missing = append(missing, step{Reason: v1.ReasonInvalidSpec, Problem: "the spec selects no storage nodes: there are no OSDs"})
	}
	p.Cluster.Status.Storage = storageStatus(results, osds)
	setCondition(p, len(placed), missing)
	return wait(p, missing, len(placed) > 0)
}

// reconcileNodes works on the storage nodes side by side, and says what is not
// done yet.
func reconcileNodes(ctx context.Context, p *pass.Pass, nodes []corev1.Node, targets []Target, results map[string]prepare.Result) ([]step, error) {
	if err := removeStrayJobs(ctx, p, nodes); err != nil {
		return nil, err
	}
	if len(targets) > 0 {
		if err := ensureAccess(ctx, p); err != nil {
			return nil, err
		}
	}
	var missing []step
	for _, t := range targets {
		s, err := reconcileNode(ctx, p, t, results[t.Name])
		if err != nil {
			return nil, err
		}
		if !s.Done {
			missing = append(missing, s)
		}
	}
	return missing, nil
}

// lookAt asks for Ceph's map of OSDs. While a new cluster's nodes are prepared it
// is not asked for, which with many nodes would be many times for nothing: every
// OSD that there is was made a moment ago.
func lookAt(ctx context.Context, p *pass.Pass, missing []step, written []entry, running map[string]*appsv1.Deployment) (osdMap, error) {
	preparing := slices.ContainsFunc(missing, func(s step) bool { return s.Pending })
	if len(written)+len(running) == 0 || preparing && p.Cluster.Status.State == v1.ClusterStateCreating {
		return nil, nil
	}
	dump, err := p.Ceph.OSDDump(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to ask which OSDs are up: %w", err)
	}
	// Also before the next upgrade, which must not pass over a release that Ceph is
	// still to be told of.
	return newOSDMap(dump), upgrade.RequireRelease(ctx, p, dump, oldestGiven(p, running))
}

// lookAfter runs the OSDs that are to run, removes one of those that are not to
// any more, and says what is not as it should be.
func lookAfter(ctx context.Context, p *pass.Pass, toRun []placed, osds []known, running map[string]*appsv1.Deployment) ([]step, error) {
	c := checkOf(&p.Cluster.Spec)
	leaving, err := removeOne(ctx, p, removable(osds, c, p.Clock.Now()))
	if err != nil {
		return nil, err
	}
	if leaving != nil {
		p.LookAgain(afterRemoval)
		toRun = slices.DeleteFunc(slices.Clone(toRun), func(o placed) bool { return o.ID == leaving.ID })
	}
	late, err := reconcileDaemons(ctx, p, toRun, running)
	if err != nil {
		return nil, err
	}
	told := judge(osds, c, p.Clock.Now())
	if told, err = explain(ctx, p, osds, told); err != nil {
		return nil, err
	}
	if len(osds) > 0 && !c.disabled {
		p.LookAgain(c.every)
	}
	return append(late, told...), nil
}

// afterRemoval is when the next OSD may be removed, or this one's removal goes on.
const afterRemoval = 5 * time.Second

// wait notes what is still to come.
func wait(p *pass.Pass, missing []step, some bool) error {
	for _, s := range missing {
		waiting := pass.WaitFor(s.Reason, s.Again, "%s", s.Problem)
		switch {
		case s.Pending && !some:
			return waiting
		case s.Pending:
			p.Later(waiting)
		case s.Again > 0:
			p.LookAgain(s.Again)
		}
	}
	return nil
}

// listNodes are the nodes of the Kubernetes cluster.
func listNodes(ctx context.Context, p *pass.Pass) ([]corev1.Node, error) {
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("failed to list the nodes: %w", err)
	}
	return nodes.Items, nil
}

// removeStrayJobs removes the jobs of nodes that are no longer in Kubernetes,
// which would wait for their nodes for ever (B17).
func removeStrayJobs(ctx context.Context, p *pass.Pass, nodes []corev1.Node) error {
	var jobs batchv1.JobList
	labels := daemon.AppLabels(PrepareApp, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &jobs, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return fmt.Errorf("failed to list the OSD jobs: %w", err)
	}
	for i := range jobs.Items {
		job := &jobs.Items[i]
		name := job.Spec.Template.Spec.NodeSelector[daemon.HostnameLabel]
		if job.DeletionTimestamp != nil || slices.ContainsFunc(nodes, func(n corev1.Node) bool { return node.Hostname(&n) == name }) {
			continue
		}
		if _, err := object.Delete(ctx, p.Client, job, object.OwnedBy(p.Cluster)); err != nil {
			return fmt.Errorf("failed to remove the OSD job of node %s, which is gone: %w", name, err)
		}
	}
	return nil
}

// results are what the jobs have reported, by node, also of nodes that are no
// longer storage nodes.
func results(ctx context.Context, p *pass.Pass, targets []Target) (map[string]prepare.Result, error) {
	var list corev1.ConfigMapList
	labels := daemon.AppLabels(App, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return nil, fmt.Errorf("failed to list the results of the OSD jobs: %w", err)
	}
	results := map[string]prepare.Result{}
	for i := range list.Items {
		name := nodeOf(&list.Items[i], targets)
		if name == "" {
			continue
		}
		result, err := prepare.DecodeResult(&list.Items[i])
		if err != nil {
			// The node is prepared again, which finds the OSDs that are there.
			p.Log.Warningf("%v", err)
		}
		result.Again = list.Items[i].Data[prepare.AgainKey]
		results[name] = result
	}
	return results, nil
}

// nodeOf is the node that a result's ConfigMap is of, "" if it is no result. The
// ConfigMap's name decides, by which the jobs find it; what it says of the node
// is needed only where the name has the hash of a node that is no target.
func nodeOf(cm *corev1.ConfigMap, targets []Target) string {
	candidates := []string{cm.Data[nodeKey]}
	for _, t := range targets {
		candidates = append(candidates, t.Name)
	}
	for _, name := range append(candidates, prepare.ResultNode(cm.Name)) {
		if name != "" && prepare.ResultName(name) == cm.Name {
			return name
		}
	}
	return ""
}

// reconcileNode starts or removes the node's job as [next] decides.
func reconcileNode(ctx context.Context, p *pass.Pass, t Target, result prepare.Result) (step, error) {
	r := request(p, t, result.Again)
	hash := r.Hash()
	if result.Phase == prepare.Completed && result.Hash == hash {
		return step{Done: true}, nil // no need to look at the job
	}
	var job *batchv1.Job
	found := &batchv1.Job{}
	key := client.ObjectKey{Namespace: p.Cluster.Namespace, Name: JobName(t.Name)}
	switch err := p.Client.Get(ctx, key, found); {
	case err == nil:
		job = found
	case client.IgnoreNotFound(err) != nil:
		return step{}, fmt.Errorf("failed to get Job %s: %w", key, err)
	}
	s := next(t, hash, result, job, p.Clock.Now())
	owner := object.OwnedBy(p.Cluster)
	switch s.Do {
	case start:
		if _, err := object.EnsureOnce(ctx, p.Client, resultMap(p.Cluster.Namespace, t.Name), owner); err != nil {
			return step{}, err
		}
		if _, err := object.EnsureOnce(ctx, p.Client, Job(p, r), owner); err != nil {
			return step{}, fmt.Errorf("failed to start the OSD job of node %s: %w", t.Name, err)
		}
		p.Log.Infof("preparing the OSDs of node %s", t.Name)
	case remove:
		if _, err := object.Delete(ctx, p.Client, found, owner); err != nil {
			return step{}, fmt.Errorf("failed to remove the former OSD job of node %s: %w", t.Name, err)
		}
	case leave:
		if s.Pending && job != nil {
			trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, jobLabels(p.Cluster.Namespace, t.Name))
			if err != nil {
				return step{}, err
			}
			if trouble != "" {
				s.Problem += ": " + trouble
			}
		}
	}
	return s, nil
}
