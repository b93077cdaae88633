package node_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
)

func ready(change func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1.example.org", Labels: map[string]string{"kubernetes.io/hostname": "n1", "role": "storage-node"}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeHostName, Address: "n1"},
				{Type: corev1.NodeExternalIP, Address: "203.0.113.1"},
				{Type: corev1.NodeInternalIP, Address: "10.0.0.1"},
			},
		},
	}
	if change != nil {
		change(n)
	}
	return n
}

func affinity(role string) *corev1.NodeAffinity {
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "role", Operator: corev1.NodeSelectorOpIn, Values: []string{role}},
		}}},
	}}
}

func taint(effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = []corev1.Taint{{Key: "storage-node", Effect: effect}}
	}
}

func TestFits(t *testing.T) {
	tolerant := v1.Placement{Tolerations: []corev1.Toleration{{Key: "storage-node", Operator: corev1.TolerationOpExists}}}
	for name, c := range map[string]struct {
		node      *corev1.Node
		placement v1.Placement
		want      string
	}{
		"a ready node": {ready(nil), v1.Placement{}, ""},
		"cordoned":     {ready(func(n *corev1.Node) { n.Spec.Unschedulable = true }), v1.Placement{}, "is cordoned"},
		"not ready":    {ready(func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }), v1.Placement{}, "is not ready"},
		"never heard":  {ready(func(n *corev1.Node) { n.Status.Conditions = nil }), v1.Placement{}, "is not ready"},
		"wanted role":  {ready(nil), v1.Placement{NodeAffinity: affinity("storage-node")}, ""},
		"other role":   {ready(nil), v1.Placement{NodeAffinity: affinity("other")}, "does not match the node affinity"},
		"preferred only": {ready(nil), v1.Placement{NodeAffinity: &corev1.NodeAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{Weight: 1, Preference: corev1.NodeSelectorTerm{}}},
		}}, ""},
		"tainted":          {ready(taint(corev1.TaintEffectNoSchedule)), v1.Placement{}, "has the taint storage-node:NoSchedule, which is not tolerated"},
		"tainted, evicts":  {ready(taint(corev1.TaintEffectNoExecute)), v1.Placement{}, "has the taint storage-node:NoExecute, which is not tolerated"},
		"a mild taint":     {ready(taint(corev1.TaintEffectPreferNoSchedule)), v1.Placement{}, ""},
		"a tolerated one":  {ready(taint(corev1.TaintEffectNoSchedule)), tolerant, ""},
		"tolerant, no one": {ready(nil), tolerant, ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := node.Fits(c.node, c.placement); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

func TestNames(t *testing.T) {
	n := ready(nil)
	if got := node.Hostname(n); got != "n1" {
		t.Errorf("hostname %q", got)
	}
	if got := node.Address(n); got != "10.0.0.1" {
		t.Errorf("address %q", got)
	}
	n.Labels, n.Status.Addresses = nil, n.Status.Addresses[:2]
	if got := node.Hostname(n); got != "n1.example.org" {
		t.Errorf("hostname %q", got)
	}
	if got := node.Address(n); got != "203.0.113.1" {
		t.Errorf("address %q", got)
	}
}
