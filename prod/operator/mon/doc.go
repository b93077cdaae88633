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
// Start with reconcile.go, the step. assign.go chooses nodes; plan.go decides
// whether a mon may be changed or added and whether the quorum suffices;
// address.go gives a mon its address; hostpath.go keeps two clusters off one
// directory (B08); deployment.go and service.go are what Kubernetes is asked
// for; msgr2.go switches on the second wire protocol, globalid.go switches off
// what insecure clients needed.
package mon
