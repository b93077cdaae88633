package cluster

import (
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
)

// defaultTolerance is how long a pod that says nothing about it stays on a node
// that is down, as the API server's DefaultTolerationSeconds has it.
const defaultTolerance = 300 * time.Second

// taintsOf are the taints that a node is to have: the user's, and those that
// follow from its conditions and from a cordon. One that is there keeps its time.
func taintsOf(node *corev1.Node, now metav1.Time) []corev1.Taint {
	want := map[string]bool{corev1.TaintNodeUnschedulable: node.Spec.Unschedulable}
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			want[corev1.TaintNodeNotReady] = c.Status == corev1.ConditionFalse
			want[corev1.TaintNodeUnreachable] = c.Status == corev1.ConditionUnknown
		}
	}
	var taints []corev1.Taint
	have := func(key string, effect corev1.TaintEffect) bool {
		return slices.ContainsFunc(taints, func(t corev1.Taint) bool { return t.Key == key && t.Effect == effect })
	}
	for _, t := range node.Spec.Taints {
		if wanted, ours := want[t.Key]; !ours || wanted {
			taints = append(taints, t)
		}
	}
	for _, key := range []string{corev1.TaintNodeUnschedulable, corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable} {
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
			cordon := key == corev1.TaintNodeUnschedulable && effect == corev1.TaintEffectNoExecute
			if want[key] && !cordon && !have(key, effect) {
				added := now
				taints = append(taints, corev1.Taint{Key: key, Effect: effect, TimeAdded: &added})
			}
		}
	}
	return taints
}

// evictionTime is when a pod has to leave a node because of these taints; false
// if it may stay.
func evictionTime(pod *corev1.Pod, taints []corev1.Taint, addedAt func(corev1.Taint) time.Time) (at time.Time, ends bool) {
	for _, t := range taints {
		stay, forever := tolerance(pod, t)
		if forever {
			continue
		}
		if end := addedAt(t).Add(stay); !ends || end.Before(at) {
			at, ends = end, true
		}
	}
	return at, ends
}

// tolerance is how long a pod tolerates a taint.
func tolerance(pod *corev1.Pod, t corev1.Taint) (stay time.Duration, forever bool) {
	forever, tolerated := true, false
	for i := range pod.Spec.Tolerations {
		tol := &pod.Spec.Tolerations[i]
		if !tol.ToleratesTaint(klog.Logger{}, &t, false) {
			continue
		}
		tolerated = true
		if tol.TolerationSeconds == nil {
			continue
		}
		if s := time.Duration(max(*tol.TolerationSeconds, 0)) * time.Second; forever || s < stay {
			stay, forever = s, false
		}
	}
	if tolerated {
		return stay, forever
	}
	if t.Key == corev1.TaintNodeNotReady || t.Key == corev1.TaintNodeUnreachable {
		return defaultTolerance, false
	}
	return 0, false
}
