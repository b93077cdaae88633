package controller

import (
	"context"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

// Clusters is for [Controller.Parallel] of controllers whose requests wait for
// Ceph: one cluster whose commands hang to their deadlines holds one place, and
// there are more places than an operator serves clusters, so that none is waited
// for by another. A place that is not used costs a few kilobytes.
const Clusters = 64

// Controller is one reconciler with its watches.
type Controller struct {
	// Name tells controllers apart in logs and metrics.
	Name string
	// Reconciler brings one object nearer to what its spec asks for. It never
	// waits: it asks to be called again.
	Reconciler reconcile.Reconciler
	// Watches are the events that lead to a request.
	Watches []Watch
	// Parallel is how many requests may be worked on at once; 0 is one. Two
	// requests for one object never run at once.
	Parallel int
	// Rest is how long after a pass an event leads to the next one for the same
	// object at the earliest: what a pass changes comes back as a flock of events,
	// which one pass sees to. After a longer quiet an event is seen to at once.
	Rest time.Duration
}

// Watch is one kind of object whose events matter.
type Watch struct {
	// Object is an empty object of the kind.
	Object client.Object
	// Requests maps an object of an event to what is to be reconciled.
	Requests func(ctx context.Context, object client.Object) []reconcile.Request
	// Matters says whether a change is one. old is nil for an object that was
	// added, new is nil for one that was deleted. Nil lets every event pass.
	Matters func(old, new client.Object) bool
	// Judge, in place of Requests and Matters, maps a whole event: for kinds of
	// which it depends on what was and on what is whom a change concerns.
	Judge func(ctx context.Context, old, new client.Object) []reconcile.Request
	// IfServed makes the watch one of a kind that need not be there: it is told
	// when the controller starts whether the kind can be listed, nil if so. If not,
	// nothing is watched; a nil IfServed takes the kind for granted.
	IfServed func(err error)
}

// RequestsFor is what an event leads to, of which either object may be nil as in
// [Watch.Matters]. An object that is changed leads to the requests of what it was
// and of what it is: it may have moved from one to another.
func (w Watch) RequestsFor(ctx context.Context, before, after client.Object) []reconcile.Request {
	if w.Judge != nil {
		return w.Judge(ctx, before, after)
	}
	if w.Matters != nil && !w.Matters(before, after) {
		return nil
	}
	var all []reconcile.Request
	for _, o := range []client.Object{before, after} {
		if o != nil {
			all = append(all, w.Requests(ctx, o)...)
		}
	}
	return all
}

// Serves says whether the kind of an optional watch is there to be watched, and
// tells the watch so. reader must not be a cache, which would wait for the kind.
func (w Watch) Serves(ctx context.Context, reader client.Reader, scheme *runtime.Scheme) (bool, error) {
	if w.IfServed == nil {
		return true, nil
	}
	gvk, err := apiutil.GVKForObject(w.Object, scheme)
	if err != nil {
		return false, fmt.Errorf("no kind is known of %T: %w", w.Object, err)
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	err = reader.List(ctx, list, client.Limit(1))
	w.IfServed(err)
	return err == nil, nil
}
