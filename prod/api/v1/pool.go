package v1

import (
	"fmt"
	"slices"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CephBlockPoolFinalizer keeps a CephBlockPool until the operator has removed
// its pool, or knows that the pool stays.
const CephBlockPoolFinalizer = "cephblockpool.ceph.rook.io"

// ForceDeletionAnnotation, set to "true", lets a pool be removed together with
// the objects that it holds.
const ForceDeletionAnnotation = "rook.io/force-deletion"

// CephBlockPool is one pool of the CephCluster of its namespace.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=cephblockpools,singular=cephblockpool,scope=Namespaced
// +kubebuilder:printcolumn:name="Phase",type=string,JSONPath=`.status.phase`
// +kubebuilder:printcolumn:name="Type",type=string,JSONPath=`.status.info.type`
// +kubebuilder:printcolumn:name="FailureDomain",type=string,JSONPath=`.status.info.failureDomain`
// +kubebuilder:printcolumn:name="Replication",type=integer,JSONPath=`.spec.replicated.size`,priority=1
// +kubebuilder:printcolumn:name="EC-CodingChunks",type=integer,JSONPath=`.spec.erasureCoded.codingChunks`,priority=1
// +kubebuilder:printcolumn:name="EC-DataChunks",type=integer,JSONPath=`.spec.erasureCoded.dataChunks`,priority=1
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
type CephBlockPool struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the user asks for.
	Spec BlockPoolSpec `json:"spec"`

	// What the operator sees. Written through the status subresource only.
	// +optional
	Status DependentStatus `json:"status,omitempty"`
}

// CephBlockPoolList is a list of CephBlockPools.
//
// +kubebuilder:object:root=true
type CephBlockPoolList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CephBlockPool `json:"items"`
}

// PoolName is the name of the pool in Ceph: spec.name, or else the resource's own.
func (p *CephBlockPool) PoolName() string {
	if p.Spec.Name != "" {
		return string(p.Spec.Name)
	}
	return p.Name
}

// BlockPoolSpec is what the user asks for. A section whose numbers are all 0 is
// the same as none, since manifests that were read from a cluster have both.
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="!(has(self.replicated) && self.replicated.size > 0 && has(self.erasureCoded) && self.erasureCoded.dataChunks > 0)",message="replicated and erasureCoded exclude each other",fieldPath=".erasureCoded"
// +kubebuilder:validation:XValidation:rule="(has(self.replicated) && self.replicated.size > 0) || (has(self.erasureCoded) && self.erasureCoded.dataChunks > 0)",message="needs replicated with a size of at least 1, or erasureCoded with dataChunks and codingChunks"
// +kubebuilder:validation:XValidation:rule="(has(self.replicated) && self.replicated.size > 0) == (has(oldSelf.replicated) && oldSelf.replicated.size > 0)",message="a pool cannot change between replicated and erasureCoded: make another pool and move the data"
// +kubebuilder:validation:XValidation:rule="!has(self.replicated) || self.replicated.size != 1 || (has(self.replicated.requireSafeReplicaSize) && !self.replicated.requireSafeReplicaSize)",message="a single copy is lost with its OSD: a size of 1 needs requireSafeReplicaSize: false",fieldPath=".replicated.requireSafeReplicaSize"
// +kubebuilder:validation:XValidation:rule="!has(self.erasureCoded) || !has(oldSelf.erasureCoded) || (self.erasureCoded.dataChunks == oldSelf.erasureCoded.dataChunks && self.erasureCoded.codingChunks == oldSelf.erasureCoded.codingChunks)",message="the chunks of a pool cannot change: make another pool and move the data",fieldPath=".erasureCoded"
// +kubebuilder:validation:XValidation:rule="has(self.name) == has(oldSelf.name) && (!has(self.name) || self.name == oldSelf.name)",message="cannot change: the resource would let go of its pool",fieldPath=".name"
type BlockPoolSpec struct {
	// Name of the pool where a resource cannot have it: of one of Ceph's own
	// pools. Not given, the pool has the resource's name.
	// +optional
	Name BuiltInPool `json:"name,omitempty"`

	PoolSpec `json:",inline"`

	// What the pool is for, as of ceph osd pool application enable. Not given,
	// it is rbd, and for one of Ceph's own pools what Ceph uses it for.
	// +optional
	// +kubebuilder:validation:MaxLength=128
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.]*$`
	Application string `json:"application,omitempty"`

	// Whether the mgr counts operations for each image of the pool. Accepted and
	// kept, and named by [UnservedPoolFields].
	// +optional
	EnableRBDStats bool `json:"enableRBDStats,omitempty"`

	// Fields that stand in the manifest and that this operator does not know, at
	// any depth. Read and written back with the spec, never acted on.
	Unserved []UnservedField `json:"-"`
}

// PoolSpec is where the parts of a pool's objects go, and what else holds for
// any pool: of a CephBlockPool or of a file system.
type PoolSpec struct {
	// The kind of bucket that no two copies or chunks share, for example osd,
	// host or zone. Not given, it is host for a pool that is created, and a pool
	// that is there keeps its own.
	// +optional
	FailureDomain CrushName `json:"failureDomain,omitempty"`

	// The root of the crush hierarchy to take OSDs from. Not given, it is
	// default for a pool that is created.
	// +optional
	CrushRoot CrushName `json:"crushRoot,omitempty"`

	// The device class to take OSDs of, for example ssd. Not given, it is any.
	// +optional
	DeviceClass CrushName `json:"deviceClass,omitempty"`

	// Whether a pool that is there gets another crush rule when failureDomain,
	// crushRoot or deviceClass ask for it, which moves its data.
	// +optional
	EnableCrushUpdates bool `json:"enableCrushUpdates,omitempty"`

	// A pool of whole copies.
	// +optional
	Replicated *ReplicatedSpec `json:"replicated,omitempty"`

	// A pool of data and coding chunks.
	// +optional
	ErasureCoded *ErasureCodedSpec `json:"erasureCoded,omitempty"`

	// Properties of the pool, as of ceph osd pool set.
	// +optional
	// +kubebuilder:validation:MaxProperties=64
	// +kubebuilder:validation:XValidation:rule="self.all(key, key.matches('^[a-z][a-z0-9_-]*$'))",message="a property is written in small letters, digits, _ and -"
	// +kubebuilder:validation:XValidation:rule="self.all(key, size(self[key]) > 0 && !self[key].startsWith('--'))",message="a value is not empty and does not begin with --"
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key == 'size')",message="the number of copies is replicated.size"
	// +kubebuilder:validation:XValidation:rule="!self.exists(key, key == 'crush_rule')",message="the crush rule follows from failureDomain, crushRoot and deviceClass"
	Parameters map[string]ParameterValue `json:"parameters,omitempty"`

	// How much the pool may hold.
	// +optional
	Quotas QuotaSpec `json:"quotas,omitempty"`
}

// BuiltInPool is a pool that Ceph's daemons make for themselves.
//
// +kubebuilder:validation:Enum=.mgr;.nfs;.rgw.root
type BuiltInPool string

// Application is what Ceph uses the pool for; "" for "".
func (b BuiltInPool) Application() string {
	switch b {
	case ".mgr":
		return "mgr"
	case ".nfs":
		return "nfs"
	case ".rgw.root":
		return "rgw"
	}
	return ""
}

// CrushName is the name of a bucket, a kind of bucket or a device class.
//
// +kubebuilder:validation:MaxLength=128
// +kubebuilder:validation:Pattern=`^[A-Za-z0-9_.-]*$`
type CrushName string

// ParameterValue is the value of a pool's property.
//
// +kubebuilder:validation:MaxLength=256
type ParameterValue string

// ReplicatedSpec is a pool of whole copies.
//
// +kubebuilder:pruning:PreserveUnknownFields
type ReplicatedSpec struct {
	// Number of copies.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=10
	Size int `json:"size"`

	// Whether a size of 1 is refused. Nil means true, but in a file system: its
	// manifests are older than the field, and those for tests ask for one copy.
	// +optional
	RequireSafeReplicaSize *bool `json:"requireSafeReplicaSize,omitempty"`
}

// ErasureCodedSpec is a pool of data and coding chunks.
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="(self.dataChunks == 0 && self.codingChunks == 0) || (self.dataChunks >= 2 && self.codingChunks >= 1)",message="needs at least 2 dataChunks and 1 codingChunks"
type ErasureCodedSpec struct {
	// Number of chunks that an object is cut into.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	DataChunks int `json:"dataChunks"`

	// Number of chunks that are added, and may be lost.
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=64
	CodingChunks int `json:"codingChunks"`
}

// QuotaSpec is how much a pool may hold. What is not given stays as it is in
// Ceph; 0 takes the quota away.
//
// +kubebuilder:pruning:PreserveUnknownFields
type QuotaSpec struct {
	// Most bytes, by the older name; maxSize goes before it.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxBytes *int64 `json:"maxBytes,omitempty"`

	// Most bytes as a quantity, for example 10Gi.
	// +optional
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[0-9]{1,18}(\.[0-9]{1,3})?([KMGTPE]i|[kMGTPE])?$`
	MaxSize *string `json:"maxSize,omitempty"`

	// Most objects.
	// +optional
	// +kubebuilder:validation:Minimum=0
	MaxObjects *int64 `json:"maxObjects,omitempty"`
}

// Bytes returns the quota of bytes, nil if none is given. An error means that
// maxSize is not a quantity, or beyond what 63 bits hold.
func (q QuotaSpec) Bytes() (*int64, error) {
	if q.MaxSize == nil {
		return q.MaxBytes, nil
	}
	quantity, err := resource.ParseQuantity(*q.MaxSize)
	if err != nil {
		return nil, fmt.Errorf("quotas.maxSize %q: %w", *q.MaxSize, err)
	}
	if quantity.CmpInt64(1<<62) > 0 {
		return nil, fmt.Errorf("quotas.maxSize %q is more than Ceph counts", *q.MaxSize)
	}
	bytes := quantity.Value()
	return &bytes, nil
}

// IsErasureCoded tells whether chunks are asked for, and not copies.
func (s *PoolSpec) IsErasureCoded() bool {
	return s.ErasureCoded != nil && s.ErasureCoded.DataChunks > 0
}

// The keys of a pool's status.info.
const (
	PoolInfoType          = "type"          // Replicated or Erasure Coded
	PoolInfoFailureDomain = "failureDomain" // as the pool's crush rule has it
	PoolInfoID            = "id"            // the pool's number
	// PoolInfoDeletionOpened is "true" from before the operator lets the mons
	// delete pools until after it has forbidden it again.
	PoolInfoDeletionOpened = "poolDeletionOpened"
)

// UnmarshalJSON reads the spec and keeps in Unserved what its type does not know.
func (s *BlockPoolSpec) UnmarshalJSON(data []byte) error {
	type plain BlockPoolSpec // without this method
	known, unserved, err := readKeeping[plain](data)
	if err != nil {
		return err
	}
	*s = BlockPoolSpec(known)
	s.Unserved = unserved
	return nil
}

// MarshalJSON writes the spec with the fields of Unserved in their places.
func (s BlockPoolSpec) MarshalJSON() ([]byte, error) {
	type plain BlockPoolSpec // without this method
	return writeKeeping(plain(s), s.Unserved)
}

// UnservedPoolFields returns the names, sorted, of all fields that spec sets to
// something and that the operator does nothing with, as [UnservedFields] does.
func UnservedPoolFields(spec BlockPoolSpec) []string {
	names := namesOf(spec.Unserved)
	if spec.EnableRBDStats {
		names = append(names, "enableRBDStats")
	}
	slices.Sort(names)
	return names
}
