package kube

import (
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func defaultClaim(pvc *corev1.PersistentVolumeClaim) {
	orElse(&pvc.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
	if pvc.Status.Phase == "" {
		pvc.Status.Phase = corev1.ClaimPending
	}
}

func claimStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		defaultClaim(obj.(*corev1.PersistentVolumeClaim))
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		pvc, path := obj.(*corev1.PersistentVolumeClaim), field.NewPath("spec")
		var errs field.ErrorList
		if len(pvc.Spec.AccessModes) == 0 {
			errs = append(errs, field.Required(path.Child("accessModes"), "at least 1 access mode is required"))
		}
		if size, ok := pvc.Spec.Resources.Requests[corev1.ResourceStorage]; !ok {
			errs = append(errs, field.Required(path.Child("resources").Key(string(corev1.ResourceStorage)), ""))
		} else if size.Sign() <= 0 {
			errs = append(errs, field.Invalid(path.Child("resources").Key(string(corev1.ResourceStorage)), size.String(), "must be greater than zero"))
		}
		if old != nil {
			errs = append(errs, validateClaimUpdate(pvc, old.(*corev1.PersistentVolumeClaim))...)
		}
		return errs
	}
}

// validateClaimUpdate lets a claim be bound once and, when bound, grow.
func validateClaimUpdate(pvc, old *corev1.PersistentVolumeClaim) field.ErrorList {
	path := field.NewPath("spec")
	rest, was := pvc.Spec.DeepCopy(), &old.Spec
	if was.VolumeName == "" {
		rest.VolumeName = ""
	}
	if was.StorageClassName == nil && old.Annotations[corev1.BetaStorageClassAnnotation] == "" {
		rest.StorageClassName = nil // a default class may be filled in later
	}
	size, before := pvc.Spec.Resources.Requests[corev1.ResourceStorage], was.Resources.Requests[corev1.ResourceStorage]
	if old.Status.Phase == corev1.ClaimBound && rest.Resources.Requests != nil {
		rest.Resources.Requests[corev1.ResourceStorage] = before
	}
	rest.VolumeAttributesClassName = was.VolumeAttributesClassName
	if !apiequality.Semantic.DeepEqual(rest, was) {
		return field.ErrorList{field.Forbidden(path, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")}
	}
	if size.Cmp(before) < 0 && size.Cmp(old.Status.Capacity[corev1.ResourceStorage]) <= 0 {
		return field.ErrorList{field.Forbidden(path.Child("resources", "requests", "storage"), "field can not be less than status.capacity")}
	}
	return nil
}

func volumeStrategy(s *strategy) {
	s.prepare = func(obj, old client.Object) error {
		pv := obj.(*corev1.PersistentVolume)
		orElse(&pv.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		if pv.Spec.PersistentVolumeReclaimPolicy == "" {
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}
		if old == nil {
			pv.Status.Phase = corev1.VolumePending
		}
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		pv, path := obj.(*corev1.PersistentVolume), field.NewPath("spec")
		var errs field.ErrorList
		if len(pv.Spec.AccessModes) == 0 {
			errs = append(errs, field.Required(path.Child("accessModes"), ""))
		}
		if _, ok := pv.Spec.Capacity[corev1.ResourceStorage]; !ok {
			errs = append(errs, field.Required(path.Child("capacity"), ""))
		}
		if old != nil && !apiequality.Semantic.DeepEqual(pv.Spec.PersistentVolumeSource, old.(*corev1.PersistentVolume).Spec.PersistentVolumeSource) {
			errs = append(errs, field.Forbidden(path.Child("persistentvolumesource"), "spec.persistentvolumesource is immutable after creation"))
		}
		return errs
	}
}

func storageClassStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		sc := obj.(*storagev1.StorageClass)
		orElse(&sc.ReclaimPolicy, corev1.PersistentVolumeReclaimDelete)
		orElse(&sc.VolumeBindingMode, storagev1.VolumeBindingImmediate)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		sc := obj.(*storagev1.StorageClass)
		var errs field.ErrorList
		if sc.Provisioner == "" {
			errs = append(errs, field.Required(field.NewPath("provisioner"), sc.Provisioner))
		}
		if old == nil {
			return errs
		}
		was := old.(*storagev1.StorageClass)
		for _, f := range []struct {
			name    string
			is, was any
		}{
			{"parameters", sc.Parameters, was.Parameters},
			{"provisioner", sc.Provisioner, was.Provisioner},
			{"reclaimPolicy", sc.ReclaimPolicy, was.ReclaimPolicy},
			{"volumeBindingMode", sc.VolumeBindingMode, was.VolumeBindingMode},
		} {
			if !apiequality.Semantic.DeepEqual(f.is, f.was) {
				errs = append(errs, field.Forbidden(field.NewPath(f.name), "updates to "+f.name+" are forbidden."))
			}
		}
		return errs
	}
}
