// Package version finds out which version of Ceph an image has, by running
// `ceph --version` in it as a Job (S41-S48).
//
// The answer is kept in the CephCluster's status, with the image that gave it,
// so that no Job runs again for the same image; the Job goes only when the
// answer is kept (Settled 22). A log that cannot be read is read again.
package version
