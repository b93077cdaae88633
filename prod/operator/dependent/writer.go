package dependent

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Object is a resource that lives on a CephCluster.
type Object interface {
	client.Object
	DependentStatus() *v1.DependentStatus
}

// Writer writes what belongs to the operator of one resource: its status and the
// finalizer, and nothing at all if nothing changed.
type Writer[T Object] struct {
	Client client.Client
	// Stored is the object as it was last read or written.
	Stored T
	// Kind and Finalizer are those of the resource.
	Kind, Finalizer string

	broken error // of the latest write
}

// Failed says whether an error came from a write, so that there is no use in
// writing it down.
func (w *Writer[T]) Failed(err error) bool { return w.broken != nil && errors.Is(err, w.broken) }

// Status writes the status.
func (w *Writer[T]) Status(ctx context.Context, status *v1.DependentStatus) error {
	if equal.Semantic(w.Stored.DependentStatus(), status) {
		return nil
	}
	next := w.next()
	*next.DependentStatus() = *status.DeepCopy()
	return w.wrote("status", next, w.Client.Status().Patch(ctx, next, w.patch()))
}

// Finalize adds or removes the operator's finalizer.
func (w *Writer[T]) Finalize(ctx context.Context, present bool) error {
	next := w.next()
	change := controllerutil.RemoveFinalizer
	if present {
		change = controllerutil.AddFinalizer
	}
	if !change(next, w.Finalizer) {
		return nil
	}
	return w.wrote("finalizers", next, w.Client.Patch(ctx, next, w.patch()))
}

func (w *Writer[T]) next() T { return w.Stored.DeepCopyObject().(T) }

func (w *Writer[T]) patch() client.Patch {
	return client.MergeFromWithOptions(w.Stored, client.MergeFromWithOptimisticLock{})
}

func (w *Writer[T]) wrote(what string, next T, err error) error {
	if err != nil {
		w.broken = fmt.Errorf("failed to update the %s of %s %s/%s: %w", what, w.Kind, w.Stored.GetNamespace(), w.Stored.GetName(), err)
		return w.broken
	}
	w.Stored = next
	return nil
}
