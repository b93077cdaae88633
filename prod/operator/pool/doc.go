// Package pool looks after the pools that CephBlockPools ask for.
//
// A pass waits for the CephCluster of the namespace to have its mons in quorum
// (controller.go), reads what the pool, its crush rule and its properties are
// (observe.go), decides what has to change (plan.go: pure), and changes that and
// nothing else (act.go). How it ended stands in the status (status.go, and package
// dependent, which has what pools and file systems share).
//
// A pool that is there already is taken over if it is for the same application,
// as Ceph's own .mgr. Its data is not moved by another crush rule unless
// enableCrushUpdates says so, and a pool goes with its CephBlockPool only if it
// is empty, or the annotation rook.io/force-deletion says so (delete.go).
package pool
