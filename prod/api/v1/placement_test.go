package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func nodeAffinity(label string) *corev1.NodeAffinity {
	return &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
		NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
			{Key: "role", Operator: corev1.NodeSelectorOpIn, Values: []string{label}},
		}}},
	}}
}

func podAffinity(topology string) *corev1.PodAffinity {
	return &corev1.PodAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: topology}}}
}

func podAntiAffinity(topology string) *corev1.PodAntiAffinity {
	return &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{{TopologyKey: topology}}}
}

func toleration(key string) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists}
}

func TestPlacementsFor(t *testing.T) {
	tests := map[string]struct {
		placements v1.Placements
		want       v1.Placement // of the mons
	}{
		"nothing": {},
		"only all": {
			v1.Placements{v1.All: {
				NodeAffinity: nodeAffinity("storage-node"), PodAffinity: podAffinity("zone"), PodAntiAffinity: podAntiAffinity("host"),
				Tolerations: []corev1.Toleration{toleration("storage-node")},
			}},
			v1.Placement{
				NodeAffinity: nodeAffinity("storage-node"), PodAffinity: podAffinity("zone"), PodAntiAffinity: podAntiAffinity("host"),
				Tolerations: []corev1.Toleration{toleration("storage-node")},
			},
		},
		"only its own": {
			v1.Placements{v1.Mon: {NodeAffinity: nodeAffinity("mon"), Tolerations: []corev1.Toleration{toleration("mon")}}},
			v1.Placement{NodeAffinity: nodeAffinity("mon"), Tolerations: []corev1.Toleration{toleration("mon")}},
		},
		"only another's": {
			placements: v1.Placements{v1.OSD: {NodeAffinity: nodeAffinity("osd")}},
		},
		"each affinity for itself replaces all's": {
			v1.Placements{
				v1.All: {NodeAffinity: nodeAffinity("all"), PodAffinity: podAffinity("all"), PodAntiAffinity: podAntiAffinity("all")},
				v1.Mon: {PodAffinity: podAffinity("mon")},
			},
			v1.Placement{NodeAffinity: nodeAffinity("all"), PodAffinity: podAffinity("mon"), PodAntiAffinity: podAntiAffinity("all")},
		},
		"its own affinities win": {
			v1.Placements{
				v1.All: {NodeAffinity: nodeAffinity("all"), PodAffinity: podAffinity("all"), PodAntiAffinity: podAntiAffinity("all")},
				v1.Mon: {NodeAffinity: nodeAffinity("mon"), PodAntiAffinity: podAntiAffinity("mon")},
			},
			v1.Placement{NodeAffinity: nodeAffinity("mon"), PodAffinity: podAffinity("all"), PodAntiAffinity: podAntiAffinity("mon")},
		},
		"tolerations add up, without repeats": {
			v1.Placements{
				v1.All: {Tolerations: []corev1.Toleration{toleration("a"), toleration("b")}},
				v1.Mon: {Tolerations: []corev1.Toleration{toleration("b"), toleration("c")}},
			},
			v1.Placement{Tolerations: []corev1.Toleration{toleration("a"), toleration("b"), toleration("c")}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.placements.For(v1.Mon)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestPlacementsForSharesNothing(t *testing.T) {
	placements := v1.Placements{v1.All: {NodeAffinity: nodeAffinity("all"), Tolerations: []corev1.Toleration{toleration("a")}}}
	merged := placements.For(v1.Mon)
	merged.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchExpressions[0].Key = "changed"
	merged.Tolerations[0].Key = "changed"
	want := v1.Placements{v1.All: {NodeAffinity: nodeAffinity("all"), Tolerations: []corev1.Toleration{toleration("a")}}}
	if diff := cmp.Diff(want, placements); diff != "" {
		t.Errorf("the spec changed:\n%s", diff)
	}
}

func TestAnnotationsFor(t *testing.T) {
	tests := map[string]struct {
		annotations v1.Annotations
		want        map[string]string // of the mgr
	}{
		"nothing":        {},
		"only another's": {annotations: v1.Annotations{v1.OSD: {"a": "osd"}}},
		"empty":          {annotations: v1.Annotations{v1.All: {}, v1.Mgr: nil}},
		"only all":       {v1.Annotations{v1.All: {"a": "all"}}, map[string]string{"a": "all"}},
		"its own wins, key by key": {
			v1.Annotations{v1.All: {"a": "all", "b": "all"}, v1.Mgr: {"b": "mgr", "c": "mgr"}},
			map[string]string{"a": "all", "b": "mgr", "c": "mgr"},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, test.annotations.For(v1.Mgr)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
