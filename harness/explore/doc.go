// Package explore looks for what breaks when something goes wrong: every single
// fault, at every single place.
//
// A [Story] is a world that something happens to: three mons come up, a node is
// added, a mon is lost. It is run once without a fault, and what the operator
// did outside itself (its effects) and what its watches told it (its events) are
// counted. Then it is run again for each of them and each [world.FaultKind] that
// can befall it: killed before it and after it, refused, in conflict, timed out,
// its answer lost, garbled, never delivered. Each run has to end in the state of
// the run without a fault, within a fixed time, and on the way the mons must
// never be fewer than a quorum.
//
// What the state is, a [Snapshot] says: the Kubernetes objects, what Ceph knows
// of mons, managers, OSDs, pools, users and options, and what lies on the nodes'
// disks, as lines of text. Two runs never agree in times, generated names, keys
// and addresses: each of these is replaced by a name that says which one it is,
// so that a key that two places agree on is a key that they agree on.
//
// A [History] is the other way to look: a seed draws up to fifty things that
// happen one after the other to one cluster. In the end all is quiet, and the
// cluster must be what its last spec asks for. A history that fails is shortened
// until nothing can be left out, and printed as steps of a scenario.
package explore
