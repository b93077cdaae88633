package explore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// Snapshot is the state of a world as sorted lines "object: field = value", with
// what differs from run to run replaced by names.
type Snapshot []string

// Take looks at all of a world. It is for a world in which nothing happens: to
// look at Ceph takes time, in which something might.
func Take(w world.World) Snapshot {
	ctx := context.Background()
	t := &taker{names: newNames(osdPlaces(ctx, w))}
	t.kubernetes(ctx, w)
	t.ceph(ctx, w)
	t.disks(ctx, w)
	slices.Sort(t.lines)
	return t.lines
}

type taker struct {
	names *names
	lines []string
}

// add writes a value, field by field.
func (t *taker) add(object string, v any) {
	object = t.names.replace("", object)
	for _, l := range flatten("", v) {
		t.lines = append(t.lines, fmt.Sprintf("%s: %s = %s", object, l.path, t.names.replace(object+" "+l.path, l.value)))
	}
}

// Diff says in what a state differs from the one that was expected: lines that
// are missing with "-", lines that ought not to be there with "+". It is empty
// for equal states.
func Diff(want, got Snapshot) []string {
	var out []string
	for i, j := 0, 0; i < len(want) || j < len(got); {
		switch {
		case j == len(got) || i < len(want) && want[i] < got[j]:
			out = append(out, "- "+want[i])
			i++
		case i == len(want) || got[j] < want[i]:
			out = append(out, "+ "+got[j])
			j++
		default:
			i, j = i+1, j+1
		}
	}
	slices.SortStableFunc(out, func(a, b string) int { return strings.Compare(a[2:], b[2:]) })
	return out
}

type line struct{ path, value string }

// flatten turns a value as JSON has it into one line a scalar. A list of
// mappings with a name or type is by that, any other list by its places.
func flatten(path string, v any) []line {
	switch v := v.(type) {
	case map[string]any:
		if len(v) == 0 {
			return []line{{path, "{}"}}
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		var out []line
		for _, k := range keys {
			out = append(out, flatten(strings.TrimPrefix(path+"."+k, "."), v[k])...)
		}
		return out
	case []any:
		if len(v) == 0 {
			return []line{{path, "[]"}}
		}
		var out []line
		for i, e := range v {
			out = append(out, flatten(fmt.Sprintf("%s[%s]", path, label(e, i)), e)...)
		}
		return out
	case nil:
		return nil
	default:
		return []line{{path, strings.ReplaceAll(fmt.Sprint(v), "\n", "\\n")}}
	}
}

// label names an element of a list.
func label(e any, at int) string {
	if m, ok := e.(map[string]any); ok {
		for _, key := range []string{"type", "name"} {
			if s, ok := m[key].(string); ok {
				return s
			}
		}
	}
	return fmt.Sprint(at)
}
