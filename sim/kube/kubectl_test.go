package kube_test

import (
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// apply returns the lines that kubectl prints, and what it prints of the error.
func (w *world) apply(manifest string) (lines, printed string, err error) {
	applied, err := w.ApplyManifest(context.Background(), "kubectl", []byte(manifest))
	var out []string
	for _, one := range applied {
		out = append(out, one.String())
	}
	if err != nil {
		printed = err.Error()
	}
	return strings.Join(out, "\n"), printed, err
}

const rook = `
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: rook-ceph, namespace: sea}
spec:
  cephVersion: {image: "ceph/ceph:v14.2.0"}
  dataDirHostPath: /var/lib/rook
  mon: {count: 3}
`

func TestApply(t *testing.T) {
	w := newWorld(t)
	manifest := `
# a comment alone is no document
---
apiVersion: v1
kind: ConfigMap
metadata: {name: a, namespace: sea, labels: {x: "1", z: "2"}}
data: {one: "1", two: "2"}
---` + rook
	lines, printed, _ := w.apply(manifest)
	if want := "configmap/a created\ncephcluster.ceph.rook.io/rook-ceph created"; lines != want || printed != "" {
		t.Fatalf("%s\n%s", lines, printed)
	}
	var cm corev1.ConfigMap
	w.get(t, &cm, "a")
	if want := `{"apiVersion":"v1","data":{"one":"1","two":"2"},"kind":"ConfigMap","metadata":{"annotations":{},"labels":{"x":"1","z":"2"},"name":"a","namespace":"sea"}}` + "\n"; cm.Annotations[corev1.LastAppliedConfigAnnotation] != want {
		t.Errorf("last applied: %s", cm.Annotations[corev1.LastAppliedConfigAnnotation])
	}
	if lines, printed, _ = w.apply(manifest); lines != "configmap/a unchanged\ncephcluster.ceph.rook.io/rook-ceph unchanged" {
		t.Errorf("again: %s\n%s", lines, printed)
	}

	// Somebody else's fields stay, those no longer in the manifest go.
	cm.Data["three"] = "3"
	w.update(t, &cm)
	lines, printed, _ = w.apply(strings.NewReplacer(`, two: "2"`, "", `, z: "2"`, "", "count: 3", "count: 5").Replace(manifest))
	if lines != "configmap/a configured\ncephcluster.ceph.rook.io/rook-ceph configured" {
		t.Errorf("changed: %s\n%s", lines, printed)
	}
	w.get(t, &cm, "a")
	if len(cm.Data) != 2 || cm.Data["one"] != "1" || cm.Data["three"] != "3" || len(cm.Labels) != 1 {
		t.Errorf("data %v, labels %v", cm.Data, cm.Labels)
	}
	var cr v1.CephCluster
	w.get(t, &cr, "rook-ceph")
	if cr.Spec.Mon.Count != 5 || cr.Generation != 2 {
		t.Errorf("mon count %d, generation %d", cr.Spec.Mon.Count, cr.Generation)
	}
	objects, err := w.Apply(context.Background(), "kubectl", []byte(rook))
	if err != nil || len(objects) != 1 || objects[0].GetObjectKind().GroupVersionKind().Kind != "CephCluster" {
		t.Errorf("%v %v", objects, err)
	}
}

func TestApplyTakesOver(t *testing.T) {
	w := newWorld(t)
	cm := configMap("a")
	cm.Data = map[string]string{"old": "1"}
	w.create(t, cm) // not by apply
	if lines, printed, _ := w.apply("apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: sea}\ndata: {new: \"2\"}\n"); lines != "configmap/a configured" {
		t.Fatalf("%s\n%s", lines, printed)
	}
	w.get(t, cm, "a")
	if len(cm.Data) != 2 {
		t.Errorf("data %v", cm.Data)
	}
}

func TestApplyLists(t *testing.T) {
	w := newWorld(t)
	lines, printed, _ := w.apply(`
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Namespace, metadata: {name: deep}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: deep}}
- {apiVersion: v1, kind: ConfigMap, metadata: {name: b}}
`)
	if lines != "namespace/deep created\nconfigmap/a created\nconfigmap/b created" || printed != "" {
		t.Errorf("%s\n%s", lines, printed)
	}
	if _, ok := w.View(&corev1.ConfigMap{}, client.ObjectKey{Namespace: "default", Name: "b"}); !ok {
		t.Error("b is not in default")
	}
}

func TestApplyRefuses(t *testing.T) {
	cm := "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: good, namespace: sea}\n"
	for name, c := range map[string]struct{ manifest, lines, printed string }{
		"no YAML": {
			cm + "---\na: b\nc: d\ne: f: g\n", "configmap/good created",
			"error: error parsing STDIN: error converting YAML to JSON: yaml: line 3: mapping values are not allowed in this context",
		},
		"nothing": {"# nothing\n", "", "error: no objects passed to apply"},
		"no kind": {
			"apiVersion: v1\n", "",
			`error: error validating "STDIN": error validating data: kind not set; if you choose to ignore these errors, turn validation off with --validate=false`,
		},
		"neither": {
			"a: b\n", "",
			`error: error validating "STDIN": error validating data: [apiVersion not set, kind not set]; if you choose to ignore these errors, turn validation off with --validate=false`,
		},
		"a kind that is not served": {
			"apiVersion: ceph.rook.io/v1\nkind: CephShark\nmetadata: {name: x, namespace: z}\n---\n" + cm, "configmap/good created",
			"error: resource mapping not found for name: \"x\" namespace: \"z\" from \"STDIN\": no matches for kind \"CephShark\" in version \"ceph.rook.io/v1\"\nensure CRDs are installed first",
		},
		"an unknown field of a built-in kind": {
			cm + "data: {}\nfoo: {}\n", "",
			`Error from server (BadRequest): error when creating "STDIN": ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "foo"`,
		},
		"two unknown fields": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: sea}\nspec: {foo: 1, template: {spec: {bar: 1}}}\n", "",
			`Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.foo", unknown field "spec.template.spec.bar"`,
		},
		"a field of another type": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: x, namespace: sea}\nspec: {replicas: three}\n", "",
			`Error from server (BadRequest): error when creating "STDIN": Deployment in version "v1" cannot be handled as a Deployment: json: cannot unmarshal string into Go struct field DeploymentSpec.spec.replicas of type int32`,
		},
		"an unknown field of metadata": {
			strings.Replace(rook, "{name:", "{foo: 1, name:", 1), "",
			`Error from server (BadRequest): error when creating "STDIN": CephCluster in version "v1" cannot be handled as a CephCluster: strict decoding error: unknown field "metadata.foo"`,
		},
		"no such namespace": {
			strings.Replace(cm, "sea", "land", 1), "",
			`Error from server (NotFound): error when creating "STDIN": namespaces "land" not found`,
		},
		"an invalid name": {
			strings.Replace(cm, "good", "Good", 1), "",
			`The ConfigMap "Good" is invalid: metadata.name: Invalid value: "Good": ` + subdomain,
		},
		"a mon count that is no number": {
			strings.Replace(rook, "count: 3", "count: three", 1), "",
			"The CephCluster \"rook-ceph\" is invalid: \n* spec.mon.count: Invalid value: \"string\": spec.mon.count in body must be of type integer: \"string\"\n" +
				"* <nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation",
		},
		"two causes": {
			"apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata: {name: x, namespace: sea}\nspec: {}\n", "",
			"The PersistentVolumeClaim \"x\" is invalid: \n* spec.accessModes: Required value: at least 1 access mode is required\n* spec.resources[storage]: Required value",
		},
		"one cause twice": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: x, namespace: sea, labels: {a: b c, d: b c}}\n", "",
			`The ConfigMap "x" is invalid: metadata.labels: Invalid value: "b c": ` + labelText,
		},
		"generateName": {
			"apiVersion: v1\nkind: ConfigMap\nmetadata: {generateName: x-, namespace: sea}\n", "",
			"error: from x-: cannot use generate name with apply",
		},
		"two errors": {
			strings.Replace(cm, "good", "Good", 1) + "---\n" + strings.Replace(cm, "sea", "land", 1) + "---\n" + cm, "configmap/good created",
			`The ConfigMap "Good" is invalid: metadata.name: Invalid value: "Good": ` + subdomain + "\n" +
				`Error from server (NotFound): error when creating "STDIN": namespaces "land" not found`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			lines, printed, _ := w.apply(c.manifest)
			if lines != c.lines || printed != c.printed {
				t.Errorf("applied %q, want %q\nprinted %s\nwant    %s", lines, c.lines, printed, c.printed)
			}
		})
	}
}

func TestApplyErrorsWrapTheServers(t *testing.T) {
	w := newWorld(t)
	_, _, err := w.apply(strings.Replace(rook, "count: 3", "count: three", 1))
	if !apierrors.IsInvalid(err) {
		t.Errorf("%T is not Invalid", err)
	}
	_, _, err = w.apply("apiVersion: a/v1\nkind: B\n")
	if !meta.IsNoMatchError(err) {
		t.Errorf("%T is not NoMatch", err)
	}
}

func TestApplyPatchErrors(t *testing.T) {
	w := newWorld(t)
	service := "apiVersion: v1\nkind: Service\nmetadata: {name: x, namespace: sea}\nspec: {ports: [{port: 1}]}\n"
	if lines, printed, _ := w.apply(service); lines != "service/x created" {
		t.Fatal(lines, printed)
	}
	_, printed, _ := w.apply(strings.Replace(service, "spec: {", "spec: {clusterIP: 10.200.7.7, ", 1))
	if want := `The Service "x" is invalid: spec.clusterIPs[0]: Invalid value: "10.200.7.7": may not change once set`; printed != want {
		t.Errorf("got  %s\nwant %s", printed, want)
	}
	_, printed, _ = w.apply(strings.Replace(service, "spec: {", "spec: {foo: 1, ", 1))
	if !strings.HasPrefix(printed, "The request is invalid: patch: Invalid value: ") || !strings.HasSuffix(printed, `: strict decoding error: unknown field "spec.foo"`) {
		t.Errorf("got %s", printed)
	}
	w.OnRequest(func(r kube.Request) error {
		if r.Verb == "patch" {
			return apierrors.NewForbidden(r.Resource.GroupResource(), r.Key.Name, errString("not yours"))
		}
		return nil
	})
	_, printed, _ = w.apply(strings.Replace(service, "port: 1", "port: 2", 1))
	if !strings.HasPrefix(printed, "Error from server (Forbidden): error when applying patch:\n{") ||
		!strings.HasSuffix(printed, "\nto:\nResource: \"/v1, Resource=services\", GroupVersionKind: \"/v1, Kind=Service\"\nName: \"x\", Namespace: \"sea\"\nfor: \"STDIN\": error when patching \"STDIN\": services \"x\" is forbidden: not yours") {
		t.Errorf("got %s", printed)
	}
}

type errString string

func (e errString) Error() string { return string(e) }

// Fields that a schema keeps and the Go type does not know survive whatever a
// client with the Go type does.
func TestFieldsUnknownToTheGoType(t *testing.T) {
	w := newWorld(t)
	if _, printed, _ := w.apply(strings.Replace(rook, "  mon:", "  annotations: {all: {tide: high}}\n  crashCollector: {disable: true}\n  mon:", 1)); printed != "" {
		t.Fatal(printed)
	}
	var cr v1.CephCluster
	w.get(t, &cr, "rook-ceph")
	if err := w.c.Patch(context.Background(), &cr, client.RawPatch(types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`))); err != nil {
		t.Fatal(err)
	}
	cr.Spec.Mon.Count = 5
	w.update(t, &cr)
	objects, _, err := w.apply(strings.Replace(rook, "  mon:", "  annotations: {all: {tide: high}}\n  crashCollector: {disable: true}\n  mon:", 1))
	if err != nil || objects != "cephcluster.ceph.rook.io/rook-ceph configured" {
		t.Errorf("%s %v", objects, err)
	}
}
