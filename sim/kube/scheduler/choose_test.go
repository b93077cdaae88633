package scheduler_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"

	"github.com/tidepool-ceph/tidepool/sim/kube/scheduler"
)

func node(name string, change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name}},
		Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
			corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("8Gi"),
			corev1.ResourcePods: resource.MustParse("3"),
		}},
	}
	for _, c := range change {
		c(n)
	}
	return n
}

func labelled(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

func tainted(key, value string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) {
		n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: effect})
	}
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }

var uids = func() func() types.UID {
	n := 0
	return func() types.UID { n++; return types.UID(fmt.Sprint(n)) }
}()

func pod(name string, change ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: name, UID: uids(), Labels: map[string]string{"app": name}},
		Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c"}}},
	}
	for _, c := range change {
		c(p)
	}
	return p
}

func asking(name corev1.ResourceName, q string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{name: resource.MustParse(q)}
	}
}

func tolerating(key string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.Tolerations = []corev1.Toleration{{Key: key, Operator: corev1.TolerationOpExists}}
	}
}

func withPort(number int32, hostNetwork bool) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		p.Spec.HostNetwork = hostNetwork
		port := corev1.ContainerPort{ContainerPort: number}
		if !hostNetwork {
			port.HostPort = number
		}
		p.Spec.Containers[0].Ports = []corev1.ContainerPort{port}
	}
}

func affinity(p *corev1.Pod) *corev1.Affinity {
	if p.Spec.Affinity == nil {
		p.Spec.Affinity = &corev1.Affinity{}
	}
	return p.Spec.Affinity
}

func onNodes(key string, op corev1.NodeSelectorOperator, values ...string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		affinity(p).NodeAffinity = &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: op, Values: values}}}},
		}}
	}
}

func preferring(key, value string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		affinity(p).NodeAffinity = &corev1.NodeAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.PreferredSchedulingTerm{{
			Weight: 10, Preference: corev1.NodeSelectorTerm{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: key, Operator: corev1.NodeSelectorOpIn, Values: []string{value}}}},
		}}}
	}
}

func term(app, topology string) corev1.PodAffinityTerm {
	return corev1.PodAffinityTerm{LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}, TopologyKey: topology}
}

func near(app, topology string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		affinity(p).PodAffinity = &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term(app, topology)}}
	}
}

func awayFrom(app, topology string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		affinity(p).PodAntiAffinity = &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{term(app, topology)}}
	}
}

func ratherAwayFrom(app, topology string) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		affinity(p).PodAntiAffinity = &corev1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{Weight: 100, PodAffinityTerm: term(app, topology)}}}
	}
}

func owned(p *corev1.Pod) {
	yes := true
	p.OwnerReferences = []metav1.OwnerReference{{UID: "owner", Controller: &yes}}
}

func in(namespace string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Namespace = namespace } }

func TestChoose(t *testing.T) {
	const host = "kubernetes.io/hostname"
	for _, c := range []struct {
		name  string
		pod   *corev1.Pod
		nodes []*scheduler.Node
		want  string // a node's name or the text of the error
	}{
		{"no nodes", pod("p"), nil, "no nodes available to schedule pods"},
		{"the first by name among equals", pod("p"), nodes(node("a"), node("b")), "a"},
		{"the emptier one", pod("p"), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x")), scheduler.NewNode(node("b"))}, "b"},
		{"away from its siblings, even if it is fuller there", pod("p", owned), []*scheduler.Node{
			scheduler.NewNode(node("a"), pod("x", owned)), scheduler.NewNode(node("b"), pod("y", asking(corev1.ResourceCPU, "1"))),
		}, "b"},
		{"cordoned", pod("p"), nodes(node("a", cordoned), node("b")), "b"},
		{"cordon tolerated", pod("p", tolerating(corev1.TaintNodeUnschedulable)), nodes(node("a", cordoned)), "a"},
		{"all cordoned", pod("p"), nodes(node("a", cordoned), node("b", cordoned)), "0/2 nodes are available: 2 node(s) were unschedulable."},
		{"taint", pod("p"), nodes(node("a", tainted("k", "v", corev1.TaintEffectNoSchedule))), "0/1 nodes are available: 1 node(s) had untolerated taint {k: v}."},
		{"NoExecute taint", pod("p"), nodes(node("a", tainted("k", "", corev1.TaintEffectNoExecute))), "0/1 nodes are available: 1 node(s) had untolerated taint {k: }."},
		{"taint tolerated", pod("p", tolerating("k")), nodes(node("a", tainted("k", "v", corev1.TaintEffectNoSchedule))), "a"},
		{"taint to be avoided", pod("p"), nodes(node("a", tainted("k", "v", corev1.TaintEffectPreferNoSchedule)), node("b")), "b"},
		{"taint to be avoided and nothing else", pod("p"), nodes(node("a", tainted("k", "v", corev1.TaintEffectPreferNoSchedule))), "a"},
		{"node selector", pod("p", func(p *corev1.Pod) { p.Spec.NodeSelector = map[string]string{host: "b"} }), nodes(node("a"), node("b")), "b"},
		{"node affinity", pod("p", onNodes("role", corev1.NodeSelectorOpIn, "storage", "mixed")), nodes(node("a"), node("b", labelled("role", "mixed"))), "b"},
		{"node affinity that nobody has", pod("p", onNodes("role", corev1.NodeSelectorOpExists)), nodes(node("a"), node("b")), "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector."},
		{"preferred node affinity", pod("p", preferring("disk", "ssd")), nodes(node("a"), node("b", labelled("disk", "ssd"))), "b"},
		{"preference that nobody has", pod("p", preferring("disk", "ssd")), nodes(node("a"), node("b")), "a"},
		{"too little CPU and memory", pod("p", func(p *corev1.Pod) {
			p.Spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("5"), corev1.ResourceMemory: resource.MustParse("9Gi")}
		}), nodes(node("a")), "0/1 nodes are available: 1 Insufficient cpu, 1 Insufficient memory."},
		{"what others ask for counts", pod("p", asking(corev1.ResourceCPU, "2")), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", asking(corev1.ResourceCPU, "2500m")))}, "0/1 nodes are available: 1 Insufficient cpu."},
		{"exactly enough", pod("p", asking(corev1.ResourceCPU, "1500m")), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", asking(corev1.ResourceCPU, "2500m")))}, "a"},
		{"a resource that the node has not", pod("p", asking("example.com/gpu", "1")), nodes(node("a")), "0/1 nodes are available: 1 Insufficient example.com/gpu."},
		{"too many pods", pod("p"), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x"), pod("y"), pod("z"))}, "0/1 nodes are available: 1 Too many pods."},
		{"host port", pod("p", withPort(80, false)), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", withPort(80, true)))}, "0/1 nodes are available: 1 node(s) didn't have free ports for the requested pod ports."},
		{"another host port", pod("p", withPort(81, false)), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", withPort(80, true)))}, "a"},
		{"anti-affinity by host", pod("mon", awayFrom("mon", host)), []*scheduler.Node{scheduler.NewNode(node("a"), pod("mon")), scheduler.NewNode(node("b"))}, "b"},
		{"anti-affinity by zone", pod("mon", awayFrom("mon", "zone")), []*scheduler.Node{
			scheduler.NewNode(node("a", labelled("zone", "1")), pod("mon")), scheduler.NewNode(node("b", labelled("zone", "1"))),
		}, "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules."},
		{"anti-affinity looks at its own namespace", pod("mon", awayFrom("mon", host)), []*scheduler.Node{scheduler.NewNode(node("a"), pod("mon", in("other")))}, "a"},
		{"anti-affinity of those that are there", pod("p"), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", awayFrom("p", host)))}, "0/1 nodes are available: 1 node(s) didn't satisfy existing pods anti-affinity rules."},
		{"preferred anti-affinity", pod("p", ratherAwayFrom("x", host)), []*scheduler.Node{scheduler.NewNode(node("a"), pod("x")), scheduler.NewNode(node("b"), pod("y"), pod("z"))}, "b"},
		{"affinity", pod("p", near("x", host)), []*scheduler.Node{scheduler.NewNode(node("a")), scheduler.NewNode(node("b"), pod("x"))}, "b"},
		{"affinity to nobody", pod("p", near("x", host)), nodes(node("a")), "0/1 nodes are available: 1 node(s) didn't match pod affinity rules."},
		{"affinity to itself, the first", pod("p", near("p", host)), nodes(node("a")), "a"},
		{
			"different reasons", pod("p", asking(corev1.ResourceCPU, "5")), nodes(node("a"), node("b", cordoned), node("c", tainted("k", "v", corev1.TaintEffectNoSchedule))),
			"0/3 nodes are available: 1 Insufficient cpu, 1 node(s) had untolerated taint {k: v}, 1 node(s) were unschedulable.",
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := scheduler.Choose(c.pod, c.nodes, func(string) labels.Set { return nil })
			text := ""
			if err != nil {
				text = err.Error()
			} else {
				text = got.Object.Name
			}
			if text != c.want {
				t.Errorf("%q, not %q", text, c.want)
			}
		})
	}
}

func nodes(all ...*corev1.Node) []*scheduler.Node {
	var made []*scheduler.Node
	for _, n := range all {
		made = append(made, scheduler.NewNode(n))
	}
	return made
}

func TestNamespaceSelectorOfATerm(t *testing.T) {
	p := pod("p", awayFrom("x", "kubernetes.io/hostname"))
	terms := p.Spec.Affinity.PodAntiAffinity.RequiredDuringSchedulingIgnoredDuringExecution
	terms[0].NamespaceSelector = &metav1.LabelSelector{MatchLabels: map[string]string{"team": "storage"}}
	on := []*scheduler.Node{scheduler.NewNode(node("a"), pod("x", in("other")))}
	for team, fits := range map[string]bool{"storage": false, "web": true} {
		_, err := scheduler.Choose(p, on, func(string) labels.Set { return labels.Set{"team": team} })
		if (err == nil) != fits {
			t.Errorf("%s: %v", team, err)
		}
	}
}

func TestAdmit(t *testing.T) {
	for _, c := range []struct {
		name   string
		node   *scheduler.Node
		pod    *corev1.Pod
		reason string
	}{
		{"fine", scheduler.NewNode(node("a")), pod("p"), ""},
		{"a cordon does not matter", scheduler.NewNode(node("a", cordoned, tainted("k", "v", corev1.TaintEffectNoSchedule))), pod("p"), ""},
		{"memory", scheduler.NewNode(node("a")), pod("p", asking(corev1.ResourceMemory, "9Gi")), "OutOfmemory"},
		{"pods", scheduler.NewNode(node("a"), pod("x"), pod("y"), pod("z")), pod("p"), "OutOfpods"},
		{"ports", scheduler.NewNode(node("a"), pod("x", withPort(80, true))), pod("p", withPort(80, true)), "NodePorts"},
		{"affinity", scheduler.NewNode(node("a")), pod("p", onNodes("role", corev1.NodeSelectorOpExists)), "NodeAffinity"},
	} {
		if reason, message := c.node.Admit(c.pod); reason != c.reason || (message == "") != (reason == "") {
			t.Errorf("%s: %q, %q", c.name, reason, message)
		}
	}
}
