// Package prepare is what `tidepool-operator osd-prepare` does on a storage
// node: it looks at the node's devices and directories, makes OSDs of those that
// the spec selects, and reports what became of each.
//
// [Run] is the whole of it. What it decides is in pure functions: [ParseDevices]
// and [ParseList] read what lsblk and ceph-volume say, [Select] judges every
// device and gives each that is not used its reason (S12-S16).
//
// It may be ended at any point and run again: an OSD that is there is found by
// what it says of itself, not by what an earlier run remembered. The result is in
// the ConfigMap rook-ceph-osd-<node>-status, which the operator reads.
package prepare
