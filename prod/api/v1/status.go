package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// ClusterState is the state of a cluster in one word (S52).
//
// +kubebuilder:validation:Enum=Creating;Created;Updating;Error;Deleting
type ClusterState string

// The states of a cluster (S52).
const (
	// ClusterStateCreating: the first orchestration is not done yet.
	ClusterStateCreating ClusterState = "Creating"
	// ClusterStateCreated: the last orchestration did all it had to do.
	ClusterStateCreated ClusterState = "Created"
	// ClusterStateUpdating: a change of the spec is being carried out.
	ClusterStateUpdating ClusterState = "Updating"
	// ClusterStateError: the user must do something; message says what.
	ClusterStateError ClusterState = "Error"
	// ClusterStateDeleting: the CephCluster is being deleted.
	ClusterStateDeleting ClusterState = "Deleting"
)

// ClusterPhase is today's word for the state, for tools that wait for it.
//
// +kubebuilder:validation:Enum=Progressing;Ready;Failure;Deleting
type ClusterPhase string

// The phases of a cluster.
const (
	ClusterPhaseProgressing ClusterPhase = "Progressing"
	ClusterPhaseReady       ClusterPhase = "Ready"
	ClusterPhaseFailure     ClusterPhase = "Failure"
	ClusterPhaseDeleting    ClusterPhase = "Deleting"
)

// Phase returns the phase that goes with the state; "" goes with "".
func (s ClusterState) Phase() ClusterPhase {
	switch s {
	case ClusterStateCreating, ClusterStateUpdating:
		return ClusterPhaseProgressing
	case ClusterStateCreated:
		return ClusterPhaseReady
	case ClusterStateError:
		return ClusterPhaseFailure
	case ClusterStateDeleting:
		return ClusterPhaseDeleting
	}
	return ""
}

// ClusterStatus is what the operator reports.
type ClusterStatus struct {
	// The state in one word (S52).
	// +optional
	State ClusterState `json:"state,omitempty"`

	// Today's word for the same; always state's Phase.
	// +optional
	Phase ClusterPhase `json:"phase,omitempty"`

	// What a person should know about the state; empty when all is well (S52).
	// +optional
	Message string `json:"message,omitempty"`

	// The conditions; their types and reasons are the constants Condition* and Reason*.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// The metadata.generation of the spec that the status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// Ceph's own health (S53).
	// +optional
	Ceph *CephStatus `json:"ceph,omitempty"`

	// The image in effect and its Ceph release, as it was detected (S44).
	// +optional
	Version *VersionStatus `json:"version,omitempty"`

	// The image that the spec asks for and its Ceph release, as long as it may
	// not run.
	// +optional
	NextVersion *VersionStatus `json:"nextVersion,omitempty"`

	// What the operator made of spec.mon (S36-S38).
	// +optional
	Mon *MonStatus `json:"mon,omitempty"`

	// What became of nodes and devices.
	// +optional
	Storage *StorageStatus `json:"storage,omitempty"`

	// What is to be wiped on the nodes; there while the cluster is deleted with its data (S58).
	// +optional
	Cleanup *CleanupStatus `json:"cleanup,omitempty"`
}

// CephStatus is the cluster's health as Ceph reports it. Times are RFC 3339 in
// UTC, to the second (S53).
type CephStatus struct {
	// HEALTH_OK, HEALTH_WARN or HEALTH_ERR.
	// +optional
	Health string `json:"health,omitempty"`

	// The health checks that fail, keyed by their code, for example OSD_DOWN.
	// +optional
	Details map[string]HealthCheck `json:"details,omitempty"`

	// When Ceph last answered.
	// +optional
	LastChecked string `json:"lastChecked,omitempty"`

	// When health last changed; empty until it first does.
	// +optional
	LastChanged string `json:"lastChanged,omitempty"`

	// Health before the last change; empty until it first changes.
	// +optional
	PreviousHealth string `json:"previousHealth,omitempty"`
}

// HealthCheck is one failing health check.
type HealthCheck struct {
	// HEALTH_WARN or HEALTH_ERR.
	Severity string `json:"severity"`
	// Ceph's one-line summary.
	Message string `json:"message"`
}

// VersionStatus is the Ceph release that runs.
type VersionStatus struct {
	// The image that was asked for its version.
	// +optional
	Image string `json:"image,omitempty"`

	// Its answer, for example 14.2.0.
	// +optional
	Version string `json:"version,omitempty"`
}

// MonStatus is what the operator made of spec.mon.
type MonStatus struct {
	// Number of mons the operator works towards (S36-S38).
	// +kubebuilder:validation:Minimum=0
	Count int `json:"count"`

	// The mons that are out of quorum, and those that Ceph knows and the operator
	// does not, with the time since which that has been so without a break.
	// +optional
	// +listType=map
	// +listMapKey=name
	OutOfQuorum []MonOutStatus `json:"outOfQuorum,omitempty"`
}

// MonOutStatus is a mon that is out of quorum.
type MonOutStatus struct {
	// The mon's name.
	Name string `json:"name"`

	// When it was first seen out of quorum. RFC 3339 in UTC, to the second.
	Since metav1.Time `json:"since"`
}

// Bounds of the status, so that no cluster outgrows what the API stores.
const (
	// MaxStatusNodes is how many storage nodes the status lists.
	MaxStatusNodes = 500
	// MaxStatusOSDs is how many OSDs the status lists for a node.
	MaxStatusOSDs = 100
	// MaxStatusUnused is how many unused devices the status lists for a node.
	MaxStatusUnused = 50
	// MaxStatusReason is the length of a reason in bytes.
	MaxStatusReason = 256
)

// StorageStatus is what became of nodes and devices. Bound cuts it to its bounds.
type StorageStatus struct {
	// The storage nodes by name.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=500
	Nodes []NodeStorageStatus `json:"nodes,omitempty"`

	// How many nodes are not listed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	NodesOmitted int `json:"nodesOmitted,omitempty"`
}

// NodeStorageStatus is what became of one storage node.
type NodeStorageStatus struct {
	// Value of the node's label kubernetes.io/hostname.
	Name string `json:"name"`

	// The OSDs of the node by id.
	// +optional
	// +listType=map
	// +listMapKey=id
	// +kubebuilder:validation:MaxItems=100
	OSDs []OSDStatus `json:"osds,omitempty"`

	// How many OSDs are not listed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OSDsOmitted int `json:"osdsOmitted,omitempty"`

	// The devices and directories that carry no OSD, and why.
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=50
	Unused []UnusedDevice `json:"unused,omitempty"`

	// How many unused devices are not listed.
	// +optional
	// +kubebuilder:validation:Minimum=0
	UnusedOmitted int `json:"unusedOmitted,omitempty"`
}

// OSDStatus is one OSD of a node.
type OSDStatus struct {
	// The OSD's id.
	// +kubebuilder:validation:Minimum=0
	ID int `json:"id"`

	// The device or directory it stands on, for example sdb or /var/lib/rook.
	// +optional
	Device string `json:"device,omitempty"`

	// What is amiss with it: down, out, or "down and out". Empty for one that is
	// up and in.
	// +optional
	State string `json:"state,omitempty"`
}

// What may be amiss with an OSD.
const (
	OSDDown       = "down"
	OSDOut        = "out"
	OSDDownAndOut = "down and out"
)

// UnusedDevice is a device or directory that carries no OSD.
type UnusedDevice struct {
	// The device's name or the directory's path.
	Name string `json:"name"`

	// Why it is not used, for a person.
	// +kubebuilder:validation:MaxLength=256
	Reason string `json:"reason"`
}

// Bound returns the status cut to its bounds: the first of each list stay and
// the rest is counted, and a long reason ends in "...". The result shares
// nothing with s.
func (s StorageStatus) Bound() StorageStatus {
	bounded := *s.DeepCopy()
	bounded.Nodes, bounded.NodesOmitted = cut(bounded.Nodes, bounded.NodesOmitted, MaxStatusNodes)
	for i := range bounded.Nodes {
		node := &bounded.Nodes[i]
		node.OSDs, node.OSDsOmitted = cut(node.OSDs, node.OSDsOmitted, MaxStatusOSDs)
		node.Unused, node.UnusedOmitted = cut(node.Unused, node.UnusedOmitted, MaxStatusUnused)
		for j := range node.Unused {
			node.Unused[j].Reason = shorten(node.Unused[j].Reason, MaxStatusReason)
		}
	}
	return bounded
}

// cut returns the first limit elements of list, and omitted plus the number of the rest.
func cut[T any](list []T, omitted, limit int) ([]T, int) {
	if len(list) <= limit {
		return list, omitted
	}
	return list[:limit], omitted + len(list) - limit
}

// shorten returns text in at most limit bytes of valid UTF-8.
func shorten(text string, limit int) string {
	const ellipsis = "..."
	if len(text) <= limit {
		return text
	}
	end := 0
	for i := range text {
		if i > limit-len(ellipsis) {
			break
		}
		end = i
	}
	return text[:end] + ellipsis
}
