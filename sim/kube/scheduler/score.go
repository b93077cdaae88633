package scheduler

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
)

// Weights of what speaks for a node, those of the real scheduler's defaults.
const (
	weightTaints      = 3
	weightAffinity    = 2
	weightNeighbours  = 2
	weightSpread      = 2
	weightLeastFilled = 1
	weightBalanced    = 1
	scoreMost         = 100
)

// score rates nodes that can take the pod: one number a node, more is better.
func score(p *placed, nodes []*Node, all []*Node, namespaceLabels func(string) labels.Set) []int64 {
	total := make([]int64, len(nodes))
	add := func(weight int64, values []int64) {
		for i, v := range values {
			total[i] += weight * v
		}
	}
	raw := func(value func(*Node) int64) []int64 {
		values := make([]int64, len(nodes))
		for i, n := range nodes {
			values[i] = value(n)
		}
		return values
	}
	add(weightTaints, fewest(raw(func(n *Node) int64 { return disliked(n, p.pod) })))
	add(weightAffinity, most(raw(preferred(p.pod))))
	add(weightNeighbours, between(raw(neighbourly(p.pod, all, namespaceLabels))))
	add(weightSpread, fewest(raw(siblings(p.pod))))
	add(weightLeastFilled, raw(func(n *Node) int64 { return n.leastFilled(p) }))
	add(weightBalanced, raw(func(n *Node) int64 { return n.balanced(p) }))
	return total
}

// most scales values so that the largest is 100.
func most(values []int64) []int64 {
	var top int64
	for _, v := range values {
		top = max(top, v)
	}
	for i := range values {
		if top > 0 {
			values[i] = values[i] * scoreMost / top
		}
	}
	return values
}

// fewest scales values so that 0 is rated 100 and the largest 0.
func fewest(values []int64) []int64 {
	values = most(values)
	for i := range values {
		values[i] = scoreMost - values[i]
	}
	return values
}

// between scales values so that the smallest is 0 and the largest 100.
func between(values []int64) []int64 {
	low, high := values[0], values[0]
	for _, v := range values {
		low, high = min(low, v), max(high, v)
	}
	for i := range values {
		if high > low {
			values[i] = (values[i] - low) * scoreMost / (high - low)
		} else {
			values[i] = 0
		}
	}
	return values
}

// disliked counts the taints that ask, without force, not to be scheduled on.
func disliked(n *Node, pod *corev1.Pod) (count int64) {
	for _, t := range n.Object.Spec.Taints {
		if t.Effect == corev1.TaintEffectPreferNoSchedule && !Tolerates(pod, t) {
			count++
		}
	}
	return count
}

// preferred sums the weights of the preferred node affinity terms that match.
func preferred(pod *corev1.Pod) func(*Node) int64 {
	none := func(*Node) int64 { return 0 }
	a := pod.Spec.Affinity
	if a == nil || a.NodeAffinity == nil || len(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution) == 0 {
		return none
	}
	terms, err := nodeaffinity.NewPreferredSchedulingTerms(a.NodeAffinity.PreferredDuringSchedulingIgnoredDuringExecution)
	if err != nil {
		return none
	}
	return func(n *Node) int64 { return terms.Score(n.Object) }
}

// neighbourly sums the weights of the preferred pod affinity terms that match,
// less those of anti-affinity, once for each matching pod in the node's domain.
func neighbourly(pod *corev1.Pod, all []*Node, namespaceLabels func(string) labels.Set) func(*Node) int64 {
	type weighted struct {
		term
		weight int64
	}
	var terms []weighted
	take := func(from []corev1.WeightedPodAffinityTerm, sign int64) {
		for _, w := range from {
			terms = append(terms, weighted{termsOf(pod, []corev1.PodAffinityTerm{w.PodAffinityTerm})[0], sign * int64(w.Weight)})
		}
	}
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		take(a.PodAffinity.PreferredDuringSchedulingIgnoredDuringExecution, 1)
	}
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		take(a.PodAntiAffinity.PreferredDuringSchedulingIgnoredDuringExecution, -1)
	}
	sums := map[domain]int64{}
	for _, t := range terms {
		for _, n := range all {
			d, ok := domainOf(n.Object, t.topologyKey)
			if !ok {
				continue
			}
			for _, other := range n.pods {
				if t.matches(other.pod, namespaceLabels) {
					sums[d] += t.weight
				}
			}
		}
	}
	return func(n *Node) (sum int64) {
		seen := map[string]bool{}
		for _, t := range terms {
			if d, ok := domainOf(n.Object, t.topologyKey); ok && !seen[t.topologyKey] {
				seen[t.topologyKey] = true
				sum += sums[d]
			}
		}
		return sum
	}
}

// siblings counts the pods on a node that have the same controller.
func siblings(pod *corev1.Pod) func(*Node) int64 {
	owner := controllerOf(pod)
	return func(n *Node) (count int64) {
		if owner == "" {
			return 0
		}
		for _, other := range n.pods {
			if controllerOf(other.pod) == owner {
				count++
			}
		}
		return count
	}
}

func controllerOf(pod *corev1.Pod) types.UID {
	if ref := metav1.GetControllerOfNoCopy(pod); ref != nil {
		return ref.UID
	}
	return ""
}

// filled is the share of the node's CPU and memory, in thousandths, that is in
// use once the pod is there.
func (n *Node) filled(p *placed) (cpu, mem int64) {
	share := func(used, of int64) int64 {
		if of <= 0 {
			return 1000
		}
		return min(used*1000/of, 1000)
	}
	return share(n.cpu+p.cpu, n.allocatable[corev1.ResourceCPU]), share(n.mem+p.mem, n.allocatable[corev1.ResourceMemory])
}

func (n *Node) leastFilled(p *placed) int64 {
	cpu, mem := n.filled(p)
	return (2000 - cpu - mem) * scoreMost / 2000
}

func (n *Node) balanced(p *placed) int64 {
	cpu, mem := n.filled(p)
	return scoreMost - max(cpu-mem, mem-cpu)*scoreMost/2000
}
