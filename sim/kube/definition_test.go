package kube_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
)

const boats = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.sea.example}
spec:
  group: sea.example
  scope: Namespaced
  names: {kind: Boat, plural: boats, singular: boat}
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    selectableFields: [{jsonPath: .spec.colour}]
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              colour: {type: string, default: white}
              sails: {type: integer, maximum: 9}
          status: {type: object, x-kubernetes-preserve-unknown-fields: true}
`

// A definition that somebody applies is served, without a Go type.
func TestDefinitionsAtRunTime(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	boat := "apiVersion: sea.example/v1\nkind: Boat\nmetadata: {name: x, namespace: sea}\nspec: {sails: 2}\n"
	if _, printed, _ := w.apply(boat); !strings.Contains(printed, "ensure CRDs are installed first") {
		t.Fatal(printed)
	}
	if lines, printed, _ := w.apply(boats); lines != "customresourcedefinition.apiextensions.k8s.io/boats.sea.example created" {
		t.Fatal(printed)
	}
	if lines, printed, _ := w.apply(boat); lines != "boat.sea.example/x created" {
		t.Fatal(printed)
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(schema.GroupVersionKind{Group: "sea.example", Version: "v1", Kind: "Boat"})
	w.get(t, u, "x")
	if colour, _, _ := unstructured.NestedString(u.Object, "spec", "colour"); colour != "white" || u.GetUID() == "" || u.GetGeneration() != 1 {
		t.Errorf("%v", u.Object)
	}
	list := &unstructured.UnstructuredList{}
	list.SetGroupVersionKind(u.GroupVersionKind())
	if err := w.c.List(ctx, list, client.MatchingFields{"spec.colour": "white"}); err != nil || len(list.Items) != 1 {
		t.Errorf("%v, %d items", err, len(list.Items))
	}
	if err := unstructured.SetNestedField(u.Object, "afloat", "status", "state"); err != nil {
		t.Fatal(err)
	}
	if err := w.c.Status().Update(ctx, u); err != nil || u.GetGeneration() != 1 {
		t.Errorf("%v, generation %d", err, u.GetGeneration())
	}
	_, printed, _ := w.apply(strings.Replace(boat, "sails: 2", "sails: 10", 1))
	if want := `The Boat "x" is invalid: spec.sails: Invalid value: 10: spec.sails in body should be less than or equal to 9`; printed != want {
		t.Errorf("got %s", printed)
	}
	_, printed, _ = w.apply(strings.Replace(boat, "sails: 2", "sails: 2, oars: 2", 1))
	if !strings.HasSuffix(printed, `strict decoding error: unknown field "spec.oars"`) {
		t.Errorf("got %s", printed)
	}
	// What the definition says later holds from then on.
	if _, printed, _ := w.apply(strings.Replace(boats, "maximum: 9", "maximum: 99", 1)); printed != "" {
		t.Fatal(printed)
	}
	if lines, printed, _ := w.apply(strings.Replace(boat, "sails: 2", "sails: 10", 1)); lines != "boat.sea.example/x configured" {
		t.Error(printed)
	}
	own := configMap("anchor")
	ownUnstructured := &unstructured.Unstructured{Object: map[string]any{}}
	ownUnstructured.SetUID(u.GetUID())
	ownUnstructured.SetName("x")
	setOwner(own, ownUnstructured)
	w.create(t, own)
	w.delete(t, u)
	w.loop.RunFor(1e9)
	if w.has(own) {
		t.Error("the dependent of a boat is still there")
	}
}

func setOwner(obj, owner client.Object) { own(obj, owner, "sea.example/v1", "Boat") }

// The definitions that a server is made with are objects too, and applying them
// again is nothing new.
func TestInstalledDefinitions(t *testing.T) {
	w := newWorld(t)
	var obj apiextensionsv1.CustomResourceDefinition
	if err := w.c.Get(context.Background(), client.ObjectKey{Name: "cephclusters.ceph.rook.io"}, &obj); err != nil {
		t.Fatal(err)
	}
	established := false
	for _, c := range obj.Status.Conditions {
		established = established || c.Type == apiextensionsv1.Established && c.Status == apiextensionsv1.ConditionTrue
	}
	if !established {
		t.Error("not established")
	}
	crds, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	manifest, err := yaml.Marshal(cephClusters(crds))
	if err != nil {
		t.Fatal(err)
	}
	if lines, printed, _ := w.apply(string(manifest)); lines != "customresourcedefinition.apiextensions.k8s.io/cephclusters.ceph.rook.io configured" {
		t.Fatal(printed)
	}
	if _, printed, _ := w.apply(rook); printed != "" {
		t.Error(printed)
	}
}

// A definition goes after its objects, and its kind is not served any more.
func TestDefinitionsAreDeletedLast(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cr := cluster("rook")
	cr.Finalizers = []string{"cephcluster.ceph.rook.io"}
	w.create(t, cr)
	def := &apiextensionsv1.CustomResourceDefinition{ObjectMeta: namespaced("cephclusters.ceph.rook.io")}
	w.delete(t, def)
	w.loop.RunFor(1e9)
	if !w.has(def) || !w.has(cr) {
		t.Fatal("gone before the object's finalizer was taken off")
	}
	w.get(t, cr, "rook")
	cr.Finalizers = nil
	w.update(t, cr)
	w.loop.RunFor(1e9)
	if w.has(def) || w.has(cr) {
		t.Fatal("still there")
	}
	if err := w.c.Get(ctx, client.ObjectKey{Namespace: "sea", Name: "rook"}, cr); !meta.IsNoMatchError(err) {
		t.Errorf("a kind that is not served any more: %v", err)
	}
	crds, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	w.create(t, cephClusters(crds))
	w.create(t, cluster("again"))
}

// cephClusters is the definition of CephClusters.
func cephClusters(crds []*apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	return crds[slices.IndexFunc(crds, func(d *apiextensionsv1.CustomResourceDefinition) bool { return d.Spec.Names.Kind == "CephCluster" })]
}
