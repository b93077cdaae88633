// Package osd runs the cluster's OSDs: it finds the storage nodes, has a job on
// each prepare devices and directories (package prepare), and runs a Deployment
// for each OSD that the jobs report.
//
// [Reconcile] is the step. Nodes are worked on side by side: one that does not
// finish is reported and does not hold up the others (B17). An OSD that is there
// stays: a node that is cordoned, not ready or no longer in the spec gets no new
// OSDs, and loses none (B19).
//
// A job runs again when what is asked of its node changes (the hash of
// [prepare.Request]). What became of each device and directory is in the status
// of the CephCluster, with the reason for each that carries no OSD.
package osd
