package kube

import (
	"encoding/json"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	runtimeschema "k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// unknownFields is what strict field validation has against raw: a strict
// decoding error that names the fields which the server would drop, or nil.
func (k *kind) unknownFields(raw map[string]any) error {
	if k.custom == nil {
		err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(raw, k.newObject(), true)
		if runtime.IsStrictDecodingError(err) {
			return err
		}
		return nil // what is not its type is found when it is decoded
	}
	var errs []error
	for _, path := range k.custom.Unknown(raw) {
		errs = append(errs, fmt.Errorf("unknown field %q", path))
	}
	metadata, _ := raw["metadata"].(map[string]any)
	err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(map[string]any{"metadata": metadata}, &metav1.PartialObjectMetadata{}, true)
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		errs = append(errs, strict.Errors()...)
	}
	if len(errs) == 0 {
		return nil
	}
	return runtime.NewStrictDecodingError(errs)
}

// checkStrict refuses unknown fields of what a client sends, if it asks for that.
// A Go type cannot carry any.
func (k *kind) checkStrict(obj client.Object, validation string) error {
	u, ok := obj.(*unstructured.Unstructured)
	if !ok || validation != metav1.FieldValidationStrict {
		return nil
	}
	if err := k.unknownFields(u.Object); err != nil {
		return k.cannotHandle(err)
	}
	return nil
}

// checkStrictPatch refuses unknown fields that a patch brings in.
func (k *kind) checkStrictPatch(patched map[string]any, validation string) error {
	if validation != metav1.FieldValidationStrict {
		return nil
	}
	unknown := k.unknownFields(patched)
	if unknown == nil {
		return nil
	}
	shown, err := json.Marshal(patched)
	if err != nil {
		return err
	}
	return apierrors.NewInvalid(runtimeschema.GroupKind{}, "", field.ErrorList{
		field.Invalid(field.NewPath("patch"), string(shown), unknown.Error()),
	})
}
