package volume

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// extent is LVM's unit of space in bytes.
const extent = 4 << 20

// smallest is the size in bytes below which no device becomes an OSD.
const smallest = 5 << 30

var batchSpec = spec{
	values:   "--osds-per-device --block-db-size --block-wal-size --journal-size --format --crush-device-class --data-slots --data-allocate-fraction",
	lists:    "--db-devices --wal-devices --journal-devices --osd-ids",
	switches: "--prepare --bluestore --filestore --yes --report --dmcrypt --no-systemd --auto --no-auto",
}

// batch is `lvm batch`: OSDs on whole devices.
func (r *run) batch(args []string) error {
	f, err := parse("ceph-volume lvm batch", batchSpec, args)
	if err != nil {
		return err
	}
	if len(f.rest) == 0 {
		return f.bad("no devices were given")
	}
	per, err := strconv.Atoi(orElse(f.values["--osds-per-device"], "1"))
	if err != nil || per < 1 {
		return f.bad("argument --osds-per-device: invalid int value: '%s'", f.values["--osds-per-device"])
	}
	devices, err := r.batchDevices(f, f.rest)
	if err != nil {
		return err
	}
	dbs, err := r.batchDevices(f, f.lists["--db-devices"])
	if err != nil {
		return err
	}
	if err := r.needConf(); err != nil {
		return err
	}
	if devices, err = r.filter(devices); err != nil {
		return err
	}
	if f.set["--report"] {
		return r.batchReport(f, devices, per)
	}
	n := 0
	for _, e := range devices {
		for range per {
			db := dbVolume{}
			if len(dbs) > 0 {
				if db, err = r.dbVolume(f, dbs[n%len(dbs)], len(devices)*per/len(dbs)); err != nil {
					return err
				}
			}
			n++
			if err := r.onDevice(f, e, per, db); err != nil {
				return err
			}
		}
	}
	return nil
}

func orElse(v, otherwise string) string {
	if v == "" {
		return otherwise
	}
	return v
}

func (r *run) batchDevices(f *flags, names []string) ([]entry, error) {
	var out []entry
	for _, name := range names {
		e, err := r.device(f, name)
		if err != nil {
			return nil, err
		}
		if e.Type == "part" {
			return nil, f.bad("%s is a partition, please pass LVs or raw block devices", name)
		}
		if slices.ContainsFunc(e.Partitions, func(d *host.Device) bool { return d.Type == "part" }) {
			return nil, failf("Device %s has partitions.", name)
		}
		out = append(out, e)
	}
	return out, nil
}

// filter leaves out the devices that are not free. Until nautilus such a device
// ends the run; later it is passed over.
func (r *run) filter(devices []entry) ([]entry, error) {
	free := slices.DeleteFunc(slices.Clone(devices), func(e entry) bool { return len(r.reasons(e)) > 0 })
	if r.major < octopus {
		used := slices.DeleteFunc(slices.Clone(devices), func(e entry) bool { return e.Filesystem != "LVM2_member" })
		if len(used) > 0 {
			return nil, failf("%d devices were filtered in non-interactive mode, bailing out", len(used))
		}
		return devices, nil
	}
	r.say("passed data devices: %d physical, 0 LVM", len(devices))
	r.say("relative data size: 1.0")
	if len(free) == 0 {
		r.say("All data devices are unavailable")
	}
	return free, nil
}

// reasons are why a device is not available, in the words of `inventory`.
func (r *run) reasons(e entry) []string {
	var out []string
	lvm := e.Filesystem == "LVM2_member"
	for _, x := range []struct {
		holds bool
		why   string
	}{
		{slices.ContainsFunc(e.Partitions, func(d *host.Device) bool { return d.Type == "part" }), "Has partitions"},
		{e.Filesystem != "" && !lvm && e.Filesystem != "ceph_bluestore", "Has a FileSystem"},
		{e.Filesystem == "ceph_bluestore", "Has BlueStore device label"},
		{e.Size < smallest, "Insufficient space (<5GB)"},
		{lvm, "Insufficient space (<10 extents) on vgs"},
		{lvm, "LVM detected"},
		{e.Mountpoint != "" || lvm && len(e.Partitions) > 0, "locked"},
		{e.ReadOnly, "read-only"},
		{e.Removable, "removable"},
	} {
		if x.holds {
			out = append(out, x.why)
		}
	}
	return out
}

// dbVolume is where the database of an OSD lies.
type dbVolume struct {
	device *host.Device
	lv     *LV
}

// dbVolume cuts a volume for a database off a device that several OSDs share.
func (r *run) dbVolume(f *flags, e entry, sharers int) (dbVolume, error) {
	var used uint64
	for _, d := range e.Partitions {
		used += d.Size
	}
	size := e.Size / uint64(max(sharers, 1)) / extent * extent
	if text := f.values["--block-db-size"]; text != "" {
		n, err := parseSize(text)
		if err != nil {
			return dbVolume{}, f.bad("argument --block-db-size: %v", err)
		}
		size = (n + extent - 1) / extent * extent
	}
	if free := e.Size - extent - used; size > free {
		if f.values["--block-db-size"] != "" {
			return dbVolume{}, failf("%s has not enough space for a block.db of %d bytes", e.devPath(), size)
		}
		size = free / extent * extent
	}
	d, l := r.makeLV(e, "osd-db-"+uuid(r.Process), size)
	return dbVolume{d, l}, nil
}

// makeLV makes a logical volume, and before it whatever LVM needs.
func (r *run) makeLV(e entry, name string, size uint64) (*host.Device, *LV) {
	group := ""
	for _, d := range e.Partitions {
		if l, ok := d.State.(*LV); ok {
			group = l.Group
		}
	}
	if group == "" {
		group = "ceph-" + uuid(r.Process)
		r.note("vgcreate", "--force", "--yes", group, e.devPath())
		r.Errorf(" stdout: Physical volume \"%s\" successfully created.\n", e.devPath())
		r.Errorf(" stdout: Volume group \"%s\" successfully created\n", group)
		e.Filesystem = "LVM2_member"
	}
	r.note("lvcreate", "--yes", "-l", strconv.FormatUint(size/extent, 10), "-n", name, group)
	r.Errorf(" stdout: Logical volume \"%s\" created.\n", name)
	l := &LV{Group: group, Name: name, UUID: lvmID(group + name), Tags: map[string]string{}}
	d := &host.Device{Name: l.mapper(), Size: size, Rotational: e.Rotational, Type: "lvm", State: l}
	e.Partitions = append(e.Partitions, d)
	return d, l
}

// onDevice makes one of n OSDs of a device.
func (r *run) onDevice(f *flags, e entry, n int, db dbVolume) error {
	r.note("/usr/bin/ceph-authtool", "--gen-print-key")
	if e.Filesystem != "" && e.Filesystem != "LVM2_member" {
		r.note("vgcreate", "--force", "--yes", "ceph-"+uuid(r.Process), e.devPath())
		r.Errorf(" stderr: WARNING: %s signature detected on %s at offset 0. Wipe it? [y/n]: [n]\n", e.Filesystem, e.devPath())
		r.Errorf(" stderr: Aborted wiping of %s.\n  1 existing signature left on the device.\n", e.Filesystem)
		return failf("command returned non-zero exit status: 5")
	}
	id, unwind, err := r.register(f)
	if err != nil {
		return err
	}
	size := e.Size/extent*extent - extent
	size = size / uint64(n) / extent * extent
	device, l := r.makeLV(e, "osd-block-"+id.uuid, size)
	if err := r.prepare(f, id, device, l, db); err != nil {
		unwind()
		return err
	}
	r.say("ceph-volume lvm prepare successful for: %s", strings.TrimPrefix(l.Path(), "/dev/"))
	return nil
}

// osdIdentity is who a new OSD is.
type osdIdentity struct {
	id           int
	uuid         string
	key          string
	lockbox, luk string // of an encrypted one
	fsid         string
}

// register asks the cluster for a new OSD. unwind takes it back.
func (r *run) register(f *flags) (id osdIdentity, unwind func(), err error) {
	if id.fsid, err = r.fsid(); err != nil {
		return id, nil, err
	}
	if id.uuid = f.values["--osd-fsid"]; id.uuid == "" {
		id.uuid = uuid(r.Process)
	}
	key := func() (string, error) {
		out, err := r.child(nil, false, "ceph-authtool", "--gen-print-key")
		return strings.TrimSpace(out), err
	}
	if id.key, err = key(); err != nil {
		return id, nil, err
	}
	secrets := map[string]string{"cephx_secret": id.key}
	if f.set["--dmcrypt"] {
		if id.lockbox, err = key(); err != nil {
			return id, nil, err
		}
		if id.luk, err = key(); err != nil {
			return id, nil, err
		}
		secrets["cephx_lockbox_secret"], secrets["dmcrypt_key"] = id.lockbox, id.luk
	}
	if class := f.values["--crush-device-class"]; class != "" {
		secrets["crush_device_class"] = class
	}
	in, err := json.Marshal(secrets)
	if err != nil {
		return id, nil, err
	}
	keyring := "/var/lib/ceph/bootstrap-osd/" + r.cluster + ".keyring"
	bootstrap := []string{"ceph", "--cluster", r.cluster, "--name", "client.bootstrap-osd", "--keyring", keyring}
	argv := append(slices.Clone(bootstrap), "-i", "-", "osd", "new", id.uuid)
	if want := f.values["--osd-id"]; want != "" {
		argv = append(argv, want)
	}
	out, err := r.child(in, false, argv...)
	if err != nil {
		return id, nil, failf("Unable to create a new OSD id")
	}
	if id.id, err = strconv.Atoi(strings.TrimSpace(out)); err != nil {
		return id, nil, failf("Unable to create a new OSD id")
	}
	return id, func() {
		r.say("Was unable to complete a new OSD, will rollback changes")
		_, _ = r.child(nil, false, append(slices.Clone(bootstrap), "osd", "purge-new", // what cannot be taken back stays, as in the real program
			fmt.Sprintf("osd.%d", id.id), "--yes-i-really-mean-it")...)
	}, nil
}

// prepare tags the volume and makes the store on it.
func (r *run) prepare(f *flags, id osdIdentity, d *host.Device, l *LV, db dbVolume) error {
	yes := "0"
	if f.set["--dmcrypt"] {
		yes = "1"
	}
	l.Tags = map[string]string{
		"ceph.block_device": l.Path(), "ceph.block_uuid": l.UUID, "ceph.cephx_lockbox_secret": id.lockbox, "ceph.cluster_fsid": id.fsid,
		"ceph.cluster_name": r.cluster, "ceph.crush_device_class": orElse(f.values["--crush-device-class"], r.noClass()), "ceph.encrypted": yes,
		"ceph.osd_fsid": id.uuid, "ceph.osd_id": strconv.Itoa(id.id), "ceph.type": "block", "ceph.vdo": "0",
	}
	if r.major >= octopus {
		l.Tags["ceph.osdspec_affinity"] = ""
	}
	target := l.Path()
	if yes == "1" {
		l.Passphrase = id.luk
		d.Filesystem = "crypto_LUKS"
		r.note("/usr/sbin/cryptsetup", "--batch-mode", "--key-file", "-", "luksFormat", l.Path())
		target = open(d, l)
	}
	dir := fmt.Sprintf("/var/lib/ceph/osd/%s-%d", r.cluster, id.id)
	if err := r.Files.MkdirAll(dir, 0o755); err != nil {
		return failf("%v", err)
	}
	if err := r.writeLink(dir+"/block", target); err != nil {
		return err
	}
	mkfs := []string{
		"ceph-osd", "--cluster", r.cluster, "--osd-objectstore", "bluestore", "--mkfs", "-i", strconv.Itoa(id.id), "--monmap", dir + "/activate.monmap",
		"--keyfile", "-",
	}
	if db.lv != nil {
		db.lv.Tags = maps.Clone(l.Tags)
		db.lv.Tags["ceph.type"] = "db"
		for _, tags := range []map[string]string{l.Tags, db.lv.Tags} {
			tags["ceph.db_device"], tags["ceph.db_uuid"] = db.lv.Path(), db.lv.UUID
		}
		mkfs = append(mkfs, "--bluestore-block-db-path", db.lv.Path())
	}
	bootstrap := "/var/lib/ceph/bootstrap-osd/" + r.cluster + ".keyring"
	if _, err := r.child(nil, false, "ceph", "--cluster", r.cluster, "--name", "client.bootstrap-osd", "--keyring", bootstrap,
		"mon", "getmap", "-o", dir+"/activate.monmap"); err != nil {
		return err
	}
	mkfs = append(mkfs, "--osd-data", dir+"/", "--osd-uuid", id.uuid, "--setuser", "ceph", "--setgroup", "ceph")
	_, err := r.child([]byte(id.key), false, mkfs...)
	return err
}

// noClass is how a volume without device class is tagged.
func (r *run) noClass() string {
	if r.major >= pacific {
		return ""
	}
	return "None"
}

// writeLink makes what would be a symbolic link to a device.
func (r *run) writeLink(at, device string) error {
	r.note("/usr/bin/ln", "-s", device, at)
	if err := r.Files.WriteFile(at, []byte(device), 0o777); err != nil {
		return failf("%v", err)
	}
	return nil
}

// open maps an encrypted volume and says where it is then.
func open(d *host.Device, l *LV) string {
	name := l.Tags["ceph.block_uuid"]
	if len(d.Partitions) == 0 {
		d.Partitions = []*host.Device{{Name: name, Size: d.Size - 16<<20, Rotational: d.Rotational, Type: "crypt", State: l}}
	}
	return "/dev/mapper/" + name
}

var prepareSpec = spec{
	values:   "--data --block.db --block.wal --block-db --block-wal --journal --osd-id --osd-fsid --crush-device-class --cluster-fsid",
	switches: "--bluestore --filestore --dmcrypt --no-systemd --no-tmpfs",
}

// lvmPrepare is `lvm prepare` and `lvm create`: one OSD on a device or volume.
func (r *run) lvmPrepare(args []string) error {
	f, err := parse("ceph-volume lvm prepare", prepareSpec, args)
	if err != nil {
		return err
	}
	e, err := r.dataDevice(f)
	if err != nil {
		return err
	}
	if slices.ContainsFunc(e.Partitions, func(d *host.Device) bool { return d.Type == "part" }) {
		return failf("Device %s has partitions.", f.values["--data"])
	}
	if err := r.needConf(); err != nil {
		return err
	}
	l, isLV := e.State.(*LV)
	if !isLV {
		if e.Filesystem == "LVM2_member" {
			return failf("Device %s is already part of a volume group", e.devPath())
		}
		return r.onDevice(f, e, 1, dbVolume{})
	}
	if l.Tags["ceph.osd_id"] != "" {
		return failf("skipping %s, it is already prepared", l.Path())
	}
	id, unwind, err := r.register(f)
	if err != nil {
		return err
	}
	if err := r.prepare(f, id, e.Device, l, dbVolume{}); err != nil {
		unwind()
		return err
	}
	r.say("ceph-volume lvm prepare successful for: %s", strings.TrimPrefix(l.Path(), "/dev/"))
	return nil
}

// parseSize reads a number of bytes with an optional unit.
func parseSize(text string) (uint64, error) {
	digits := strings.TrimRight(strings.ToUpper(text), "KMGTB")
	n, err := strconv.ParseUint(digits, 10, 64)
	if err != nil {
		return 0, fmt.Errorf("'%s' is no size", text)
	}
	if unit := strings.TrimSuffix(strings.ToUpper(text)[len(digits):], "B"); unit != "" {
		n <<= 10 * (strings.Index("KMGT", unit[:1]) + 1)
	}
	return n, nil
}
