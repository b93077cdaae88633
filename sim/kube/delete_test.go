package kube_test

import (
	"context"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestDeletePreconditions(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cm := configMap("x")
	w.create(t, cm)
	uid, version := types.UID("other"), "1"
	errorIs(t, w.c.Delete(ctx, cm, client.Preconditions{UID: &uid}), metav1.StatusReasonConflict,
		`Operation cannot be fulfilled on configmaps "x": the UID in the precondition (other) does not match the UID in record (`+string(cm.UID)+`). The object might have been deleted and then recreated`)
	errorIs(t, w.c.Delete(ctx, cm, client.Preconditions{ResourceVersion: &version}), metav1.StatusReasonConflict,
		`Operation cannot be fulfilled on configmaps "x": the ResourceVersion in the precondition (1) does not match the ResourceVersion in record (`+cm.ResourceVersion+`). The object might have been modified`)
	w.delete(t, cm, client.Preconditions{UID: &cm.UID, ResourceVersion: &cm.ResourceVersion})
	errorIs(t, w.c.Delete(ctx, cm), metav1.StatusReasonNotFound, `configmaps "x" not found`)
}

func TestDeleteAllOf(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"a", "b", "c"} {
		cm := configMap(name)
		if name != "b" {
			cm.Labels = map[string]string{"app": "rook"}
		}
		w.create(t, cm)
	}
	if err := w.c.DeleteAllOf(context.Background(), &corev1.ConfigMap{}, client.InNamespace("sea"), client.MatchingLabels{"app": "rook"}); err != nil {
		t.Fatal(err)
	}
	if w.has(configMap("a")) || !w.has(configMap("b")) || w.has(configMap("c")) {
		t.Error("not those that match")
	}
}

// bound is a pod on a node.
func bound(t *testing.T, w *world, name string) *corev1.Pod {
	t.Helper()
	p := pod(name)
	w.create(t, p)
	if err := w.c.SubResource("binding").Create(context.Background(), p, &corev1.Binding{Target: corev1.ObjectReference{Name: "n1"}}); err != nil {
		t.Fatal(err)
	}
	w.get(t, p, name)
	return p
}

func TestPodsAreDeletedWithGrace(t *testing.T) {
	w := newWorld(t)
	free := pod("free")
	w.create(t, free)
	w.delete(t, free)
	if w.has(free) {
		t.Error("a pod without a node stayed")
	}

	p := bound(t, w, "p")
	w.delete(t, p)
	w.get(t, p, "p")
	if want := loop.Epoch.Add(30 * time.Second); !p.DeletionTimestamp.Time.Equal(want) || *p.DeletionGracePeriodSeconds != 30 {
		t.Errorf("deletionTimestamp %s, grace %d", p.DeletionTimestamp, *p.DeletionGracePeriodSeconds)
	}
	w.delete(t, p, client.GracePeriodSeconds(40))
	w.get(t, p, "p")
	if *p.DeletionGracePeriodSeconds != 30 {
		t.Errorf("the grace period was made longer: %d", *p.DeletionGracePeriodSeconds)
	}
	w.delete(t, p, client.GracePeriodSeconds(5))
	w.get(t, p, "p")
	if want := loop.Epoch.Add(5 * time.Second); !p.DeletionTimestamp.Time.Equal(want) || *p.DeletionGracePeriodSeconds != 5 {
		t.Errorf("then deletionTimestamp %s, grace %d", p.DeletionTimestamp, *p.DeletionGracePeriodSeconds)
	}
	p.Labels = map[string]string{"a": "b"}
	w.update(t, p) // does not end it, though it has no finalizers
	if !w.has(p) {
		t.Error("an update ended the pod")
	}
	w.delete(t, p, client.GracePeriodSeconds(0))
	if w.has(p) {
		t.Error("still there after the kubelet's delete")
	}

	ended := bound(t, w, "ended")
	ended.Status.Phase = corev1.PodSucceeded
	if err := w.c.Status().Update(context.Background(), ended); err != nil {
		t.Fatal(err)
	}
	w.delete(t, ended)
	if w.has(ended) {
		t.Error("a pod that has ended stayed")
	}
}

func TestBinding(t *testing.T) {
	w := newWorld(t)
	p := bound(t, w, "p")
	if p.Spec.NodeName != "n1" || len(p.Status.Conditions) != 1 || p.Status.Conditions[0].Type != corev1.PodScheduled {
		t.Errorf("%+v", p)
	}
	err := w.c.SubResource("binding").Create(context.Background(), p, &corev1.Binding{Target: corev1.ObjectReference{Name: "n2"}})
	errorIs(t, err, metav1.StatusReasonConflict, `Operation cannot be fulfilled on pods/binding "p": pod p is already assigned to node "n1"`)
	free := pod("free")
	w.create(t, free)
	free.Spec.NodeName = "n1"
	if err := w.c.Update(context.Background(), free); !apierrors.IsInvalid(err) {
		t.Errorf("a node by update: %v", err)
	}
}

func TestEviction(t *testing.T) {
	w := newWorld(t)
	p := bound(t, w, "p")
	pdb := &policyv1.PodDisruptionBudget{ObjectMeta: named("mon")}
	pdb.Spec.Selector = &metav1.LabelSelector{MatchLabels: map[string]string{"app": "mon"}}
	w.create(t, pdb)
	p.Labels = map[string]string{"app": "mon"}
	w.update(t, p)
	running(t, w, p)
	evict := func() error {
		return w.c.SubResource("eviction").Create(context.Background(), p, &policyv1.Eviction{})
	}
	refused := func(cause string) {
		t.Helper()
		err := evict()
		errorIs(t, err, metav1.StatusReasonTooManyRequests, "Cannot evict pod as it would violate the pod's disruption budget.")
		if found, ok := apierrors.StatusCause(err, policyv1.DisruptionBudgetCause); !ok || found.Message != cause {
			t.Errorf("the cause is %q, want %q", found.Message, cause)
		}
	}
	refused("The disruption budget mon is still being processed by the server.")
	budget := func(status policyv1.PodDisruptionBudgetStatus) {
		t.Helper()
		w.get(t, pdb, "mon")
		pdb.Status = status
		pdb.Status.ObservedGeneration = pdb.Generation
		if err := w.c.Status().Update(context.Background(), pdb); err != nil {
			t.Fatal(err)
		}
	}
	budget(policyv1.PodDisruptionBudgetStatus{DesiredHealthy: 1, CurrentHealthy: 1})
	refused("The disruption budget mon needs 1 healthy pods and has 1 currently")

	second := &policyv1.PodDisruptionBudget{ObjectMeta: named("second"), Spec: pdb.Spec}
	w.create(t, second)
	errorIs(t, evict(), metav1.StatusReasonInternalError,
		"Internal error occurred: This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.")
	w.delete(t, second)

	budget(policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: 1, CurrentHealthy: 1})
	if err := evict(); err != nil {
		t.Fatal(err)
	}
	w.get(t, p, "p")
	w.get(t, pdb, "mon")
	if _, noted := pdb.Status.DisruptedPods["p"]; p.DeletionTimestamp == nil || pdb.Status.DisruptionsAllowed != 0 || !noted {
		t.Errorf("deletion %v, budget %+v", p.DeletionTimestamp, pdb.Status)
	}

	pending := bound(t, w, "pending")
	pending.Labels = map[string]string{"app": "mon"}
	w.update(t, pending)
	if err := w.c.SubResource("eviction").Create(context.Background(), pending, &policyv1.Eviction{}); err != nil {
		t.Errorf("a pod that does not run is protected: %v", err)
	}
}

// running makes a pod one that runs and is ready.
func running(t *testing.T, w *world, p *corev1.Pod) {
	t.Helper()
	p.Status.Phase = corev1.PodRunning
	p.Status.Conditions = append(p.Status.Conditions, corev1.PodCondition{Type: corev1.PodReady, Status: corev1.ConditionTrue})
	if err := w.c.Status().Update(context.Background(), p); err != nil {
		t.Fatal(err)
	}
}
