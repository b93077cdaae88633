package crd_test

import (
	"context"
	"slices"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
)

// An API server must take each definition: schemas structural, CEL rules that
// compile and cannot cost too much.
func TestAPIServerTakesDefinitions(t *testing.T) {
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	if len(all) == 0 {
		t.Fatal("no definitions")
	}
	for _, definition := range all {
		t.Run(definition.Name, func(t *testing.T) {
			apiextensionsv1.SetDefaults_CustomResourceDefinition(definition)
			apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&definition.Spec)
			definition.Status.StoredVersions = []string{definition.Spec.Versions[0].Name} // the API server's own bookkeeping
			var internal apiextensions.CustomResourceDefinition
			if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(definition, &internal, nil); err != nil {
				t.Fatal(err)
			}
			for _, err := range validation.ValidateCustomResourceDefinition(context.Background(), &internal) {
				t.Error(err)
			}
		})
	}
}

func TestCephClusters(t *testing.T) {
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	definition := all[0]
	if got, want := definition.Name, "cephclusters.ceph.rook.io"; got != want {
		t.Fatalf("first definition is %s, want %s", got, want)
	}
	if got := definition.Spec.Scope; got != apiextensionsv1.NamespaceScoped {
		t.Errorf("scope is %s, want Namespaced", got)
	}
	version := definition.Spec.Versions[0]
	if version.Subresources == nil || version.Subresources.Status == nil {
		t.Error("no status subresource")
	}
	var columns []string
	for _, c := range version.AdditionalPrinterColumns {
		columns = append(columns, c.Name+" "+c.JSONPath)
	}
	want := []string{
		"State .status.state",
		"Health .status.ceph.health",
		"Mons .status.mon.count",
		"Age .metadata.creationTimestamp",
		"Message .status.message",
	}
	if !slices.Equal(columns, want) {
		t.Errorf("columns %q, want %q", columns, want)
	}
}
