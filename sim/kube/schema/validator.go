package schema

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// What the API server lets CEL rules cost: one rule, and all rules on one object.
const (
	ruleCostLimit   = 1_000_000
	objectCostLimit = 10_000_000
)

// Validator admits the custom resources of one definition. It is safe for
// concurrent use.
type Validator struct {
	group, kind string
	versions    map[string]*version
}

// version is one version of the definition, compiled.
type version struct {
	structural *schema.Structural
	all        validation.SchemaValidator
	rules      *cel.Validator // nil without CEL rules
	status     *statusPart    // nil without a status subresource
}

// New compiles the served versions of crd. It fails where a schema is missing
// or not structural.
func New(crd *apiextensionsv1.CustomResourceDefinition) (*Validator, error) {
	v := &Validator{group: crd.Spec.Group, kind: crd.Spec.Names.Kind, versions: map[string]*version{}}
	for _, served := range crd.Spec.Versions {
		if !served.Served {
			continue
		}
		compiled, err := compile(served)
		if err != nil {
			return nil, fmt.Errorf("%s, version %s: %w", crd.Name, served.Name, err)
		}
		v.versions[served.Name] = compiled
	}
	return v, nil
}

func compile(served apiextensionsv1.CustomResourceDefinitionVersion) (*version, error) {
	if served.Schema == nil || served.Schema.OpenAPIV3Schema == nil {
		return nil, fmt.Errorf("it has no schema")
	}
	var props apiextensions.JSONSchemaProps
	err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(served.Schema.OpenAPIV3Schema, &props, nil)
	if err != nil {
		return nil, err
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return nil, err
	}
	if errs := schema.ValidateStructural(nil, structural); len(errs) > 0 {
		return nil, errs.ToAggregate()
	}
	structural = structural.DeepCopy() // NewStructural shares the defaults, which pruning changes
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	v := &version{structural: structural, rules: rulesOf(structural)}
	if v.all, _, err = validation.NewSchemaValidator(&props); err != nil {
		return nil, err
	}
	if served.Subresources != nil && served.Subresources.Status != nil {
		if v.status, err = compileStatus(&props, structural); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// Admit returns obj, or where there are no errors what the API server would
// store for it: pruned and with defaults, and with a status subresource the
// status of old, or none. old is nil for a create. Neither obj nor old is
// changed, and the result shares nothing with them. Numbers in them are int64
// or float64, as apimachinery's JSON decoder makes them.
func (v *Validator) Admit(obj, old map[string]any) (map[string]any, field.ErrorList) {
	version, err := v.versionOf(obj)
	if err != nil {
		return nil, field.ErrorList{err}
	}
	obj = runtime.DeepCopyJSON(obj)
	if version.status != nil {
		delete(obj, "status")
		if status, ok := old["status"]; ok {
			obj["status"] = runtime.DeepCopyJSONValue(status)
		}
	}
	if err := coerce(obj, version.structural); err != nil {
		return nil, field.ErrorList{err}
	}
	return obj, validate(version.structural, version.rules, obj, old, validation.ValidateCustomResource(nil, obj, version.all))
}

// versionOf returns the version that obj says it is of.
func (v *Validator) versionOf(obj map[string]any) (*version, *field.Error) {
	if kind, _ := obj["kind"].(string); kind != v.kind {
		return nil, field.Invalid(field.NewPath("kind"), obj["kind"], "must be "+v.kind)
	}
	apiVersion, _ := obj["apiVersion"].(string)
	name, ok := strings.CutPrefix(apiVersion, v.group+"/")
	if version := v.versions[name]; ok && version != nil {
		return version, nil
	}
	return nil, field.Invalid(field.NewPath("apiVersion"), obj["apiVersion"], "no such version of "+v.kind+" is served")
}

// coerce does to obj what decoding in the API server does.
func coerce(obj map[string]any, s *schema.Structural) *field.Error {
	pruning.Prune(obj, s, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(obj, s)
	if err := objectmeta.Coerce(nil, obj, s, false, false); err != nil {
		return err
	}
	defaulting.Default(obj, s)
	return nil
}

func rulesOf(s *schema.Structural) *cel.Validator { return cel.NewValidator(s, true, ruleCostLimit) }

// validate adds to the errors of the OpenAPI schema those that it cannot see:
// of embedded metadata, list keys and CEL rules. old is nil for a create.
func validate(s *schema.Structural, rules *cel.Validator, obj, old map[string]any, errs field.ErrorList) field.ErrorList {
	errs = append(errs, objectmeta.Validate(context.Background(), nil, obj, s, false)...)
	errs = append(errs, listtype.ValidateListSetsAndMaps(nil, s, obj)...)
	if rules == nil {
		return errs
	}
	if blocksRules(errs) {
		return append(errs, field.Invalid(nil, nil, "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"))
	}
	var oldSelf any // stays nil for a create, where a nil map would pass for an object
	if old != nil {
		oldSelf = old
	}
	broken, _ := rules.Validate(context.Background(), nil, s, obj, oldSelf, objectCostLimit)
	return append(errs, broken...)
}

// blocksRules tells whether the object is so wrong that CEL rules cannot run on it.
func blocksRules(errs field.ErrorList) bool {
	for _, err := range errs {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}
