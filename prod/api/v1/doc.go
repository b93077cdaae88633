// Package v1 is the API that people write: CephCluster, CephBlockPool and
// CephFilesystem of the group ceph.rook.io, version v1, with the field names
// that manifests have carried since 2019, so that a manifest of that day and one
// of today both apply.
//
// # A tour
//
//   - cluster.go: CephCluster, its spec and the small sections (image, mons, dashboard, network, rbd mirroring).
//   - placement.go: what is keyed by daemon: placement, annotations, resources, and how "all" merges with a daemon's own.
//   - storage.go: which nodes, devices and directories become OSDs, and what holds for one node once the cluster's and its own values are merged.
//   - config.go: the string settings of an OSD (store type, sizes, OSDs per device) and their typed readings.
//   - lifecycle.go: how the cluster is looked after, upgraded, drained and deleted.
//   - pool.go: CephBlockPool, one pool of the cluster of its namespace.
//   - filesystem.go: CephFilesystem, its pools and its metadata servers.
//   - dependent.go: what the operator reports of pools and file systems.
//   - status.go: what the operator reports. conditions.go: the condition types and reasons it uses.
//   - unserved.go: the names of fields that are accepted though this operator does nothing with them yet. keep.go: how a Go round trip keeps them.
//   - register.go: how the types get into a runtime.Scheme.
//
// The CRD is generated from these files into prod/api/crd. What the schema can
// refuse it refuses there, at apply time, with the field's name: types, enums,
// required fields, regular expressions that do not compile, settings that must
// read as numbers. What is odd yet harmless, such as a mon count of 0 or 12, is
// let through and put right by the operator, which says so.
//
// # Nothing a user wrote is ever lost
//
// The schema does not prune the spec's sections, and [ClusterSpec] carries
// fields unknown to it through a Go round trip in Unserved. All the same, the
// operator writes only to the status subresource and to
// metadata.finalizers, both by patch, and never sends a spec: what it does not
// send it cannot lose, whatever a later version of the API holds.
//
// +kubebuilder:object:generate=true
// +groupName=ceph.rook.io
package v1

//go:generate go tool controller-gen object crd paths=. output:crd:artifacts:config=../crd
