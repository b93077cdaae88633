package kube

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// sibling is another group or version under which stored objects are served too.
type sibling struct {
	gvk    schema.GroupVersionKind
	gvr    schema.GroupVersionResource
	goType reflect.Type
	// from makes the stored form of an object of the sibling, to the other way
	// round. What they return may share with what they get.
	from, to func(client.Object) client.Object
}

// is says whether obj is of the sibling's kind.
func (s *sibling) is(obj client.Object) bool {
	if s == nil {
		return false
	}
	if u, ok := obj.(*unstructured.Unstructured); ok {
		return u.GroupVersionKind() == s.gvk
	}
	return reflect.TypeOf(obj).Elem() == s.goType
}

// stored is the stored form of a sibling's object.
func (s *sibling) stored(obj client.Object) (client.Object, error) {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok {
		return s.from(obj), nil
	}
	typed := reflect.New(s.goType).Interface().(client.Object)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(u.Object, typed); err != nil {
		return nil, err
	}
	return s.from(typed), nil
}

// give writes a copy of a stored object into a sibling's object.
func (s *sibling) give(obj, into client.Object) error {
	out := s.to(obj).DeepCopyObject().(client.Object)
	if u, ok := into.(*unstructured.Unstructured); ok {
		raw, err := runtime.DefaultUnstructuredConverter.ToUnstructured(out)
		if err != nil {
			return fmt.Errorf("%s %q: %w", s.gvk.Kind, obj.GetName(), err)
		}
		u.Object = raw
		u.SetGroupVersionKind(s.gvk)
		return nil
	}
	reflect.ValueOf(into).Elem().Set(reflect.ValueOf(out).Elem())
	return nil
}
