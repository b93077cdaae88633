// Package legacy looks after the Clusters (cluster.rook.io/v1beta1) of operators
// before the CephCluster: it tells how to move and lets go of those that are
// deleted (S24). It never acts on what they ask for.
//
// They are watched only if their definition is there when the operator starts.
// Every one that is met is told of by a log line and an Event on the Cluster, as
// often as the operator starts. One that is being deleted loses the finalizers of
// the operators that made it, which nobody else takes away any more; what was made
// for it stays.
package legacy
