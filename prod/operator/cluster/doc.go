// Package cluster reconciles CephClusters: it is the one controller that brings
// up a Ceph cluster and keeps it as its spec asks.
//
// One reconcile is one pass (reconcile.go): read the CephCluster, make the spec
// in effect of it (effective.go), refuse what cannot be carried out before
// anything is made (validate.go, others.go), then run the steps in the seed's
// order (steps.go): Ceph version, a person's own settings, identity, mons, crush
// map, mgr, OSDs, rbd-mirror. A step never waits; the first that is not done
// ends the pass. outcome.go says what has become of a pass, status.go turns that
// into state and conditions, and write.go writes them, by patch of the status alone
// and only if something changed.
// watches.go and, for nodes, nodes.go say which events lead to a pass.
//
// delete.go takes a CephCluster down that is being deleted (S54, S58). What needs
// it (package dependent) blocks that, and as long as it does the cluster is looked
// after as before; then its data is destroyed if that is confirmed (package
// cleanup), and at last the finalizer goes. Garbage collection does the rest:
// everything that was made for the cluster is owned by it, and nothing is meant to
// outlive it but what is on the hosts.
//
// Nothing that matters is kept in memory between passes (backoff.go only spaces
// them). How long the operator has been at work on a spec, and whether it creates
// or updates, stands in the condition Progressing.
package cluster
