package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The reasons of conditions of a cluster that is being deleted (S58).
const (
	// ReasonDependentsLeft: resources or volumes that need the cluster are still there; the message lists them (condition DeletionBlocked).
	ReasonDependentsLeft = "DependentsLeft"
	// ReasonDeleting: the cluster is being taken down (condition Ready).
	ReasonDeleting = "Deleting"
	// ReasonCleanupConfirmed: spec.cleanupPolicy.confirmation is set, so that nothing is configured any more.
	ReasonCleanupConfirmed = "CleanupConfirmed"
)

// CleanupStatus is what is to be wiped of a cluster whose data is destroyed with
// it. It is written before the first daemon goes, and is all that is needed to
// finish.
type CleanupStatus struct {
	// The cluster's fsid: nothing that belongs to another one is touched.
	FSID string `json:"fsid"`

	// When it began.
	Since metav1.Time `json:"since"`

	// The nodes that hold something of the cluster, by their label kubernetes.io/hostname.
	// +optional
	// +listType=set
	// +kubebuilder:validation:MaxItems=5000
	Nodes []string `json:"nodes,omitempty"`
}

// Destroys says whether the data on the hosts goes with the cluster.
func (p CleanupPolicySpec) Destroys() bool { return p.Confirmation == DestroyData }
