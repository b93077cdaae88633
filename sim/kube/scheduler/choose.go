package scheduler

import (
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// Unfit says that no node can take a pod, and for what reasons.
type Unfit struct {
	Nodes   int
	Reasons map[string]int // how many nodes each reason excludes
}

// Error is the text that the real scheduler puts into the pod's condition.
func (u *Unfit) Error() string {
	if u.Nodes == 0 {
		return "no nodes available to schedule pods"
	}
	lines := make([]string, 0, len(u.Reasons))
	for reason, n := range u.Reasons {
		lines = append(lines, fmt.Sprintf("%d %s", n, reason))
	}
	slices.Sort(lines)
	return fmt.Sprintf("0/%d nodes are available: %s.", u.Nodes, strings.Join(lines, ", "))
}

// Choose finds the node for a pod among nodes, which are sorted by name;
// namespaceLabels knows the labels of namespaces, for affinity terms that
// select them. The error is an [*Unfit].
func Choose(pod *corev1.Pod, nodes []*Node, namespaceLabels func(string) labels.Set) (*Node, error) {
	return choose(place(pod), nodes, true, namespaceLabels)
}

// choose is Choose; guarded is false if it is known that no pod has
// anti-affinity terms.
func choose(p *placed, nodes []*Node, guarded bool, namespaceLabels func(string) labels.Set) (*Node, error) {
	unfit := &Unfit{Nodes: len(nodes), Reasons: map[string]int{}}
	around := neighboursOf(p.pod, nodes, guarded, namespaceLabels)
	var fit []*Node
	for _, n := range nodes {
		reasons := n.filter(p)
		if len(reasons) == 0 {
			if r := around.filter(n); r != "" {
				reasons = []string{r}
			}
		}
		for _, r := range reasons {
			unfit.Reasons[r]++
		}
		if len(reasons) == 0 {
			fit = append(fit, n)
		}
	}
	switch len(fit) {
	case 0:
		return nil, unfit
	case 1:
		return fit[0], nil
	}
	best, rated := 0, score(p, fit, nodes, namespaceLabels)
	for i, v := range rated {
		if v > rated[best] {
			best = i
		}
	}
	return fit[best], nil
}
