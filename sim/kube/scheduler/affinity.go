package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

const (
	reasonAffinity     = "node(s) didn't match pod affinity rules"
	reasonAntiAffinity = "node(s) didn't match pod anti-affinity rules"
	reasonExistingAnti = "node(s) didn't satisfy existing pods anti-affinity rules"
)

// domain is a value of a topology label: a host, a rack, a zone.
type domain struct{ key, value string }

func domainOf(node *corev1.Node, topologyKey string) (domain, bool) {
	v, ok := node.Labels[topologyKey]
	return domain{topologyKey, v}, ok
}

// term is a pod affinity term of a pod, its selectors parsed.
type term struct {
	topologyKey string
	selector    labels.Selector
	namespaces  []string
	ofNamespace labels.Selector // nil for none
}

func termsOf(owner *corev1.Pod, terms []corev1.PodAffinityTerm) []term {
	all := make([]term, 0, len(terms))
	for _, t := range terms {
		parsed := term{topologyKey: t.TopologyKey, namespaces: t.Namespaces, selector: selectorOf(t.LabelSelector)}
		if t.NamespaceSelector != nil {
			parsed.ofNamespace = selectorOf(t.NamespaceSelector)
		} else if len(t.Namespaces) == 0 {
			parsed.namespaces = []string{owner.Namespace}
		}
		all = append(all, parsed)
	}
	return all
}

// selectorOf parses a selector; none, or one that cannot be parsed, selects
// nothing.
func selectorOf(s *metav1.LabelSelector) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(s)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

func (t term) matches(pod *corev1.Pod, namespaceLabels func(string) labels.Set) bool {
	in := slices.Contains(t.namespaces, pod.Namespace) ||
		t.ofNamespace != nil && t.ofNamespace.Matches(namespaceLabels(pod.Namespace))
	return in && t.selector.Matches(labels.Set(pod.Labels))
}

func requiredAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAffinity != nil {
		return a.PodAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

func requiredAntiAffinity(pod *corev1.Pod) []corev1.PodAffinityTerm {
	if a := pod.Spec.Affinity; a != nil && a.PodAntiAffinity != nil {
		return a.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	}
	return nil
}

// neighbours is what a pod's terms and those of others say about domains.
type neighbours struct {
	affinity, anti []term
	// near has the domains of pods that match all affinity terms, byTerm one
	// set for each term's key.
	near map[domain]bool
	far  map[domain]bool // domains of pods that match an anti-affinity term
	kept map[domain]bool // domains whose pods keep this one away
	// first: no pod anywhere matches, but this one would match itself.
	first bool
}

// neighboursOf looks at all pods of all nodes once.
func neighboursOf(pod *corev1.Pod, nodes []*Node, guarded bool, namespaceLabels func(string) labels.Set) *neighbours {
	w := &neighbours{
		affinity: termsOf(pod, requiredAffinity(pod)), anti: termsOf(pod, requiredAntiAffinity(pod)),
		near: map[domain]bool{}, far: map[domain]bool{}, kept: map[domain]bool{},
	}
	if len(w.affinity) == 0 && len(w.anti) == 0 && !guarded {
		return w
	}
	all := func(p *corev1.Pod) bool {
		return !slices.ContainsFunc(w.affinity, func(t term) bool { return !t.matches(p, namespaceLabels) })
	}
	for _, n := range nodes {
		for _, other := range n.pods {
			if len(w.affinity) > 0 && all(other.pod) {
				for _, t := range w.affinity {
					mark(w.near, n, t)
				}
			}
			for _, t := range w.anti {
				if t.matches(other.pod, namespaceLabels) {
					mark(w.far, n, t)
				}
			}
			for _, t := range termsOf(other.pod, requiredAntiAffinity(other.pod)) {
				if t.matches(pod, namespaceLabels) {
					mark(w.kept, n, t)
				}
			}
		}
	}
	w.first = len(w.near) == 0 && all(pod)
	return w
}

func mark(set map[domain]bool, n *Node, t term) {
	if d, ok := domainOf(n.Object, t.topologyKey); ok {
		set[d] = true
	}
}

// filter says why the pod cannot be on that node because of other pods; "" if
// it can.
func (w *neighbours) filter(n *Node) string {
	for _, t := range w.affinity {
		d, ok := domainOf(n.Object, t.topologyKey)
		if !ok || !w.near[d] && !w.first {
			return reasonAffinity
		}
	}
	for _, t := range w.anti {
		if d, ok := domainOf(n.Object, t.topologyKey); ok && w.far[d] {
			return reasonAntiAffinity
		}
	}
	for d := range w.kept {
		if v, ok := n.Object.Labels[d.key]; ok && v == d.value {
			return reasonExistingAnti
		}
	}
	return ""
}
