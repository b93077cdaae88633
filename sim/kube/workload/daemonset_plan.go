package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/sim/kube/scheduler"
)

// daemonTolerations are what every pod of a DaemonSet tolerates (Kubernetes
// documentation, "DaemonSet", "Taints and tolerations").
func daemonTolerations(hostNetwork bool) []corev1.Toleration {
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	all := []corev1.Toleration{
		exists(corev1.TaintNodeNotReady, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute),
		exists(corev1.TaintNodeDiskPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeMemoryPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodePIDPressure, corev1.TaintEffectNoSchedule),
		exists(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule),
	}
	if hostNetwork {
		all = append(all, exists(corev1.TaintNodeNetworkUnavailable, corev1.TaintEffectNoSchedule))
	}
	return all
}

// daemonPod is the pod of a DaemonSet for one node: bound to it by affinity, so
// that the scheduler has the last word about resources.
func daemonPod(ds *appsv1.DaemonSet, node, hash string) *corev1.Pod {
	pod := podFrom(ds, appsv1.SchemeGroupVersion.WithKind("DaemonSet"), &ds.Spec.Template)
	if pod.Labels == nil {
		pod.Labels = map[string]string{}
	}
	pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] = hash
	pod.Spec.Tolerations = append(pod.Spec.Tolerations, daemonTolerations(pod.Spec.HostNetwork)...)
	here := corev1.NodeSelectorRequirement{Key: "metadata.name", Operator: corev1.NodeSelectorOpIn, Values: []string{node}}
	if pod.Spec.Affinity == nil {
		pod.Spec.Affinity = &corev1.Affinity{}
	}
	if pod.Spec.Affinity.NodeAffinity == nil {
		pod.Spec.Affinity.NodeAffinity = &corev1.NodeAffinity{}
	}
	a := pod.Spec.Affinity.NodeAffinity
	if r := a.RequiredDuringSchedulingIgnoredDuringExecution; r != nil && len(r.NodeSelectorTerms) > 0 {
		for i := range r.NodeSelectorTerms {
			r.NodeSelectorTerms[i].MatchFields = []corev1.NodeSelectorRequirement{here}
		}
	} else {
		a.RequiredDuringSchedulingIgnoredDuringExecution = &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchFields: []corev1.NodeSelectorRequirement{here}}},
		}
	}
	return pod
}

// daemonNode is the node that a DaemonSet's pod is for: where it is, or where its
// affinity sends it.
func daemonNode(pod *corev1.Pod) string {
	if pod.Spec.NodeName != "" {
		return pod.Spec.NodeName
	}
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return ""
	}
	for _, t := range a.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms {
		for _, f := range t.MatchFields {
			if f.Key == "metadata.name" && len(f.Values) == 1 {
				return f.Values[0]
			}
		}
	}
	return ""
}

// daemonFits says whether a node is to have a pod of the DaemonSet, and whether
// one that is there may stay.
func daemonFits(ds *appsv1.DaemonSet, node *corev1.Node) (run, stay bool) {
	pod := daemonPod(ds, node.Name, "")
	if !scheduler.MatchesNodeAffinity(pod, node) {
		return false, false
	}
	run, stay = true, true
	for _, t := range node.Spec.Taints {
		if scheduler.Tolerates(pod, t) {
			continue
		}
		switch t.Effect {
		case corev1.TaintEffectNoExecute:
			return false, false
		case corev1.TaintEffectNoSchedule:
			run = false
		}
	}
	return run, stay
}
