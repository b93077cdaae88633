package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

func TestUnknownFields(t *testing.T) {
	keep := true
	boat := &apiextensionsv1.CustomResourceDefinition{}
	boat.Spec.Group, boat.Spec.Names.Kind = "sea.example", "Boat"
	object := func(properties map[string]apiextensionsv1.JSONSchemaProps) apiextensionsv1.JSONSchemaProps {
		return apiextensionsv1.JSONSchemaProps{Type: "object", Properties: properties}
	}
	spec := object(map[string]apiextensionsv1.JSONSchemaProps{"sails": {Type: "integer"}})
	kept := apiextensionsv1.JSONSchemaProps{Type: "object", XPreserveUnknownFields: &keep}
	root := object(map[string]apiextensionsv1.JSONSchemaProps{"spec": spec, "kept": kept})
	boat.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{{
		Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root},
	}}
	v, err := schema.New(boat)
	if err != nil {
		t.Fatal(err)
	}
	obj := map[string]any{
		"apiVersion": "sea.example/v1", "kind": "Boat", "metadata": map[string]any{"name": "x"}, "zeal": int64(1),
		"spec": map[string]any{"sails": int64(2), "oars": int64(3)},
		"kept": map[string]any{"anything": "goes"},
	}
	if diff := cmp.Diff([]string{"spec.oars", "zeal"}, v.Unknown(obj)); diff != "" {
		t.Error(diff)
	}
	if _, ok := obj["zeal"]; !ok {
		t.Error("Unknown changed the object")
	}
}
