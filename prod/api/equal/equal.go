package equal

import (
	"bytes"
	"maps"
	"reflect"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Semantic says whether a and b, of any type that an API object is made of, mean
// the same: an empty list or map is one that is not there, a quantity is its
// value however it is written, a time is its instant in whatever zone. Values of
// different types differ. What a and b share is equal without a look. It wants
// pointers to structs rather than structs, which cost a copy. A value that holds
// itself does not end.
func Semantic(a, b any) bool {
	if tree, ok := a.(map[string]any); ok {
		other, ok := b.(map[string]any)
		return ok && trees(tree, other)
	}
	if a == nil || b == nil {
		return a == b
	}
	return values(reflect.ValueOf(a), reflect.ValueOf(b))
}

func values(a, b reflect.Value) bool {
	t := a.Type()
	if t != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.String:
		return a.String() == b.String()
	case reflect.Bool:
		return a.Bool() == b.Bool()
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return a.Int() == b.Int()
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return a.Uint() == b.Uint()
	case reflect.Float32, reflect.Float64:
		return a.Float() == b.Float()
	case reflect.Pointer:
		if a.IsNil() || b.IsNil() || a.Pointer() == b.Pointer() {
			return a.Pointer() == b.Pointer()
		}
		return values(a.Elem(), b.Elem())
	case reflect.Interface:
		return interfaces(a, b)
	case reflect.Struct:
		return structs(t, a, b)
	case reflect.Slice:
		return slices(t, a, b)
	case reflect.Array:
		return elements(a, b)
	case reflect.Map:
		return tables(a, b)
	case reflect.Func:
		return a.IsNil() && b.IsNil()
	default:
		return a.Interface() == b.Interface()
	}
}

func interfaces(a, b reflect.Value) bool {
	if a.IsNil() || b.IsNil() {
		return a.IsNil() == b.IsNil()
	}
	return values(a.Elem(), b.Elem())
}

func structs(t reflect.Type, a, b reflect.Value) bool {
	switch t {
	case reflect.TypeFor[resource.Quantity]():
		return at[resource.Quantity](a).Cmp(*at[resource.Quantity](b)) == 0
	case reflect.TypeFor[metav1.Time]():
		return at[metav1.Time](a).Time.Equal(at[metav1.Time](b).Time)
	case reflect.TypeFor[metav1.MicroTime]():
		return at[metav1.MicroTime](a).Time.Equal(at[metav1.MicroTime](b).Time)
	}
	for i := range a.NumField() {
		if !values(a.Field(i), b.Field(i)) {
			return false
		}
	}
	return true
}

// at is a pointer to what v holds, or to a copy of it where v is one itself.
func at[T any](v reflect.Value) *T {
	if v.CanAddr() {
		return v.Addr().Interface().(*T)
	}
	held := v.Interface().(T)
	return &held
}

func slices(t reflect.Type, a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.Pointer() == b.Pointer() {
		return true
	}
	if t.Elem().Kind() == reflect.Uint8 {
		return bytes.Equal(a.Bytes(), b.Bytes())
	}
	return elements(a, b)
}

func elements(a, b reflect.Value) bool {
	for i := range a.Len() {
		if !values(a.Index(i), b.Index(i)) {
			return false
		}
	}
	return true
}

func tables(a, b reflect.Value) bool {
	if a.Len() != b.Len() {
		return false
	}
	if a.Len() == 0 || a.Pointer() == b.Pointer() {
		return true
	}
	switch table := a.Interface().(type) { // most are of these types
	case map[string]string:
		return maps.Equal(table, b.Interface().(map[string]string))
	case map[string][]byte:
		return maps.EqualFunc(table, b.Interface().(map[string][]byte), bytes.Equal)
	case map[string]any:
		return trees(table, b.Interface().(map[string]any))
	}
	for each := a.MapRange(); each.Next(); {
		other := b.MapIndex(each.Key())
		if !other.IsValid() || !values(each.Value(), other) {
			return false
		}
	}
	return true
}

// trees compares JSON as apimachinery decodes it.
func trees(a, b map[string]any) bool {
	if len(a) != len(b) {
		return false
	}
	if reflect.ValueOf(a).Pointer() == reflect.ValueOf(b).Pointer() {
		return true
	}
	for name, value := range a {
		other, ok := b[name]
		if !ok || !nodes(value, other) {
			return false
		}
	}
	return true
}

func nodes(a, b any) bool {
	switch a := a.(type) {
	case nil:
		return b == nil
	case string:
		other, ok := b.(string)
		return ok && a == other
	case bool:
		other, ok := b.(bool)
		return ok && a == other
	case int64:
		other, ok := b.(int64)
		return ok && a == other
	case float64:
		other, ok := b.(float64)
		return ok && a == other
	case map[string]any:
		other, ok := b.(map[string]any)
		return ok && trees(a, other)
	case []any:
		other, ok := b.([]any)
		if !ok || len(a) != len(other) {
			return false
		}
		if len(a) > 0 && &a[0] == &other[0] {
			return true
		}
		for i := range a {
			if !nodes(a[i], other[i]) {
				return false
			}
		}
		return true
	}
	return Semantic(a, b)
}
