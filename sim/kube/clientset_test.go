package kube_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// Both clients see one world, under the same rules.
func TestClientset(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cs := w.Clientset()
	var users []string
	w.OnRequest(func(r kube.Request) error {
		users = append(users, r.User)
		return nil
	})
	pods := cs.CoreV1().Pods("sea")
	p, err := pods.Create(ctx, pod("p"), metav1.CreateOptions{})
	if err != nil || p.UID == "" || p.Status.Phase != corev1.PodPending || users[0] != "clientset" {
		t.Fatalf("%v, %+v, by %v", err, p, users)
	}
	var same corev1.Pod
	w.get(t, &same, "p")
	if same.UID != p.UID {
		t.Error("two worlds")
	}
	p.Status.Phase, p.Labels = corev1.PodRunning, map[string]string{"a": "b"}
	if p, err = pods.UpdateStatus(ctx, p, metav1.UpdateOptions{}); err != nil || p.Status.Phase != corev1.PodRunning {
		t.Errorf("%v, phase %s", err, p.Status.Phase)
	}
	stale := same.DeepCopy()
	stale.Labels = map[string]string{"c": "d"}
	if _, err := pods.Update(ctx, stale, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
		t.Errorf("stale update: %v", err)
	}
	if p, err = pods.Patch(ctx, "p", types.StrategicMergePatchType, []byte(`{"metadata":{"labels":{"x":"y"}}}`), metav1.PatchOptions{}); err != nil || p.Labels["x"] != "y" || p.Labels["a"] != "b" {
		t.Errorf("%v, labels %v", err, p.Labels)
	}
	list, err := pods.List(ctx, metav1.ListOptions{LabelSelector: "x=y", FieldSelector: "status.phase=Running"})
	if err != nil || len(list.Items) != 1 {
		t.Errorf("%v, %d items", err, len(list.Items))
	}
	if err := pods.Bind(ctx, &corev1.Binding{ObjectMeta: named("p"), Target: corev1.ObjectReference{Name: "n1"}}, metav1.CreateOptions{}); err != nil {
		t.Error(err)
	}
	stream, err := pods.Watch(ctx, metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	zero := int64(0)
	if err := pods.Delete(ctx, "p", metav1.DeleteOptions{GracePeriodSeconds: &zero}); err != nil || w.has(pod("p")) {
		t.Errorf("%v, there: %v", err, w.has(pod("p")))
	}
	stream.Stop()
	var got []string
	for e := range stream.ResultChan() {
		got = append(got, string(e.Type))
	}
	if len(got) != 2 || got[0] != "ADDED" || got[1] != "DELETED" {
		t.Errorf("watched %v", got)
	}
	if _, err := pods.Get(ctx, "p", metav1.GetOptions{}); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	w.create(t, configMap("a"))
	if err := cs.CoreV1().ConfigMaps("sea").DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil || w.has(configMap("a")) {
		t.Errorf("%v, there: %v", err, w.has(configMap("a")))
	}
	if _, err := pods.GetLogs("p", &corev1.PodLogOptions{}).DoRaw(ctx); err == nil {
		t.Error("a log out of nowhere")
	}
}

func TestEventsInBothVersions(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	e := &eventsv1.Event{ObjectMeta: named("e"), Regarding: corev1.ObjectReference{Kind: "CephCluster", Namespace: "sea", Name: "c"}, Note: "calm", Reason: "Calm", Type: "Normal"}
	w.create(t, e)
	var core corev1.Event
	w.get(t, &core, "e")
	if core.Message != "calm" || core.InvolvedObject.Name != "c" || core.UID != e.UID {
		t.Errorf("%+v", core)
	}
	core.Count = 3
	w.update(t, &core)
	var list eventsv1.EventList
	if err := w.c.List(ctx, &list, client.MatchingFields{"reason": "Calm"}); err != nil || len(list.Items) != 1 || list.Items[0].Note != "calm" || list.Items[0].DeprecatedCount != 3 {
		t.Errorf("%v %+v", err, list.Items)
	}
	newer, err := w.Clientset().EventsV1().Events("sea").Get(ctx, "e", metav1.GetOptions{})
	if err != nil || newer.Note != "calm" {
		t.Errorf("%v %+v", err, newer)
	}
	all, err := w.Clientset().EventsV1().Events("sea").List(ctx, metav1.ListOptions{})
	if err != nil || len(all.Items) != 1 {
		t.Errorf("%v %+v", err, all)
	}
}
