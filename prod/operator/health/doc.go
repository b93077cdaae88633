// Package health keeps a CephCluster's status.ceph in step with what Ceph says of
// itself (S53): every minute, and at once when the cluster has been created.
//
// [New] makes the controller. It writes status.ceph and nothing else, so that the
// state of the cluster, which belongs to the orchestration, is not touched (B26).
// A check that fails leaves the status as it is. [Next] holds the rules.
package health
