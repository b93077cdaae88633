package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

func dnsLabel(value string, path *field.Path) (errs field.ErrorList) {
	for _, msg := range validation.IsDNS1123Label(value) {
		errs = append(errs, field.Invalid(path, value, msg))
	}
	return errs
}

func portNumber(port int32, path *field.Path) (errs field.ErrorList) {
	for _, msg := range validation.IsValidPortNum(int(port)) {
		errs = append(errs, field.Invalid(path, port, msg))
	}
	return errs
}

// validatePodSpec says what is wrong with a pod's spec.
func validatePodSpec(spec *corev1.PodSpec, annotations map[string]string, path *field.Path) (errs field.ErrorList) {
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	return errs
}
