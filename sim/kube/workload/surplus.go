package workload

import (
	"cmp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// surplus are n of the pods, those that are missed least: without a node before
// those with one, pending before running, not ready before ready, restarted more
// often before less, younger before older.
func surplus(pods []*corev1.Pod, n int) []*corev1.Pod {
	order := slices.Clone(pods)
	yes := func(b bool) int {
		if b {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(order, func(a, b *corev1.Pod) int {
		return cmp.Or(
			yes(a.Spec.NodeName != "")-yes(b.Spec.NodeName != ""),
			yes(a.Status.Phase == corev1.PodRunning)-yes(b.Status.Phase == corev1.PodRunning),
			yes(ready(a))-yes(ready(b)),
			restarts(b)-restarts(a),
			b.CreationTimestamp.Compare(a.CreationTimestamp.Time),
			strings.Compare(a.Name, b.Name),
		)
	})
	return order[:max(min(n, len(order)), 0)]
}

func restarts(pod *corev1.Pod) (most int) {
	for _, c := range pod.Status.ContainerStatuses {
		most = max(most, int(c.RestartCount))
	}
	return most
}
