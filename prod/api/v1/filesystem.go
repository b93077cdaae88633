package v1

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CephFilesystemFinalizer keeps a CephFilesystem until the operator has removed
// its file system, or knows that it stays.
const CephFilesystemFinalizer = "cephfilesystem.ceph.rook.io"

// CephFilesystem is one file system of the CephCluster of its namespace: its
// pools and the metadata servers (MDS) that serve it.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=cephfilesystems,singular=cephfilesystem,scope=Namespaced,shortName=cephfs
// +kubebuilder:printcolumn:name="ActiveMDS",type=integer,JSONPath=`.spec.metadataServer.activeCount`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:validation:XValidation:rule="!self.metadata.name.matches('^[0-9]')",message="the name of a file system begins with a letter, since Ceph names its MDS after it"
// +kubebuilder:validation:XValidation:rule="size(self.metadata.name) <= 45",message="the name of a file system has at most 45 characters, since Deployments are named after it"
type CephFilesystem struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the user asks for.
	Spec FilesystemSpec `json:"spec"`

	// What the operator sees. Written through the status subresource only.
	// +optional
	Status DependentStatus `json:"status,omitempty"`
}

// CephFilesystemList is a list of CephFilesystems.
//
// +kubebuilder:object:root=true
type CephFilesystemList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CephFilesystem `json:"items"`
}

// FilesystemSpec is what the user asks for.
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="!(has(self.metadataPool.erasureCoded) && self.metadataPool.erasureCoded.dataChunks > 0)",message="the metadata of a file system are kept in whole copies: metadataPool needs replicated",fieldPath=".metadataPool.erasureCoded"
type FilesystemSpec struct {
	// The pool of the metadata: directories, names, attributes.
	MetadataPool FilesystemPoolSpec `json:"metadataPool"`

	// The pools of the files' contents. The first is where they go by default.
	// +kubebuilder:validation:MaxItems=64
	DataPools []FilesystemPoolSpec `json:"dataPools"`

	// Whether pools have the names that are given, without that of the file
	// system before them.
	// +optional
	PreservePoolNames bool `json:"preservePoolNames,omitempty"`

	// Whether the pools stay when the CephFilesystem is deleted.
	// +optional
	PreservePoolsOnDelete bool `json:"preservePoolsOnDelete,omitempty"`

	// Whether the file system and its pools stay when the CephFilesystem is
	// deleted, without an MDS to serve it.
	// +optional
	PreserveFilesystemOnDelete bool `json:"preserveFilesystemOnDelete,omitempty"`

	// The metadata servers.
	MetadataServer MetadataServerSpec `json:"metadataServer"`

	// Fields that stand in the manifest and that this operator does not know, at
	// any depth. Read and written back with the spec, never acted on.
	Unserved []UnservedField `json:"-"`
}

// FilesystemPoolSpec is a pool of a file system.
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="!(has(self.replicated) && self.replicated.size > 0 && has(self.erasureCoded) && self.erasureCoded.dataChunks > 0)",message="replicated and erasureCoded exclude each other",fieldPath=".erasureCoded"
// +kubebuilder:validation:XValidation:rule="(has(self.replicated) && self.replicated.size > 0) || (has(self.erasureCoded) && self.erasureCoded.dataChunks > 0)",message="needs replicated with a size of at least 1, or erasureCoded with dataChunks and codingChunks"
// +kubebuilder:validation:XValidation:rule="!has(self.replicated) || self.replicated.size != 1 || !has(self.replicated.requireSafeReplicaSize) || !self.replicated.requireSafeReplicaSize",message="a single copy is lost with its OSD: a size of 1 needs requireSafeReplicaSize: false",fieldPath=".replicated.requireSafeReplicaSize"
type FilesystemPoolSpec struct {
	// The pool is called <file system>-<name>. Not given, it is metadata, and
	// for data pools data0, data1, … in their order.
	// +optional
	// +kubebuilder:validation:MaxLength=64
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.-]*$`
	Name string `json:"name,omitempty"`

	PoolSpec `json:",inline"`
}

// MetadataServerSpec is how many MDS there are and how they run.
//
// +kubebuilder:pruning:PreserveUnknownFields
type MetadataServerSpec struct {
	// Number of MDS that share the work. As many again stand by.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=50
	ActiveCount int `json:"activeCount"`

	// Whether those that stand by follow an active one, so that they take over
	// at once (standby-replay).
	// +optional
	ActiveStandby bool `json:"activeStandby,omitempty"`

	// Where the MDS may run.
	// +optional
	Placement Placement `json:"placement,omitzero"`

	// Annotations of the MDS pods.
	// +optional
	Annotations map[string]string `json:"annotations,omitempty"`

	// Labels of the MDS pods, beside the operator's own.
	// +optional
	Labels map[string]string `json:"labels,omitempty"`

	// Limits and requests of the MDS containers. Half of the memory limit becomes
	// the MDS's cache.
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitzero"`

	// The priority class of the MDS pods.
	// +optional
	// +kubebuilder:validation:MaxLength=253
	PriorityClassName string `json:"priorityClassName,omitempty"`
}

// FilesystemInfoID is the key of a file system's status.info with its number
// (fscid).
const FilesystemInfoID = "id"

// MetadataPoolName is the name of the metadata pool in Ceph.
func (f *CephFilesystem) MetadataPoolName() string {
	return f.poolName(f.Spec.MetadataPool.Name, "metadata")
}

// DataPoolNames are the names of the data pools in Ceph, in their order.
func (f *CephFilesystem) DataPoolNames() []string {
	names := make([]string, len(f.Spec.DataPools))
	for i, p := range f.Spec.DataPools {
		names[i] = f.poolName(p.Name, fmt.Sprintf("data%d", i))
	}
	return names
}

func (f *CephFilesystem) poolName(given, otherwise string) string {
	switch {
	case given == "":
		return f.Name + "-" + otherwise
	case f.Spec.PreservePoolNames:
		return given
	}
	return f.Name + "-" + given
}

// UnmarshalJSON reads the spec and keeps in Unserved what its type does not know.
func (s *FilesystemSpec) UnmarshalJSON(data []byte) error {
	type plain FilesystemSpec // without this method
	known, unserved, err := readKeeping[plain](data)
	if err != nil {
		return err
	}
	*s = FilesystemSpec(known)
	s.Unserved = unserved
	return nil
}

// MarshalJSON writes the spec with the fields of Unserved in their places.
func (s FilesystemSpec) MarshalJSON() ([]byte, error) {
	type plain FilesystemSpec // without this method
	return writeKeeping(plain(s), s.Unserved)
}

// UnservedFilesystemFields returns the names, sorted, of all fields that spec
// sets to something and that the operator does nothing with, as
// [UnservedFields] does.
func UnservedFilesystemFields(spec FilesystemSpec) []string {
	names := namesOf(spec.Unserved)
	slices.Sort(names)
	return names
}
