package object

import (
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// UpToDate says whether [Merge] of the two would leave existing as it is: there
// is nothing to write. Both are of one type, and neither is changed.
func UpToDate(existing, desired client.Object) bool {
	return holds(existing, desired) || equal.Semantic(existing, Merge(existing, desired))
}

// holds says whether existing surely has in it all that desired asks for. It
// walks both as [Merge] does, copies nothing, and says no where only a real merge
// can tell: in nearly every pass nearly every object is as it should be.
func holds(existing, desired client.Object) bool {
	into, from := reflect.ValueOf(existing).Elem(), reflect.ValueOf(desired).Elem()
	t := from.Type()
	if into.Type() != t {
		return false
	}
	empty := emptiesOf(t)
	for i := range t.NumField() {
		switch t.Field(i).Name {
		case "TypeMeta", "Status":
		case "ObjectMeta":
			if !holdsMeta(existing, desired) {
				return false
			}
		default:
			if !covers(into.Field(i), from.Field(i), empty.mean(i)) {
				return false
			}
		}
	}
	return remembers(existing, desired)
}

// remembers says whether the record of annotations is right, and nothing stands
// in it that is not wanted any more.
func remembers(existing, desired client.Object) bool {
	want := strings.Join(keys(desired), ",")
	if existing.GetAnnotations()[RecordAnnotation] != want {
		return false
	}
	if want == "" {
		return true
	}
	// An annotation may have moved between the object and its pods.
	ours, theirs := template(desired), template(existing)
	for _, key := range strings.Split(want, ",") {
		if _, wanted := desired.GetAnnotations()[key]; !wanted && has(existing.GetAnnotations(), key) {
			return false
		}
		if ours == nil || theirs == nil {
			continue
		}
		if _, wanted := ours.Annotations[key]; !wanted && has(theirs.Annotations, key) {
			return false
		}
	}
	return true
}

func has(set map[string]string, key string) bool {
	_, ok := set[key]
	return ok
}

// holdsMeta says whether existing has desired's labels, annotations and owners.
func holdsMeta(existing, desired metav1.Object) bool {
	if !within(desired.GetLabels(), existing.GetLabels()) || !within(desired.GetAnnotations(), existing.GetAnnotations()) {
		return false
	}
	for _, owner := range desired.GetOwnerReferences() {
		if !slices.ContainsFunc(existing.GetOwnerReferences(), func(is metav1.OwnerReference) bool { return equal.Semantic(&is, &owner) }) {
			return false
		}
	}
	return true
}

// within says whether all of part stands in whole.
func within(part, whole map[string]string) bool {
	for key, value := range part {
		if is, ok := whole[key]; !ok || is != value {
			return false
		}
	}
	return true
}

// covers says whether overlaying into with from surely changes nothing.
func covers(into, from reflect.Value, whole bool) bool {
	if !whole && from.IsZero() {
		return true
	}
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() || into.IsNil() {
			return from.IsNil() && into.IsNil()
		}
		return covers(into.Elem(), from.Elem(), true)
	case reflect.Slice:
		return coversSlice(into, from)
	case reflect.Struct:
		return coversStruct(into, from)
	case reflect.String:
		return into.String() == from.String()
	case reflect.Bool:
		return into.Bool() == from.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return into.Int() == from.Int()
	default:
		return equal.Semantic(into.Interface(), from.Interface())
	}
}

func coversStruct(into, from reflect.Value) bool {
	t := from.Type()
	switch t {
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[intstr.IntOrString](),
		reflect.TypeFor[corev1.Affinity](), reflect.TypeFor[corev1.ResourceRequirements](), reflect.TypeFor[corev1.Toleration]():
		return equal.Semantic(into.Addr().Interface(), from.Addr().Interface())
	case reflect.TypeFor[metav1.ObjectMeta](): // of a pod template
		return holdsMeta(into.Addr().Interface().(*metav1.ObjectMeta), from.Addr().Interface().(*metav1.ObjectMeta))
	}
	empty := emptiesOf(t)
	for i := range t.NumField() {
		if !covers(into.Field(i), from.Field(i), empty.mean(i)) {
			return false
		}
	}
	return true
}

func coversSlice(into, from reflect.Value) bool {
	if into.Len() != from.Len() {
		return false
	}
	if from.Type().Elem().Kind() != reflect.Struct {
		return equal.Semantic(into.Interface(), from.Interface())
	}
	by := tellsApart(from.Type().Elem())
	for i := range from.Len() {
		if at, ok := counterpart(into, from.Index(i), by, i); !ok || at != i || !covers(into.Index(i), from.Index(i), true) {
			return false
		}
	}
	return true
}
