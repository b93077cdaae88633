package osd_test

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// cluster is a cluster whose OSDs a test brings up.
type cluster struct {
	*doortest.World
	pass *pass.Pass
	// waits is what ended the last pass.
	waits error
	// down are the OSDs that Ceph does not see up.
	down map[int]bool
}

// ceph answers `osd dump`.
func (c *cluster) ceph(args []string) (string, error) {
	var osds []string
	for id := range 5 {
		up := 1
		if c.down[id] {
			up = 0
		}
		osds = append(osds, fmt.Sprintf(`{"osd": %d, "uuid": "u", "up": %d, "in": 1, "state": ["exists"]}`, id, up))
	}
	c.Files[args[len(args)-1]] = doortest.File{Data: fmt.Appendf(nil, `{"fsid": "f", "osds": [%s]}`, strings.Join(osds, ","))}
	return "", nil
}

func newCluster(t *testing.T, nodes ...string) *cluster {
	c := &cluster{World: doortest.New(t), pass: newPass(), down: map[int]bool{}}
	c.Programs["ceph"] = c.ceph
	for _, name := range nodes {
		n := &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
			Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		}
		if err := c.Kube.Create(context.Background(), n); err != nil {
			t.Fatal(err)
		}
	}
	c.Writes = nil
	return c
}

// reconcile makes a pass and returns what it wrote. That it waits for the first
// OSD is not an error.
func (c *cluster) reconcile(t *testing.T) (writes []string) {
	t.Helper()
	doors := c.Doors()
	p := &pass.Pass{
		Ceph:  ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{Cluster: "rook-ceph", Conf: "/c", Keyring: "/k"}, c.pass.Version),
		Doors: doors, Settings: c.pass.Settings, Cluster: c.pass.Cluster.DeepCopy(),
		Version: c.pass.Version, Identity: c.pass.Identity,
	}
	c.waits = osd.Reconcile(context.Background(), p)
	if _, ok := pass.IsWaiting(c.waits); c.waits != nil && !ok {
		t.Fatal(c.waits)
	}
	c.pass = p
	writes = c.Writes
	c.stamp(t)
	c.Writes = nil
	return writes
}

// stamp gives jobs and Deployments the time of their creation, as the API server
// does.
func (c *cluster) stamp(t *testing.T) {
	t.Helper()
	var jobs batchv1.JobList
	if err := c.Kube.List(context.Background(), &jobs); err != nil {
		t.Fatal(err)
	}
	for i := range jobs.Items {
		if jobs.Items[i].CreationTimestamp.IsZero() {
			jobs.Items[i].CreationTimestamp = metav1.NewTime(c.Clock.Now())
			if err := c.Kube.Update(context.Background(), &jobs.Items[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
	var daemons appsv1.DeploymentList
	if err := c.Kube.List(context.Background(), &daemons); err != nil {
		t.Fatal(err)
	}
	for i := range daemons.Items {
		if daemons.Items[i].CreationTimestamp.IsZero() {
			daemons.Items[i].CreationTimestamp = metav1.NewTime(c.Clock.Now())
			if err := c.Kube.Update(context.Background(), &daemons.Items[i]); err != nil {
				t.Fatal(err)
			}
		}
	}
}

// finish has a node's job report OSDs on these devices.
func (c *cluster) finish(t *testing.T, node string, ids ...int) {
	t.Helper()
	job := doortest.Get(t, c.World, "rook-ceph", osd.JobName(node), &batchv1.Job{})
	result := prepare.Result{Phase: prepare.Completed, Hash: job.Annotations[osd.HashAnnotation]}
	for _, id := range ids {
		result.OSDs = append(result.OSDs, prepare.OSD{ID: id, UUID: "u", Store: v1.Bluestore, Device: "sdb"})
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	cm := doortest.Get(t, c.World, "rook-ceph", prepare.ResultName(node), &corev1.ConfigMap{})
	cm.Data[prepare.ResultKey] = string(text)
	if err := c.Kube.Update(context.Background(), cm); err != nil {
		t.Fatal(err)
	}
	c.Writes = nil
}

// ready has an OSD's pod run.
func (c *cluster) ready(t *testing.T, id int, ready int32) {
	t.Helper()
	d := doortest.Get(t, c.World, "rook-ceph", osd.Name(id), &appsv1.Deployment{})
	d.Status = appsv1.DeploymentStatus{ObservedGeneration: d.Generation, UpdatedReplicas: 1, ReadyReplicas: ready}
	if err := c.Kube.Status().Update(context.Background(), d); err != nil {
		t.Fatal(err)
	}
	c.Writes = nil
}

func (c *cluster) condition() metav1.Condition {
	found := apimeta.FindStatusCondition(c.pass.Cluster.Status.Conditions, v1.ConditionOSDsReady)
	if found == nil {
		return metav1.Condition{}
	}
	return *found
}

func (c *cluster) pending() string {
	var all []string
	for _, w := range c.pass.Pending() {
		all = append(all, w.For)
	}
	return strings.Join(all, "; ")
}

func deployments(t *testing.T, c *cluster) (names []string) {
	t.Helper()
	var list appsv1.DeploymentList
	if err := c.Kube.List(context.Background(), &list); err != nil {
		t.Fatal(err)
	}
	for _, d := range list.Items {
		names = append(names, d.Name)
	}
	slices.Sort(names)
	return names
}

func TestANodeThatDoesNotFinishHoldsUpNobody(t *testing.T) {
	c := newCluster(t, "n1", "n2", "n3")
	if c.reconcile(t); c.waits == nil {
		t.Error("a cluster without OSDs goes on")
	}
	for _, node := range []string{"n1", "n2", "n3"} {
		doortest.Get(t, c.World, "rook-ceph", osd.JobName(node), &batchv1.Job{})
	}
	c.finish(t, "n1", 0)
	c.finish(t, "n2", 1, 2)
	if c.reconcile(t); c.waits != nil {
		t.Errorf("it waits for all: %v", c.waits)
	}
	if got := deployments(t, c); !slices.Equal(got, []string{"rook-ceph-osd-0", "rook-ceph-osd-1", "rook-ceph-osd-2"}) {
		t.Errorf("deployments %v", got)
	}
	if condition := c.condition(); condition.Status != metav1.ConditionFalse || !strings.Contains(condition.Message, "node n3") {
		t.Errorf("condition %v", condition)
	}
	if !strings.Contains(c.pending(), "node n3 to be prepared") {
		t.Errorf("pending: %s", c.pending())
	}
	for id := range 3 {
		c.ready(t, id, 1)
	}
	c.Clock.SetTime(c.Clock.Now().Add(15 * time.Minute))
	c.reconcile(t)
	if condition := c.condition(); c.pending() != "" || condition.Reason != v1.ReasonTimedOut {
		t.Errorf("after the limit: pending %q, condition %v", c.pending(), condition)
	}
	c.finish(t, "n3", 3) // it comes back
	c.reconcile(t)
	if got := deployments(t, c); !slices.Contains(got, "rook-ceph-osd-3") {
		t.Errorf("deployments %v", got)
	}
}

func TestAReconcileWithNothingToDoWritesNothing(t *testing.T) {
	c := newCluster(t, "n1")
	c.reconcile(t)
	c.finish(t, "n1", 0)
	c.reconcile(t)
	c.ready(t, 0, 1)
	c.down[0] = true
	if c.reconcile(t); c.pending() != "osd.0 to be up in Ceph" {
		t.Errorf("it waits for %q", c.pending())
	}
	c.down[0] = false
	if writes := c.reconcile(t); len(writes) != 0 {
		t.Errorf("it wrote %v", writes)
	}
	if condition := c.condition(); condition.Status != metav1.ConditionTrue {
		t.Errorf("condition %v", condition)
	}
	if c.pending() != "" || c.pass.Again() != osd.CheckInterval {
		t.Errorf("it waits for %q, %s", c.pending(), c.pass.Again())
	}
	if got := c.pass.Cluster.Status.Storage.Nodes; len(got) != 1 || got[0].Name != "n1" || got[0].OSDs[0].Device != "sdb" {
		t.Errorf("status %v", got)
	}
}

// TestMaintenanceIsNotRemoval: B19, for each state of the node and both ways to
// name it.
func TestMaintenanceIsNotRemoval(t *testing.T) {
	for name, change := range map[string]func(*corev1.Node, *v1.ClusterSpec){
		"cordoned":        func(n *corev1.Node, _ *v1.ClusterSpec) { n.Spec.Unschedulable = true },
		"not ready":       func(n *corev1.Node, _ *v1.ClusterSpec) { n.Status.Conditions[0].Status = corev1.ConditionFalse },
		"disk pressure":   func(n *corev1.Node, _ *v1.ClusterSpec) { taint(n, "node.kubernetes.io/disk-pressure") },
		"a person's own":  func(n *corev1.Node, _ *v1.ClusterSpec) { taint(n, "dedicated") },
		"out of the spec": func(_ *corev1.Node, s *v1.ClusterSpec) { s.Storage.Nodes, s.Storage.UseAllNodes = nil, false },
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t, "n1")
			c.reconcile(t)
			c.finish(t, "n1", 3, 4)
			c.reconcile(t)
			c.ready(t, 3, 1)
			c.ready(t, 4, 1)
			n := doortest.Get(t, c.World, "", "n1", &corev1.Node{})
			change(n, &c.pass.Cluster.Spec)
			if err := c.Kube.Update(context.Background(), n); err != nil {
				t.Fatal(err)
			}
			c.Writes = nil
			if writes := c.reconcile(t); len(writes) != 0 {
				t.Errorf("it wrote %v", writes)
			}
			if got := deployments(t, c); len(got) != 2 {
				t.Errorf("deployments %v", got)
			}
			for _, command := range c.Commands {
				if !strings.HasPrefix(command, "ceph osd dump ") {
					t.Errorf("it ran %s", command)
				}
			}
		})
	}
}

func taint(n *corev1.Node, key string) {
	n.Spec.Taints = []corev1.Taint{{Key: key, Effect: corev1.TaintEffectNoSchedule}}
}

func TestAnOtherRequestRunsTheJobAgain(t *testing.T) {
	c := newCluster(t, "n1")
	c.reconcile(t)
	c.finish(t, "n1", 0)
	c.reconcile(t)
	before := doortest.Get(t, c.World, "rook-ceph", osd.JobName("n1"), &batchv1.Job{})
	c.pass.Cluster.Spec.Storage.Directories = []v1.Directory{{Path: "/data"}}
	c.reconcile(t) // the former job goes
	c.reconcile(t) // the new one comes
	after := doortest.Get(t, c.World, "rook-ceph", osd.JobName("n1"), &batchv1.Job{})
	if before.Annotations[osd.HashAnnotation] == after.Annotations[osd.HashAnnotation] {
		t.Error("the job is the former one")
	}
	if got := deployments(t, c); len(got) != 1 {
		t.Errorf("deployments %v", got)
	}
}

func TestACrashShowsInTheCondition(t *testing.T) {
	c := newCluster(t, "n1")
	c.reconcile(t)
	c.finish(t, "n1", 0)
	c.reconcile(t)
	d := doortest.Get(t, c.World, "rook-ceph", osd.Name(0), &appsv1.Deployment{})
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "osd-pod", Labels: d.Spec.Template.Labels},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			Name: "osd", State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1}},
		}}},
	}
	if err := c.Kube.Create(context.Background(), pod); err != nil {
		t.Fatal(err)
	}
	c.Logs["osd-pod"] = "starting osd.0\nERROR: unable to open OSD superblock on /var/lib/ceph/osd/ceph-0: (2) No such file or directory\n"
	c.reconcile(t)
	if message := c.condition().Message; !strings.Contains(message, "unable to open OSD superblock") {
		t.Errorf("the condition says %q", message)
	}
}

func TestNoStorageIsTold(t *testing.T) {
	c := newCluster(t, "n1")
	c.pass.Cluster.Spec.Storage = v1.StorageSpec{}
	if writes := c.reconcile(t); len(writes) != 0 {
		t.Errorf("it wrote %v", writes)
	}
	if condition := c.condition(); condition.Reason != v1.ReasonInvalidSpec || c.pending() != "" {
		t.Errorf("condition %v, pending %q", condition, c.pending())
	}
}

func TestTheJobsMayWriteTheirResults(t *testing.T) {
	c := newCluster(t, "n1")
	c.reconcile(t)
	job := doortest.Get(t, c.World, "rook-ceph", osd.JobName("n1"), &batchv1.Job{})
	account := &corev1.ServiceAccount{}
	if err := c.Kube.Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: job.Spec.Template.Spec.ServiceAccountName}, account); err != nil {
		t.Error(err)
	}
}
