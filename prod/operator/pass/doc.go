// Package pass is one pass of the operator over one CephCluster: what is known
// of the cluster in it, and how a step says that it must be continued later.
//
// A step (mons, mgr, OSDs, …) returns nil when it has nothing left to do, a
// [*Waiting] when it goes on by itself once something has happened, a [*Refused]
// when a person has to change something first, and any other error when it
// failed. The first that is not nil ends the pass (S63); the cluster's reconciler
// turns it into conditions and a requeue. So no step ever blocks (design rule 2).
// What is still to come and holds nothing up goes to [Pass.Later]; what the spec
// asks for and the cluster lives on without, to [Pass.Hold].
package pass
