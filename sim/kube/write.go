package kube

import (
	"fmt"
	"maps"
	"reflect"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// create stores a new object and returns it as stored.
func (a *API) create(user string, k *kind, namespace string, img image, dryRun bool) (image, error) {
	m := metaOf(img.obj)
	if k.namespaced {
		switch {
		case m.Namespace == "":
			m.Namespace = namespace
		case namespace != "" && m.Namespace != namespace:
			return image{}, apierrors.NewBadRequest("the namespace of the provided object does not match the namespace sent on the request")
		}
		if m.Namespace == "" {
			return image{}, fmt.Errorf("an empty namespace may not be set during creation")
		}
	} else {
		m.Namespace = ""
	}
	if m.ResourceVersion != "" {
		return image{}, apierrors.NewBadRequest("resourceVersion should not be set on objects to be created")
	}
	if m.Name == "" && m.GenerateName != "" {
		m.Name = a.generatedName(k, m)
	}
	if err := a.mayCreateIn(k, m); err != nil {
		return image{}, err
	}
	m.UID, m.CreationTimestamp = a.newUID(), a.now()
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = nil, nil
	m.ManagedFields, m.Generation = nil, 0
	if k.generation {
		m.Generation = 1
	}
	img.setMeta(m)
	a.mutate(k, img.obj)
	if err := a.admit(k, &img, nil); err != nil {
		return image{}, err
	}
	key := client.ObjectKey{Namespace: m.Namespace, Name: m.Name}
	if k.table.byKey[key] != nil {
		return image{}, apierrors.NewAlreadyExists(k.resource(), m.Name)
	}
	if dryRun {
		return img, nil
	}
	r := &record{key: key}
	a.commit(user, "create", k, r, img)
	return img, nil
}

// edition says which part of an object a write is to change.
type edition int

const (
	wholeObject edition = iota
	statusOnly
)

// update replaces a stored object and returns what is stored then, and whether
// anything changed.
func (a *API) update(user, verb string, k *kind, key client.ObjectKey, img image, part edition, dryRun bool) (image, bool, error) {
	r := k.table.byKey[key]
	if r == nil {
		return image{}, false, apierrors.NewNotFound(k.resource(), key.Name)
	}
	old := image{obj: r.obj, raw: r.raw}
	m, was := img.meta(), metaOf(r.obj)
	if err := checkCurrent(k, m, was); err != nil {
		return image{}, false, err
	}
	switch part {
	case statusOnly:
		img = k.withStatusOf(old, img)
		m = img.meta()
	case wholeObject:
		if k.status && k.custom == nil {
			copyField(img.obj, r.obj, "Status")
		}
	}
	m.Name, m.Namespace, m.GenerateName = was.Name, was.Namespace, was.GenerateName
	m.UID, m.CreationTimestamp, m.ResourceVersion = was.UID, was.CreationTimestamp, was.ResourceVersion
	m.DeletionTimestamp, m.DeletionGracePeriodSeconds = was.DeletionTimestamp, was.DeletionGracePeriodSeconds
	m.ManagedFields, m.Generation = nil, was.Generation
	if part == wholeObject { // else it is as it was
		img.setMeta(m)
	}
	if part == statusOnly {
		if err := a.admitStatus(k, &img, old); err != nil {
			return image{}, false, err
		}
	} else if err := a.admit(k, &img, &old); err != nil {
		return image{}, false, err
	}
	m = img.meta()
	if k.generation && part == wholeObject && k.asksForMore(img, old) {
		m.Generation++
		img.setMeta(m)
	}
	if img.same(old) {
		return old, false, nil
	}
	if dryRun {
		return img, true, nil
	}
	if m.DeletionTimestamp != nil && len(m.Finalizers) == 0 && k.strategy.mayVanish(img.obj) {
		a.remove(user, verb, k, r, img)
		return img, true, nil
	}
	a.commit(user, verb, k, r, img)
	return img, true, nil
}

// checkCurrent refuses an update that is based on another state or another
// object than the stored one.
func checkCurrent(k *kind, sent, stored *metav1.ObjectMeta) error {
	if sent.UID != "" && sent.UID != stored.UID {
		//lint:ignore ST1005 these are the words of the server
		return apierrors.NewConflict(k.resource(), stored.Name, fmt.Errorf("Precondition failed: UID in precondition: %v, UID in object meta: %v", sent.UID, stored.UID))
	}
	switch {
	case sent.ResourceVersion == "" && k.strict:
		return apierrors.NewInvalid(k.gvk.GroupKind(), stored.Name, field.ErrorList{
			field.Invalid(field.NewPath("metadata", "resourceVersion"), 0, "must be specified for an update"),
		})
	case sent.ResourceVersion != "" && sent.ResourceVersion != stored.ResourceVersion:
		return apierrors.NewConflict(k.resource(), stored.Name, fmt.Errorf("the object has been modified; please apply your changes to the latest version and try again"))
	}
	return nil
}

// setMeta makes m the metadata of the object in both forms.
func (i *image) setMeta(m *metav1.ObjectMeta) {
	i.syncMetadata(m)
	i.m = m
	if u, ok := i.obj.(*unstructured.Unstructured); ok {
		u.Object = i.raw
	}
}

// same says whether a write of i over old would change nothing.
func (i *image) same(old image) bool {
	if i.raw != nil {
		return equal.Semantic(i.raw, old.raw)
	}
	return equal.Semantic(i.obj, old.obj)
}

// withStatusOf is old with the status of sent; the rest is shared with old, which
// is never changed. A custom resource has its status in its JSON alone until that
// is admitted.
func (k *kind) withStatusOf(old, sent image) image {
	if k.custom != nil {
		raw := maps.Clone(old.raw)
		if status, ok := sent.raw["status"]; ok {
			raw["status"] = status
		} else {
			delete(raw, "status")
		}
		if k.goType == nil {
			return image{obj: &unstructured.Unstructured{Object: raw}, raw: raw}
		}
		return image{obj: shallow(old.obj), raw: raw}
	}
	obj := shallow(old.obj)
	copyField(obj, sent.obj, "Status")
	if k.strategy.statusCarriesMetadata {
		obj.SetLabels(sent.obj.GetLabels())
		obj.SetAnnotations(sent.obj.GetAnnotations())
	}
	return image{obj: obj}
}

// shallow is an object of its own that shares with obj all that its fields refer
// to.
func shallow(obj client.Object) client.Object {
	v := reflect.New(reflect.TypeOf(obj).Elem())
	v.Elem().Set(reflect.ValueOf(obj).Elem())
	return v.Interface().(client.Object)
}

// asksForMore says whether the new object asks for something else than the old:
// its generation moves then.
func (k *kind) asksForMore(img, old image) bool {
	if k.custom != nil {
		return !equal.Semantic(k.asked(img.raw), k.asked(old.raw))
	}
	return k.strategy.asksForMore(img.obj, old.obj)
}

// asked is what of a custom resource counts for its generation: all but metadata
// and status.
func (k *kind) asked(raw map[string]any) map[string]any {
	asked := maps.Clone(raw)
	delete(asked, "metadata")
	if k.status {
		delete(asked, "status")
	}
	return asked
}

// copyField copies a field of a Go struct from one object to another of its type.
func copyField(to, from client.Object, name string) {
	reflect.ValueOf(to).Elem().FieldByName(name).Set(reflect.ValueOf(from).Elem().FieldByName(name))
}

// specChanged compares the Spec of two objects of one Go type.
func specChanged(img, old client.Object) bool {
	a, b := reflect.ValueOf(img).Elem().FieldByName("Spec"), reflect.ValueOf(old).Elem().FieldByName("Spec")
	return a.IsValid() && !equal.Semantic(a.Addr().Interface(), b.Addr().Interface())
}

// commit stores img as the new state of r and tells everybody.
func (a *API) commit(user, verb string, k *kind, r *record, img image) {
	m := img.meta()
	m.ResourceVersion = a.nextVersion()
	img.setMeta(m)
	old := r.obj
	r.obj, r.raw = img.obj, img.raw
	if old == nil {
		k.table.insert(r)
	}
	a.gc.stored(k, r, old)
	a.traceWrite(user, verb, k, img.obj, old)
	a.notify(k, Event{Old: old, New: r.obj})
	k.strategy.committed(img.obj, old)
}

// remove takes r out of the store. img is its last state.
func (a *API) remove(user, verb string, k *kind, r *record, img image) {
	m := metaOf(img.obj)
	m.ResourceVersion = a.nextVersion()
	img.setMeta(m)
	k.table.remove(r)
	a.gc.removed(k, r, img.obj)
	if a.loop.Tracing() {
		a.loop.Trace("kube", "%s %s %s %s rv=%s gone", user, verb, k.gvk.Kind, keyText(r.key), m.ResourceVersion)
	}
	a.notify(k, Event{Old: img.obj})
	k.strategy.removed(img.obj)
}
