package controller

import (
	"context"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/types"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func TestAnEventSoonAfterAPassIsPutOff(t *testing.T) {
	ctx := context.Background()
	now := clocktesting.NewFakePassiveClock(time.Unix(0, 0))
	after := func(d time.Duration) { now.SetTime(now.Now().Add(d)) }
	passes := 0
	c := Controller{Rest: time.Second, Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		passes++
		after(10 * time.Second) // which the pass takes
		return reconcile.Result{RequeueAfter: time.Minute}, nil
	})}
	r := c.rested(now)
	a, b := request("a"), request("b")
	for i, step := range []struct {
		wait   time.Duration
		of     reconcile.Request
		passes int
		again  time.Duration
	}{
		{0, a, 1, time.Minute},                                 // the first at once
		{0, a, 1, time.Second},                                 // what it changed comes back
		{300 * time.Millisecond, a, 1, 700 * time.Millisecond}, // and more of it
		{0, b, 2, time.Minute},                                 // another object does not wait for it
		{time.Second, a, 3, time.Minute},                       // after the rest
	} {
		after(step.wait)
		result, err := r.Reconcile(ctx, step.of)
		if err != nil || passes != step.passes || result.RequeueAfter != step.again {
			t.Errorf("step %d: %d passes, again after %v, %v", i, passes, result.RequeueAfter, err)
		}
	}
}

func request(name string) reconcile.Request {
	return reconcile.Request{NamespacedName: types.NamespacedName{Name: name}}
}
