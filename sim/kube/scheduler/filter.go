package scheduler

import (
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	corev1helpers "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"
)

// Reasons why a node cannot take a pod, as the real scheduler words them.
const (
	reasonUnschedulable = "node(s) were unschedulable"
	reasonName          = "node(s) didn't match the requested node name"
	reasonTaint         = "node(s) had untolerated taint {%s: %s}"
	reasonNodeAffinity  = "node(s) didn't match Pod's node affinity/selector"
	reasonPorts         = "node(s) didn't have free ports for the requested pod ports"
	reasonTooMany       = "Too many pods"
	reasonInsufficient  = "Insufficient %s"
)

// unschedulable is the taint that stands for a cordon.
var unschedulable = corev1.Taint{Key: corev1.TaintNodeUnschedulable, Effect: corev1.TaintEffectNoSchedule}

// filter says why the node cannot take the pod, as far as it depends on this
// node alone; nothing if it can. The rules are asked in the real scheduler's
// order, and the first that fails answers.
func (n *Node) filter(p *placed) []string {
	pod := p.pod
	if n.Object.Spec.Unschedulable && !Tolerates(pod, unschedulable) {
		return []string{reasonUnschedulable}
	}
	if name := pod.Spec.NodeName; name != "" && name != n.Object.Name {
		return []string{reasonName}
	}
	if taint, found := untolerated(n.Object.Spec.Taints, pod, corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute); found {
		return []string{fmt.Sprintf(reasonTaint, taint.Key, taint.Value)}
	}
	if !MatchesNodeAffinity(pod, n.Object) {
		return []string{reasonNodeAffinity}
	}
	if n.portsTaken(p) {
		return []string{reasonPorts}
	}
	return n.insufficient(p)
}

// Tolerates says whether one of the pod's tolerations is for the taint.
func Tolerates(pod *corev1.Pod, taint corev1.Taint) bool {
	return corev1helpers.TolerationsTolerateTaint(klog.Logger{}, pod.Spec.Tolerations, &taint, false)
}

// untolerated is the first taint of one of the effects that the pod does not
// tolerate.
func untolerated(taints []corev1.Taint, pod *corev1.Pod, effects ...corev1.TaintEffect) (corev1.Taint, bool) {
	return corev1helpers.FindMatchingUntoleratedTaint(klog.Logger{}, taints, pod.Spec.Tolerations,
		func(t *corev1.Taint) bool { return slices.Contains(effects, t.Effect) }, false)
}

// MatchesNodeAffinity says whether the node satisfies the pod's nodeSelector
// and its required node affinity. An expression that cannot be evaluated
// matches nothing.
func MatchesNodeAffinity(pod *corev1.Pod, node *corev1.Node) bool {
	if len(pod.Spec.NodeSelector) == 0 && (pod.Spec.Affinity == nil || pod.Spec.Affinity.NodeAffinity == nil) {
		return true
	}
	ok, err := nodeaffinity.GetRequiredNodeAffinity(pod).Match(node)
	return ok && err == nil
}

func (n *Node) portsTaken(p *placed) bool {
	if len(p.ports) == 0 {
		return false
	}
	for _, other := range n.pods {
		if other.pod.UID == p.pod.UID {
			continue
		}
		for _, taken := range other.ports {
			if slices.ContainsFunc(p.ports, taken.conflicts) {
				return true
			}
		}
	}
	return false
}

// insufficient names each resource of which the node has too little left. A
// node that states no number of pods takes any.
func (n *Node) insufficient(p *placed) []string {
	var reasons []string
	if most, stated := n.allocatable[corev1.ResourcePods]; stated && int64(len(n.pods))+1 > most {
		reasons = append(reasons, reasonTooMany)
	}
	for _, name := range slices.Sorted(maps.Keys(p.requests)) {
		if want := p.requests[name]; want > 0 && want > n.allocatable[name]-n.requested[name] {
			reasons = append(reasons, fmt.Sprintf(reasonInsufficient, name))
		}
	}
	return reasons
}

// Admit is the check that a kubelet makes of a pod that was bound to its node,
// by whomever: a reason in one word and a message if the pod must not run
// there, else "". A cordon and taints that forbid scheduling do not matter here.
func (n *Node) Admit(pod *corev1.Pod) (reason, message string) {
	p := place(pod)
	if short := n.insufficient(p); len(short) > 0 {
		if short[0] == reasonTooMany {
			return "OutOfpods", fmt.Sprintf("Node didn't have enough resource: pods, requested: 1, used: %d, capacity: %d",
				len(n.pods), n.allocatable[corev1.ResourcePods])
		}
		for _, name := range slices.Sorted(maps.Keys(p.requests)) {
			if p.requests[name] > n.allocatable[name]-n.requested[name] {
				return "OutOf" + string(name), fmt.Sprintf("Node didn't have enough resource: %s, requested: %d, used: %d, capacity: %d",
					name, p.requests[name], n.requested[name], n.allocatable[name])
			}
		}
	}
	if n.portsTaken(p) {
		return "NodePorts", "Predicate NodePorts failed"
	}
	if !MatchesNodeAffinity(pod, n.Object) {
		return "NodeAffinity", "Predicate NodeAffinity failed"
	}
	return "", ""
}
