// Package cleanup destroys the data of a CephCluster that is deleted with
// spec.cleanupPolicy.confirmation set to yes-really-destroy-data (S58). Without
// it, nothing here runs and nothing on a host changes.
//
// [Reconcile] is the operator's part. It writes down first what is to be wiped
// (status.cleanup), then stops the daemons, and starts a Job on each node as soon
// as none of the cluster's pods is left there; plan.go decides, job.go is the Job.
// It is done when every Job is. A node that has left Kubernetes is not waited for,
// one that is not ready for ten minutes; both are told of.
//
// [Run] is what the Job does, as `tidepool-operator cleanup` on the node. It asks
// the data itself whose it is and takes away what has the cluster's fsid: the
// volumes of its OSDs (disks.go), the directories of its mons, its OSDs and its
// logs (directories.go). What belongs to another cluster, and what does not say
// whom it belongs to, is left alone and told of. It may be ended at any point and
// run again.
package cleanup
