package kube

import (
	"errors"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// evict deletes a pod if the PodDisruptionBudget that covers it allows it, and
// writes the disruption down there, so that a second eviction that comes before
// the budget's controller has looked is counted
// (https://kubernetes.io/docs/concepts/scheduling-eviction/api-eviction/).
func (a *API) evict(user string, k *kind, key client.ObjectKey, e *policyv1.Eviction, dryRun bool) error {
	r := k.table.byKey[key]
	if r == nil {
		return notFound(k, key)
	}
	pod := r.obj.(*corev1.Pod)
	budgets, covering := a.budgets(pod)
	switch {
	case evictable(pod), len(covering) == 0:
	case len(covering) > 1:
		//lint:ignore ST1005 these are the words of the server
		return apierrors.NewInternalError(errors.New("This pod has more than one PodDisruptionBudget, which the eviction subresource does not support."))
	case !spendsNothing(pod, covering[0].obj.(*policyv1.PodDisruptionBudget)):
		if err := a.spend(user, budgets, covering[0], pod, dryRun); err != nil {
			return err
		}
	}
	opts := e.DeleteOptions
	if opts == nil {
		opts = &metav1.DeleteOptions{}
	}
	return a.delete(user, k, key, opts, dryRun)
}

// evictable: the pod does nothing that a budget could protect.
func evictable(pod *corev1.Pod) bool {
	return pod.Status.Phase != corev1.PodRunning || pod.DeletionTimestamp != nil
}

// spendsNothing: the pod is not ready, and the budget has enough without it.
func spendsNothing(pod *corev1.Pod, pdb *policyv1.PodDisruptionBudget) bool {
	if slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	}) {
		return false
	}
	if p := pdb.Spec.UnhealthyPodEvictionPolicy; p != nil && *p == policyv1.AlwaysAllow {
		return true
	}
	return pdb.Status.CurrentHealthy >= pdb.Status.DesiredHealthy && pdb.Status.DesiredHealthy > 0
}

// budgets are the kind of the budgets, and those that cover a pod.
func (a *API) budgets(pod *corev1.Pod) (*kind, []*record) {
	k, err := a.kindOf(&policyv1.PodDisruptionBudget{})
	if err != nil {
		return nil, nil
	}
	var covering []*record
	a.Each(&policyv1.PodDisruptionBudget{}, pod.Namespace, func(o client.Object) {
		selector, err := metav1.LabelSelectorAsSelector(o.(*policyv1.PodDisruptionBudget).Spec.Selector)
		if err == nil && selector.Matches(labels.Set(pod.Labels)) {
			covering = append(covering, k.table.byKey[client.ObjectKeyFromObject(o)])
		}
	})
	return k, covering
}

// spend takes one disruption from a budget, or refuses: too many requests, try
// again later.
func (a *API) spend(user string, k *kind, r *record, pod *corev1.Pod, dryRun bool) error {
	pdb := r.obj.DeepCopyObject().(*policyv1.PodDisruptionBudget)
	refuse := func(seconds int, format string, args ...any) error {
		e := apierrors.NewTooManyRequests("Cannot evict pod as it would violate the pod's disruption budget.", seconds)
		e.ErrStatus.Details.Causes = append(e.ErrStatus.Details.Causes, metav1.StatusCause{
			Type: policyv1.DisruptionBudgetCause, Message: fmt.Sprintf(format, args...),
		})
		return e
	}
	s := &pdb.Status
	switch {
	case s.ObservedGeneration < pdb.Generation:
		return refuse(10, "The disruption budget %s is still being processed by the server.", pdb.Name)
	case s.DisruptionsAllowed <= 0:
		return refuse(0, "The disruption budget %s needs %d healthy pods and has %d currently", pdb.Name, s.DesiredHealthy, s.CurrentHealthy)
	case dryRun:
		return nil
	}
	s.DisruptionsAllowed--
	if s.DisruptedPods == nil {
		s.DisruptedPods = map[string]metav1.Time{}
	}
	s.DisruptedPods[pod.Name] = a.now()
	a.commit(user, "update status", k, r, image{obj: pdb})
	return nil
}
