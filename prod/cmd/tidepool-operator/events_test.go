package main

import (
	"fmt"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// watchesOfAll are the watches of all controllers, in a world with a CephCluster
// and one that is being deleted.
func watchesOfAll(t *testing.T) map[string]controller.Watch {
	ceph := &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"}}
	ceph.Spec.Storage.UseAllNodes, ceph.Spec.DisruptionManagement.ManagePodBudgets = true, true
	ceph.Status.State = v1.ClusterStateCreated
	ceph.Status.Conditions = []metav1.Condition{
		{Type: v1.ConditionReady, Status: metav1.ConditionTrue, Reason: v1.ReasonAsExpected},
		{Type: v1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: v1.ReasonAsExpected},
	}
	pool := &v1.CephBlockPool{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-x"}}
	fs := &v1.CephFilesystem{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-x"}}
	now := metav1.Now()
	going := &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{
		Namespace: "rook-ceph", Name: "going", UID: "v", DeletionTimestamp: &now, Finalizers: []string{v1.CephClusterFinalizer},
	}}
	doors := doortest.New(t, ceph, going, pool, fs).Doors()
	options := cluster.Options{Settings: pass.Settings{OperatorNamespace: "rook-ceph-system"}}
	watches := map[string]controller.Watch{}
	for _, c := range controllers(doors, options, func(client.ObjectKey, string) {}, "") {
		for _, w := range c.Watches {
			watches[fmt.Sprintf("%s on %T", c.Name, w.Object)] = w
		}
	}
	return watches
}

// sample is an object of the watch's kind that belongs to the cluster.
func sample(w controller.Watch) client.Object {
	o := w.Object.DeepCopyObject().(client.Object)
	o.SetNamespace("rook-ceph")
	o.SetName("rook-x")
	o.SetLabels(map[string]string{"app": "rook-ceph-osd", "rook_file_system": "rook-x"})
	o.SetGeneration(3)
	o.SetResourceVersion("10")
	switch o := o.(type) {
	case *corev1.Node:
		o.Namespace, o.Labels = "", map[string]string{"kubernetes.io/hostname": "n1"}
		o.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}
	case *v1.CephCluster, *v1.CephBlockPool, *v1.CephFilesystem, *unstructured.Unstructured:
	case *corev1.ConfigMap:
		if w.Judge != nil { // that of the lists of devices
			o.Namespace, o.Labels, o.Data = "rook-ceph-system", map[string]string{"app": "rook-discover"}, map[string]string{"devices": "[]"}
			break
		}
		o.Data = map[string]string{"status": `{"status":"completed"}`}
		o.OwnerReferences = []metav1.OwnerReference{{Kind: "CephCluster", Name: "my-ceph"}}
	default:
		o.SetOwnerReferences([]metav1.OwnerReference{{Kind: "CephCluster", Name: "my-ceph"}})
	}
	return o
}

// TestWhatIsNoChangeStartsNothing: for every watch of every controller, what
// others write all the time leads to no request (S18-S35: non-changes never act).
func TestWhatIsNoChangeStartsNothing(t *testing.T) {
	later := metav1.NewTime(time.Date(2019, 5, 23, 7, 0, 0, 0, time.UTC))
	noChanges := map[string]func(client.Object){
		"nothing":            func(client.Object) {},
		"the resync's event": func(o client.Object) { o.SetResourceVersion("10") },
		"the version alone":  func(o client.Object) { o.SetResourceVersion("11") },
		"managed fields": func(o client.Object) {
			o.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubectl"}})
		},
		"somebody's annotation": func(o client.Object) { o.SetAnnotations(map[string]string{"example.org/seen": "yes"}) },
		"a status that says what it said": func(o client.Object) {
			switch o := o.(type) {
			case *corev1.Node:
				o.Status.Conditions[0].LastHeartbeatTime = later
				o.Status.Images = []corev1.ContainerImage{{SizeBytes: 1}}
			case *corev1.Pod:
				o.Status.PodIP, o.Status.Phase = "10.0.0.1", corev1.PodRunning
				o.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastProbeTime: later}}
			case *appsv1.Deployment:
				o.Status.Conditions = []appsv1.DeploymentCondition{{Type: appsv1.DeploymentProgressing, LastUpdateTime: later}}
			case *batchv1.Job:
				o.Status.StartTime, o.Status.Active = &later, 1
			case *corev1.Service:
				o.Status.Conditions = []metav1.Condition{{Type: "x"}}
			case *v1.CephCluster:
				o.Status.Ceph = &v1.CephStatus{LastChecked: "2019-05-23T07:00:00Z", Health: "HEALTH_OK"}
				o.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionFalse, LastTransitionTime: later}}
			case *v1.CephBlockPool:
				o.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady}}
			case *v1.CephFilesystem:
				o.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady}}
			case *unstructured.Unstructured:
				o.Object["status"] = map[string]any{"message": "x"}
			}
		},
	}
	for name, w := range watchesOfAll(t) {
		before := sample(w)
		if len(w.RequestsFor(t.Context(), nil, before))+len(w.RequestsFor(t.Context(), before, nil))+len(w.RequestsFor(t.Context(), before, changed(before))) == 0 {
			t.Errorf("%s: no event of it leads to anything: the sample is of no use", name)
		}
		for what, change := range noChanges {
			after := before.DeepCopyObject().(client.Object)
			change(after)
			if got := w.RequestsFor(t.Context(), before, after); len(got) > 0 {
				t.Errorf("%s: %s asks for %v", name, what, got)
			}
		}
	}
}

// changed is an object after a change that matters where additions and deletions
// do not.
func changed(o client.Object) client.Object {
	next := o.DeepCopyObject().(client.Object)
	next.SetGeneration(o.GetGeneration() + 1)
	switch next := next.(type) {
	case *corev1.Pod:
		next.Status.ContainerStatuses = []corev1.ContainerStatus{{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}}}
	case *corev1.Node:
		next.Spec.Unschedulable = true
	}
	return next
}
