package controller

import (
	"context"
	"fmt"
	"time"

	"k8s.io/client-go/util/workqueue"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/event"
	"sigs.k8s.io/controller-runtime/pkg/handler"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
	"sigs.k8s.io/controller-runtime/pkg/source"

	"k8s.io/utils/clock"
)

// Register hands the controller to a manager, which then runs it: each watch
// becomes an informer whose events lead to the requests that the watch names.
func (c Controller) Register(m manager.Manager) error {
	runs, err := controller.New(c.Name, m, controller.Options{
		Reconciler: c.rested(clock.RealClock{}), MaxConcurrentReconciles: max(c.Parallel, 1),
	})
	if err != nil {
		return fmt.Errorf("failed to make the controller %s: %w", c.Name, err)
	}
	for _, w := range c.Watches {
		served, err := c.serves(m, w)
		if err != nil {
			return fmt.Errorf("the controller %s: %w", c.Name, err)
		}
		if !served {
			continue
		}
		if err := runs.Watch(source.Kind(m.GetCache(), w.Object, w.Handler())); err != nil {
			return fmt.Errorf("failed to watch %T for the controller %s: %w", w.Object, c.Name, err)
		}
	}
	return nil
}

// serveTimeout is how long the API server may take to say whether it serves a kind.
const serveTimeout = 30 * time.Second

func (c Controller) serves(m manager.Manager, w Watch) (bool, error) {
	ctx, cancel := context.WithTimeout(context.Background(), serveTimeout)
	defer cancel()
	return w.Serves(ctx, m.GetAPIReader(), m.GetScheme())
}

type queue = workqueue.TypedRateLimitingInterface[reconcile.Request]

// Handler turns the events of controller-runtime into requests, as the watch
// says ([Watch.RequestsFor]).
func (w Watch) Handler() handler.EventHandler {
	return handler.Funcs{
		CreateFunc: func(ctx context.Context, e event.CreateEvent, q queue) { w.enqueue(ctx, q, nil, e.Object) },
		UpdateFunc: func(ctx context.Context, e event.UpdateEvent, q queue) { w.enqueue(ctx, q, e.ObjectOld, e.ObjectNew) },
		DeleteFunc: func(ctx context.Context, e event.DeleteEvent, q queue) { w.enqueue(ctx, q, e.Object, nil) },
	}
}

func (w Watch) enqueue(ctx context.Context, q queue, before, after client.Object) {
	for _, request := range w.RequestsFor(ctx, before, after) {
		q.Add(request) // which is once in the queue, however often it is added
	}
}
