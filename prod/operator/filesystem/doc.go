// Package filesystem looks after the file systems that CephFilesystems ask for:
// pools, the file system in Ceph, and its metadata servers (MDS).
//
// A pass (controller.go) waits for the CephCluster of the namespace as one over a
// pool does, reads what there is (fsmap, pools, Deployments), and makes what is
// missing: pools by package pool, the file system by `fs new`, MDS in
// Deployments rook-ceph-mds-<file system>-a, -b, …, twice as many as serve
// (daemons.go). How many ranks there are and whether standbys follow them is kept
// as the spec says (plan.go: pure). How it ended stands in the status (status.go).
//
// # Another image
//
// An MDS of a new release does not share the work with one of an old release. So
// a new image is carried out in this order (roll.go), each step derived anew from
// what is seen, so that nothing of it need be remembered: standbys follow no more,
// one rank is left, the standbys are replaced one after the other, then the one
// that serves; and in the end ranks and followers are as the spec says again. Not
// before all OSDs run the new release, and not without Ceph's leave: package
// upgrade is asked each time.
//
// # What goes
//
// MDS beyond the wanted number go one by one when they are not needed any more.
// With its CephFilesystem go the file system, its pools and its MDS (delete.go),
// unless the spec says that they stay or files are in it.
package filesystem
