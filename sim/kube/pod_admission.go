package kube

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// admitPriority gives a pod the priority of its class, and refuses it if the class
// is not there. Without a class it gets that of the default class, or 0.
func (a *API) admitPriority(pod *corev1.Pod) error {
	if _, err := a.kindOf(&schedulingv1.PriorityClass{}); err != nil {
		return nil // a server whose scheme has no classes has no priorities
	}
	name := pod.Spec.PriorityClassName
	var class *schedulingv1.PriorityClass
	switch {
	case name != "":
		obj, ok := a.View(&schedulingv1.PriorityClass{}, client.ObjectKey{Name: name})
		if !ok {
			return apierrors.NewForbidden(corev1.Resource("pods"), pod.Name, fmt.Errorf("no PriorityClass with name %v was found", name))
		}
		class = obj.(*schedulingv1.PriorityClass)
	default:
		a.Each(&schedulingv1.PriorityClass{}, "", func(obj client.Object) {
			if c := obj.(*schedulingv1.PriorityClass); c.GlobalDefault && (class == nil || c.Value < class.Value) {
				class = c
			}
		})
	}
	priority, policy := int32(0), corev1.PreemptLowerPriority
	if class != nil {
		pod.Spec.PriorityClassName, priority = class.Name, class.Value
		if class.PreemptionPolicy != nil {
			policy = *class.PreemptionPolicy
		}
	}
	pod.Spec.Priority, pod.Spec.PreemptionPolicy = &priority, &policy
	return nil
}

// makePriorityClasses makes the classes that every cluster has.
func (a *API) makePriorityClasses() {
	policy := corev1.PreemptLowerPriority
	for _, class := range []schedulingv1.PriorityClass{
		{ObjectMeta: metav1.ObjectMeta{Name: "system-cluster-critical"}, Value: 2000000000},
		{ObjectMeta: metav1.ObjectMeta{Name: "system-node-critical"}, Value: 2000001000},
	} {
		class.PreemptionPolicy = &policy
		a.mustCreate(&class)
	}
}
