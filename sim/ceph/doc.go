// Package ceph is a simulated Ceph behind its command lines: state machines for
// the monitors' quorum and what it agrees on, and the programs of a release by
// name.
//
// # The only way in
//
// [Sim.Image] is a set of programs of one release for package host: ceph,
// ceph-mon, ceph-authtool, ceph-osd, ceph-mgr and so on. They read argv, stdin,
// files and keyrings, and answer with stdout, stderr, an exit code and time.
// Nothing about a cluster is configured from Go: a monitor becomes what its
// argv, its ceph.conf and its data directory make of it.
//
// # What the monitors agree on
//
// [State] holds everything that a cluster remembers: monmap, osdmap, auth,
// config and so on, one section each. A state is never changed. The leader
// makes the next one in a change (change.go), which copies a section when it is
// first written to, and commits it to the data directories of the quorum. A
// monitor that was away takes the newest state when it comes back.
//
// # Commands
//
// A line of argv is read by the release's own command descriptions
// (descriptions/, validate.go) as the real command line does, the caller's caps
// are checked against the description's module and permission, and then one
// small handler over the state answers. commandTables in command.go lists the
// tables of handlers.
//
// # OSDs and placement groups
//
// ceph-volume (package volume) and ceph-osd --mkfs leave a store on a device or
// in a directory; ceph-osd opens it, puts itself into the CRUSH map (package
// crush) and boots (osd_daemon.go). Who is heard of and who is not, the leader
// judges at each tick (osd_watch.go). The placement groups are not kept: their
// states follow from the OSD map, the last map under which all was at rest, and
// the time (pg.go).
//
// # File systems and MDS
//
// [FSMap] holds the file systems, one [Filesystem] each, and which MDS serves
// which rank (fsmap.go, fsmap_change.go). ceph-mds (mds_main.go) joins as a
// standby and goes, state by state, the way that the map tells it; the leader
// fills ranks, adds and takes back some, and replaces who is silent (mds_tick.go).
//
// # Time
//
// Elections, leases, map changes and hunting for a monitor take virtual time of
// the loop, with Ceph's own default intervals.
package ceph
