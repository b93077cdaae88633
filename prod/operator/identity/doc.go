// Package identity keeps what makes a Ceph cluster this one and no other: its
// fsid and keys (Secret rook-ceph-mon, S67-S73), and its mons with where they
// run (ConfigMap rook-ceph-mon-endpoints, S74, S80, S81).
//
// A new identity is made only when it is certain that there is none: the Secret
// is definitely not there, and nothing of a former cluster is (evidence.go). A
// Secret that cannot be read is an error, never a new cluster. Keys count from
// the moment at which the Secret is created; a pass that dies before leaves
// nothing but files that the next one overwrites.
//
// endpoints.go reads and writes the list of mons; secret.go the keys; names.go
// turns numbers into mon names and back; reconcile.go is the step.
package identity
