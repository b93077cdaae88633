package cleanup

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

func TestPlanDisks(t *testing.T) {
	const ours, theirs = "ours", "theirs"
	volume := func(id int, fsid, group, name string) prepare.Volume {
		return prepare.Volume{OSD: prepare.OSD{ID: id}, FSID: fsid, LV: group + "-" + name, Path: "/dev/" + group + "/" + name}
	}
	disk := func(name string) prepare.Device { return prepare.Device{Name: name, Type: "disk"} }
	lv := func(parent string, v prepare.Volume) prepare.Device {
		return prepare.Device{Name: v.LV, Parent: parent, Type: "lvm"}
	}
	a, b := volume(0, ours, "ceph-a", "block"), volume(1, ours, "ceph-b", "block")
	db0, db1 := volume(0, ours, "ceph-db", "db0"), volume(1, ours, "ceph-db", "db1")
	foreign, foreignDB := volume(7, theirs, "ceph-x", "block"), volume(7, theirs, "ceph-db", "db7")
	own := volume(0, ours, "vg0", "osd")
	for name, c := range map[string]struct {
		volumes []prepare.Volume
		devices []prepare.Device
		want    []wipe
		left    int
	}{
		"nothing": {},
		"whole disks": {
			volumes: []prepare.Volume{a, b}, devices: []prepare.Device{disk("sdb"), lv("sdb", a), disk("sdc"), lv("sdc", b)},
			want: []wipe{{"/dev/sdb", []string{a.Path}}, {"/dev/sdc", []string{b.Path}}},
		},
		"a disk of databases": {
			volumes: []prepare.Volume{db0, db1}, devices: []prepare.Device{disk("nvme0n1"), lv("nvme0n1", db0), lv("nvme0n1", db1)},
			want: []wipe{{"/dev/nvme0n1", []string{db0.Path, db1.Path}}},
		},
		"another cluster's disk": {
			volumes: []prepare.Volume{foreign}, devices: []prepare.Device{disk("sdb"), lv("sdb", foreign)}, left: 1,
		},
		"a disk of databases that another cluster uses too": {
			volumes: []prepare.Volume{db0, foreignDB}, devices: []prepare.Device{disk("nvme0n1"), lv("nvme0n1", db0), lv("nvme0n1", foreignDB)},
			want: []wipe{{db0.Path, []string{db0.Path}}}, left: 1,
		},
		"of which the other's volume shows no device": {
			volumes: []prepare.Volume{db0, foreignDB}, devices: []prepare.Device{disk("nvme0n1"), lv("nvme0n1", db0)},
			want: []wipe{{db0.Path, []string{db0.Path}}}, left: 1,
		},
		"a disk with something else on it": {
			volumes: []prepare.Volume{a}, devices: []prepare.Device{disk("sdb"), lv("sdb", a), {Name: "sdb-home", Parent: "sdb", Type: "lvm"}},
			want: []wipe{{a.Path, []string{a.Path}}},
		},
		"a person's own volume group": {
			volumes: []prepare.Volume{own}, devices: []prepare.Device{disk("sdb"), lv("sdb", own)},
			want: []wipe{{own.Path, []string{own.Path}}},
		},
		"a volume that shows no device": {
			volumes: []prepare.Volume{a}, devices: []prepare.Device{disk("sdb")},
			want: []wipe{{a.Path, []string{a.Path}}},
		},
		"a partition": {
			volumes: []prepare.Volume{a}, devices: []prepare.Device{disk("sdb"), {Name: "sdb1", Parent: "sdb", Type: "part"}, lv("sdb1", a)},
			want: []wipe{{a.Path, []string{a.Path}}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, left := planDisks(ours, c.volumes, c.devices)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if len(left) != c.left {
				t.Errorf("left alone: %q", left)
			}
		})
	}
}

func TestOverwrite(t *testing.T) {
	for _, c := range []struct {
		source string
		times  int
		want   []string
	}{
		{"", 0, []string{"--force", "--iterations=0", "--zero"}},
		{"zero", 1, []string{"--force", "--iterations=0", "--zero"}},
		{"zero", 3, []string{"--force", "--iterations=2", "--zero"}},
		{"random", 0, []string{"--force", "--iterations=1"}},
		{"random", 5, []string{"--force", "--iterations=5"}},
	} {
		if got := overwrite(c.source, c.times); !slices.Equal(got, c.want) {
			t.Errorf("%s %d: %q, want %q", c.source, c.times, got, c.want)
		}
	}
}
