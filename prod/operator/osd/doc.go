// Package osd runs the cluster's OSDs: it finds the storage nodes, has a job on
// each prepare devices and directories (package prepare), and runs a Deployment
// for each OSD that the jobs report.
//
// [Reconcile] is the step. Nodes are worked on side by side: one that does not
// finish is reported and does not hold up the others (B17). A job runs again when
// what is asked of its node changes (the hash of [prepare.Request]), and when
// somebody asks for it with [PrepareAgain], as after a disk was added. What became
// of each device and directory is in the status of the CephCluster, with the
// reason for each that carries no OSD.
//
// The OSDs are looked after in each pass, and at least every 60 s (health.go):
// what is known of each (known.go) is put together from the ConfigMaps of the
// nodes, the Deployments and Ceph's map, and what is not as it should be is told.
//
// One that runs is changed when Ceph lets it be stopped (update.go): the OSDs of
// one node together where Ceph allows it, and no node's before those of the last
// one are back.
//
// An OSD that is there stays: a node that is cordoned, not ready or tainted gets
// no new OSDs, and loses none (B19). Only with spec.removeOSDsIfOutAndSafeToRemove
// is one removed (remove.go): when it is out, and down or on a node that people
// have taken out, and Ceph says that it is safe. Its device is never touched.
package osd
