package prepare_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

const fsid = "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"

const gib = 1 << 30

func disk(name string) prepare.Device {
	return prepare.Device{Name: name, Type: "disk", Size: 100 * gib}
}

func with(d prepare.Device, change func(*prepare.Device)) prepare.Device {
	change(&d)
	return d
}

func part(name, parent string) prepare.Device {
	return prepare.Device{Name: name, Parent: parent, Type: "part", Size: 10 * gib}
}

func all() v1.Selection {
	yes := true
	return v1.Selection{UseAllDevices: &yes}
}

func named(names ...string) v1.Selection {
	var s v1.Selection
	for _, name := range names {
		s.Devices = append(s.Devices, v1.Device{Name: name})
	}
	return s
}

func request(version int, s v1.Selection, config v1.Config) prepare.Request {
	return prepare.Request{
		Node: "n1", FSID: fsid, Version: ceph.Version{Major: version, Minor: 2, Patch: 0},
		Storage: v1.Node{Name: "n1", Selection: s, Config: config},
	}
}

// used lists the devices that become OSDs, unused those that do not with the
// beginning of their reason.
func TestSelect(t *testing.T) {
	plain := []prepare.Device{disk("sda"), disk("sdb"), disk("nvme0n1")}
	for name, c := range map[string]struct {
		selection v1.Selection
		devices   []prepare.Device
		volumes   []prepare.Volume
		names     map[string]string
		used      []string
		osds      []prepare.OSD
		unused    map[string]string
	}{
		"all devices": {selection: all(), devices: plain, used: []string{"nvme0n1", "sda", "sdb"}},
		"a filter on names": {
			selection: v1.Selection{DeviceFilter: "^sd."}, devices: plain, used: []string{"sda", "sdb"},
			unused: map[string]string{"nvme0n1": `its name does not match deviceFilter "^sd."`},
		},
		"a filter on paths, as in the seed's second sample": {
			selection: v1.Selection{DeviceFilter: "/dev/sda"}, devices: plain, used: []string{"sda"},
			unused: map[string]string{"nvme0n1": "its name does not match", "sdb": "its name does not match"},
		},
		"devices by name": {
			selection: named("sdb", "/dev/nvme0n1", "sdz"), devices: plain, used: []string{"nvme0n1", "sdb"},
			unused: map[string]string{"sda": "it is not among the devices that the spec names", "sdz": "there is no such device on the node"},
		},
		"devices by link": {
			selection: named("/dev/disk/by-id/ata-1", "/dev/disk/by-id/gone"), devices: plain, used: []string{"sdb"},
			names:  map[string]string{"/dev/disk/by-id/ata-1": "sdb"},
			unused: map[string]string{"sda": "it is not among", "nvme0n1": "it is not among", "/dev/disk/by-id/gone": "there is no such device"},
		},
		"a filter on links": {
			selection: v1.Selection{DevicePathFilter: "^/dev/disk/by-id/ata"}, devices: plain, used: []string{"sdb"},
			names:  map[string]string{"/dev/disk/by-id/ata-1": "sdb"},
			unused: map[string]string{"sda": "none of its paths matches devicePathFilter", "nvme0n1": "none of its paths"},
		},
		"names win over a filter": {
			selection: v1.Selection{DeviceFilter: "^nvme", Devices: []v1.Device{{Name: "sda"}}}, devices: plain, used: []string{"sda"},
			unused: map[string]string{"sdb": "it is not among", "nvme0n1": "it is not among"},
		},
		"nothing selected": {
			devices: plain,
			unused:  map[string]string{"sda": "the spec selects no devices", "sdb": "the spec selects no devices", "nvme0n1": "the spec selects no devices"},
		},
		"what must not be consumed": {
			selection: all(),
			devices: []prepare.Device{
				disk("sda"), part("sda1", "sda"),
				with(disk("sdb"), func(d *prepare.Device) { d.Filesystem = "xfs" }),
				with(disk("sdc"), func(d *prepare.Device) { d.Mountpoint = "/data" }),
				with(disk("sdd"), func(d *prepare.Device) { d.ReadOnly = true }),
				with(disk("sde"), func(d *prepare.Device) { d.Removable = true }),
				with(disk("sdf"), func(d *prepare.Device) { d.Size = 4 * gib }),
				with(disk("sdg"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }),
				disk("sdh"),
				{Name: "vg-root", Parent: "sdh", Type: "lvm", Size: gib},
				disk("sdi"), part("sdi1", "sdi"),
				{Name: "luks", Parent: "sdi1", Type: "crypt", Size: gib, Mountpoint: "/home"},
			},
			unused: map[string]string{
				"sda": "it has partitions",
				"sdb": "it has a file system or signature: xfs",
				"sdc": "sdc is mounted on /data",
				"sdd": "it is read-only",
				"sde": "it is removable",
				"sdf": "it is too small: 4294967296 bytes, at least 5368709120 are needed",
				"sdg": "it belongs to LVM",
				"sdh": "it belongs to LVM",
				"sdi": "luks is mounted on /home",
			},
		},
		"a removable device by name": {
			selection: named("sde"), devices: []prepare.Device{with(disk("sde"), func(d *prepare.Device) { d.Removable = true })}, used: []string{"sde"},
		},
		"what only looks like a disk is not told of": {
			selection: all(), devices: []prepare.Device{disk("rbd0"), disk("nbd1"), disk("ram3"), disk("zram0"), {Name: "loop0", Type: "loop", Size: gib}, {Name: "sr0", Type: "rom"}},
		},
		"an OSD that is there": {
			selection: all(),
			devices: []prepare.Device{
				with(disk("sdb"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }),
				{Name: "ceph--b-osd--block--b", Parent: "sdb", Type: "lvm", Size: 100 * gib, Filesystem: "ceph_bluestore"},
				with(disk("nvme0n1"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }),
				with(disk("sdd"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }),
				disk("sde"),
			},
			volumes: mustList(list),
			used:    []string{"sde"},
			osds:    []prepare.OSD{{ID: 2, UUID: "uuid-2", Store: "bluestore", Device: "sdb"}},
			unused:  map[string]string{"sdd": "it carries osd.10 of another cluster (fsid another)"},
		},
		"an OSD that is there and no longer selected": {
			selection: named("sde"), devices: []prepare.Device{with(disk("sdb"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }), disk("sde")},
			volumes: mustList(list), used: []string{"sde"},
			osds: []prepare.OSD{{ID: 2, UUID: "uuid-2", Store: "bluestore", Device: "sdb"}},
		},
		"an OSD of which ceph-volume does not tell the device": {
			selection: all(),
			devices: []prepare.Device{
				with(disk("sdb"), func(d *prepare.Device) { d.Filesystem = "LVM2_member" }),
				{Name: "ceph--b-osd--block--b", Parent: "sdb", Type: "lvm", Size: 100 * gib},
			},
			volumes: []prepare.Volume{{OSD: prepare.OSD{ID: 2, UUID: "uuid-2", Store: "bluestore"}, FSID: fsid, Type: "block", LV: "ceph--b-osd--block--b"}},
			osds:    []prepare.OSD{{ID: 2, UUID: "uuid-2", Store: "bluestore", Device: "sdb"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			plan, err := prepare.Select(request(14, c.selection, nil), c.devices, c.volumes, c.names)
			if err != nil {
				t.Fatal(err)
			}
			var used []string
			for _, b := range plan.Make {
				used = append(used, b.Devices...)
			}
			slices.Sort(used)
			if diff := cmp.Diff(c.used, used); diff != "" {
				t.Errorf("used (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.osds, plan.OSDs); diff != "" {
				t.Errorf("OSDs (-want +got):\n%s", diff)
			}
			compareReasons(t, c.unused, plan.Unused)
		})
	}
}

func compareReasons(t *testing.T, want map[string]string, got []v1.UnusedDevice) {
	t.Helper()
	for _, u := range got {
		if begin, ok := want[u.Name]; !ok || !strings.HasPrefix(u.Reason, begin) {
			t.Errorf("%s is not used: %q, want %q", u.Name, u.Reason, begin)
		}
	}
	if len(got) != len(want) {
		t.Errorf("%d devices are not used, want %d: %v", len(got), len(want), got)
	}
}

func mustList(text string) []prepare.Volume {
	volumes, err := prepare.ParseList(text)
	if err != nil {
		panic(err)
	}
	return volumes
}

func TestABadFilterIsNamed(t *testing.T) {
	for _, s := range []v1.Selection{{DeviceFilter: "sd["}, {DevicePathFilter: "sd["}} {
		_, err := prepare.Select(request(14, s, nil), nil, nil, nil)
		if err == nil || !strings.Contains(err.Error(), `"sd["`) {
			t.Errorf("got %v", err)
		}
	}
}

// TestSettings: what the settings of a device make of ceph-volume's arguments
// (S13, S16).
func TestSettings(t *testing.T) {
	devices := []prepare.Device{disk("sda"), disk("sdb"), disk("nvme0n1")}
	fast := v1.Selection{Devices: []v1.Device{
		{Name: "sda", Config: v1.Config{"metadataDevice": "nvme0n1", "databaseSizeMB": "1024"}},
		{Name: "sdb", Config: v1.Config{"metadataDevice": "nvme0n1", "databaseSizeMB": "1024"}},
	}}
	for name, c := range map[string]struct {
		version   int
		selection v1.Selection
		config    v1.Config
		want      []string
		unused    map[string]string
	}{
		"none": {version: 13, selection: named("sda"), want: []string{
			"lvm batch --prepare --bluestore --yes --osds-per-device 1 /dev/sda",
		}, unused: map[string]string{"sdb": "", "nvme0n1": ""}},
		"a run for each device": {version: 14, selection: v1.Selection{DeviceFilter: "^sd"}, config: v1.Config{"osdsPerDevice": "5", "encryptedDevice": "true"}, want: []string{
			"lvm batch --prepare --bluestore --yes --osds-per-device 5 --dmcrypt /dev/sda",
			"lvm batch --prepare --bluestore --yes --osds-per-device 5 --dmcrypt /dev/sdb",
		}, unused: map[string]string{"nvme0n1": ""}},
		"a device's own": {version: 14, selection: v1.Selection{Devices: []v1.Device{{Name: "nvme0n1", Config: v1.Config{"osdsPerDevice": "5"}}}}, want: []string{
			"lvm batch --prepare --bluestore --yes --osds-per-device 5 /dev/nvme0n1",
		}, unused: map[string]string{"sda": "", "sdb": ""}},
		"databases on one fast device": {version: 16, selection: fast, want: []string{
			"lvm batch --prepare --bluestore --yes --osds-per-device 1 /dev/sda /dev/sdb --db-devices /dev/nvme0n1 --block-db-size 1073741824",
		}, unused: map[string]string{"nvme0n1": "it is not among"}},
		"the fast device is no data device": {version: 16, selection: all(), config: v1.Config{"metadataDevice": "nvme0n1"}, want: []string{
			"lvm batch --prepare --bluestore --yes --osds-per-device 1 /dev/sda /dev/sdb --db-devices /dev/nvme0n1",
		}},
		"no such fast device": {
			version: 16, selection: named("sda"), config: v1.Config{"metadataDevice": "md0"},
			unused: map[string]string{"sdb": "", "nvme0n1": ""},
		},
		"before nautilus": {version: 13, selection: fast, unused: map[string]string{
			"sda": "metadataDevice is not supported by 13.2.0 mimic", "sdb": "metadataDevice is not supported", "nvme0n1": "",
		}},
		"filestore": {version: 14, selection: v1.Selection{DeviceFilter: "sda"}, config: v1.Config{"storeType": "filestore"}, unused: map[string]string{
			"sda": "storeType filestore is served for directories only", "sdb": "", "nvme0n1": "",
		}},
		"filestore is over": {version: 18, selection: v1.Selection{DeviceFilter: "sda"}, config: v1.Config{"storeType": "filestore"}, unused: map[string]string{
			"sda": "storeType filestore is not supported by 18.2.0 reef", "sdb": "", "nvme0n1": "",
		}},
	} {
		t.Run(name, func(t *testing.T) {
			selection := c.selection
			for i := range selection.Devices { // as [v1.StorageSpec.Node] merges them
				selection.Devices[i].Config = c.config.Merge(selection.Devices[i].Config)
			}
			if name == "no such fast device" {
				c.unused["sda"] = "its metadataDevice md0 is not there"
			}
			plan, err := prepare.Select(request(c.version, selection, c.config), devices, nil, nil)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, b := range plan.Make {
				got = append(got, strings.Join(b.Args(), " "))
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			compareReasons(t, c.unused, plan.Unused)
		})
	}
}
