package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

const (
	// Group is the API group of all kinds of this package (S1).
	Group = "ceph.rook.io"
	// Version is the API version of this package (S1).
	Version = "v1"
	// CephClusterKind is the kind of CephCluster (S1).
	CephClusterKind = "CephCluster"
	// CephClusterResource is the plural under which the API serves CephClusters (S1).
	CephClusterResource = "cephclusters"
	// CephBlockPoolKind is the kind of CephBlockPool.
	CephBlockPoolKind = "CephBlockPool"
	// CephBlockPoolResource is the plural under which the API serves CephBlockPools.
	CephBlockPoolResource = "cephblockpools"
	// CephFilesystemKind is the kind of CephFilesystem.
	CephFilesystemKind = "CephFilesystem"
)

// SchemeGroupVersion returns ceph.rook.io/v1.
func SchemeGroupVersion() schema.GroupVersion {
	return schema.GroupVersion{Group: Group, Version: Version}
}

// AddToScheme makes s know this package's kinds. It fails only if s is nil-like
// or holds other types under the same names.
func AddToScheme(s *runtime.Scheme) error {
	s.AddKnownTypes(SchemeGroupVersion(), &CephCluster{}, &CephClusterList{}, &CephBlockPool{}, &CephBlockPoolList{},
		&CephFilesystem{}, &CephFilesystemList{})
	metav1.AddToGroupVersion(s, SchemeGroupVersion())
	return nil
}
