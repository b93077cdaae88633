package prepare_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

func TestParseDevices(t *testing.T) {
	got, err := prepare.ParseDevices(`NAME="sda" PKNAME="" TYPE="disk" SIZE="21474836480" RO="0" RM="0" FSTYPE="" MOUNTPOINT=""
NAME="sda1" PKNAME="sda" TYPE="part" SIZE="21473787904" RO="0" RM="0" FSTYPE="ext4" MOUNTPOINT="/mnt/a\x20b"

NAME="sr0" PKNAME="" TYPE="rom" SIZE="1024" RO="1" RM="1" FSTYPE="" MOUNTPOINT=""
`)
	if err != nil {
		t.Fatal(err)
	}
	want := []prepare.Device{
		{Name: "sda", Type: "disk", Size: 20 << 30},
		{Name: "sda1", Parent: "sda", Type: "part", Size: 20<<30 - 1<<20, Filesystem: "ext4", Mountpoint: "/mnt/a b"},
		{Name: "sr0", Type: "rom", Size: 1024, ReadOnly: true, Removable: true},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, garbage := range []string{"lsblk: failed", `NAME="sda" SIZE="10G"`, `SIZE="1"`} {
		if _, err := prepare.ParseDevices(garbage); err == nil {
			t.Errorf("%q was read", garbage)
		}
	}
	if got, err := prepare.ParseDevices(""); err != nil || len(got) != 0 {
		t.Error("a machine without devices:", got, err)
	}
}

// list is what ceph-volume tells of two clusters' OSDs.
const list = `{
  "10": [{"type": "block", "devices": ["/dev/sdd"], "lv_path": "/dev/ceph-d/osd-block-d",
          "tags": {"ceph.osd_id": "10", "ceph.osd_fsid": "uuid-10", "ceph.cluster_fsid": "another"}}],
  "2": [{"type": "block", "devices": ["/dev/sdb"], "lv_path": "/dev/ceph-b/osd-block-b",
         "tags": {"ceph.osd_id": "2", "ceph.osd_fsid": "uuid-2", "ceph.cluster_fsid": "` + fsid + `"}},
        {"type": "db", "devices": ["/dev/nvme0n1"], "lv_path": "/dev/ceph-n/osd-db-b",
         "tags": {"ceph.osd_id": "2", "ceph.osd_fsid": "uuid-2", "ceph.cluster_fsid": "` + fsid + `"}}]
}`

func TestParseList(t *testing.T) {
	got, err := prepare.ParseList(list)
	if err != nil {
		t.Fatal(err)
	}
	want := []prepare.Volume{
		{OSD: prepare.OSD{ID: 2, UUID: "uuid-2", Store: "bluestore"}, FSID: fsid, Type: "block", Devices: []string{"sdb"}, LV: "ceph--b-osd--block--b", Path: "/dev/ceph-b/osd-block-b"},
		{OSD: prepare.OSD{ID: 2, UUID: "uuid-2", Store: "bluestore"}, FSID: fsid, Type: "db", Devices: []string{"nvme0n1"}, LV: "ceph--n-osd--db--b", Path: "/dev/ceph-n/osd-db-b"},
		{OSD: prepare.OSD{ID: 10, UUID: "uuid-10", Store: "bluestore"}, FSID: "another", Type: "block", Devices: []string{"sdd"}, LV: "ceph--d-osd--block--d", Path: "/dev/ceph-d/osd-block-d"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	for _, garbage := range []string{"", "{", "[]", `{"x": [{}]}`} {
		if _, err := prepare.ParseList(garbage); err == nil {
			t.Errorf("%q was read", garbage)
		}
	}
	if got, err := prepare.ParseList("{}"); err != nil || len(got) != 0 {
		t.Error("a node without OSDs:", got, err)
	}
}
