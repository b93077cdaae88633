package kube

import (
	"slices"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// record is where an object of one name stands.
type record struct {
	key client.ObjectKey
	// obj is what is stored now. It is never changed, only replaced.
	obj client.Object
	// raw is a custom resource as JSON, with the fields its Go type does not
	// know; nil for built-in kinds.
	raw map[string]any
	// applied is by field manager what it applied last (server-side apply).
	applied map[string]map[string]any
	// gone: the object has been deleted.
	gone bool
}

// table holds the objects of one kind.
type table struct {
	byKey map[client.ObjectKey]*record
	// sorted is by namespace, then name.
	sorted []*record
	// readers are the iterations that hold sorted at this moment.
	readers int
}

func compareKeys(a, b client.ObjectKey) int {
	if c := strings.Compare(a.Namespace, b.Namespace); c != 0 {
		return c
	}
	return strings.Compare(a.Name, b.Name)
}

func (t *table) find(key client.ObjectKey) (int, bool) {
	return slices.BinarySearchFunc(t.sorted, key, func(r *record, key client.ObjectKey) int { return compareKeys(r.key, key) })
}

func (t *table) insert(r *record) {
	i, _ := t.find(r.key)
	t.own()
	t.sorted = slices.Insert(t.sorted, i, r)
	t.byKey[r.key] = r
}

func (t *table) remove(r *record) {
	i, ok := t.find(r.key)
	if !ok {
		return
	}
	t.own()
	t.sorted = slices.Delete(t.sorted, i, i+1)
	delete(t.byKey, r.key)
	r.gone = true
}

// own makes sorted safe to change while somebody reads it.
func (t *table) own() {
	if t.readers > 0 {
		t.sorted = slices.Clone(t.sorted)
	}
}

// each calls fn for the records of a namespace ("" for all), in order, until it
// says false. fn may write: what it adds is not visited, what it deletes is
// skipped.
func (t *table) each(namespace string, fn func(*record) bool) {
	records := t.sorted
	if namespace != "" {
		from, _ := t.find(client.ObjectKey{Namespace: namespace})
		records = records[from:]
	}
	t.readers++
	defer func() { t.readers-- }()
	for _, r := range records {
		if namespace != "" && r.key.Namespace != namespace {
			return
		}
		if !r.gone && !fn(r) {
			return
		}
	}
}
