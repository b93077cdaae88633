package kube

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

func (a *API) podStrategy(s *strategy) {
	s.statusCarriesMetadata = true
	s.prepare = func(obj, old client.Object) error {
		pod := obj.(*corev1.Pod)
		defaultPodSpec(&pod.Spec)
		defaultRequests(&pod.Spec)
		if old == nil {
			if err := a.admitAccount(pod); err != nil {
				return err
			}
			if err := a.admitPriority(pod); err != nil {
				return err
			}
			pod.Status = corev1.PodStatus{Phase: corev1.PodPending, QOSClass: qosClass(&pod.Spec)}
		}
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		pod := obj.(*corev1.Pod)
		if old == nil {
			return validatePodSpec(&pod.Spec, field.NewPath("spec"))
		}
		return validatePodUpdate(pod, old.(*corev1.Pod))
	}
	// A pod on a node stays until its kubelet has ended it.
	s.grace = func(obj client.Object, asked *int64) int64 {
		pod := obj.(*corev1.Pod)
		ended := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
		switch {
		case asked != nil && *asked == 0, pod.Spec.NodeName == "", ended:
			return 0
		case asked != nil:
			return max(*asked, 1)
		case pod.DeletionGracePeriodSeconds != nil:
			return *pod.DeletionGracePeriodSeconds
		}
		return *pod.Spec.TerminationGracePeriodSeconds
	}
	s.mayVanish = func(obj client.Object) bool {
		grace := obj.GetDeletionGracePeriodSeconds()
		return grace == nil || *grace == 0 || s.grace(obj, nil) == 0
	}
}

// validatePodUpdate lets through what may change in a pod that exists: images,
// the deadline, more tolerations. A node is given by binding.
func validatePodUpdate(pod, old *corev1.Pod) field.ErrorList {
	spec, was := pod.Spec.DeepCopy(), &old.Spec
	if len(spec.Containers) != len(was.Containers) || len(spec.InitContainers) != len(was.InitContainers) {
		return field.ErrorList{field.Forbidden(field.NewPath("spec"), "pod updates may not add or remove containers")}
	}
	for i := range spec.Containers {
		spec.Containers[i].Image = was.Containers[i].Image
	}
	for i := range spec.InitContainers {
		spec.InitContainers[i].Image = was.InitContainers[i].Image
	}
	spec.ActiveDeadlineSeconds = was.ActiveDeadlineSeconds
	if len(spec.Tolerations) >= len(was.Tolerations) && equal.Semantic(spec.Tolerations[:len(was.Tolerations)], was.Tolerations) {
		spec.Tolerations = was.Tolerations
	}
	if equal.Semantic(spec, was) {
		return nil
	}
	return field.ErrorList{field.Forbidden(field.NewPath("spec"), "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)")}
}

// qosClass is the class that a pod's resources put it into
// (https://kubernetes.io/docs/concepts/workloads/pods/pod-qos/).
func qosClass(spec *corev1.PodSpec) corev1.PodQOSClass {
	any, guaranteed := false, true
	for _, list := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for _, c := range list {
			for _, name := range []corev1.ResourceName{corev1.ResourceCPU, corev1.ResourceMemory} {
				request, limit := c.Resources.Requests[name], c.Resources.Limits[name]
				any = any || !request.IsZero() || !limit.IsZero()
				guaranteed = guaranteed && !limit.IsZero() && limit.Cmp(request) == 0
			}
		}
	}
	switch {
	case !any:
		return corev1.PodQOSBestEffort
	case guaranteed:
		return corev1.PodQOSGuaranteed
	}
	return corev1.PodQOSBurstable
}

func setPodCondition(pod *corev1.Pod, c corev1.PodCondition) {
	for i := range pod.Status.Conditions {
		if pod.Status.Conditions[i].Type == c.Type {
			pod.Status.Conditions[i] = c
			return
		}
	}
	pod.Status.Conditions = append(pod.Status.Conditions, c)
}
