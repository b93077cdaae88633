package v1

import (
	"encoding/json"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	kjson "k8s.io/apimachinery/pkg/util/json"
)

// UnmarshalJSON reads the spec and keeps in Unserved what its type does not know.
func (s *ClusterSpec) UnmarshalJSON(data []byte) error {
	type plain ClusterSpec // without this method
	known, unserved, err := readKeeping[plain](data)
	if err != nil {
		return err
	}
	*s = ClusterSpec(known)
	s.Unserved = unserved
	return nil
}

// MarshalJSON writes the spec with the fields of Unserved in their places. One
// whose place is gone, because its node was taken off the list, goes with it.
func (s ClusterSpec) MarshalJSON() ([]byte, error) {
	type plain ClusterSpec // without this method
	return writeKeeping(plain(s), s.Unserved)
}

// readKeeping reads a T, which has no method to read JSON, and what it has no
// field for.
func readKeeping[T any](data []byte) (known T, unserved []UnservedField, err error) {
	if err := kjson.Unmarshal(data, &known); err != nil {
		return known, nil, err
	}
	var written any
	if err := kjson.Unmarshal(data, &written); err != nil {
		return known, nil, err
	}
	unserved, err = unknownFields(written, reflect.TypeFor[T](), nil)
	return known, unserved, err
}

// writeKeeping writes a T, which has no method to write JSON, with those fields
// in their places.
func writeKeeping[T any](known T, unserved []UnservedField) ([]byte, error) {
	data, err := json.Marshal(known)
	if err != nil || len(unserved) == 0 {
		return data, err
	}
	var tree map[string]any
	if err := kjson.Unmarshal(data, &tree); err != nil {
		return nil, err
	}
	for _, f := range unserved {
		put(tree, f.Path, f.Value)
	}
	return json.Marshal(tree)
}

// unknownFields returns the fields of value, which was written where t is
// expected, that t has no field for.
func unknownFields(value any, t reflect.Type, at []string) ([]UnservedField, error) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if reflect.PointerTo(t).Implements(reflect.TypeFor[json.Unmarshaler]()) {
		return nil, nil // reads its own JSON, so nothing in it is unknown
	}
	var unknown []UnservedField
	descend := func(value any, t reflect.Type, step string) error {
		below, err := unknownFields(value, t, append(slices.Clip(at), step))
		unknown = append(unknown, below...)
		return err
	}
	switch value := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(value)) {
			fieldType, known := memberType(t, key)
			if known {
				if err := descend(value[key], fieldType, key); err != nil {
					return nil, err
				}
				continue
			}
			raw, err := json.Marshal(value[key])
			if err != nil {
				return nil, err
			}
			unknown = append(unknown, UnservedField{Path: append(slices.Clone(at), key), Value: raw})
		}
	case []any:
		if t.Kind() != reflect.Slice {
			return nil, nil
		}
		for i, element := range value {
			if err := descend(element, t.Elem(), elementStep(element, i)); err != nil {
				return nil, err
			}
		}
	}
	return unknown, nil
}

// memberType returns the type that t, a struct or a map, has for key. known is
// false only for a struct without such a field.
func memberType(t reflect.Type, key string) (member reflect.Type, known bool) {
	switch t.Kind() {
	case reflect.Map:
		return t.Elem(), true
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
			if f.Anonymous && name == "" {
				if member, known := memberType(f.Type, key); known {
					return member, true
				}
			}
			if name == key && name != "-" {
				return f.Type, true
			}
		}
		return nil, false
	}
	return t, true // any other type takes the value whole
}

// put sets the field at path, where everything on the way to it exists.
func put(value any, path []string, field json.RawMessage) {
	switch value := value.(type) {
	case map[string]any:
		if len(path) == 1 {
			value[path[0]] = field
			return
		}
		put(value[path[0]], path[1:], field)
	case []any:
		for i, element := range value {
			if elementStep(element, i) == path[0] {
				put(element, path[1:], field)
				return
			}
		}
	}
}

// elementStep is the step of a path that leads to element i of a list: its name
// or path, which find it even when the list has changed, or else its index.
func elementStep(element any, i int) string {
	if fields, ok := element.(map[string]any); ok {
		for _, key := range []string{"name", "path"} {
			if id, ok := fields[key].(string); ok {
				return bracket(id)
			}
		}
	}
	return bracket(strconv.Itoa(i))
}

func bracket(element string) string { return "[" + element + "]" }
