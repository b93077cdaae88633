package workload

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func ended(pod *corev1.Pod) bool {
	return pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed
}

// active says whether the pod counts as one that its owner has.
func active(pod *corev1.Pod) bool { return pod.DeletionTimestamp == nil && !ended(pod) }

func readyCondition(pod *corev1.Pod) *corev1.PodCondition {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	if i < 0 {
		return nil
	}
	return &pod.Status.Conditions[i]
}

func ready(pod *corev1.Pod) bool {
	c := readyCondition(pod)
	return c != nil && c.Status == corev1.ConditionTrue
}

// availableIn is how long it takes until the pod, if it stays ready, has been so
// for minReadySeconds: 0 if it has; false if it is not ready.
func availableIn(pod *corev1.Pod, minReadySeconds int32, now time.Time) (time.Duration, bool) {
	if !ready(pod) {
		return 0, false
	}
	since := readyCondition(pod).LastTransitionTime.Time
	return max(since.Add(time.Duration(minReadySeconds)*time.Second).Sub(now), 0), true
}

func available(pod *corev1.Pod, minReadySeconds int32, now time.Time) bool {
	left, ok := availableIn(pod, minReadySeconds, now)
	return ok && (minReadySeconds == 0 || left == 0)
}

func value[T any](p *T, otherwise T) T {
	if p == nil {
		return otherwise
	}
	return *p
}
