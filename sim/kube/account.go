package kube

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// defaultAccount is the ServiceAccount that each namespace has from its beginning
// and that pods run as which name none.
const defaultAccount = "default"

// admitAccount gives a pod the default ServiceAccount if it names none, and
// refuses it if the account is not there. The volume with the account's token is
// not added: nothing in the simulation talks to the server over the network.
func (a *API) admitAccount(pod *corev1.Pod) error {
	if pod.Spec.ServiceAccountName == "" {
		pod.Spec.ServiceAccountName = defaultAccount
	}
	name := pod.Spec.ServiceAccountName
	pod.Spec.DeprecatedServiceAccount = name
	if _, ok := a.View(&corev1.ServiceAccount{}, client.ObjectKey{Namespace: pod.Namespace, Name: name}); ok {
		return nil
	}
	missing := apierrors.NewNotFound(corev1.Resource("serviceaccount"), name)
	return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, fmt.Errorf("error looking up service account %s/%s: %w", pod.Namespace, name, missing))
}
