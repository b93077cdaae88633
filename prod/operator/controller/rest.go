package controller

import (
	"context"
	"maps"
	"sync"
	"time"

	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// rested is the controller's reconciler, which puts a request off that comes
// sooner after the last pass than Rest.
func (c Controller) rested(now clock.PassiveClock) reconcile.Reconciler {
	if c.Rest == 0 {
		return c.Reconciler
	}
	return &rested{next: c.Reconciler, rest: c.Rest, clock: now, until: map[reconcile.Request]time.Time{}}
}

type rested struct {
	next  reconcile.Reconciler
	rest  time.Duration
	clock clock.PassiveClock

	mu    sync.Mutex
	until map[reconcile.Request]time.Time
}

func (r *rested) Reconcile(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
	r.mu.Lock()
	left := r.until[request].Sub(r.clock.Now())
	r.mu.Unlock()
	if left > 0 {
		return reconcile.Result{RequeueAfter: left}, nil
	}
	result, err := r.next.Reconcile(ctx, request)
	r.mu.Lock()
	defer r.mu.Unlock()
	now := r.clock.Now()
	maps.DeleteFunc(r.until, func(_ reconcile.Request, until time.Time) bool { return !until.After(now) })
	r.until[request] = now.Add(r.rest)
	return result, err
}
