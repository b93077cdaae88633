// Package mgr runs the cluster's Ceph manager: its key, its Deployment, the
// Services of metrics and dashboard, and the modules that the spec asks for.
//
// [Reconcile] is the step. What it makes is told by the pure functions
// [Deployment], [MetricsService] and [DashboardService]; what it changes in Ceph
// by planModules and planSettings, which compare what Ceph says with the spec:
// a cluster that is as it should be gets no command that changes anything.
//
// The dashboard's login is in the Secret rook-ceph-dashboard-password. Whoever
// changes the password there changes it in Ceph.
package mgr
