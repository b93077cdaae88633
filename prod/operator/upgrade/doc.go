// Package upgrade decides when a daemon may be replaced because of a new image,
// and tells in Ceph's words why not.
//
// Daemons are replaced kind by kind: mons, mgrs, OSDs, MDS, rbd-mirrors. Whoever
// changes a Deployment whose pod runs with another image asks [MayStop] before,
// with all daemons that would stop together, and writes nothing if the answer is
// an error; package osd, which stops many at once, asks [InOrder] and then Ceph
// itself. The rules (order.go, ask.go):
//
//   - Nothing of a later kind stops before every daemon of the earlier kinds
//     that Ceph knows of runs the version of the image, by `ceph versions`.
//   - Of one kind, nothing stops before those that were given the image run it.
//   - Ceph says that it may: `mon|osd|mds ok-to-stop`. A cluster with so few
//     daemons that Ceph would never say so is upgraded nevertheless, one daemon
//     after the other.
//   - spec.skipUpgradeChecks asks nothing.
//
// The answer is nil, a [*pass.Waiting] that names the daemon and what blocks it,
// with the reason [v1.ReasonUpgradeBlocked] or, where Ceph says no,
// [v1.ReasonNotOkToStop], or an error. New daemons, and those
// whose pods do not run, need not ask: they have nothing to lose.
//
// [Overdue] says when spec.continueUpgradeAfterChecksEvenIfNotHealthy lets a
// daemon be stopped that may not. [OnTheWay] says whether two images stand for
// an upgrade. [RequireRelease] ends one: when all OSDs run the new release, Ceph
// is told to take no older ones.
package upgrade
