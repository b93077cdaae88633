package osd

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

func machine(name string, change func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name + ".example.org", Labels: map[string]string{"kubernetes.io/hostname": name}},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	if change != nil {
		change(&n)
	}
	return n
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

func tainted(key string) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
	}
}

func TestTargets(t *testing.T) {
	nodes := []corev1.Node{
		machine("n3", cordoned), machine("n1", nil), machine("master", tainted("node-role.kubernetes.io/control-plane")),
		machine("n2", tainted("node.kubernetes.io/not-ready")),
	}
	elsewhere := v1.Placements{v1.OSD: {NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "kubernetes.io/hostname", Operator: corev1.NodeSelectorOpIn, Values: []string{"n1"}},
		}}},
	}}}}
	tolerant := v1.Placements{v1.All: {Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}}
	for name, c := range map[string]struct {
		spec v1.ClusterSpec
		want []string // "name", or "name: why"
	}{
		"all nodes": {
			v1.ClusterSpec{Storage: v1.StorageSpec{UseAllNodes: true}},
			[]string{"n1", "n2: has the taint node.kubernetes.io/not-ready:NoSchedule, which is not tolerated", "n3: is cordoned"},
		},
		"all nodes, the named ones do not count": {
			v1.ClusterSpec{Storage: v1.StorageSpec{UseAllNodes: true, Nodes: []v1.Node{{Name: "x"}}}, Placement: elsewhere},
			[]string{"n1"},
		},
		"all nodes, tolerant": {
			v1.ClusterSpec{Storage: v1.StorageSpec{UseAllNodes: true}, Placement: tolerant},
			[]string{"master", "n1", "n2", "n3: is cordoned"},
		},
		"named nodes": {
			v1.ClusterSpec{Storage: v1.StorageSpec{Nodes: []v1.Node{{Name: "n3"}, {Name: "n1"}, {Name: "n1.example.org"}}}},
			[]string{"n1", "n1.example.org: is not in Kubernetes: no node has the label kubernetes.io/hostname=n1.example.org", "n3: is cordoned"},
		},
		"none": {v1.ClusterSpec{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, target := range Targets(&c.spec, nodes) {
				if target.Storage.Name != target.Name {
					t.Errorf("the storage of %s is that of %q", target.Name, target.Storage.Name)
				}
				if target.Why != "" {
					target.Name += ": " + target.Why
				}
				got = append(got, target.Name)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var now = time.Date(2019, 5, 23, 12, 0, 0, 0, time.UTC)

// job has worked on the request "new" since then; how tells how it ended, if it
// did, and when.
func job(since time.Time, how batchv1.JobConditionType, when time.Time) *batchv1.Job {
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{
		CreationTimestamp: metav1.NewTime(since), Annotations: map[string]string{HashAnnotation: "new"},
	}}
	if how != "" {
		j.Status.Conditions = []batchv1.JobCondition{{Type: how, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(when)}}
	}
	return j
}

func former(j *batchv1.Job) *batchv1.Job {
	j.Annotations[HashAnnotation] = "former"
	return j
}

func going(j *batchv1.Job) *batchv1.Job {
	at := metav1.NewTime(now)
	j.DeletionTimestamp = &at
	return j
}

func TestNext(t *testing.T) {
	fit, unfit, missing := Target{Name: "n1"}, Target{Name: "n1", Why: "is cordoned"}, Target{Name: "n1", Missing: true, Why: "is not in Kubernetes"}
	none := prepare.Result{}
	failed := prepare.Result{Phase: prepare.Failed, Hash: "new", Message: "lsblk: no such program"}
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	for name, c := range map[string]struct {
		target Target
		result prepare.Result
		job    *batchv1.Job
		want   step
		text   string
	}{
		"nothing yet":        {fit, none, nil, step{Do: start, Reason: "Waiting", Pending: true}, "node n1 to be prepared"},
		"done":               {fit, prepare.Result{Phase: prepare.Completed, Hash: "new"}, nil, step{Done: true}, ""},
		"done, now cordoned": {unfit, prepare.Result{Phase: prepare.Completed, Hash: "new"}, nil, step{Done: true}, ""},
		"done for another request": {
			fit,
			prepare.Result{Phase: prepare.Completed, Hash: "former"},
			former(job(ago(time.Hour), batchv1.JobComplete, ago(time.Hour))),
			step{Do: remove, Reason: "Waiting", Pending: true},
			"former job",
		},
		"the former job is going": {fit, none, going(former(job(ago(time.Hour), "", now))), step{Reason: "Waiting", Pending: true}, "to go away"},
		"no such node":            {missing, none, nil, step{Reason: "InvalidSpec"}, "storage node n1 is not in Kubernetes"},
		"a cordoned node":         {unfit, none, nil, step{Reason: "Waiting"}, "storage node n1 is cordoned"},
		"running":                 {fit, none, job(ago(time.Minute), "", now), step{Reason: "Waiting", Pending: true, Again: 14 * time.Minute}, "node n1 to be prepared"},
		"running and in trouble": {
			fit, failed, job(ago(time.Minute), "", now), step{Reason: "Failed", Pending: true, Again: 14 * time.Minute}, "lsblk: no such program",
		},
		"running too long": {fit, none, job(ago(15*time.Minute), "", now), step{Reason: "TimedOut"}, "has not been prepared for more than 15m0s"},
		"its node is gone": {unfit, none, job(ago(time.Minute), "", now), step{Reason: "Waiting", Again: 14 * time.Minute}, "which is cordoned"},
		"failed": {
			fit, failed, job(ago(time.Hour), batchv1.JobFailed, ago(time.Minute)), step{Reason: "Failed", Again: 4 * time.Minute}, "could not be prepared: lsblk: no such program",
		},
		"failed, to be tried again": {
			fit, none, job(ago(time.Hour), batchv1.JobFailed, ago(5*time.Minute)), step{Do: remove, Reason: "Failed"}, "its job failed",
		},
		"the result is still to come": {
			fit, none, job(ago(time.Hour), batchv1.JobComplete, ago(time.Second)), step{Reason: "Waiting", Pending: true, Again: 9 * time.Second}, "the result of node n1",
		},
		"the result is lost": {
			fit, none, job(ago(time.Hour), batchv1.JobComplete, ago(time.Minute)), step{Do: remove, Reason: "Waiting", Pending: true}, "the result of node n1",
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := next(c.target, "new", c.result, c.job, now)
			if !strings.Contains(got.Problem, c.text) {
				t.Errorf("it says %q, want %q", got.Problem, c.text)
			}
			got.Problem = ""
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacedOSDs(t *testing.T) {
	osds, twice := placedOSDs(entries(map[string]prepare.Result{
		"n2": {OSDs: []prepare.OSD{{ID: 1}, {ID: 0}}},
		"n1": {OSDs: []prepare.OSD{{ID: 2}, {ID: 1}}},
	}), nil)
	var got []string
	for _, o := range osds {
		got = append(got, Name(o.ID)+" "+o.Node)
	}
	if diff := cmp.Diff([]string{"rook-ceph-osd-0 n2", "rook-ceph-osd-1 n1", "rook-ceph-osd-2 n1"}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if len(twice) != 1 || !strings.Contains(twice[0].Problem, "osd.1 is reported by nodes n1 and n2") {
		t.Errorf("twice: %v", twice)
	}
}

func TestStorageStatus(t *testing.T) {
	got := storageStatus(map[string]prepare.Result{
		"n2": {OSDs: []prepare.OSD{{ID: 1, Device: "sdb"}, {ID: 0, Directory: "/data"}}},
		"n1": {Unused: []v1.UnusedDevice{{Name: "sdb", Reason: "it is read-only"}, {Name: "sda", Reason: "it has partitions"}}},
		"n3": {Phase: prepare.Orchestrating},
	}, nil)
	want := &v1.StorageStatus{Nodes: []v1.NodeStorageStatus{
		{Name: "n1", Unused: []v1.UnusedDevice{{Name: "sda", Reason: "it has partitions"}, {Name: "sdb", Reason: "it is read-only"}}},
		{Name: "n2", OSDs: []v1.OSDStatus{{ID: 0, Device: "/data"}, {ID: 1, Device: "sdb"}}},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestTheNameOfAResultSaysWhoseItIs(t *testing.T) {
	long := strings.Repeat("node-of-a-long-name.", 4) + "example.org"
	for name, c := range map[string]struct{ of, says, want string }{
		"as made":                   {prepare.ResultName("n1"), "n1", "n1"},
		"says nothing":              {prepare.ResultName("n1"), "", "n1"},
		"says another":              {prepare.ResultName("n1"), "n2", "n1"},
		"no target any more":        {prepare.ResultName("n9"), "", "n9"},
		"a hash, of a target":       {prepare.ResultName(long), "", long},
		"a hash, and says so":       {prepare.ResultName(long + ".net"), long + ".net", long + ".net"},
		"of a node with a dash":     {prepare.ResultName("a-status"), "", "a-status"},
		"not a result":              {"rook-ceph-osd-n1", "n1", ""},
		"not a result, by its name": {"my-status", "my", ""},
	} {
		t.Run(name, func(t *testing.T) {
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: c.of}, Data: map[string]string{nodeKey: c.says}}
			if got := nodeOf(cm, []Target{{Name: "n1"}, {Name: long}}); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
