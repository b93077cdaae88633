package v1

import (
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
)

// Daemon is a key of the placement, annotations and resources maps (S9-S11).
type Daemon string

// The keys that the operator reads. Any other key is accepted and kept, and
// named by [UnservedFields].
const (
	// All holds for every daemon.
	All Daemon = "all"
	// Mon is the monitors.
	Mon Daemon = "mon"
	// Mgr is the managers.
	Mgr Daemon = "mgr"
	// OSD is the OSD daemons.
	OSD Daemon = "osd"
	// PrepareOSD is the jobs that look for devices and make OSDs of them.
	PrepareOSD Daemon = "prepareosd"
	// RBDMirror is the rbd-mirror daemons.
	RBDMirror Daemon = "rbdmirror"
)

// served tells whether the operator reads the key.
func (d Daemon) served() bool {
	switch d {
	case All, Mon, Mgr, OSD, PrepareOSD, RBDMirror:
		return true
	}
	return false
}

// Placement says where a daemon's pods may run, in the terms of a pod spec (S9).
//
// +kubebuilder:pruning:PreserveUnknownFields
type Placement struct {
	// +optional
	NodeAffinity *corev1.NodeAffinity `json:"nodeAffinity,omitempty"`
	// +optional
	PodAffinity *corev1.PodAffinity `json:"podAffinity,omitempty"`
	// +optional
	PodAntiAffinity *corev1.PodAntiAffinity `json:"podAntiAffinity,omitempty"`
	// +optional
	Tolerations []corev1.Toleration `json:"tolerations,omitempty"`
}

// Placements is the placement of each daemon (S9).
type Placements map[Daemon]Placement

// For returns what holds for the pods of d: each affinity that is written for d
// in place of the one for all, and the tolerations of both, without repeats.
// Tolerations add up because a pod that must run on a tainted node for one
// reason must still do so for the other. The result shares nothing with p.
func (p Placements) For(d Daemon) Placement {
	merged, all := p[d], p[All]
	if merged.NodeAffinity == nil {
		merged.NodeAffinity = all.NodeAffinity
	}
	if merged.PodAffinity == nil {
		merged.PodAffinity = all.PodAffinity
	}
	if merged.PodAntiAffinity == nil {
		merged.PodAntiAffinity = all.PodAntiAffinity
	}
	tolerations := slices.Clone(all.Tolerations)
	for _, own := range p[d].Tolerations {
		known := slices.ContainsFunc(tolerations, func(t corev1.Toleration) bool {
			return equality.Semantic.DeepEqual(t, own)
		})
		if !known {
			tolerations = append(tolerations, own)
		}
	}
	merged.Tolerations = tolerations
	return *merged.DeepCopy()
}

// Annotations is the annotations of each daemon's pods (S10).
type Annotations map[Daemon]map[string]string

// For returns the annotations of d's pods: those for all, overridden key by key
// by those for d. It returns nil where there are none, which for the mgr is
// when the Prometheus annotations apply.
func (a Annotations) For(d Daemon) map[string]string {
	if len(a[All])+len(a[d]) == 0 {
		return nil
	}
	merged := make(map[string]string, len(a[All])+len(a[d]))
	maps.Copy(merged, a[All])
	maps.Copy(merged, a[d])
	return merged
}

// Resources is the limits and requests of each daemon's containers (S11).
// There is no "all": a daemon that is not named has neither limits nor requests.
type Resources map[Daemon]corev1.ResourceRequirements
