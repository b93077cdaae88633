package cluster

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
)

// aNode is a node that is fit for daemons, called n4.example.org and, by its
// hostname, n4.
func aNode(change ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n4.example.org", Labels: map[string]string{"kubernetes.io/hostname": "n4"}},
		Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}, {Type: corev1.NodeDiskPressure, Status: corev1.ConditionFalse}},
			Addresses:  []corev1.NodeAddress{{Type: corev1.NodeInternalIP, Address: "10.0.0.4"}},
		},
	}
	for _, f := range change {
		f(n)
	}
	return n
}

func cordoned(n *corev1.Node) { n.Spec.Unschedulable = true }
func notReady(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }

func tainted(effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: effect}} }
}

func labelled(key, value string) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Labels[key] = value }
}

// running is a cluster that was created, of all nodes that are no "other".
func running(c *v1.CephCluster) {
	c.Spec.Storage.UseAllNodes, c.Spec.Storage.Nodes = true, nil
	c.Spec.Placement = v1.Placements{v1.All: {NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "role", Operator: corev1.NodeSelectorOpNotIn, Values: []string{"other"}}}}},
	}}}}
	c.Status.State = v1.ClusterStateCreated
	c.Status.Conditions = []metav1.Condition{
		{Type: v1.ConditionReady, Status: metav1.ConditionTrue},
		{Type: v1.ConditionProgressing, Status: metav1.ConditionFalse, Reason: v1.ReasonAsExpected},
	}
}

func naming(hosts ...string) func(*v1.CephCluster) {
	return func(c *v1.CephCluster) {
		running(c)
		c.Spec.Storage.UseAllNodes = false
		for _, host := range hosts {
			c.Spec.Storage.Nodes = append(c.Spec.Storage.Nodes, v1.Node{Name: host})
		}
	}
}

func creating(c *v1.CephCluster) {
	running(c)
	c.Status.State, c.Status.Conditions = v1.ClusterStateCreating, []metav1.Condition{{Type: v1.ConditionProgressing, Status: metav1.ConditionTrue, Reason: v1.ReasonCreating}}
}

func refusedOne(c *v1.CephCluster) {
	creating(c)
	c.Status.State, c.Status.Conditions[0].Status = v1.ClusterStateError, metav1.ConditionFalse
}

func unready(c *v1.CephCluster) { c.Status.Conditions[0].Status = metav1.ConditionFalse }

func having(c *v1.CephCluster) {
	running(c)
	c.Status.Storage = &v1.StorageStatus{Nodes: []v1.NodeStorageStatus{{Name: "n4"}}}
}

// TestJudgeNode: which events of a node lead to a pass, and what is told of it
// (S20, S26-S35).
func TestJudgeNode(t *testing.T) {
	for name, c := range map[string]struct {
		cluster       func(*v1.CephCluster)
		before, after client.Object
		want          bool
		lines         string
	}{
		"added":                          {running, nil, aNode(), true, "D Adding n4 to cluster rook-ceph"},
		"added cordoned":                 {running, nil, aNode(cordoned), false, "D Skipping cluster update. Added node n4 is unschedulable"},
		"added, not ready":               {running, nil, aNode(notReady), false, "I Could not add host n4 . It is not valid|D node n4 is not ready"},
		"added, tainted":                 {running, nil, aNode(tainted(corev1.TaintEffectNoSchedule)), false, "I Could not add host n4 . It is not valid|D node n4 has the taint k:NoSchedule, which is not tolerated"},
		"added, mildly tainted":          {running, nil, aNode(tainted(corev1.TaintEffectPreferNoSchedule)), true, "D Adding n4 to cluster rook-ceph"},
		"added, of another role":         {running, nil, aNode(labelled("role", "other")), false, "I Could not add host n4 . It is not valid|D node n4 does not match the node affinity"},
		"added, not named":               {naming("n1"), nil, aNode(), false, "D Skipping -> Do not use all Nodes"},
		"added, named":                   {naming("n1", "n4"), nil, aNode(), true, "D Adding n4 to cluster rook-ceph"},
		"added to one in creation":       {creating, nil, aNode(), false, "I Cluster rook-ceph is not ready. Skipping orchestration."},
		"added to one that is refused":   {refusedOne, nil, aNode(), true, ""},
		"added again":                    {having, nil, aNode(), true, ""},
		"gone":                           {running, aNode(), nil, true, ""},
		"gone, not named":                {naming("n1"), aNode(), nil, true, ""},
		"something else":                 {running, nil, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: "y"}}, false, "W Expected NodeList but handler received *v1.Pod x/y"},
		"something else becomes a node":  {running, &corev1.Pod{}, aNode(), false, "W Expected NodeList but handler received *v1.Pod /"},
		"cordoned":                       {having, aNode(), aNode(cordoned), true, ""},
		"uncordoned":                     {having, aNode(cordoned), aNode(), true, ""},
		"uncordoned, new":                {running, aNode(cordoned), aNode(), true, "D Adding n4 to cluster rook-ceph"},
		"uncordoned, not named":          {naming("n1"), aNode(cordoned), aNode(), false, "D Skipping -> Do not use all Nodes"},
		"uncordoned, others wait":        {func(c *v1.CephCluster) { naming("n1")(c); unready(c) }, aNode(cordoned), aNode(), true, ""},
		"cordoned, not named":            {naming("n1"), aNode(), aNode(cordoned), true, ""},
		"ready":                          {running, aNode(notReady), aNode(), true, "D Adding n4 to cluster rook-ceph"},
		"ready, in creation":             {creating, aNode(notReady), aNode(), true, ""},
		"not ready":                      {having, aNode(), aNode(notReady), true, ""},
		"tainted":                        {having, aNode(), aNode(tainted(corev1.TaintEffectNoExecute)), true, ""},
		"mildly tainted":                 {having, aNode(), aNode(tainted(corev1.TaintEffectPreferNoSchedule)), false, ""},
		"another role":                   {having, aNode(), aNode(labelled("role", "other")), true, ""},
		"the role of before":             {having, aNode(labelled("role", "other")), aNode(), true, ""},
		"a label that nobody asks for":   {having, aNode(), aNode(labelled("x", "y")), false, ""},
		"another zone":                   {having, aNode(), aNode(labelled("topology.kubernetes.io/zone", "z")), true, ""},
		"another hostname":               {having, aNode(), aNode(labelled("kubernetes.io/hostname", "n5")), true, ""},
		"another address":                {having, aNode(), aNode(func(n *corev1.Node) { n.Status.Addresses[0].Address = "10.0.0.5" }), true, ""},
		"an annotation":                  {having, aNode(), aNode(func(n *corev1.Node) { n.Annotations = map[string]string{"x": "y"} }), false, ""},
		"an image":                       {having, aNode(), aNode(func(n *corev1.Node) { n.Status.Images = []corev1.ContainerImage{{}} }), false, ""},
		"a heartbeat":                    {having, aNode(), aNode(func(n *corev1.Node) { n.Status.Conditions[0].LastHeartbeatTime = metav1.Now() }), false, ""},
		"a condition that is not Ready":  {having, aNode(), aNode(func(n *corev1.Node) { n.Status.Conditions[1].Status = corev1.ConditionTrue }), false, ""},
		"more memory":                    {having, aNode(), aNode(func(n *corev1.Node) { n.Status.Capacity = corev1.ResourceList{} }), false, ""},
		"tainted, but mons tolerate it":  {monsTolerate, aNode(), aNode(tainted(corev1.TaintEffectNoSchedule)), true, ""},
		"a label that mons alone ask of": {monsAsk, aNode(), aNode(labelled("mons", "yes")), true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, aCluster(c.cluster))
			r := &reconciler{Doors: w.Doors()}
			var got []string
			for _, request := range r.judgeNode(t.Context(), c.before, c.after) {
				got = append(got, request.String())
			}
			if c.want != slices.Equal(got, []string{"rook-ceph/my-ceph"}) {
				t.Errorf("asks for %q", got)
			}
			if diff := cmp.Diff(c.lines, strings.Join(w.Lines, "|")); diff != "" {
				t.Errorf("logs (-want +got):\n%s", diff)
			}
		})
	}
}

func monsTolerate(c *v1.CephCluster) {
	having(c)
	c.Spec.Placement[v1.Mon] = v1.Placement{Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}}
}

func monsAsk(c *v1.CephCluster) {
	having(c)
	c.Spec.Placement[v1.Mon] = v1.Placement{NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "mons", Operator: corev1.NodeSelectorOpExists}}}},
	}}}
}
