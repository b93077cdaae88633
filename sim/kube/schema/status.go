package schema

import (
	"maps"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// statusPart is what of a version counts for an update through the status
// subresource. The rest of the object is as it was admitted, and is not looked at
// again.
type statusPart struct {
	all        validation.SchemaValidator // of the status alone
	structural *schema.Structural         // without the other fields
	rules      *cel.Validator             // nil without CEL rules there
	whole      bool                       // a rule of the root may look at all fields
}

func compileStatus(props *apiextensions.JSONSchemaProps, structural *schema.Structural) (*statusPart, error) {
	statusProps := props.Properties["status"]
	all, _, err := validation.NewSchemaValidator(&statusProps)
	if err != nil {
		return nil, err
	}
	part := &statusPart{all: all, structural: structural, whole: len(structural.XValidations) > 0}
	if !part.whole {
		alone := *structural
		alone.Properties = map[string]schema.Structural{"status": structural.Properties["status"]}
		part.structural = &alone
	}
	part.rules = rulesOf(part.structural)
	return part, nil
}

// fields are those of obj that are looked at.
func (p *statusPart) fields(obj map[string]any) map[string]any {
	if p.whole || obj == nil {
		return obj
	}
	seen := map[string]any{}
	for _, name := range []string{"apiVersion", "kind", "status"} {
		if value, ok := obj[name]; ok {
			seen[name] = value
		}
	}
	return seen
}

// AdmitStatus is Admit for an update through the status subresource: the result
// is old with the status of obj, and shares the rest with old.
func (v *Validator) AdmitStatus(obj, old map[string]any) (map[string]any, field.ErrorList) {
	version, wrong := v.versionOf(obj)
	if wrong != nil {
		return nil, field.ErrorList{wrong}
	}
	part := version.status
	if part == nil {
		return nil, field.ErrorList{field.Forbidden(field.NewPath("status"), v.kind+" has no status subresource")}
	}
	updated := maps.Clone(old)
	sent := map[string]any{"apiVersion": obj["apiVersion"], "kind": obj["kind"]}
	if status, ok := obj["status"]; ok {
		sent["status"] = runtime.DeepCopyJSONValue(status)
	}
	if err := coerce(sent, part.structural); err != nil {
		return nil, field.ErrorList{err}
	}
	status, ok := sent["status"]
	if !ok {
		delete(updated, "status")
		return updated, nil
	}
	updated["status"] = status
	errs := validation.ValidateCustomResource(field.NewPath("status"), status, part.all)
	return updated, validate(part.structural, part.rules, part.fields(updated), part.fields(old), errs)
}
