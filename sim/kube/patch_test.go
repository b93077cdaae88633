package kube_test

import (
	"context"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	applycorev1 "k8s.io/client-go/applyconfigurations/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestPatchTypes(t *testing.T) {
	for name, c := range map[string]struct {
		kind  types.PatchType
		patch string
		names string // of the containers then
	}{
		"strategic merge goes by name": {types.StrategicMergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"log","image":"l:1"}]}}}}`, "log mon"},
		"JSON merge replaces lists":    {types.MergePatchType, `{"spec":{"template":{"spec":{"containers":[{"name":"log","image":"l:1"}]}}}}`, "log"},
		"JSON patch":                   {types.JSONPatchType, `[{"op":"add","path":"/spec/template/spec/containers/-","value":{"name":"log","image":"l:1"}}]`, "mon log"},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			d := deployment("d")
			w.create(t, d)
			if err := w.c.Patch(context.Background(), d, client.RawPatch(c.kind, []byte(c.patch))); err != nil {
				t.Fatal(err)
			}
			got := ""
			for i, container := range d.Spec.Template.Spec.Containers {
				if i > 0 {
					got += " "
				}
				got += container.Name
			}
			if got != c.names || d.Generation != 2 {
				t.Errorf("containers %s, generation %d", got, d.Generation)
			}
		})
	}
}

func TestPatchRefuses(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cm := configMap("x")
	w.create(t, cm)
	base := cm.DeepCopy()
	w.update(t, edited(cm.DeepCopy(), func(c *corev1.ConfigMap) { c.Data = map[string]string{"a": "b"} }))
	changed := base.DeepCopy()
	changed.Labels = map[string]string{"a": "b"}
	err := w.c.Patch(ctx, changed.DeepCopy(), client.MergeFromWithOptions(base, client.MergeFromWithOptimisticLock{}))
	if !apierrors.IsConflict(err) {
		t.Errorf("a patch of an old state: %v", err)
	}
	if err := w.c.Patch(ctx, changed, client.MergeFrom(base)); err != nil {
		t.Error(err)
	}
	errorIs(t, w.c.Patch(ctx, configMap("y"), client.RawPatch(types.MergePatchType, []byte("{}"))), metav1.StatusReasonNotFound, `configmaps "y" not found`)
	if err := w.c.Patch(ctx, cm, client.RawPatch(types.MergePatchType, []byte("{"))); !apierrors.IsBadRequest(err) {
		t.Errorf("half a patch: %v", err)
	}
	errorIs(t, w.c.Patch(ctx, deploymentIn(t, w), client.RawPatch(types.MergePatchType, []byte(`{"spec":{"replicas":"three"}}`))), metav1.StatusReasonBadRequest,
		`Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`)
	cr := cluster("c")
	w.create(t, cr)
	if err := w.c.Patch(ctx, cr, client.RawPatch(types.StrategicMergePatchType, []byte("{}"))); !apierrors.IsUnsupportedMediaType(err) {
		t.Errorf("a strategic merge of a custom resource: %v", err)
	}
	if err := w.c.Patch(ctx, cm, client.RawPatch(types.JSONPatchType, []byte(`[{"op":"remove","path":"/data/none"}]`))); !apierrors.IsInvalid(err) {
		t.Errorf("a JSON patch of what is not there: %v", err)
	}
}

// A struct that an applier filled and now leaves out is gone, not empty.
func TestServerSideApplyLeavesNoShell(t *testing.T) {
	w := newWorld(t)
	apply := func(spec string) {
		t.Helper()
		manifest := `{"apiVersion":"apps/v1","kind":"Deployment","metadata":{"namespace":"sea","name":"d"},"spec":{"selector":{"matchLabels":{"a":"b"}},` +
			`"template":{"metadata":{"labels":{"a":"b"}},"spec":{` + spec + `"containers":[{"name":"x","image":"y:1"}]}}}}`
		d := &appsv1.Deployment{ObjectMeta: named("d")}
		if err := w.c.Patch(context.Background(), d, client.RawPatch(types.ApplyPatchType, []byte(manifest)), client.FieldOwner("a")); err != nil {
			t.Fatal(err)
		}
	}
	var d appsv1.Deployment
	apply(`"dnsConfig":{"searches":["sea.example"]},`)
	if w.get(t, &d, "d"); d.Spec.Template.Spec.DNSConfig == nil {
		t.Error("not applied")
	}
	apply("")
	if w.get(t, &d, "d"); d.Spec.Template.Spec.DNSConfig != nil {
		t.Errorf("left: %v", d.Spec.Template.Spec.DNSConfig)
	}
}

func TestMergePatchRemoves(t *testing.T) {
	w := newWorld(t)
	cr := cluster("c")
	cr.Labels = map[string]string{"a": "b", "c": "d"}
	w.create(t, cr)
	if err := w.c.Patch(context.Background(), cr, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":null}}}`))); err != nil {
		t.Fatal(err)
	}
	if _, ok := cr.Labels["a"]; ok || cr.Labels["c"] != "d" {
		t.Errorf("labels %v", cr.Labels)
	}
}

func deploymentIn(t *testing.T, w *world) *appsv1.Deployment {
	t.Helper()
	d := deployment("d")
	w.create(t, d)
	return d
}

func TestServerSideApply(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	apply := func(manager string, data map[string]string) {
		t.Helper()
		config := applycorev1.ConfigMap("x", "sea").WithData(data)
		if err := w.c.Apply(ctx, config, client.FieldOwner(manager), client.ForceOwnership); err != nil {
			t.Fatal(err)
		}
		if config.UID == nil {
			t.Error("the answer was not read back")
		}
	}
	expect := func(want map[string]string) {
		t.Helper()
		var cm corev1.ConfigMap
		w.get(t, &cm, "x")
		if len(cm.Data) != len(want) {
			t.Errorf("got %v, want %v", cm.Data, want)
		}
		for k, v := range want {
			if cm.Data[k] != v {
				t.Errorf("got %v, want %v", cm.Data, want)
			}
		}
	}
	apply("a", map[string]string{"one": "1", "two": "2"}) // creates it
	apply("b", map[string]string{"three": "3"})
	expect(map[string]string{"one": "1", "two": "2", "three": "3"})
	apply("a", map[string]string{"one": "11"}) // two goes, three is another's
	expect(map[string]string{"one": "11", "three": "3"})

	apply("a", map[string]string{"one": "11", "five": "5"})
	apply("a", map[string]string{"one": "11"}) // what it applied last goes, not only what it applied first
	expect(map[string]string{"one": "11", "three": "3"})
	apply("a", nil)
	expect(map[string]string{"three": "3"})

	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "ceph.rook.io/v1", "kind": "CephCluster", "metadata": map[string]any{"namespace": "sea", "name": "c"},
		"spec": map[string]any{"dataDirHostPath": "/d", "cephVersion": map[string]any{"image": "ceph/ceph:v14.2.0"}},
	}}
	if err := w.c.Apply(ctx, client.ApplyConfigurationFromUnstructured(u), client.FieldOwner("a")); err != nil {
		t.Fatal(err)
	}
	if !w.has(cluster("c")) {
		t.Error("the CephCluster is not there")
	}
	err := w.c.Apply(ctx, applycorev1.ConfigMap("x", "sea"))
	if !apierrors.IsBadRequest(err) {
		t.Errorf("without an owner: %v", err)
	}
}
