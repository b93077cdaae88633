package explore

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	appsv1 "k8s.io/api/apps/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// What steps say of nodes and of the operator.
var (
	aRemoval = regexp.MustCompile(`^the node "(\w+)" is removed from Kubernetes$`)
	aLoss    = regexp.MustCompile(`^the node "(\w+)" (loses its power|comes back)$`)
	aCordon  = regexp.MustCompile(`^the node "(\w+)" is (cordoned|uncordoned)$`)
	aSlow    = regexp.MustCompile(`^the operator's "ceph" takes (\w+)$`)
	aLate    = regexp.MustCompile(`^the operator reads what (?:was \w+ ago|(is there))$`)
)

// note learns from a step that was carried out what is asked of the cluster, and
// what is wrong.
func (r *run) note(s Sentence) {
	set := func(of map[string]bool, key string, on bool) {
		if delete(of, key); on {
			of[key] = true
		}
	}
	if m := aRemoval.FindStringSubmatch(s.Text); m != nil {
		r.want.gone[m[1]] = true
		delete(r.cordoned, m[1])
	}
	if m := aLoss.FindStringSubmatch(s.Text); m != nil {
		set(r.down, m[1], m[2] == "loses its power")
	}
	if m := aCordon.FindStringSubmatch(s.Text); m != nil {
		set(r.cordoned, m[1], m[2] == "cordoned")
	}
	if m := aSlow.FindStringSubmatch(s.Text); m != nil {
		r.slow = m[1] != "0s"
	}
	if m := aLate.FindStringSubmatch(s.Text); m != nil {
		r.late = m[1] == ""
	}
	if s.Doc == "" {
		return
	}
	var doc struct {
		Spec v1.ClusterSpec `json:"spec"`
	}
	if err := yaml.Unmarshal([]byte(s.Doc), &doc); err != nil {
		return
	}
	r.want.mons = doc.Spec.Mon.Count
	r.want.image = doc.Spec.CephVersion.Image
	r.want.mirrors = doc.Spec.RBDMirroring.Workers
	r.want.storage = nil
	for _, n := range doc.Spec.Storage.Nodes {
		r.want.storage = append(r.want.storage, n.Name)
	}
}

// asWanted says in what the cluster is not yet what its last spec asks for.
func (r *run) asWanted() error {
	if err := created(r.w); err != nil {
		return err
	}
	c, err := cluster(r.w)
	if err != nil {
		return err
	}
	if is := meta.FindStatusCondition(c.Status.Conditions, "Ready"); is == nil || is.Status != "True" {
		return fmt.Errorf("the condition Ready is %+v", is)
	}
	if err := errors.Join(
		ready(r.w, "rook-ceph-mon", r.want.mons), ready(r.w, "rook-ceph-mgr", 1), ready(r.w, "rook-ceph-rbd-mirror", r.want.mirrors),
		r.osds(), r.leftOver(), r.healthy(c),
	); err != nil {
		return err
	}
	if err := runsImage(r.w, r.want.image); err != nil {
		return err
	}
	names, err := quorumNames(r.w)
	if err == nil && len(names) != r.want.mons {
		err = fmt.Errorf("the mons %q are in quorum, want %d", names, r.want.mons)
	}
	return err
}

// osds: each node that is to have an OSD has one that runs.
func (r *run) osds() error {
	all := &appsv1.DeploymentList{}
	if err := r.w.Client().List(r.ctx, all, client.InNamespace(namespace), client.MatchingLabels{"app": "rook-ceph-osd"}); err != nil {
		return err
	}
	want := r.want.storage
	if want == nil {
		want = diskNodes
	}
	for _, n := range want {
		if r.want.gone[n] {
			continue
		}
		if !slices.ContainsFunc(all.Items, func(d appsv1.Deployment) bool {
			return d.Spec.Template.Spec.NodeSelector[corev1.LabelHostname] == n && d.Status.ReadyReplicas == 1
		}) {
			return fmt.Errorf("no OSD is ready on node %s", n)
		}
	}
	return nil
}

// leftOver: no Job is at work or has failed, no mon has a Service that is gone, no
// file lies about.
func (r *run) leftOver() error {
	jobs := &batchv1.JobList{}
	if err := r.w.Client().List(r.ctx, jobs, client.InNamespace(namespace)); err != nil {
		return err
	}
	for _, j := range jobs.Items {
		if node := j.Spec.Template.Spec.NodeSelector[corev1.LabelHostname]; r.want.gone[node] {
			return fmt.Errorf("the Job %s is left of a node that is gone", j.Name)
		}
		if j.Status.Succeeded != 1 {
			return fmt.Errorf("the Job %s is left: %+v", j.Name, j.Status)
		}
	}
	services := &corev1.ServiceList{}
	if err := r.w.Client().List(r.ctx, services, client.InNamespace(namespace), client.MatchingLabels{"app": "rook-ceph-mon"}); err != nil {
		return err
	}
	if len(services.Items) != r.want.mons {
		return fmt.Errorf("there are %d Services of mons, want %d", len(services.Items), r.want.mons)
	}
	files, err := r.w.OperatorDir("/tmp")
	if err == nil && len(files) > 0 {
		err = fmt.Errorf("the operator left %s in /tmp", strings.Join(files, ", "))
	}
	return err
}

// healthy: Ceph is content, as far as it can be without the disks of nodes that
// are gone.
func (r *run) healthy(c *v1.CephCluster) error {
	switch {
	case c.Status.Ceph == nil:
		return errors.New("the cluster's health is not known")
	case c.Status.Ceph.Health == "HEALTH_OK":
		return nil
	case len(r.want.gone) > 0 && c.Status.Ceph.Health == "HEALTH_WARN":
		return nil
	}
	return fmt.Errorf("the cluster's health is %s: %v", c.Status.Ceph.Health, c.Status.Ceph.Details)
}
