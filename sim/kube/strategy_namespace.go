package kube

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/validation"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (a *API) namespaceStrategy(s *strategy) {
	s.validName = validation.ValidateNamespaceName
	s.prepare = func(obj, old client.Object) error {
		ns := obj.(*corev1.Namespace)
		if old == nil {
			ns.Status = corev1.NamespaceStatus{Phase: corev1.NamespaceActive}
			if !slices.Contains(ns.Spec.Finalizers, corev1.FinalizerKubernetes) {
				ns.Spec.Finalizers = append(ns.Spec.Finalizers, corev1.FinalizerKubernetes)
			}
			if ns.Labels == nil {
				ns.Labels = map[string]string{}
			}
		} else {
			// They change through the finalize subresource only.
			ns.Spec.Finalizers = slices.Clone(old.(*corev1.Namespace).Spec.Finalizers)
			if ns.Labels == nil {
				ns.Labels = map[string]string{}
			}
		}
		ns.Labels[corev1.LabelMetadataName] = ns.Name
		if ns.DeletionTimestamp != nil {
			ns.Status.Phase = corev1.NamespaceTerminating
		}
		return nil
	}
	// Its content has to go first.
	s.mayVanish = func(obj client.Object) bool { return len(obj.(*corev1.Namespace).Spec.Finalizers) == 0 }
	s.committed = func(obj, old client.Object) {
		if old == nil {
			account := &corev1.ServiceAccount{}
			account.Namespace, account.Name = obj.GetName(), defaultAccount
			a.mustCreate(account)
		}
		if obj.GetDeletionTimestamp() != nil && (old == nil || old.GetDeletionTimestamp() == nil) {
			a.emptyLater(obj.GetName())
		}
	}
}
