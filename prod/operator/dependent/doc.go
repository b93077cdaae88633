// Package dependent knows what needs a CephCluster and holds its deletion back
// (S58, B28): the other resources of its API group in its namespace, and the
// volumes that were made on it.
//
// [Blockers] lists them. A kind that is not installed means that there is none of
// it; a kind that cannot be read is an error, and never "none". [Abandoned] is for
// the controllers of those resources: whether one that is deleted need not wait
// for Ceph any more, because Ceph is about to go with all its data.
package dependent
