package kube

import (
	"errors"
	"fmt"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// gcUser is in whose name the garbage collector writes.
const gcUser = "system:serviceaccount:kube-system:generic-garbage-collector"

// noticing is how long a controller of the server takes to notice something.
func (a *API) noticing() time.Duration {
	const soonest, latest = 5 * time.Millisecond, 50 * time.Millisecond
	return soonest + time.Duration(a.delays.Int64N(int64(latest-soonest)))
}

// collector deletes objects whose owners are gone, and finishes deletions in the
// foreground and with orphans
// (https://kubernetes.io/docs/concepts/architecture/garbage-collection/).
type collector struct {
	api *API
	// dependents are by the uid of an owner the records that name it, in the
	// order in which they were first seen to.
	dependents map[types.UID][]dependent
	queued     map[dependent]bool
}

type dependent struct {
	k *kind
	r *record
}

func newCollector(a *API) collector {
	return collector{api: a, dependents: map[types.UID][]dependent{}, queued: map[dependent]bool{}}
}

// stored takes note of an object that was created or changed.
func (c *collector) stored(k *kind, r *record, old client.Object) {
	d := dependent{k, r}
	m := metaOf(r.obj)
	var before []metav1.OwnerReference
	if old != nil {
		before = old.GetOwnerReferences()
	}
	for _, ref := range before {
		if !refersTo(m.OwnerReferences, ref.UID) {
			c.forget(ref.UID, d)
		}
	}
	for i, ref := range m.OwnerReferences {
		if !refersTo(before, ref.UID) && !refersTo(m.OwnerReferences[:i], ref.UID) {
			c.dependents[ref.UID] = append(c.dependents[ref.UID], d)
		}
	}
	deleting := m.DeletionTimestamp != nil && hasGCFinalizer(m)
	if deleting || len(m.OwnerReferences) > 0 {
		c.enqueue(d)
	}
	if m.DeletionTimestamp != nil || len(before) > 0 {
		// Owners that wait for this one may go on.
		for _, ref := range before {
			c.enqueueOwner(ref, m.Namespace)
		}
	}
}

// removed takes note of an object that is gone.
func (c *collector) removed(k *kind, r *record, last client.Object) {
	d := dependent{k, r}
	for _, ref := range last.GetOwnerReferences() {
		c.forget(ref.UID, d)
		c.enqueueOwner(ref, last.GetNamespace())
	}
	for _, orphan := range c.dependents[last.GetUID()] {
		c.enqueue(orphan)
	}
}

func (c *collector) forget(owner types.UID, d dependent) {
	rest := slices.DeleteFunc(c.dependents[owner], func(x dependent) bool { return x == d })
	if len(rest) == 0 {
		delete(c.dependents, owner)
		return
	}
	c.dependents[owner] = rest
}

func (c *collector) enqueueOwner(ref metav1.OwnerReference, namespace string) {
	if k, r, err := c.owner(ref, namespace); err == nil && r != nil {
		c.enqueue(dependent{k, r})
	}
}

func (c *collector) enqueue(d dependent) {
	if c.queued[d] {
		return
	}
	c.queued[d] = true
	c.api.loop.After(c.api.noticing(), "garbage collection", func() {
		delete(c.queued, d)
		if d.r.gone {
			return
		}
		if err := c.attend(d); err != nil && !apierrors.IsNotFound(err) {
			c.enqueue(d) // refused or in conflict: again, as the real one does
		}
	})
}

func refersTo(refs []metav1.OwnerReference, uid types.UID) bool {
	return slices.ContainsFunc(refs, func(ref metav1.OwnerReference) bool { return ref.UID == uid })
}

func hasGCFinalizer(m *metav1.ObjectMeta) bool {
	return slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents) || slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents)
}

var errOwnerUnknown = errors.New("the kind of the owner is not served")

// owner finds what a reference points to; nil if that is gone.
func (c *collector) owner(ref metav1.OwnerReference, namespace string) (*kind, *record, error) {
	gv, err := schema.ParseGroupVersion(ref.APIVersion)
	if err != nil {
		return nil, nil, err
	}
	k := c.api.kinds[gv.WithKind(ref.Kind)]
	if k == nil || k.withdrawn {
		return nil, nil, fmt.Errorf("%s %s: %w", ref.APIVersion, ref.Kind, errOwnerUnknown)
	}
	key := client.ObjectKey{Name: ref.Name}
	if k.namespaced {
		if namespace == "" {
			return nil, nil, fmt.Errorf("cluster-scoped object names the namespaced owner %s %q: %w", ref.Kind, ref.Name, errOwnerUnknown)
		}
		key.Namespace = namespace
	}
	r := k.table.byKey[key]
	if r == nil || r.obj.GetUID() != ref.UID {
		return k, nil, nil
	}
	return k, r, nil
}

// attend does the next thing that one object needs.
func (c *collector) attend(d dependent) error {
	m := metaOf(d.r.obj)
	if m.DeletionTimestamp != nil {
		switch {
		case slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents):
			return c.orphanDependents(d, m)
		case slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents):
			return c.deleteDependents(d, m)
		}
		return nil
	}
	if len(m.OwnerReferences) == 0 {
		return nil
	}
	return c.judge(d, m)
}

// judge deletes an object none of whose owners is there any more, and takes
// references to absent owners out of one that has others.
func (c *collector) judge(d dependent, m *metav1.ObjectMeta) error {
	var solid, waiting, dangling []metav1.OwnerReference
	for _, ref := range m.OwnerReferences {
		_, owner, err := c.owner(ref, m.Namespace)
		switch {
		case errors.Is(err, errOwnerUnknown):
			return nil // it cannot be told, so the object stays
		case err != nil:
			return nil // a reference that cannot be read is kept as well
		case owner == nil:
			dangling = append(dangling, ref)
		case owner.obj.GetDeletionTimestamp() != nil && slices.Contains(owner.obj.GetFinalizers(), metav1.FinalizerDeleteDependents):
			waiting = append(waiting, ref)
		default:
			solid = append(solid, ref)
		}
	}
	switch {
	case len(solid) > 0 && len(dangling)+len(waiting) == 0:
		return nil
	case len(solid) > 0:
		return c.change(d, func(m *metav1.ObjectMeta) { m.OwnerReferences = solid })
	case len(waiting) > 0 && len(c.dependents[m.UID]) > 0:
		return c.deleteObject(d, m, metav1.DeletePropagationForeground)
	case slices.Contains(m.Finalizers, metav1.FinalizerOrphanDependents):
		return c.deleteObject(d, m, metav1.DeletePropagationOrphan)
	case slices.Contains(m.Finalizers, metav1.FinalizerDeleteDependents):
		return c.deleteObject(d, m, metav1.DeletePropagationForeground)
	}
	return c.deleteObject(d, m, metav1.DeletePropagationBackground)
}

// deleteDependents goes on with a deletion in the foreground: dependents that
// block it have to be gone first.
func (c *collector) deleteDependents(d dependent, m *metav1.ObjectMeta) error {
	blocked := false
	for _, dep := range slices.Clone(c.dependents[m.UID]) {
		for _, ref := range dep.r.obj.GetOwnerReferences() {
			if ref.UID == m.UID && ref.BlockOwnerDeletion != nil && *ref.BlockOwnerDeletion {
				blocked = true
			}
		}
		c.enqueue(dep)
	}
	if blocked {
		return nil
	}
	return c.dropFinalizer(d, metav1.FinalizerDeleteDependents)
}

// orphanDependents takes the references to an owner that is being deleted out of
// its dependents.
func (c *collector) orphanDependents(d dependent, m *metav1.ObjectMeta) error {
	for _, dep := range slices.Clone(c.dependents[m.UID]) {
		err := c.change(dep, func(x *metav1.ObjectMeta) {
			x.OwnerReferences = slices.DeleteFunc(slices.Clone(x.OwnerReferences), func(ref metav1.OwnerReference) bool { return ref.UID == m.UID })
		})
		if client.IgnoreNotFound(err) != nil {
			return err
		}
	}
	return c.dropFinalizer(d, metav1.FinalizerOrphanDependents)
}

func (c *collector) dropFinalizer(d dependent, name string) error {
	return c.change(d, func(m *metav1.ObjectMeta) {
		m.Finalizers = slices.DeleteFunc(slices.Clone(m.Finalizers), func(f string) bool { return f == name })
	})
}

// change writes metadata of an object.
func (c *collector) change(d dependent, edit func(*metav1.ObjectMeta)) error {
	if d.r.gone {
		return nil
	}
	return c.api.serveRequest(background(), c.request("patch", d), func() error {
		img := image{obj: d.r.obj.DeepCopyObject().(client.Object)}
		if d.r.raw != nil {
			img.raw = d.k.json(d.r.obj, d.r.raw)
		}
		m := metaOf(img.obj)
		edit(m)
		img.setMeta(m)
		_, _, err := c.api.update(gcUser, "patch", d.k, d.r.key, img, wholeObject, false)
		return err
	})
}

func (c *collector) deleteObject(d dependent, m *metav1.ObjectMeta, policy metav1.DeletionPropagation) error {
	return c.api.serveRequest(background(), c.request("delete", d), func() error {
		uid, version := m.UID, m.ResourceVersion
		return c.api.delete(gcUser, d.k, d.r.key, &metav1.DeleteOptions{
			PropagationPolicy: &policy,
			Preconditions:     &metav1.Preconditions{UID: &uid, ResourceVersion: &version},
		}, false)
	})
}

func (c *collector) request(verb string, d dependent) Request {
	return Request{User: gcUser, Verb: verb, Kind: d.k.gvk, Resource: d.k.gvr, Key: d.r.key}
}
