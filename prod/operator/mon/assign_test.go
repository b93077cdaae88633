package mon

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func aNode(name string, change ...func(*corev1.Node)) corev1.Node {
	n := corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"kubernetes.io/hostname": name + "-host"}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "192.168.72.1"}},
		},
	}
	for _, c := range change {
		c(&n)
	}
	return n
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }
func tainted(n *corev1.Node) {
	n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoSchedule}}
}
func notReady(n *corev1.Node) { n.Status.Conditions = nil }
func role(r string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels["role"] = r }
}

func on(name, host string) pass.Mon {
	return pass.Mon{Name: name, Node: &pass.MonNode{Name: host, Hostname: host + "-host"}}
}

func TestAssign(t *testing.T) {
	storage := v1.Placement{
		NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "role", Operator: corev1.NodeSelectorOpIn, Values: []string{"storage-node"}}}}},
		}},
		Tolerations: []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists}},
	}
	for name, c := range map[string]struct {
		nodes     []corev1.Node
		placement v1.Placement
		multiple  bool
		placed    map[string]pass.Mon
		names     []string
		want      map[string]string
		fails     []string
	}{
		"one each, by name": {
			nodes: []corev1.Node{aNode("n3"), aNode("n1"), aNode("n2")}, names: []string{"a", "b", "c"},
			want: map[string]string{"a": "n1", "b": "n2", "c": "n3"},
		},
		"only where a mon fits": {
			nodes: []corev1.Node{aNode("n1", cordoned), aNode("n2", tainted), aNode("n3", notReady), aNode("n4")}, names: []string{"a"},
			want: map[string]string{"a": "n4"},
		},
		"placement is honoured": {
			nodes: []corev1.Node{aNode("n1"), aNode("n2", role("other")), aNode("n3", role("storage-node"), tainted)}, placement: storage, names: []string{"a"},
			want: map[string]string{"a": "n3"},
		},
		"those placed stay and take up their node": {
			nodes: []corev1.Node{aNode("n1"), aNode("n2")}, placed: map[string]pass.Mon{"a": on("a", "n1")}, names: []string{"b"},
			want: map[string]string{"b": "n2"},
		},
		"nobody asks (B07)": {
			placed: map[string]pass.Mon{"a": on("a", "n1")}, want: map[string]string{},
		},
		"too few nodes (B07)": {
			nodes: []corev1.Node{aNode("n1"), aNode("n2"), aNode("n3", tainted)}, names: []string{"a", "b", "c"},
			fails: []string{"no nodes available for mon placement: 3 mons are wanted and 2 nodes fit", "n3 has the taint k"},
		},
		"all nodes taken": {
			nodes: []corev1.Node{aNode("n1")}, placed: map[string]pass.Mon{"a": on("a", "n1")}, names: []string{"b"},
			fails: []string{"1 nodes fit, of which 1 have a mon"},
		},
		"several on a node, spread evenly": {
			nodes: []corev1.Node{aNode("n1"), aNode("n2")}, multiple: true, placed: map[string]pass.Mon{"a": on("a", "n1")}, names: []string{"b", "c", "d"},
			want: map[string]string{"b": "n2", "c": "n1", "d": "n2"},
		},
		"no node at all": {multiple: true, names: []string{"a"}, fails: []string{"no nodes available for mon placement: 3 mons are wanted and 0 nodes fit"}},
	} {
		t.Run(name, func(t *testing.T) {
			chosen, err := assignment{nodes: c.nodes, placement: c.placement, multiple: c.multiple, wanted: 3}.assign(c.placed, c.names)
			if len(c.fails) > 0 {
				var none *unplaced
				if !errors.As(err, &none) {
					t.Fatalf("got %v", err)
				}
				for _, part := range c.fails {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q lacks %q", err, part)
					}
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := map[string]string{}
			for mon, n := range chosen {
				got[mon] = n.Name
				if n.Hostname != n.Name+"-host" || n.Address != "192.168.72.1" {
					t.Errorf("%+v", n)
				}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
