package workload

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

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

// daemonStep is what is to be done for a DaemonSet, and how it stands.
type daemonStep struct {
	create []string // nodes
	remove []*corev1.Pod
	status appsv1.DaemonSetStatus
}

// daemonPlan decides what to do for a DaemonSet on these nodes with these pods.
func daemonPlan(ds *appsv1.DaemonSet, hash string, nodes []*corev1.Node, pods []*corev1.Pod, isAvailable func(*corev1.Pod) bool) daemonStep {
	on := map[string][]*corev1.Pod{}
	for _, p := range pods {
		on[daemonNode(p)] = append(on[daemonNode(p)], p)
	}
	step := daemonStep{status: appsv1.DaemonSetStatus{ObservedGeneration: ds.Generation, CollisionCount: ds.Status.CollisionCount}}
	s := &step.status
	var outdated, outdatedBroken []*corev1.Pod
	for _, node := range nodes {
		run, stay := daemonFits(ds, node)
		here, leaving := split(on[node.Name])
		delete(on, node.Name)
		if run {
			s.DesiredNumberScheduled++
		}
		switch {
		case !stay:
			step.remove = append(step.remove, here...)
			if len(here) > 0 {
				s.NumberMisscheduled++
			}
			continue
		case len(here) == 0:
			if run && !leaving {
				step.create = append(step.create, node.Name)
			}
			continue
		case ended(here[0]):
			step.remove = append(step.remove, here[0]) // and made again at the next event
			continue
		}
		step.remove = append(step.remove, here[1:]...)
		if !run {
			s.NumberMisscheduled++
			continue
		}
		pod := here[0]
		s.CurrentNumberScheduled++
		if ready(pod) {
			s.NumberReady++
		}
		if isAvailable(pod) {
			s.NumberAvailable++
		}
		if pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] == hash {
			s.UpdatedNumberScheduled++
		} else if isAvailable(pod) {
			outdated = append(outdated, pod)
		} else {
			outdatedBroken = append(outdatedBroken, pod)
		}
	}
	for _, p := range pods { // those of nodes that are gone
		if len(on[daemonNode(p)]) > 0 && p.DeletionTimestamp == nil {
			step.remove = append(step.remove, p)
		}
	}
	s.NumberUnavailable = s.DesiredNumberScheduled - s.NumberAvailable
	if ds.Spec.UpdateStrategy.Type != appsv1.OnDeleteDaemonSetStrategyType {
		step.remove = append(step.remove, outdatedBroken...)
		spare := maxUnavailable(ds, int(s.DesiredNumberScheduled)) - int(s.NumberUnavailable)
		step.remove = append(step.remove, outdated[:max(min(spare, len(outdated)), 0)]...)
	}
	return step
}

// split separates the pods that stay from those that are on their way out.
func split(pods []*corev1.Pod) (here []*corev1.Pod, leaving bool) {
	for _, p := range pods {
		if p.DeletionTimestamp != nil {
			leaving = true
		} else {
			here = append(here, p)
		}
	}
	return here, leaving
}

func maxUnavailable(ds *appsv1.DaemonSet, desired int) int {
	one := intstr.FromInt32(1)
	at := &one
	if r := ds.Spec.UpdateStrategy.RollingUpdate; r != nil && r.MaxUnavailable != nil {
		at = r.MaxUnavailable
	}
	n, _ := intstr.GetScaledValueFromIntOrPercent(at, desired, true) // the API server has checked it
	return n
}
