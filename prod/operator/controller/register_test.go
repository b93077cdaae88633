package controller_test

import (
	"context"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
)

// byLabel asks for what the label names, and ignores objects without one.
func byLabel() controller.Watch {
	return controller.Watch{
		Object: &corev1.ConfigMap{},
		Requests: func(_ context.Context, o client.Object) []reconcile.Request {
			return []reconcile.Request{{NamespacedName: types.NamespacedName{Name: o.GetLabels()["for"]}}}
		},
		Matters: func(before, after client.Object) bool {
			for _, o := range []client.Object{before, after} {
				if o != nil && o.GetLabels()["for"] != "" {
					return true
				}
			}
			return false
		},
	}
}

func labelled(of string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"for": of}}}
}

func TestEventsBecomeRequests(t *testing.T) {
	ctx := context.Background()
	q := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[reconcile.Request]())
	defer q.ShutDown()
	h := byLabel().Handler()
	take := func() []string {
		var names []string
		for q.Len() > 0 {
			request, _ := q.Get()
			names = append(names, request.Name)
			q.Done(request)
		}
		slices.Sort(names)
		return names
	}
	h.Create(ctx, event.CreateEvent{Object: labelled("a")}, q)
	if got := take(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("created: %v", got)
	}
	h.Update(ctx, event.UpdateEvent{ObjectOld: labelled("a"), ObjectNew: labelled("b")}, q)
	if got := take(); !slices.Equal(got, []string{"a", "b"}) {
		t.Errorf("moved: %v", got)
	}
	h.Update(ctx, event.UpdateEvent{ObjectOld: labelled("a"), ObjectNew: labelled("a")}, q)
	if got := take(); !slices.Equal(got, []string{"a"}) {
		t.Errorf("changed: %v", got)
	}
	h.Delete(ctx, event.DeleteEvent{Object: labelled("b")}, q)
	if got := take(); !slices.Equal(got, []string{"b"}) {
		t.Errorf("deleted: %v", got)
	}
	h.Create(ctx, event.CreateEvent{Object: labelled("")}, q)
	if got := take(); len(got) != 0 {
		t.Errorf("does not matter: %v", got)
	}
}
