package kube

import (
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

const immutableIsSet = "field is immutable when `immutable` is set"

func configMapStrategy(s *strategy) {
	s.validate = func(obj, old client.Object) field.ErrorList {
		cm := obj.(*corev1.ConfigMap)
		var errs field.ErrorList
		size := 0
		for key, value := range cm.Data {
			errs = append(errs, configKey(key, field.NewPath("data").Key(key))...)
			if _, ok := cm.BinaryData[key]; ok {
				errs = append(errs, field.Invalid(field.NewPath("data").Key(key), key, "duplicate of key present in binaryData"))
			}
			size += len(value)
		}
		for key, value := range cm.BinaryData {
			errs = append(errs, configKey(key, field.NewPath("binaryData").Key(key))...)
			size += len(value)
		}
		sortErrors(errs)
		if size > corev1.MaxSecretSize {
			errs = append(errs, field.TooLong(field.NewPath(""), "", corev1.MaxSecretSize))
		}
		if old == nil {
			return errs
		}
		was := old.(*corev1.ConfigMap)
		return append(errs, frozen(was.Immutable, cm.Immutable, map[string][2]any{
			"data": {cm.Data, was.Data}, "binaryData": {cm.BinaryData, was.BinaryData},
		})...)
	}
}

func secretStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		secret := obj.(*corev1.Secret)
		if secret.Type == "" {
			secret.Type = corev1.SecretTypeOpaque
		}
		if len(secret.StringData) > 0 {
			secret.Data = maps.Clone(secret.Data)
			if secret.Data == nil {
				secret.Data = map[string][]byte{}
			}
			for key, value := range secret.StringData {
				secret.Data[key] = []byte(value)
			}
		}
		secret.StringData = nil
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		secret := obj.(*corev1.Secret)
		var errs field.ErrorList
		size := 0
		for key, value := range secret.Data {
			errs = append(errs, configKey(key, field.NewPath("data").Key(key))...)
			size += len(value)
		}
		sortErrors(errs)
		if size > corev1.MaxSecretSize {
			errs = append(errs, field.TooLong(field.NewPath("data"), "", corev1.MaxSecretSize))
		}
		if old == nil {
			return errs
		}
		was := old.(*corev1.Secret)
		errs = append(errs, validation.ValidateImmutableField(secret.Type, was.Type, field.NewPath("type"))...)
		return append(errs, frozen(was.Immutable, secret.Immutable, map[string][2]any{"data": {secret.Data, was.Data}})...)
	}
}

func configKey(key string, path *field.Path) (errs field.ErrorList) {
	for _, msg := range utilvalidation.IsConfigMapKey(key) {
		errs = append(errs, field.Invalid(path, key, msg))
	}
	return errs
}

// frozen refuses changes of an object that was made immutable. fields are the new
// and the old value of each.
func frozen(was, is *bool, fields map[string][2]any) (errs field.ErrorList) {
	if was == nil || !*was {
		return nil
	}
	if is == nil || !*is {
		errs = append(errs, field.Forbidden(field.NewPath("immutable"), immutableIsSet))
	}
	for name, values := range fields {
		if !equal.Semantic(values[0], values[1]) {
			errs = append(errs, field.Forbidden(field.NewPath(name), immutableIsSet))
		}
	}
	sortErrors(errs)
	return errs
}
