// Package volume is what runs on a storage node around an OSD: ceph-volume,
// lsblk and blkid, over the devices of the simulated machine.
//
// A logical volume or an encrypted mapping is a host.Device that stands among
// the partitions of the device it lies on; [LV] is what LVM keeps about it, and
// [Store] what ceph-osd --mkfs writes to it. A link in a data directory, such as
// "block", is a file with the path of the device.
//
// ceph-volume does what the real one does by running ceph, ceph-authtool and
// ceph-osd, and prints the lines that it prints. Source: the documentation of
// ceph-volume and its messages in src/ceph-volume of each release.
package volume
