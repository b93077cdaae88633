package schema_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// boats is a small definition with what the CephCluster's does not have:
// defaults and pruned fields. Its version v2 has no status subresource, and v0 is not served.
const boats = `
metadata: {name: boats.example.org}
spec:
  group: example.org
  names: {kind: Boat, plural: boats}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    subresources: {status: {}}
    schema:
      openAPIV3Schema: &schema
        type: object
        properties:
          spec:
            type: object
            default: {}
            x-kubernetes-validations:
            - rule: self.masts <= self.crew
              message: each mast needs a hand
            properties:
              crew: {type: integer, default: 2}
              masts: {type: integer, default: 1}
              colour: {type: string, nullable: true}
          status:
            type: object
            properties:
              afloat: {type: boolean, default: true}
  - name: v2
    served: true
    storage: false
    schema: {openAPIV3Schema: *schema}
  - name: v0
    served: false
    storage: false
`

func boatValidator(t *testing.T) *schema.Validator {
	t.Helper()
	var definition apiextensionsv1.CustomResourceDefinition
	if err := yaml.Unmarshal([]byte(boats), &definition); err != nil {
		t.Fatal(err)
	}
	v, err := schema.New(&definition)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func TestAdmit(t *testing.T) {
	tests := map[string]struct {
		obj, old string
		want     string // the object stored, or
		refused  string // part of the message
	}{
		"defaults are filled in": {
			obj:  `{apiVersion: example.org/v1, kind: Boat}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}}`,
		},
		"what is given stays": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, metadata: {name: a, labels: {b: c}}, spec: {crew: 3, colour: red}}`,
			want: `{apiVersion: example.org/v1, kind: Boat, metadata: {name: a, labels: {b: c}}, spec: {crew: 3, masts: 1, colour: red}}`,
		},
		"unknown fields are pruned": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 3, masts: 2, oars: 4}, cargo: tea}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 3, masts: 2}}`,
		},
		"null becomes the default, or stays where it may": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, spec: {crew: null, colour: null}}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1, colour: null}}`,
		},
		"status is not taken": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, status: {afloat: false}}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}}`,
		},
		"status is kept": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, status: {afloat: true}}`,
			old:  `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}, status: {afloat: false}}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}, status: {afloat: false}}`,
		},
		"without a subresource status is taken": {
			obj:  `{apiVersion: example.org/v2, kind: Boat, status: {afloat: false}}`,
			want: `{apiVersion: example.org/v2, kind: Boat, spec: {crew: 2, masts: 1}, status: {afloat: false}}`,
		},
		"a rule sees defaults": {
			obj:     `{apiVersion: example.org/v1, kind: Boat, spec: {masts: 3}}`,
			refused: `spec: Invalid value: each mast needs a hand`,
		},
		"a wrong type stops the rules": {
			obj:     `{apiVersion: example.org/v1, kind: Boat, spec: {crew: many}}`,
			refused: `some validation rules were not checked`,
		},
		"another kind":         {obj: `{apiVersion: example.org/v1, kind: Ship}`, refused: `kind: Invalid value: "Ship": must be Boat`},
		"no kind":              {obj: `{apiVersion: example.org/v1}`, refused: `kind: Invalid value: null: must be Boat`},
		"another group":        {obj: `{apiVersion: example.com/v1, kind: Boat}`, refused: `apiVersion: Invalid value: "example.com/v1": no such version of Boat is served`},
		"a version not served": {obj: `{apiVersion: example.org/v0, kind: Boat}`, refused: `no such version of Boat is served`},
	}
	v := boatValidator(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			obj, pristine := object(t, test.obj), object(t, test.obj)
			var old map[string]any
			if test.old != "" {
				old = object(t, test.old)
			}
			stored, errs := v.Admit(obj, old)
			if diff := cmp.Diff(pristine, obj); diff != "" {
				t.Errorf("the argument changed:\n%s", diff)
			}
			if test.refused != "" {
				refusedWith(t, errs, test.refused)
				return
			}
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(object(t, test.want), stored); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAdmitStatus(t *testing.T) {
	const old = `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}, status: {afloat: false}}`
	tests := map[string]struct {
		obj     string
		want    string
		refused string
	}{
		"only the status is taken, with its defaults": {
			obj:  `{apiVersion: example.org/v1, kind: Boat, metadata: {name: b}, spec: {crew: 7}, status: {depth: 3}}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}, status: {afloat: true}}`,
		},
		"no status takes it away": {
			obj:  `{apiVersion: example.org/v1, kind: Boat}`,
			want: `{apiVersion: example.org/v1, kind: Boat, spec: {crew: 2, masts: 1}}`,
		},
		"a wrong type": {
			obj:     `{apiVersion: example.org/v1, kind: Boat, status: {afloat: perhaps}}`,
			refused: `status.afloat: Invalid value: "string"`,
		},
		"no subresource": {
			obj:     `{apiVersion: example.org/v2, kind: Boat, status: {}}`,
			refused: `status: Forbidden: Boat has no status subresource`,
		},
	}
	v := boatValidator(t)
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			stored, errs := v.AdmitStatus(object(t, test.obj), object(t, old))
			if test.refused != "" {
				refusedWith(t, errs, test.refused)
				return
			}
			if len(errs) > 0 {
				t.Fatal(errs.ToAggregate())
			}
			if diff := cmp.Diff(object(t, test.want), stored); diff != "" {
				t.Errorf("stored (-want +got):\n%s", diff)
			}
		})
	}
}

func TestNewNeedsAStructuralSchema(t *testing.T) {
	tests := map[string]string{
		"no schema": `{metadata: {name: a}, spec: {versions: [{name: v1, served: true, schema: {}}]}}`,
		"no type":   `{metadata: {name: a}, spec: {versions: [{name: v1, served: true, schema: {openAPIV3Schema: {properties: {spec: {properties: {a: {}}}}}}}]}}`,
		"a $ref":    `{metadata: {name: a}, spec: {versions: [{name: v1, served: true, schema: {openAPIV3Schema: {type: object, $ref: b}}}]}}`,
	}
	for name, text := range tests {
		t.Run(name, func(t *testing.T) {
			var definition apiextensionsv1.CustomResourceDefinition
			if err := yaml.Unmarshal([]byte(text), &definition); err != nil {
				t.Fatal(err)
			}
			if _, err := schema.New(&definition); err == nil {
				t.Error("accepted")
			}
		})
	}
}
