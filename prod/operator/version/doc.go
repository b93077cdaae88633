// Package version finds out which version of Ceph an image has, by running
// `ceph --version` in it as a Job (S41-S48).
//
// The answer is kept in the CephCluster's status, with the image that gave it,
// so that no Job runs again for the same image; the Job goes only when the
// answer is kept (Settled 22). A log that cannot be read is read again, and after
// a quarter of an hour another Job is run (B22, B25).
//
// status.version is the image in effect. An image that the spec asks for instead
// takes effect when its version is known and may run: change.go refuses what Ceph
// could not come back from, a downgrade or a jump over more than one release.
// Until then, and where it may not run, the cluster lives on with the image in
// effect: [Reconcile] puts it into the spec in memory.
package version
