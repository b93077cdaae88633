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

func TestDefinitions(t *testing.T) {
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	want := []struct {
		name    string
		columns []string
	}{
		{"cephblockpools.ceph.rook.io", []string{
			"Phase .status.phase",
			"Type .status.info.type",
			"FailureDomain .status.info.failureDomain",
			"Replication .spec.replicated.size",
			"EC-CodingChunks .spec.erasureCoded.codingChunks",
			"EC-DataChunks .spec.erasureCoded.dataChunks",
			"Age .metadata.creationTimestamp",
		}},
		{"cephclusters.ceph.rook.io", []string{
			"State .status.state",
			"Health .status.ceph.health",
			"Mons .status.mon.count",
			"Age .metadata.creationTimestamp",
			"Message .status.message",
		}},
		{"cephfilesystems.ceph.rook.io", []string{
			"ActiveMDS .spec.metadataServer.activeCount",
			"Age .metadata.creationTimestamp",
			"Phase .status.phase",
		}},
	}
	if len(all) != len(want) {
		t.Fatalf("%d definitions, want %d", len(all), len(want))
	}
	for i, w := range want {
		definition := all[i]
		if definition.Name != w.name {
			t.Fatalf("definition %d is %s, want %s", i, definition.Name, w.name)
		}
		if got := definition.Spec.Scope; got != apiextensionsv1.NamespaceScoped {
			t.Errorf("%s: scope is %s, want Namespaced", w.name, got)
		}
		version := definition.Spec.Versions[0]
		if version.Subresources == nil || version.Subresources.Status == nil {
			t.Errorf("%s: no status subresource", w.name)
		}
		var columns []string
		for _, c := range version.AdditionalPrinterColumns {
			columns = append(columns, c.Name+" "+c.JSONPath)
		}
		if !slices.Equal(columns, w.columns) {
			t.Errorf("%s: columns %q, want %q", w.name, columns, w.columns)
		}
	}
}
