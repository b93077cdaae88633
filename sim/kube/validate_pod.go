package kube

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	metavalidation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validatePodSpec says what is wrong with the spec of a pod or of a template, with
// defaults filled in: what an operator that builds pods can get wrong.
func validatePodSpec(spec *corev1.PodSpec, path *field.Path) (errs field.ErrorList) {
	volumes, errs := validateVolumes(spec.Volumes, path.Child("volumes"))
	names := sets.New[string]()
	if len(spec.Containers) == 0 {
		errs = append(errs, field.Required(path.Child("containers"), ""))
	}
	for i := range spec.Containers {
		errs = append(errs, validateContainer(&spec.Containers[i], volumes, names, spec.HostNetwork, path.Child("containers").Index(i))...)
	}
	for i := range spec.InitContainers {
		errs = append(errs, validateContainer(&spec.InitContainers[i], volumes, names, spec.HostNetwork, path.Child("initContainers").Index(i))...)
	}
	errs = append(errs, oneOf(spec.RestartPolicy, path.Child("restartPolicy"), corev1.RestartPolicyAlways, corev1.RestartPolicyOnFailure, corev1.RestartPolicyNever)...)
	errs = append(errs, oneOf(spec.DNSPolicy, path.Child("dnsPolicy"), corev1.DNSClusterFirst, corev1.DNSClusterFirstWithHostNet, corev1.DNSDefault, corev1.DNSNone)...)
	errs = append(errs, validation.ValidateNonnegativeField(*spec.TerminationGracePeriodSeconds, path.Child("terminationGracePeriodSeconds"))...)
	if spec.ActiveDeadlineSeconds != nil && *spec.ActiveDeadlineSeconds < 1 {
		errs = append(errs, field.Invalid(path.Child("activeDeadlineSeconds"), *spec.ActiveDeadlineSeconds, "must be between 1 and 2147483647, inclusive"))
	}
	if spec.ServiceAccountName != "" {
		for _, msg := range validation.ValidateServiceAccountName(spec.ServiceAccountName, false) {
			errs = append(errs, field.Invalid(path.Child("serviceAccountName"), spec.ServiceAccountName, msg))
		}
	}
	if spec.NodeName != "" {
		for _, msg := range validation.NameIsDNSSubdomain(spec.NodeName, false) {
			errs = append(errs, field.Invalid(path.Child("nodeName"), spec.NodeName, msg))
		}
	}
	if spec.Hostname != "" {
		errs = append(errs, dnsLabel(spec.Hostname, path.Child("hostname"))...)
	}
	selector := metavalidation.ValidateLabels(spec.NodeSelector, path.Child("nodeSelector"))
	sortErrors(selector)
	errs = append(errs, selector...)
	errs = append(errs, validateTolerations(spec.Tolerations, path.Child("tolerations"))...)
	return append(errs, validateAffinity(spec.Affinity, path.Child("affinity"))...)
}

// validateVolumes returns the names of the volumes as well.
func validateVolumes(volumes []corev1.Volume, path *field.Path) (sets.Set[string], field.ErrorList) {
	var errs field.ErrorList
	names := sets.New[string]()
	for i, v := range volumes {
		at := path.Index(i)
		switch {
		case v.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case names.Has(v.Name):
			errs = append(errs, field.Duplicate(at.Child("name"), v.Name))
		default:
			errs = append(errs, dnsLabel(v.Name, at.Child("name"))...)
		}
		names.Insert(v.Name)
		errs = append(errs, validateVolumeSource(&v.VolumeSource, at)...)
	}
	return names, errs
}

func validateVolumeSource(v *corev1.VolumeSource, at *field.Path) (errs field.ErrorList) {
	switch {
	case v.HostPath != nil:
		if v.HostPath.Path == "" {
			return append(errs, field.Required(at.Child("hostPath", "path"), ""))
		}
		errs = append(errs, noBacksteps(v.HostPath.Path, at.Child("hostPath", "path"))...)
		return append(errs, oneOf(*v.HostPath.Type, at.Child("hostPath", "type"), corev1.HostPathUnset, corev1.HostPathDirectoryOrCreate, corev1.HostPathDirectory,
			corev1.HostPathFileOrCreate, corev1.HostPathFile, corev1.HostPathSocket, corev1.HostPathCharDev, corev1.HostPathBlockDev)...)
	case v.Secret != nil:
		if v.Secret.SecretName == "" {
			errs = append(errs, field.Required(at.Child("secret", "secretName"), ""))
		}
		errs = append(errs, fileMode(v.Secret.DefaultMode, at.Child("secret", "defaultMode"))...)
		return append(errs, validateItems(v.Secret.Items, at.Child("secret", "items"))...)
	case v.ConfigMap != nil:
		if v.ConfigMap.Name == "" {
			errs = append(errs, field.Required(at.Child("configMap", "name"), ""))
		}
		errs = append(errs, fileMode(v.ConfigMap.DefaultMode, at.Child("configMap", "defaultMode"))...)
		return append(errs, validateItems(v.ConfigMap.Items, at.Child("configMap", "items"))...)
	case v.PersistentVolumeClaim != nil:
		if v.PersistentVolumeClaim.ClaimName == "" {
			errs = append(errs, field.Required(at.Child("persistentVolumeClaim", "claimName"), ""))
		}
	case *v == corev1.VolumeSource{}:
		errs = append(errs, field.Required(at, "must specify a volume type"))
	}
	return errs
}

func validateItems(items []corev1.KeyToPath, path *field.Path) (errs field.ErrorList) {
	for i, item := range items {
		at := path.Index(i)
		if item.Key == "" {
			errs = append(errs, field.Required(at.Child("key"), ""))
		}
		switch {
		case item.Path == "":
			errs = append(errs, field.Required(at.Child("path"), ""))
		case strings.HasPrefix(item.Path, "/"):
			errs = append(errs, field.Invalid(at.Child("path"), item.Path, "must be a relative path"))
		default:
			errs = append(errs, noBacksteps(item.Path, at.Child("path"))...)
		}
		errs = append(errs, fileMode(item.Mode, at.Child("mode"))...)
	}
	return errs
}

func fileMode(mode *int32, path *field.Path) field.ErrorList {
	if mode != nil && (*mode < 0 || *mode > 0o777) {
		return field.ErrorList{field.Invalid(path, *mode, "must be a number between 0 and 0777 (octal), both inclusive")}
	}
	return nil
}

func noBacksteps(value string, path *field.Path) field.ErrorList {
	for _, part := range strings.Split(value, "/") {
		if part == ".." {
			return field.ErrorList{field.Invalid(path, value, "must not contain '..'")}
		}
	}
	return nil
}

func oneOf[T ~string](value T, path *field.Path, allowed ...T) field.ErrorList {
	for _, a := range allowed {
		if value == a {
			return nil
		}
	}
	if value == "" {
		return field.ErrorList{field.Required(path, "")}
	}
	return field.ErrorList{field.NotSupported(path, value, allowed)}
}

func validateTolerations(tolerations []corev1.Toleration, path *field.Path) (errs field.ErrorList) {
	for i, t := range tolerations {
		at := path.Index(i)
		if t.Key != "" {
			errs = append(errs, metavalidation.ValidateLabelName(t.Key, at.Child("key"))...)
		}
		if t.Key == "" && t.Operator != corev1.TolerationOpExists {
			errs = append(errs, field.Invalid(at.Child("operator"), t.Operator, "operator must be Exists when `key` is empty, which means \"match all values and all keys\""))
		}
		if t.Operator == corev1.TolerationOpExists && t.Value != "" {
			errs = append(errs, field.Invalid(at.Child("operator"), t.Operator, "value must be empty when `operator` is 'Exists'"))
		}
		if t.TolerationSeconds != nil && t.Effect != corev1.TaintEffectNoExecute {
			errs = append(errs, field.Invalid(at.Child("effect"), t.Effect, "effect must be 'NoExecute' when `tolerationSeconds` is set"))
		}
		if t.Effect != "" {
			errs = append(errs, oneOf(t.Effect, at.Child("effect"), corev1.TaintEffectNoSchedule, corev1.TaintEffectPreferNoSchedule, corev1.TaintEffectNoExecute)...)
		}
		if t.Operator != "" {
			errs = append(errs, oneOf(t.Operator, at.Child("operator"), corev1.TolerationOpEqual, corev1.TolerationOpExists)...)
		}
	}
	return errs
}

func validateAffinity(a *corev1.Affinity, path *field.Path) (errs field.ErrorList) {
	if a == nil {
		return nil
	}
	if n := a.NodeAffinity; n != nil {
		if required := n.RequiredDuringSchedulingIgnoredDuringExecution; required != nil {
			at := path.Child("nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution", "nodeSelectorTerms")
			if len(required.NodeSelectorTerms) == 0 {
				errs = append(errs, field.Required(at, "must have at least one node selector term"))
			}
			for i, term := range required.NodeSelectorTerms {
				errs = append(errs, validateNodeTerm(term, at.Index(i))...)
			}
		}
		for i, p := range n.PreferredDuringSchedulingIgnoredDuringExecution {
			at := path.Child("nodeAffinity", "preferredDuringSchedulingIgnoredDuringExecution").Index(i)
			errs = append(errs, weight(p.Weight, at)...)
			errs = append(errs, validateNodeTerm(p.Preference, at.Child("preference"))...)
		}
	}
	if p := a.PodAffinity; p != nil {
		errs = append(errs, validatePodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAffinity"))...)
	}
	if p := a.PodAntiAffinity; p != nil {
		errs = append(errs, validatePodTerms(p.RequiredDuringSchedulingIgnoredDuringExecution, p.PreferredDuringSchedulingIgnoredDuringExecution, path.Child("podAntiAffinity"))...)
	}
	return errs
}

func weight(w int32, at *field.Path) field.ErrorList {
	if w < 1 || w > 100 {
		return field.ErrorList{field.Invalid(at.Child("weight"), w, "must be in the range 1-100")}
	}
	return nil
}

func validateNodeTerm(term corev1.NodeSelectorTerm, path *field.Path) (errs field.ErrorList) {
	for i, r := range term.MatchExpressions {
		at := path.Child("matchExpressions").Index(i)
		switch r.Operator {
		case corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn:
			if len(r.Values) == 0 {
				errs = append(errs, field.Required(at.Child("values"), "must be specified when `operator` is 'In' or 'NotIn'"))
			}
		case corev1.NodeSelectorOpExists, corev1.NodeSelectorOpDoesNotExist:
			if len(r.Values) > 0 {
				errs = append(errs, field.Forbidden(at.Child("values"), "may not be specified when `operator` is 'Exists' or 'DoesNotExist'"))
			}
		case corev1.NodeSelectorOpGt, corev1.NodeSelectorOpLt:
			if len(r.Values) != 1 {
				errs = append(errs, field.Required(at.Child("values"), "must be specified single value when `operator` is 'Lt' or 'Gt'"))
			}
		default:
			errs = append(errs, field.Invalid(at.Child("operator"), r.Operator, "not a valid selector operator"))
		}
		errs = append(errs, metavalidation.ValidateLabelName(r.Key, at.Child("key"))...)
	}
	return errs
}

func validatePodTerms(required []corev1.PodAffinityTerm, preferred []corev1.WeightedPodAffinityTerm, path *field.Path) (errs field.ErrorList) {
	check := func(term corev1.PodAffinityTerm, at *field.Path) {
		errs = append(errs, metavalidation.ValidateLabelSelector(term.LabelSelector, metavalidation.LabelSelectorValidationOptions{}, at.Child("labelSelector"))...)
		if term.TopologyKey == "" {
			errs = append(errs, field.Required(at.Child("topologyKey"), "can not be empty"))
			return
		}
		errs = append(errs, metavalidation.ValidateLabelName(term.TopologyKey, at.Child("topologyKey"))...)
	}
	for i, term := range required {
		check(term, path.Child("requiredDuringSchedulingIgnoredDuringExecution").Index(i))
	}
	for i, p := range preferred {
		at := path.Child("preferredDuringSchedulingIgnoredDuringExecution").Index(i)
		errs = append(errs, weight(p.Weight, at)...)
		check(p.PodAffinityTerm, at.Child("podAffinityTerm"))
	}
	return errs
}
