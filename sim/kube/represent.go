package kube

import (
	"encoding/json"
	"fmt"
	"reflect"
	"sync"
	"time"

	"github.com/google/uuid"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// image is an object on its way through the server: as the server's Go type and,
// for a custom resource, as JSON.
type image struct {
	obj client.Object
	raw map[string]any
	m   *metav1.ObjectMeta // of obj, if it is known
}

// meta is the metadata of obj, as [metaOf] gives it.
func (i *image) meta() *metav1.ObjectMeta {
	if i.m == nil {
		i.m = metaOf(i.obj)
	}
	return i.m
}

// imageOf is a copy of what a client sent, whatever its representation.
func (k *kind) imageOf(obj client.Object) (image, error) {
	if k.sibling.is(obj) {
		stored, err := k.sibling.stored(obj)
		if err != nil {
			return image{}, k.cannotHandle(err)
		}
		obj = stored
	}
	switch sent := obj.(type) {
	case *unstructured.Unstructured:
		return k.imageOfJSON(runtime.DeepCopyJSON(sent.Object))
	case *metav1.PartialObjectMetadata:
		return image{}, fmt.Errorf("%s %q: metadata alone can be patched and deleted, not created or updated", k.gvk.Kind, obj.GetName())
	}
	typed := obj.DeepCopyObject().(client.Object)
	typed.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	if k.custom == nil {
		k.roundTimes(typed)
		return image{obj: typed}, nil
	}
	raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(typed)
	if err != nil {
		return image{}, err
	}
	raw["apiVersion"], raw["kind"] = k.gvk.GroupVersion().String(), k.gvk.Kind
	return image{obj: typed, raw: raw}, nil
}

// sentImage is the image of what a client sends for a part of an object. Of the
// status of a Go type the rest is not even copied: it will not be looked at.
func (k *kind) sentImage(obj client.Object, part edition) (image, error) {
	if part == statusOnly && reflect.TypeOf(obj).Elem() == k.goType {
		sent := k.newObject()
		copyField(sent, obj, "ObjectMeta")
		copyField(sent, obj, "Status")
		obj = sent
	}
	return k.imageOf(obj)
}

// imageOfJSON takes raw over. A value of the wrong type is a BadRequest in the
// real server's words.
func (k *kind) imageOfJSON(raw map[string]any) (image, error) {
	if k.custom != nil {
		// What its schema says about it comes before what its Go type does.
		var m metav1.ObjectMeta
		metadata, _ := raw["metadata"].(map[string]any)
		if err := runtime.DefaultUnstructuredConverter.FromUnstructured(metadata, &m); err != nil {
			return image{}, k.cannotHandle(err)
		}
		return image{obj: &unstructured.Unstructured{Object: raw}, raw: raw, m: &m}, nil
	}
	obj, err := k.decode(raw)
	if err != nil {
		return image{}, k.cannotHandle(err)
	}
	return image{obj: obj}, nil
}

// cannotHandle is the server's answer to an object that is not of its kind's
// shape.
func (k *kind) cannotHandle(err error) error {
	return apierrors.NewBadRequest(fmt.Sprintf("%s in version %q cannot be handled as a %s: %v", k.gvk.Kind, k.gvk.Version, k.gvk.Kind, err))
}

// decode makes the object that the server stores for raw.
func (k *kind) decode(raw map[string]any) (client.Object, error) {
	if k.goType == nil {
		return &unstructured.Unstructured{Object: raw}, nil
	}
	obj := k.newObject()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(raw, obj); err != nil {
		// The JSON decoder says which field it is, in the words of the real server.
		data, err := json.Marshal(raw)
		if err != nil {
			return nil, err
		}
		obj = k.newObject()
		if err := kjson.Unmarshal(data, obj); err != nil {
			return nil, err
		}
	}
	obj.GetObjectKind().SetGroupVersionKind(schema.GroupVersionKind{})
	k.roundTimes(obj)
	return obj, nil
}

// decodeStatus gives obj the status that it has in JSON, and says whether that
// fits.
func (k *kind) decodeStatus(obj client.Object, status any) bool {
	fresh := k.newObject()
	into := reflect.ValueOf(fresh).Elem().FieldByName("Status")
	fields, ok := status.(map[string]any)
	switch {
	case !into.IsValid() || !ok && status != nil:
		return false
	case ok && runtime.DefaultUnstructuredConverter.FromUnstructured(fields, into.Addr().Interface()) != nil:
		return false
	}
	k.roundTimes(fresh)
	copyField(obj, fresh, "Status")
	return true
}

// json is a copy of what is stored, as the server would print it.
func (k *kind) json(obj client.Object, raw map[string]any) map[string]any {
	if raw != nil {
		return runtime.DeepCopyJSON(raw)
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return runtime.DeepCopyJSON(u.Object)
	}
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		panic(fmt.Sprintf("kube: stored %s %s: %v", k.gvk.Kind, obj.GetName(), err)) // it has been admitted, so it can be printed
	}
	out["apiVersion"], out["kind"] = k.gvk.GroupVersion().String(), k.gvk.Kind
	return out
}

// give writes a copy of a stored object into what the caller handed in.
func (k *kind) give(obj client.Object, raw map[string]any, into client.Object) error {
	if k.sibling.is(into) {
		return k.sibling.give(obj, into)
	}
	switch into := into.(type) {
	case *unstructured.Unstructured:
		into.Object = k.json(obj, raw)
		return nil
	case *metav1.PartialObjectMetadata:
		*into = metav1.PartialObjectMetadata{ObjectMeta: *metaOf(obj).DeepCopy()}
		into.SetGroupVersionKind(k.gvk)
		return nil
	}
	if reflect.TypeOf(into) != reflect.TypeOf(obj) {
		return fmt.Errorf("%s is kept as %T and cannot be read into %T", k.gvk.Kind, obj, into)
	}
	was := into.GetObjectKind().GroupVersionKind()
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(obj.DeepCopyObject()).Elem())
	into.GetObjectKind().SetGroupVersionKind(was)
	return nil
}

// metaOf is the metadata of a stored object: its own for a Go type, a copy of it
// for one kept unstructured.
func metaOf(obj client.Object) *metav1.ObjectMeta {
	if a, ok := obj.(metav1.ObjectMetaAccessor); ok {
		if m, ok := a.GetObjectMeta().(*metav1.ObjectMeta); ok {
			return m
		}
	}
	var m metav1.ObjectMeta
	u := obj.(*unstructured.Unstructured)
	if raw, ok := u.Object["metadata"].(map[string]any); ok {
		_ = runtime.DefaultUnstructuredConverter.FromUnstructured(raw, &m) // metadata was admitted as this type
	}
	return &m
}

// syncMetadata makes the JSON of a custom resource say what its metadata says
// now.
func (i *image) syncMetadata(m *metav1.ObjectMeta) {
	raw := i.raw
	if raw == nil {
		return
	}
	out, err := runtime.DefaultUnstructuredConverter.ToUnstructured(m)
	if err != nil {
		panic(fmt.Sprintf("kube: metadata of %s: %v", m.Name, err)) // ObjectMeta has no field that JSON cannot say
	}
	raw["metadata"] = out
}

// roundTimes makes the times in obj what they are after a way through JSON: UTC,
// whole seconds (microseconds for MicroTime).
func (k *kind) roundTimes(obj client.Object) {
	if k.times == nil { // found out when first needed: most worlds need few kinds
		k.times = k.shapes.times(k.goType)
	}
	k.times(reflect.ValueOf(obj).Elem())
}

// shapes are what has been found out of Go types, once for all servers of a
// process that share their [Definitions].
type shapes struct{ known sync.Map }

// times is the function that rounds all times in a value of type t.
func (s *shapes) times(t reflect.Type) func(reflect.Value) {
	if known, ok := s.known.Load(t); ok {
		return known.(func(reflect.Value))
	}
	round := timesIn(t, map[reflect.Type]bool{})
	if round == nil {
		round = none
	}
	s.known.Store(t, round)
	return round
}

// none is for types that hold no time.
func none(reflect.Value) {}

// timesIn is the function that rounds all times in a value of type t, or nil if
// there can be none. Types in busy refer to themselves and are left alone.
func timesIn(t reflect.Type, busy map[reflect.Type]bool) func(reflect.Value) {
	switch t {
	case reflect.TypeFor[metav1.Time]():
		return func(v reflect.Value) { round(v.Field(0).Addr().Interface().(*time.Time), time.Second) }
	case reflect.TypeFor[metav1.MicroTime]():
		return func(v reflect.Value) { round(v.Field(0).Addr().Interface().(*time.Time), time.Microsecond) }
	}
	if busy[t] {
		return nil
	}
	busy[t] = true
	defer delete(busy, t)
	switch t.Kind() {
	case reflect.Pointer:
		if in := timesIn(t.Elem(), busy); in != nil {
			return func(v reflect.Value) {
				if !v.IsNil() {
					in(v.Elem())
				}
			}
		}
	case reflect.Slice:
		if in := timesIn(t.Elem(), busy); in != nil {
			return func(v reflect.Value) {
				for i := range v.Len() {
					in(v.Index(i))
				}
			}
		}
	case reflect.Struct:
		return timesInStruct(t, busy)
	}
	return nil
}

func timesInStruct(t reflect.Type, busy map[reflect.Type]bool) func(reflect.Value) {
	type member struct {
		index int
		round func(reflect.Value)
	}
	var members []member
	for i := range t.NumField() {
		if !t.Field(i).IsExported() {
			continue
		}
		if in := timesIn(t.Field(i).Type, busy); in != nil {
			members = append(members, member{i, in})
		}
	}
	if members == nil {
		return nil
	}
	return func(v reflect.Value) {
		for _, m := range members {
			m.round(v.Field(m.index))
		}
	}
}

func round(t *time.Time, to time.Duration) {
	if !t.IsZero() {
		*t = t.UTC().Truncate(to)
	}
}

// uuidOf is the version 4 UUID that carries these random bits.
func uuidOf(a, b uint64) string {
	var u uuid.UUID
	for i := range 8 {
		u[i], u[8+i] = byte(a>>(8*i)), byte(b>>(8*i))
	}
	u[6] = u[6]&0x0f | 0x40
	u[8] = u[8]&0x3f | 0x80
	return u.String()
}
