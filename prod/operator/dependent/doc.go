// Package dependent is about what lives on a CephCluster: CephBlockPools,
// CephFilesystems, and the volumes that were made on it.
//
// For the CephCluster, it knows what needs it and holds its deletion back (S58,
// B28): [Blockers] lists the other resources of its API group in its namespace,
// and the volumes (resources.go, volumes.go). A kind that is not installed means
// that there is none of it; a kind that cannot be read is an error, and never
// "none".
//
// For the controllers of those resources, it has what they share: the cluster of
// their namespace and when it can serve them (cluster.go), how a pass ends in the
// status (status.go), the writes of status and finalizer (writer.go), and whether
// one that is deleted need not wait for Ceph any more (deletion.go, abandoned.go).
package dependent
