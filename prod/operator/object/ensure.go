package object

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
)

// ErrTerminating says that an object is on its way out: it can be made anew
// once it is gone.
var ErrTerminating = errors.New("is being deleted")

// Raced says whether an error only means that somebody else was quicker: the
// next try works on the newer object.
func Raced(err error) bool {
	return apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || errors.Is(err, ErrTerminating)
}

// Ensure creates the desired object, owned by owner, or updates the one that is
// there where it differs in a field that desired sets (see [Merge]). changed
// says whether it wrote. desired is not changed.
func Ensure(ctx context.Context, c client.Client, desired client.Object, owner metav1.OwnerReference) (changed bool, err error) {
	kind, existing, err := observe(ctx, c, desired, owner)
	if err != nil {
		return false, err
	}
	_, changed, err = put(ctx, c, kind, existing, desired, owner)
	return changed, err
}

// EnsureSince is Ensure for what was decided by existing, nil for that there was
// none: if that is not the newest any more, nothing is written and the error is
// one of those of [Raced]. It returns the object as it is then.
func EnsureSince(ctx context.Context, c client.Client, existing, desired client.Object, owner metav1.OwnerReference) (client.Object, error) {
	gvk, err := apiutil.GVKForObject(desired, c.Scheme())
	if err != nil {
		return nil, err
	}
	after, _, err := put(ctx, c, gvk.Kind, existing, desired, owner)
	return after, err
}

// put writes desired over existing, nil if there is none, where they differ.
func put(ctx context.Context, c client.Client, kind string, existing, desired client.Object, owner metav1.OwnerReference) (after client.Object, changed bool, err error) {
	if existing == nil {
		after, err = create(ctx, c, kind, desired, owner)
		return after, err == nil, err
	}
	wanted := ownedLike(desired, owner)
	if UpToDate(existing, wanted) {
		return existing, false, nil
	}
	after = Merge(existing, wanted)
	if err := c.Update(ctx, after); err != nil {
		return existing, false, fmt.Errorf("failed to update %s: %w", name(kind, desired), err)
	}
	return after, true, nil
}

// EnsureOnce creates the object if there is none, and never touches one that
// is there: its content belongs to the user, or must not change (S66).
func EnsureOnce(ctx context.Context, c client.Client, desired client.Object, owner metav1.OwnerReference) (created bool, err error) {
	kind, existing, err := observe(ctx, c, desired, owner)
	if err != nil || existing != nil {
		return false, err
	}
	_, err = create(ctx, c, kind, desired, owner)
	if apierrors.IsAlreadyExists(err) {
		return false, nil
	}
	return err == nil, err
}

// Delete deletes the object, with what it owns, if there is one and it belongs
// to owner. Only namespace and name of the object count. deleted says whether
// there was something to delete; an object that is already on its way out
// counts as deleted without another request.
func Delete(ctx context.Context, c client.Client, object client.Object, owner metav1.OwnerReference) (deleted bool, err error) {
	kind, existing, err := observe(ctx, c, object, owner)
	switch {
	case errors.Is(err, ErrTerminating):
		return true, nil
	case err != nil || existing == nil:
		return false, err
	case !Owns(owner, existing):
		return false, fmt.Errorf("%s has no owner: it is left as it is", name(kind, object))
	}
	uid := existing.GetUID()
	err = c.Delete(ctx, existing, client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		return false, fmt.Errorf("failed to delete %s: %w", name(kind, object), err)
	}
	return true, nil
}

// observe reads the object of desired's name, nil if there is none.
func observe(ctx context.Context, c client.Client, desired client.Object, owner metav1.OwnerReference) (kind string, existing client.Object, err error) {
	gvk, err := apiutil.GVKForObject(desired, c.Scheme())
	if err != nil {
		return "", nil, err
	}
	empty, err := c.Scheme().New(gvk)
	if err != nil {
		return "", nil, err
	}
	existing = empty.(client.Object)
	switch err := c.Get(ctx, client.ObjectKeyFromObject(desired), existing); {
	case apierrors.IsNotFound(err):
		return gvk.Kind, nil, nil
	case err != nil:
		return gvk.Kind, nil, fmt.Errorf("failed to get %s: %w", name(gvk.Kind, desired), err)
	}
	if err := foreign(owner, gvk.Kind, existing); err != nil {
		return gvk.Kind, nil, err
	}
	if existing.GetDeletionTimestamp() != nil {
		return gvk.Kind, nil, fmt.Errorf("%s %w", name(gvk.Kind, desired), ErrTerminating)
	}
	return gvk.Kind, existing, nil
}

func create(ctx context.Context, c client.Client, kind string, desired client.Object, owner metav1.OwnerReference) (client.Object, error) {
	object := owned(desired, owner)
	record(object, keys(object))
	if err := c.Create(ctx, object); err != nil {
		return nil, fmt.Errorf("failed to create %s: %w", name(kind, desired), err)
	}
	return object, nil
}

// ownedLike is [owned] for reading: all but its owners is desired's own.
func ownedLike(desired client.Object, owner metav1.OwnerReference) client.Object {
	like := reflect.New(reflect.TypeOf(desired).Elem())
	like.Elem().Set(reflect.ValueOf(desired).Elem())
	object := like.Interface().(client.Object)
	object.SetOwnerReferences([]metav1.OwnerReference{owner})
	return object
}

// owned is a copy of the object with the owner as its only one.
func owned(desired client.Object, owner metav1.OwnerReference) client.Object {
	object := desired.DeepCopyObject().(client.Object)
	object.SetOwnerReferences([]metav1.OwnerReference{owner})
	return object
}
