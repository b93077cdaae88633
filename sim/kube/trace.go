package kube

import (
	"fmt"
	"reflect"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
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
		for _, part := range changedParts(obj, old) {
			line.WriteString(" " + part)
		}
	}
	a.loop.Trace("kube", "%s", line.String())
}

// changedParts names the top-level fields in which two objects of one kind
// differ, other than by what each write changes.
func changedParts(obj, old client.Object) []string {
	a, b := reflect.ValueOf(obj).Elem(), reflect.ValueOf(old).Elem()
	if a.Kind() != reflect.Struct || a.Type() != b.Type() {
		return nil
	}
	var parts []string
	for i := range a.NumField() {
		f := a.Type().Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		x, y := a.Field(i).Interface(), b.Field(i).Interface()
		if m, ok := x.(metav1.ObjectMeta); ok {
			before := y.(metav1.ObjectMeta)
			m.ResourceVersion, m.Generation = before.ResourceVersion, before.Generation
			x = m
		}
		if name != "" && !apiequality.Semantic.DeepEqual(x, y) {
			parts = append(parts, name)
		}
	}
	return parts
}
