package kube

import (
	"fmt"
	"reflect"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// traceWrite writes the line of a write: who did what to which object, its new
// resourceVersion, and which parts of the object changed.
func (a *API) traceWrite(user, verb string, k *kind, obj, old client.Object) {
	if !a.loop.Tracing() {
		return
	}
	m := metaOf(obj)
	var line strings.Builder
	fmt.Fprintf(&line, "%s %s %s %s rv=%s", user, verb, k.gvk.Kind, keyText(client.ObjectKeyFromObject(obj)), m.ResourceVersion)
	if m.Generation > 0 {
		fmt.Fprintf(&line, " generation=%d", m.Generation)
	}
	if m.DeletionTimestamp != nil {
		line.WriteString(" deleting")
	}
	if old != nil {
		k.changedParts(obj, old, func(part string) {
			line.WriteString(" " + part)
		})
	}
	a.loop.Trace("kube", "%s", line.String())
}

// changedParts names the top-level fields in which two objects of the kind
// differ, other than by what each write changes.
func (k *kind) changedParts(obj, old client.Object, name func(string)) {
	a, b := reflect.ValueOf(obj).Elem(), reflect.ValueOf(old).Elem()
	if a.Type() != k.goType || b.Type() != k.goType {
		return
	}
	if k.parts == nil {
		k.parts = partsOf(k.goType)
	}
	for i, part := range k.parts {
		x, y := a.Field(i).Addr().Interface(), b.Field(i).Addr().Interface()
		if m, ok := x.(*metav1.ObjectMeta); ok {
			before, now := *y.(*metav1.ObjectMeta), *m
			now.ResourceVersion, now.Generation = before.ResourceVersion, before.Generation
			x, y = &now, &before
		}
		if part != "" && !equal.Semantic(x, y) {
			name(part)
		}
	}
}

// partsOf are the JSON names of the fields of a struct.
func partsOf(t reflect.Type) []string {
	parts := make([]string, t.NumField())
	for i := range parts {
		parts[i], _, _ = strings.Cut(t.Field(i).Tag.Get("json"), ",")
	}
	return parts
}
