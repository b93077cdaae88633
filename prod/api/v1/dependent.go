package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// DependentPhase is the state of what lives on a CephCluster, in one word.
//
// +kubebuilder:validation:Enum=Progressing;Ready;Failure;Deleting
type DependentPhase string

// The phases of a CephBlockPool or CephFilesystem.
const (
	// DependentPhaseProgressing: something is waited for; condition Ready says what.
	DependentPhaseProgressing DependentPhase = "Progressing"
	// DependentPhaseReady: it is as the spec asks.
	DependentPhaseReady DependentPhase = "Ready"
	// DependentPhaseFailure: something failed or was refused; condition Ready says what.
	DependentPhaseFailure DependentPhase = "Failure"
	// DependentPhaseDeleting: it is being deleted.
	DependentPhaseDeleting DependentPhase = "Deleting"
)

// DependentStatus is what the operator reports of a CephBlockPool or CephFilesystem.
type DependentStatus struct {
	// The state in one word.
	// +optional
	Phase DependentPhase `json:"phase,omitempty"`

	// The conditions; their types and reasons are the constants Condition* and Reason*.
	// +optional
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition `json:"conditions,omitempty"`

	// The metadata.generation of the spec that the status speaks of.
	// +optional
	ObservedGeneration int64 `json:"observedGeneration,omitempty"`

	// What it is in Ceph, by the constants PoolInfo* and FilesystemInfo*.
	// +optional
	Info map[string]string `json:"info,omitempty"`
}

// DependentStatus is the pool's status.
func (p *CephBlockPool) DependentStatus() *DependentStatus { return &p.Status }

// DependentStatus is the file system's status.
func (f *CephFilesystem) DependentStatus() *DependentStatus { return &f.Status }
