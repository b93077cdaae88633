package controller

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

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
}
