package kube

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
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
	if !equal.Semantic(rest, was) {
		return field.ErrorList{field.Forbidden(path, "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims")}
	}
	if size.Cmp(before) < 0 && size.Cmp(old.Status.Capacity[corev1.ResourceStorage]) <= 0 {
		return field.ErrorList{field.Forbidden(path.Child("resources", "requests", "storage"), "field can not be less than status.capacity")}
	}
	return nil
}

// volumeProtection keeps a volume that is bound to a claim from going.
const volumeProtection = "kubernetes.io/pv-protection"

// releaseLater lets a volume that is being deleted go as soon as its claim is
// gone, as the controller for the protection of volumes in use does
// (https://kubernetes.io/docs/concepts/storage/persistent-volumes/).
func (a *API) releaseLater(name string, after time.Duration) {
	a.loop.After(after, "release volume "+name, func() {
		k := a.mustKindOf(&corev1.PersistentVolume{})
		r := k.table.byKey[client.ObjectKey{Name: name}]
		if r == nil || r.obj.GetDeletionTimestamp() == nil {
			return
		}
		pv := r.obj.DeepCopyObject().(*corev1.PersistentVolume)
		if ref := pv.Spec.ClaimRef; ref != nil {
			claim := a.mustKindOf(&corev1.PersistentVolumeClaim{}).table.byKey[client.ObjectKey{Namespace: ref.Namespace, Name: ref.Name}]
			if claim != nil && (ref.UID == "" || ref.UID == claim.obj.GetUID()) {
				a.releaseLater(name, emptyAgain)
				return
			}
		}
		pv.Finalizers = slices.DeleteFunc(pv.Finalizers, func(f string) bool { return f == volumeProtection })
		if len(pv.Finalizers) == len(r.obj.GetFinalizers()) {
			return
		}
		if len(pv.Finalizers) == 0 {
			a.remove(volumeUser, "update", k, r, image{obj: pv})
			return
		}
		a.commit(volumeUser, "update", k, r, image{obj: pv})
	})
}

// volumeUser is in whose name volumes are let go.
const volumeUser = "system:serviceaccount:kube-system:pv-protection-controller"

func (a *API) volumeStrategy(s *strategy) {
	s.committed = func(obj, _ client.Object) {
		if obj.GetDeletionTimestamp() != nil {
			a.releaseLater(obj.GetName(), a.noticing())
		}
	}
	s.prepare = func(obj, old client.Object) error {
		pv := obj.(*corev1.PersistentVolume)
		orElse(&pv.Spec.VolumeMode, corev1.PersistentVolumeFilesystem)
		if pv.Spec.PersistentVolumeReclaimPolicy == "" {
			pv.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimRetain
		}
		if old == nil {
			pv.Status.Phase = corev1.VolumePending
			if !slices.Contains(pv.Finalizers, volumeProtection) {
				pv.Finalizers = append(pv.Finalizers, volumeProtection)
			}
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
		if old != nil && !equal.Semantic(pv.Spec.PersistentVolumeSource, old.(*corev1.PersistentVolume).Spec.PersistentVolumeSource) {
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
			if !equal.Semantic(f.is, f.was) {
				errs = append(errs, field.Forbidden(field.NewPath(f.name), "updates to "+f.name+" are forbidden."))
			}
		}
		return errs
	}
}
