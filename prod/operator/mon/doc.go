// Package mon runs a cluster's monitors.
//
// A mon has a name that is never given out twice, a node that it stays on, an
// address that never changes, and its data on the node's disk. All that is
// recorded before the mon is started, so that a restarted operator finds its
// way. New mons start one at a time, each when all before it are in quorum; a
// change reaches running mons one at a time as well, and never takes a quorum
// away. With all mons started a majority is enough to go on (S86-S102, Settled
// 23).
//
// # Looking after them
//
// Every 45 s the mons are asked who is in quorum (S53; check.go has the settings
// and their defaults). A mon that is out for ten minutes, or whose node or
// address is gone, is replaced; one that works in a place where it should not be
// is moved; those that are too many go one by one (B02). The plan over the
// membership (membership.go) needs no memory of its own:
//
//   - To replace a mon is to start one more than is wanted. What follows is that
//     there is one too many, and of those the one goes that is out of quorum.
//     So an operator that dies in between finds in the record all that it has to
//     know, and either lets the new one in and drops the dead one, or, if that
//     one is back, drops the new one (B04).
//   - One that is removed goes from Ceph first, then from the record, then its
//     Deployment and its Service: after a crash it is either still one too many,
//     or something that neither the record nor Ceph knows, which is swept up.
//   - Since when a mon is out stands in the CephCluster's status. It is no part
//     of the record of the mons, on which daemons and clients depend and which
//     would change with each mon that flaps; whoever asks why a mon is (not)
//     replaced sees it; and if a status is lost, as after a restore, a mon merely
//     gets its time once more. An absence counts once the quorum stands for
//     joinTime, so that after all were out each has its chance.
//   - Nothing is done without a quorum, with fewer than three mons none is
//     replaced, and without a node for another one is kept (B11).
//
// A mon's data stays on its node when it is removed; the log and an Event say
// where. Only spec.cleanupPolicy, when the whole cluster is deleted, wipes it.
//
// To have a mon replaced by hand, as one on another port than the standard one
// (B10), take it out of Ceph with `ceph mon remove`: it is recorded and yet never
// in quorum again, and gets a successor.
//
// # The files
//
// Start with reconcile.go, the step. assign.go chooses nodes; plan.go decides
// whether a mon may be changed or added and whether the quorum suffices;
// membership.go which one goes and which gets a successor, from what health.go
// has seen; replace.go carries that out; budget.go keeps the
// PodDisruptionBudget; address.go gives a mon its address and sees when it has
// another; hostpath.go keeps two clusters off one directory (B08); deployment.go
// and service.go are what Kubernetes is asked for; msgr2.go switches on the
// second wire protocol, globalid.go switches off what insecure clients needed.
package mon
