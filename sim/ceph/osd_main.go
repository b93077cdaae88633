package ceph

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/volume"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// osdFlags are the words that ceph-osd takes besides options, with the number of
// their values.
var osdFlags = map[string]int{
	"--mkfs": 0, "--mkkey": 0, "--mkjournal": 0, "--check-wants-journal": 0, "--check-allows-journal": 0, "--check-needs-journal": 0,
	"--flush-journal": 0, "--dump-journal": 0, "--convert-filestore": 0, "--get-cluster-fsid": 0, "--get-osd-fsid": 0,
	"--get-journal-fsid": 0, "--yes-i-really-mean-it": 0, "--osdspec-affinity": 1,
}

// osdStart is how long a store takes to be opened.
const osdStart = time.Second

// osdMain is the program ceph-osd.
func osdMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "osd", "")
	if err != nil {
		p.Errorf("global_init: error reading config file: %v\n", err)
		return 1
	}
	id, err := strconv.Atoi(o.who.ID)
	if err != nil || id < 0 {
		p.Errorf("must specify '-i #' where # is the osd number\n")
		return 1
	}
	if word, bad := o.unknownWord(osdFlags); bad {
		p.Errorf("unrecognized arg %s\n", word)
		return 1
	}
	run := &osdRun{sim: s, p: p, r: r, o: o, id: id, data: path.Clean(o.or("osd_data", "/var/lib/ceph/osd/$cluster-$id"))}
	switch {
	case o.has("--mkfs"):
		return run.makeStore()
	case o.has("--mkkey"):
		return run.makeKey()
	case o.has("--get-osd-fsid"), o.has("--get-cluster-fsid"):
		store, why := run.open()
		if store == nil {
			return run.die(1, " ** ERROR: unable to open OSD superblock on %s: %s", run.data, why)
		}
		p.Printf("%s\n", map[bool]string{true: store.UUID, false: store.ClusterFSID}[o.has("--get-osd-fsid")])
		return 0
	}
	return run.serve()
}

// osdRun is one run of ceph-osd.
type osdRun struct {
	sim  *Sim
	p    *host.Process
	r    *release
	o    *options
	id   int
	data string
}

func (run *osdRun) log(level int, format string, args ...any) {
	run.o.logf(run.p, level, format, args...)
}

func (run *osdRun) die(code int, format string, args ...any) int {
	run.log(-1, format, args...)
	return code
}

func (run *osdRun) file(name string) string { return path.Join(run.data, name) }

// read is a small file of the data directory, without its end of line.
func (run *osdRun) read(name string) (string, bool) {
	b, err := run.p.Files.ReadFile(run.file(name))
	return strings.TrimSpace(string(b)), err == nil
}

// device is what the link "block" leads to; nil for a store in a directory. The
// errno says why it cannot be used.
func (run *osdRun) device() (d *host.Device, linked bool, why string) {
	target, ok := run.read("block")
	if !ok || !strings.HasPrefix(target, "/dev/") {
		return nil, false, ""
	}
	if !volume.Open(run.p) {
		return nil, true, "(2) No such file or directory"
	}
	d, found := volume.Find(run.p.Machine, target)
	if !found {
		return nil, true, "(2) No such file or directory"
	}
	return d, true, ""
}

// open finds the store; nil and the reason if there is none.
func (run *osdRun) open() (*volume.Store, string) {
	d, linked, why := run.device()
	switch {
	case why != "":
		return nil, why
	case linked:
		if s := volume.StoreOn(d); s != nil {
			return s, ""
		}
		return nil, "(5) Input/output error"
	}
	if s, ok := run.p.Files.State(run.data).(*volume.Store); ok {
		return s, ""
	}
	return nil, "(2) No such file or directory"
}

// makeStore is ceph-osd --mkfs.
func (run *osdRun) makeStore() int {
	kind := run.o.or("osd_objectstore", "bluestore")
	if kind == "filestore" && run.r.atLeast(reef) || kind != "filestore" && kind != "bluestore" && kind != "memstore" {
		return run.die(237, "unable to create object store")
	}
	fsid := run.fsid()
	if fsid == "" {
		return run.die(234, "must specify cluster fsid")
	}
	failed := func(why string) int {
		return run.die(1, " ** ERROR: error creating empty object store in %s: %s", run.data, why)
	}
	if info, err := run.p.Files.Stat(run.data); err != nil || !info.Dir {
		return failed("(2) No such file or directory")
	}
	uuid := strings.ToLower(run.o.or("osd_uuid", ""))
	if old, _ := run.open(); old != nil {
		switch {
		case uuid != "" && old.UUID != uuid:
			run.log(-1, "%s(%s) mkfs on-disk fsid %s != provided %s", kind, run.data, old.UUID, uuid)
			return failed("(22) Invalid argument")
		case old.OSD != run.id:
			run.log(-1, "OSD::mkfs: superblock says osd.%d, not osd.%d", old.OSD, run.id)
			return failed("(22) Invalid argument")
		case old.ClusterFSID != fsid:
			run.log(-1, "provided cluster fsid %s != superblock's %s", fsid, old.ClusterFSID)
			return failed("(22) Invalid argument")
		}
		return 0 // made before: nothing is lost
	}
	if uuid == "" {
		uuid = run.sim.uuid()
	}
	store := &volume.Store{
		Kind: kind, OSD: run.id, UUID: uuid, ClusterFSID: fsid, Created: run.p.Loop.Now(), Version: run.r.version,
		Key: run.givenKey(),
	}
	d, linked, why := run.device()
	switch {
	case why != "":
		run.log(-1, "bluestore(%s) _setup_block_symlink_or_file failed to open %s: %s", run.data, run.file("block"), why)
		return failed(why)
	case linked:
		store.Size = d.Size
		volume.SetStore(d, store)
	default:
		store.Size = uint64(run.o.number("bluestore_block_size", directorySize))
		if err := run.p.Files.SetState(run.data, store); err != nil {
			return failed(cppError(err))
		}
		if err := run.directoryFiles(kind); err != nil {
			return failed(cppError(err))
		}
	}
	if err := volume.WriteDataDir(run.p.Files, run.data, store); err != nil {
		return failed(cppError(err))
	}
	run.p.Sleep(osdStart)
	run.log(0, "created object store %s for osd.%d fsid %s", run.data, run.id, fsid)
	if run.o.has("--mkkey") {
		return run.makeKey()
	}
	return 0
}

// directorySize is how large a store in a directory is, in bytes: the free space
// of the file system that it stands for.
const directorySize = 100 << 30

// directoryFiles are what a store in a directory consists of.
func (run *osdRun) directoryFiles(kind string) error {
	if kind == "bluestore" {
		return run.p.Files.WriteFile(run.file("block"), []byte("bluestore block device\n"), 0o644)
	}
	if err := run.p.Files.MkdirAll(run.file("current"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string]string{"magic": "ceph osd volume v026\n", "store_version": "4\n", "superblock": "\n"} {
		if err := run.p.Files.WriteFile(run.file(name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	journal := run.o.or("osd_journal", run.file("journal"))
	return run.p.Files.WriteFile(journal, nil, 0o644)
}

// fsid is the cluster's: of the options, or of --monmap.
func (run *osdRun) fsid() string {
	if v, ok := run.o.get("fsid"); ok && v != "" {
		return strings.ToLower(v)
	}
	if data, err := run.p.Files.ReadFile(run.o.or("monmap", "")); err == nil {
		if mm, ok := decodeMonMap(data); ok {
			return mm.FSID
		}
	}
	return ""
}

// givenKey is the OSD's key if mkfs was given one: by --key or --keyfile, "-"
// being the standard input.
func (run *osdRun) givenKey() string {
	switch f := run.o.argv["keyfile"]; {
	case f == "-":
		return strings.TrimSpace(string(run.p.Stdin))
	case f != "":
		b, _ := run.p.Files.ReadFile(f) // without it the store has no key, and the keyring file counts
		return strings.TrimSpace(string(b))
	}
	return run.o.argv["key"]
}

// makeKey is ceph-osd --mkkey: a keyring with a new key, unless there is one.
func (run *osdRun) makeKey() int {
	at := run.o.or("keyring", run.file("keyring"))
	if _, err := run.p.Files.ReadFile(at); err == nil {
		run.log(0, "already have key in keyring %s", at)
		return 0
	}
	text := fmt.Sprintf("[osd.%d]\n\tkey = %s\n", run.id, run.sim.newKey())
	if err := run.p.Files.WriteFile(at, []byte(text), 0o600); err != nil {
		return run.die(1, "unable to write keyring %s: %s", at, cppError(err))
	}
	run.log(0, "created new key in keyring %s", at)
	return 0
}

// serve is ceph-osd without --mkfs.
func (run *osdRun) serve() int {
	if code := run.authenticate(); code != 0 {
		return code
	}
	kind, ok := run.read("type")
	if !ok {
		_, isFile := run.read("current")
		_, isBlock := run.read("block")
		switch {
		case isBlock:
			kind = "bluestore"
		case isFile:
			kind = "filestore"
		default:
			return run.die(250, "missing 'type' file and unable to infer osd type")
		}
	}
	if kind == "filestore" && run.r.atLeast(reef) {
		return run.die(237, "unable to create object store")
	}
	store, why := run.open()
	if store == nil {
		if kind == "bluestore" {
			run.log(-1, "bluestore(%s/block) _read_bdev_label failed to open %s/block: %s", run.data, run.data, why)
		}
		return run.die(1, " ** ERROR: unable to open OSD superblock on %s: %s", run.data, why)
	}
	if store.OSD != run.id {
		return run.die(1, "OSD id %d != my id %d", store.OSD, run.id)
	}
	if fsid, given := run.o.get("fsid"); given && fsid != "" && !strings.EqualFold(fsid, store.ClusterFSID) {
		return run.die(1, " ** ERROR: osd init failed: (22) Invalid argument: cluster fsid %s is not the store's %s", fsid, store.ClusterFSID)
	}
	if run.sim.storeInUse(store) {
		run.log(-1, "bdev(%s/block) open failed to lock %s/block: (11) Resource temporarily unavailable", run.data, run.data)
		return run.die(1, " ** ERROR: osd init failed: (16) Device or resource busy")
	}
	key, ok := run.key()
	if !ok {
		return run.die(1, " ** ERROR: osd init failed: (1) Operation not permitted")
	}
	d := &osdDaemon{sim: run.sim, run: run, store: store, key: key}
	return d.main()
}

// authenticate fetches the configuration from the monitors, which every program
// does first from mimic on.
func (run *osdRun) authenticate() (code int) {
	if run.o.has("--no-mon-config") || !run.r.atLeast(mimic) {
		return 0
	}
	key, ok := run.key()
	if !ok {
		return run.o.denied(run.p)
	}
	s, err := run.sim.connect(run.p, run.o.monsOf(), osdEntity(run.id), key, 0)
	if err != nil {
		return run.o.denied(run.p)
	}
	s.close()
	return 0
}

// key is the OSD's key, of its keyring.
func (run *osdRun) key() (string, bool) {
	key, errno := run.o.keyOf(run.p, run.file("keyring"))
	if errno == 0 && key == "" {
		run.log(-1, "auth: failed to find osd.%d in keyring", run.id)
	}
	return key, errno == 0 && key != ""
}
