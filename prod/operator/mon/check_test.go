package mon

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestCheckOf(t *testing.T) {
	for name, c := range map[string]struct {
		spec     v1.CheckSpec
		settings pass.Settings
		want     check
	}{
		"nothing given":            {want: check{every: 45 * time.Second, timeout: 10 * time.Minute}},
		"the spec":                 {v1.CheckSpec{Interval: "30s", Timeout: "1h"}, pass.Settings{}, check{every: 30 * time.Second, timeout: time.Hour}},
		"the operator's own":       {v1.CheckSpec{}, pass.Settings{MonCheckInterval: "1m", MonOutTimeout: "5m"}, check{every: time.Minute, timeout: 5 * time.Minute}},
		"the spec comes first":     {v1.CheckSpec{Timeout: "1h"}, pass.Settings{MonOutTimeout: "5m"}, check{every: 45 * time.Second, timeout: time.Hour}},
		"never":                    {v1.CheckSpec{Timeout: "0s"}, pass.Settings{MonOutTimeout: "5m"}, check{every: 45 * time.Second}},
		"never, says the operator": {v1.CheckSpec{}, pass.Settings{MonOutTimeout: "0s"}, check{every: 45 * time.Second}},
		"no time":                  {v1.CheckSpec{Interval: "often", Timeout: "long"}, pass.Settings{MonOutTimeout: "soon"}, check{every: 45 * time.Second, timeout: 10 * time.Minute}},
		"no interval":              {v1.CheckSpec{Interval: "0s"}, pass.Settings{}, check{every: 45 * time.Second, timeout: 10 * time.Minute}},
		"disabled":                 {v1.CheckSpec{Disabled: true}, pass.Settings{}, check{disabled: true, every: 45 * time.Second, timeout: 10 * time.Minute}},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1.ClusterSpec{HealthCheck: v1.HealthCheckSpec{DaemonHealth: v1.DaemonHealthSpec{Mon: c.spec}}}
			if got := checkOf(spec, c.settings); got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
		})
	}
}

func TestTarget(t *testing.T) {
	for name, c := range map[string]struct{ count, preferred, nodes, want int }{
		"no preference":          {3, 0, 9, 3},
		"less than the count":    {3, 1, 9, 3},
		"nodes enough":           {3, 5, 5, 5},
		"more nodes than needed": {3, 5, 9, 5},
		"no more nodes":          {3, 5, 3, 3},
		"too few nodes":          {3, 5, 2, 3},
		"an even number of them": {3, 5, 4, 3},
		"an uneven number":       {3, 7, 5, 5},
		"an even preference":     {1, 4, 4, 4},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1.ClusterSpec{Mon: v1.MonSpec{Count: c.count, PreferredCount: c.preferred}}
			list := make([]corev1.Node, c.nodes)
			for i := range list {
				list[i] = aNode("n")
				list[i].Spec.Unschedulable = i == 0 // which does not count: it comes back
			}
			if got := target(spec, list, 0); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

// A typing error in an affinity must not look like nodes that are gone: mons would
// be removed one by one.
func TestAPlacementThatCannotBeReadKeepsTheMons(t *testing.T) {
	spec := &v1.ClusterSpec{Mon: v1.MonSpec{Count: 3, PreferredCount: 5}, Placement: v1.Placements{v1.Mon: {NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "a", Operator: "Inside", Values: []string{"b"}}},
		}}},
	}}}}
	for recorded, want := range map[int]int{0: 3, 4: 4, 5: 5, 7: 5} {
		if got := target(spec, []corev1.Node{aNode("n")}, recorded); got != want {
			t.Errorf("%d recorded: got %d, want %d", recorded, got, want)
		}
	}
}
