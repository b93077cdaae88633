package ceph_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// storageNode is a world with mon, mgr and one storage machine that can make
// OSDs.
func storageNode(t *testing.T, version string) (*storage, *host.Machine) {
	w := newStorage(t, version, "", 1)
	w.mgr("a")
	w.bootstrap(w.machines[1])
	return w, w.machines[1]
}

type lvmList map[string][]struct {
	Devices []string
	Type    string
	LVPath  string `json:"lv_path"`
	Tags    map[string]string
}

func (w *storage) lvmList(m *host.Machine) lvmList {
	w.t.Helper()
	var l lvmList
	if err := json.Unmarshal([]byte(w.must(m, "ceph-volume", "lvm", "list", "--format", "json")), &l); err != nil {
		w.t.Fatal(err)
	}
	return l
}

func TestBatchRefusesDevices(t *testing.T) {
	for name, c := range map[string]struct {
		spoil    func(d *host.Device)
		version  string
		code     int
		contains string
	}{
		"partitions":             {func(d *host.Device) { d.Partitions = []*host.Device{{Name: "sdb1", Type: "part", Size: 1 << 30}} }, "16.2.15", 1, "-->  RuntimeError: Device /dev/sdb has partitions."},
		"file system":            {func(d *host.Device) { d.Filesystem = "xfs" }, "16.2.15", 0, "--> All data devices are unavailable"},
		"file system, old":       {func(d *host.Device) { d.Filesystem = "xfs" }, "14.2.0", 1, "WARNING: xfs signature detected on /dev/sdb at offset 0."},
		"too small":              {func(d *host.Device) { d.Size = 4 << 30 }, "16.2.15", 0, "--> All data devices are unavailable"},
		"other LVM, old":         {func(d *host.Device) { d.Filesystem = "LVM2_member" }, "14.2.0", 1, "1 devices were filtered in non-interactive mode, bailing out"},
		"no such device":         {func(d *host.Device) { d.Name = "sdz" }, "16.2.15", 2, "ceph-volume lvm batch: error: Unable to proceed with non-existing device: /dev/sdb"},
		"carries an OSD already": {nil, "16.2.15", 0, "--> All data devices are unavailable"},
	} {
		t.Run(name, func(t *testing.T) {
			w, m := storageNode(t, c.version)
			d := w.disk(m, "sdb", 10)
			batch := []string{"ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "/dev/sdb"}
			if c.spoil == nil {
				w.must(m, batch...)
			} else {
				c.spoil(d)
			}
			before := len(w.osdStates())
			r := w.run(m, "", batch...)
			if r.code != c.code || !strings.Contains(r.out+r.stderr, c.contains) {
				t.Errorf("exit code %d, want %d: %s%s", r.code, c.code, r.out, r.stderr)
			}
			if after := len(w.osdStates()); after != before && c.version != "14.2.0" {
				t.Errorf("%d OSDs, before %d", after, before)
			}
		})
	}
}

func TestOSDsPerDeviceDatabaseAndZap(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	disk, nvme := w.disk(m, "sdb", 20), w.disk(m, "nvme0n1", 10)
	w.must(m, "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "--osds-per-device", "2", "/dev/sdb",
		"--db-devices", "/dev/nvme0n1", "--block-db-size", "1073741824")
	list := w.lvmList(m)
	if len(list) != 2 || len(disk.Partitions) != 2 || len(nvme.Partitions) != 2 {
		t.Fatalf("%d OSDs, %d and %d volumes", len(list), len(disk.Partitions), len(nvme.Partitions))
	}
	for id, lvs := range list {
		kinds := map[string]string{}
		for _, l := range lvs {
			kinds[l.Type] = l.Devices[0]
		}
		if kinds["block"] != "/dev/sdb" || kinds["db"] != "/dev/nvme0n1" {
			t.Errorf("osd.%s lies on %v", id, kinds)
		}
	}
	if nvme.Partitions[0].Size != 1<<30 || disk.Partitions[0].Size < 9<<30 || disk.Partitions[0].Size > 10<<30 {
		t.Errorf("sizes: db %d, block %d", nvme.Partitions[0].Size, disk.Partitions[0].Size)
	}
	out := w.must(m, "lsblk", "--bytes", "--pairs", "--output", "NAME,PKNAME,TYPE,SIZE,RO,RM,FSTYPE,MOUNTPOINT", "/dev/sdb")
	if n := strings.Count(out, `TYPE="lvm"`); n != 2 || !strings.Contains(out, `NAME="sdb" PKNAME="" TYPE="disk" SIZE="21474836480" RO="0" RM="0" FSTYPE="LVM2_member" MOUNTPOINT=""`) {
		t.Errorf("lsblk: %s", out)
	}
	w.must(m, "ceph-volume", "lvm", "zap", "--destroy", "/dev/sdb", "/dev/nvme0n1")
	if len(w.lvmList(m)) != 0 || len(disk.Partitions) != 0 || disk.Filesystem != "" {
		t.Errorf("after zap: %v, %+v", w.lvmList(m), disk)
	}
}

func TestEncryptedOSD(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	w.disk(m, "sdb", 10)
	w.must(m, "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "--dmcrypt", "/dev/sdb")
	l := w.lvmList(m)["0"][0]
	if l.Tags["ceph.encrypted"] != "1" {
		t.Fatalf("tags %v", l.Tags)
	}
	activate := []string{"ceph-volume", "lvm", "activate", "--no-systemd", "--bluestore", "0", l.Tags["ceph.osd_fsid"]}
	w.must(m, activate...)
	w.daemon(m, "osd.0", "ceph-osd", "-f", "-i", "0")
	w.loop.RunFor(5 * time.Second)
	w.wantOSD("encrypted", 0, 1, 1)
	out := w.must(m, "lsblk", "--pairs", "--output", "TYPE,FSTYPE")
	if !strings.Contains(out, `TYPE="crypt"`) || !strings.Contains(out, `TYPE="lvm" FSTYPE="crypto_LUKS"`) {
		t.Errorf("lsblk: %s", out)
	}
	w.ceph(nil, "config-key", "rm", "dm-crypt/osd/"+l.Tags["ceph.osd_fsid"]+"/luks")
	if r := w.run(m, "", activate...); r.code != 1 || !strings.Contains(r.stderr, "Unable to retrieve dmcrypt secret") {
		t.Errorf("without its key: exit code %d: %s", r.code, r.stderr)
	}
}

func TestVolumeNeedsTheDevices(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	w.disk(m, "sdb", 10)
	for name, c := range map[string]*host.Container{
		"not privileged": {HostDev: true}, "without /dev": {Privileged: true},
	} {
		g := m.Running.NewGroup(name)
		p := w.process(m, g, "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "/dev/sdb")
		p.Container = c
		code := -1
		g.Go(name, func() { code = p.Run() })
		w.loop.RunUntil(func() bool { return code >= 0 }, time.Minute)
		if code != 2 || !strings.Contains(p.Stderr.String(), "Unable to proceed with non-existing device: /dev/sdb") {
			t.Errorf("%s: exit code %d: %s", name, code, p.Stderr.String())
		}
	}
}

func TestVolumeWithoutWhatItNeeds(t *testing.T) {
	for name, c := range map[string]struct{ remove, contains string }{
		"ceph.conf":     {"/etc/ceph/ceph.conf", "-->  ConfigurationError: Unable to load expected Ceph config at: /etc/ceph/ceph.conf"},
		"bootstrap key": {"/var/lib/ceph/bootstrap-osd/ceph.keyring", "-->  RuntimeError: Unable to create a new OSD id"},
	} {
		w, m := storageNode(t, "16.2.15")
		w.disk(m, "sdb", 10)
		if err := m.Files.Remove(c.remove); err != nil {
			t.Fatal(err)
		}
		r := w.run(m, "", "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "/dev/sdb")
		if r.code != 1 || !strings.Contains(r.stderr, c.contains) {
			t.Errorf("without %s: exit code %d: %s", name, r.code, r.stderr)
		}
	}
}

func TestActivateFindsNothing(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	r := w.run(m, "", "ceph-volume", "lvm", "activate", "--no-systemd", "--bluestore", "0", "11111111-2222-3333-4444-555555555555")
	if r.code != 1 || !strings.Contains(r.stderr, "could not find osd.0 with osd_fsid 11111111-2222-3333-4444-555555555555") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
	r = w.run(m, "", "ceph-volume", "--version")
	want := "usage: ceph-volume [-h] [--cluster CLUSTER]\n                   [--log-level {debug,info,warning,error,critical}]\n" +
		"                   [--log-path LOG_PATH]\nceph-volume: error: unrecognized arguments: --version\n"
	if r.code != 2 || r.stderr != want {
		t.Errorf("--version: exit code %d: %s", r.code, r.stderr)
	}
}

func TestRawDevice(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	d := w.disk(m, "sdb", 10)
	w.must(m, "ceph-volume", "raw", "prepare", "--bluestore", "--data", "/dev/sdb")
	if d.Filesystem != "ceph_bluestore" {
		t.Errorf("file system %q", d.Filesystem)
	}
	w.must(m, "ceph-volume", "raw", "activate", "--device", "/dev/sdb", "--no-systemd", "--no-tmpfs")
	w.daemon(m, "osd.0", "ceph-osd", "-f", "-i", "0")
	w.loop.RunFor(5 * time.Second)
	w.wantOSD("raw", 0, 1, 1)
	if out := w.must(m, "ceph-volume", "raw", "list"); !strings.Contains(out, `"device": "/dev/sdb"`) {
		t.Errorf("raw list: %s", out)
	}
}

func TestLsblk(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	m := w.machines[1]
	m.Devices = []*host.Device{
		{Name: "zram0", Type: "disk"},
		{
			Name: "vda", Type: "disk", Size: 274877906944, Rotational: true, Mountpoint: "/", Filesystem: "ext4",
			Partitions: []*host.Device{{Name: "vda1", Type: "part", Size: 1 << 30, Filesystem: "vfat", Mountpoint: "/boot"}},
		},
	}
	for _, c := range []struct {
		args []string
		want string
	}{
		{
			[]string{"--bytes", "--pairs", "--paths", "--output", "SIZE,ROTA,RO,TYPE,PKNAME,NAME,KNAME,MOUNTPOINT,FSTYPE"},
			`SIZE="0" ROTA="0" RO="0" TYPE="disk" PKNAME="" NAME="/dev/zram0" KNAME="/dev/zram0" MOUNTPOINT="" FSTYPE=""
SIZE="274877906944" ROTA="1" RO="0" TYPE="disk" PKNAME="" NAME="/dev/vda" KNAME="/dev/vda" MOUNTPOINT="/" FSTYPE="ext4"
SIZE="1073741824" ROTA="1" RO="0" TYPE="part" PKNAME="/dev/vda" NAME="/dev/vda1" KNAME="/dev/vda1" MOUNTPOINT="/boot" FSTYPE="vfat"
`,
		},
		{[]string{"--noheadings", "-o", "NAME,SIZE"}, "zram0    0B\nvda    256G\n└─vda1   1G\n"},
		{
			[]string{"--json", "-b", "--output", "NAME,SIZE,RO,FSTYPE", "/dev/vda"},
			`{
   "blockdevices": [
      {
         "name": "vda",
         "size": 274877906944,
         "ro": false,
         "fstype": "ext4",
         "children": [
            {
               "name": "vda1",
               "size": 1073741824,
               "ro": false,
               "fstype": "vfat"
            }
         ]
      }
   ]
}
`,
		},
	} {
		if got := w.must(m, append([]string{"lsblk"}, c.args...)...); got != c.want {
			t.Errorf("lsblk %v:\n%s\nwant\n%s", c.args, got, c.want)
		}
	}
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"/dev/nosuch"}, 32, "lsblk: /dev/nosuch: not a block device\n"},
		{[]string{"--output", "nosuch"}, 1, "lsblk: unknown column: nosuch\n"},
		{[]string{"--nosuch"}, 1, "lsblk: unrecognized option '--nosuch'\nTry 'lsblk --help' for more information.\n"},
	} {
		if r := w.run(m, "", append([]string{"lsblk"}, c.args...)...); r.code != c.code || r.stderr != c.stderr {
			t.Errorf("lsblk %v: exit code %d: %q", c.args, r.code, r.stderr)
		}
	}
	if r := w.run(m, "", "blkid", "/dev/vda1"); r.code != 0 || r.out != "/dev/vda1: TYPE=\"vfat\"\n" {
		t.Errorf("blkid: %d %q", r.code, r.out)
	}
	if r := w.run(m, "", "blkid", "/dev/zram0"); r.code != 2 {
		t.Errorf("blkid of an empty device: exit code %d", r.code)
	}
}

func TestInventory(t *testing.T) {
	w, m := storageNode(t, "16.2.15")
	w.disk(m, "sdb", 10)
	w.disk(m, "sdc", 2)
	w.disk(m, "sdd", 10).Filesystem = "ext4"
	var list []struct {
		Path      string
		Available bool
		Reasons   []string `json:"rejected_reasons"`
	}
	if err := json.Unmarshal([]byte(w.must(m, "ceph-volume", "inventory", "--format", "json")), &list); err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{"/dev/sdb": {}, "/dev/sdc": {"Insufficient space (<5GB)"}, "/dev/sdd": {"Has a FileSystem"}}
	for _, d := range list {
		if !slices.Equal(d.Reasons, want[d.Path]) || d.Available != (len(d.Reasons) == 0) {
			t.Errorf("%s: available %v, %v", d.Path, d.Available, d.Reasons)
		}
	}
	if len(list) != 3 {
		t.Errorf("%d devices", len(list))
	}
}
