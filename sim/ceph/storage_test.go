package ceph_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph"
	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// storage is a world with one monitor on machine n0 and storage machines n1, n2, …
type storage struct {
	t        testing.TB
	loop     *loop.Loop
	net      *host.Network
	sim      *ceph.Sim
	image    host.Image
	machines []*host.Machine
	groups   map[string]*loop.Group
	procs    map[string]*host.Process
}

const storageFSID = "24d0f1de-7ba3-4ae3-9f3b-5f7a4e0a1c11"

func newStorage(t testing.TB, version, conf string, nodes int) *storage {
	w := &storage{t: t, loop: loop.New(1), net: host.NewNetwork(), groups: map[string]*loop.Group{}, procs: map[string]*host.Process{}}
	t.Cleanup(w.loop.Close)
	w.sim = ceph.New(w.loop, w.net)
	w.image = w.sim.Image(version)
	for i := range nodes + 1 {
		w.machines = append(w.machines, host.NewMachine(w.loop, w.net, fmt.Sprintf("n%d", i), fmt.Sprintf("10.0.0.%d", i+1)))
	}
	w.start(conf)
	return w
}

// start makes the monitor of the world; conf stands behind what every ceph.conf
// has.
func (w *storage) start(conf string) {
	conf = "[global]\nfsid = " + storageFSID + "\nmon_host = " + w.machines[0].Addr + "\nmon_initial_members = a\nauth_allow_insecure_global_id_reclaim = false\n" + conf
	for _, m := range w.machines {
		w.write(m, "/etc/ceph/ceph.conf", conf)
	}
	m := w.machines[0]
	w.must(m, "ceph-authtool", "--create-keyring", "/tmp/k", "--gen-key", "-n", "mon.", "--cap", "mon", "allow *")
	w.must(m, "ceph-authtool", "--create-keyring", "/etc/ceph/ceph.client.admin.keyring", "--gen-key", "-n", "client.admin",
		"--cap", "mon", "allow *", "--cap", "osd", "allow *", "--cap", "mgr", "allow *", "--cap", "mds", "allow *")
	w.must(m, "ceph-authtool", "/tmp/k", "--import-keyring", "/etc/ceph/ceph.client.admin.keyring")
	w.mkdir(m, "/var/lib/ceph/mon")
	w.must(m, "ceph-mon", "--mkfs", "-i", "a", "--keyring", "/tmp/k")
	w.daemon(m, "mon.a", "ceph-mon", "-f", "-i", "a", "--public-addr", m.Addr)
	w.loop.RunFor(5 * time.Second)
}

func (w *storage) write(m *host.Machine, name, text string) {
	w.t.Helper()
	w.mkdir(m, name[:strings.LastIndex(name, "/")])
	if err := m.Files.WriteFile(name, []byte(text), 0o600); err != nil {
		w.t.Fatal(err)
	}
}

func (w *storage) mkdir(m *host.Machine, name string) {
	w.t.Helper()
	if err := m.Files.MkdirAll(name, 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := m.Files.MkdirAll("/tmp", 0o755); err != nil {
		w.t.Fatal(err)
	}
}

func (w *storage) process(m *host.Machine, g *loop.Group, args ...string) *host.Process {
	return &host.Process{
		Args: args, Env: map[string]string{}, Files: m.Files, Machine: m, Addr: m.Addr, Image: w.image, Loop: w.loop, Group: g,
	}
}

type result struct {
	code        int
	out, stderr string
	done        bool
}

// run runs a program to its end, at most ten minutes.
func (w *storage) run(m *host.Machine, stdin string, args ...string) result {
	g := m.Running.NewGroup(args[0])
	p := w.process(m, g, args...)
	p.Stdin = []byte(stdin)
	var r result
	g.Go(args[0], func() { r.code = p.Run(); r.done = true })
	w.loop.RunUntil(func() bool { return r.done }, 10*time.Minute)
	g.Kill()
	r.out, r.stderr = p.Stdout.String(), p.Stderr.String()
	return r
}

func (w *storage) must(m *host.Machine, args ...string) string {
	w.t.Helper()
	r := w.run(m, "", args...)
	if r.code != 0 || !r.done {
		w.t.Fatalf("%s: exit code %d (ended %v): %s%s", strings.Join(args, " "), r.code, r.done, r.out, r.stderr)
	}
	return r.out
}

// ceph runs ceph as administrator, JSON into v unless it is nil.
func (w *storage) ceph(v any, args ...string) {
	w.t.Helper()
	if v != nil {
		args = append(args, "--format", "json")
	}
	out := w.must(w.machines[0], append([]string{"ceph"}, args...)...)
	if v == nil {
		return
	}
	if err := json.Unmarshal([]byte(out), v); err != nil {
		w.t.Fatalf("ceph %s: %v: %s", strings.Join(args, " "), err, out)
	}
}

func (w *storage) daemon(m *host.Machine, name string, args ...string) {
	g := m.Running.NewGroup(name)
	p := w.process(m, g, args...)
	w.groups[name], w.procs[name] = g, p
	g.Go(name, func() {
		if code := p.Run(); code != 0 {
			w.t.Logf("%s ended with %d: %s", name, code, p.Stderr.String())
		}
		g.Kill()
	})
}

func (w *storage) mgr(id string) {
	w.t.Helper()
	m := w.machines[0]
	w.mkdir(m, "/var/lib/ceph/mgr/ceph-"+id)
	w.must(m, "ceph", "auth", "get-or-create", "mgr."+id, "mon", "allow profile mgr", "osd", "allow *", "mds", "allow *",
		"-o", "/var/lib/ceph/mgr/ceph-"+id+"/keyring")
	w.daemon(m, "mgr."+id, "ceph-mgr", "-f", "-i", id)
	w.loop.RunFor(5 * time.Second)
}

// mds starts an MDS on the monitor's machine.
func (w *storage) mds(id string, args ...string) {
	w.t.Helper()
	m := w.machines[0]
	w.mkdir(m, "/var/lib/ceph/mds/ceph-"+id)
	w.must(m, "ceph", "auth", "get-or-create", "mds."+id, "mon", "allow profile mds", "osd", "allow *", "mds", "allow",
		"-o", "/var/lib/ceph/mds/ceph-"+id+"/keyring")
	w.daemon(m, "mds."+id, append([]string{"ceph-mds", "-f", "-i", id}, args...)...)
	w.loop.RunFor(5 * time.Second)
}

// disk adds a device to a storage machine.
func (w *storage) disk(m *host.Machine, name string, gib uint64) *host.Device {
	d := &host.Device{Name: name, Type: "disk", Size: gib << 30, Rotational: true}
	m.Devices = append(m.Devices, d)
	return d
}

// bootstrap gives a machine the key with which ceph-volume registers OSDs.
func (w *storage) bootstrap(m *host.Machine) {
	w.t.Helper()
	ring := w.must(w.machines[0], "ceph", "auth", "get-or-create", "client.bootstrap-osd", "mon", "allow profile bootstrap-osd")
	w.write(m, "/var/lib/ceph/bootstrap-osd/ceph.keyring", ring)
}

// osd makes and starts an OSD on a new disk of a storage machine.
func (w *storage) osd(node int) int {
	w.t.Helper()
	m := w.machines[node]
	w.bootstrap(m)
	w.disk(m, fmt.Sprintf("sd%c", 'b'+len(m.Devices)), 10)
	path := "/dev/" + m.Devices[len(m.Devices)-1].Name
	w.must(m, "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", "--osds-per-device", "1", path)
	var list map[string][]struct {
		Devices []string
		Tags    map[string]string
	}
	if err := json.Unmarshal([]byte(w.must(m, "ceph-volume", "lvm", "list", "--format", "json")), &list); err != nil {
		w.t.Fatal(err)
	}
	for id, lvs := range list {
		if lvs[0].Devices[0] != path {
			continue
		}
		w.must(m, "ceph-volume", "lvm", "activate", "--no-systemd", "--bluestore", id, lvs[0].Tags["ceph.osd_fsid"])
		w.daemon(m, "osd."+id, "ceph-osd", "-f", "-i", id)
		w.loop.RunFor(3 * time.Second)
		n := 0
		if _, err := fmt.Sscan(id, &n); err != nil {
			w.t.Fatal(err)
		}
		return n
	}
	w.t.Fatalf("no OSD on %s: %v", path, list)
	return -1
}

func (w *storage) health() string {
	w.t.Helper()
	var h struct {
		Status string
		Checks map[string]struct{ Summary struct{ Message string } }
	}
	w.ceph(&h, "health")
	text := h.Status
	for code, c := range h.Checks {
		text += " " + code + ": " + c.Summary.Message + ";"
	}
	return text
}

func TestFromNothingToHealthOK(t *testing.T) {
	for _, version := range []string{"13.2.3", "14.2.0", "16.2.15", "18.2.4", "20.2.0"} {
		t.Run(version, func(t *testing.T) {
			w := newStorage(t, version, "", 3)
			w.mgr("a")
			for n := 1; n <= 3; n++ {
				w.osd(n)
			}
			if v := w.sim.Clusters(); len(v) != 1 {
				t.Fatalf("%d clusters", len(v))
			}
			if version == "14.2.0" {
				w.ceph(nil, "mon", "enable-msgr2")
			}
			w.loop.RunFor(30 * time.Second)
			if h := w.health(); h != "HEALTH_OK" {
				t.Errorf("health %s\n%s", h, w.must(w.machines[0], "ceph", "-s"))
			}
		})
	}
}

// osdState is an OSD of the map.
type osdState struct {
	OSD    int
	UUID   string
	Up, In int
	State  []string
}

func (w *storage) osdStates() []osdState {
	w.t.Helper()
	var dump struct{ OSDs []osdState }
	w.ceph(&dump, "osd", "dump")
	return dump.OSDs
}

func (w *storage) wantOSD(what string, id, up, in int) {
	w.t.Helper()
	for _, o := range w.osdStates() {
		if o.OSD == id {
			if o.Up != up || o.In != in {
				w.t.Errorf("%s: osd.%d has up %d in %d, want up %d in %d", what, id, o.Up, o.In, up, in)
			}
			return
		}
	}
	w.t.Errorf("%s: there is no osd.%d", what, id)
}

// three is a world with mgr and an OSD on each of three machines, and a pool.
func three(t *testing.T, version string) *storage {
	w := newStorage(t, version, "mon_warn_on_pool_no_app = false\nmon_pg_warn_min_per_osd = 0\n", 3)
	w.mgr("a")
	for n := 1; n <= 3; n++ {
		w.osd(n)
	}
	w.ceph(nil, "osd", "pool", "create", "data", "16", "16")
	w.write(w.machines[0], "/tmp/object", "content")
	for i := range 50 {
		w.must(w.machines[0], "rados", "-p", "data", "put", fmt.Sprint("object", i), "/tmp/object")
	}
	w.loop.RunFor(30 * time.Second)
	return w
}

func TestAKilledOSDIsDownWhenItsPortsRefuse(t *testing.T) {
	w := three(t, "16.2.15")
	w.groups["osd.1"].Kill()
	w.loop.RunFor(time.Second)
	w.wantOSD("1s after SIGKILL", 1, 0, 1)
	h := w.health()
	for _, want := range []string{"HEALTH_WARN", "OSD_DOWN: 1 osds down", "OSD_HOST_DOWN: 1 host (1 osds) down", "PG_AVAILABILITY"} {
		if !strings.Contains(h, want) {
			t.Errorf("health %s lacks %s", h, want)
		}
	}
	w.loop.RunFor(5 * time.Second)
	if h := w.health(); !strings.Contains(h, "Degraded data redundancy: 50/150 objects degraded (33.333%), ") || strings.Contains(h, "PG_AVAILABILITY") {
		t.Errorf("health %s", h)
	}
	w.loop.RunFor(590 * time.Second)
	w.wantOSD("597s after SIGKILL", 1, 0, 1)
	w.loop.RunFor(15 * time.Second)
	w.wantOSD("612s after SIGKILL", 1, 0, 0)
	w.daemon(w.machines[2], "osd.1", "ceph-osd", "-f", "-i", "1")
	w.loop.RunFor(20 * time.Second)
	w.wantOSD("20s after its start", 1, 1, 1)
	if h := w.health(); h != "HEALTH_OK" {
		t.Errorf("health %s", h)
	}
}

func TestALostMachineIsMissedAfterTheGrace(t *testing.T) {
	w := three(t, "16.2.15")
	w.machines[3].PowerOff()
	w.loop.RunFor(19 * time.Second)
	w.wantOSD("after 19s", 2, 1, 1)
	w.loop.RunFor(10 * time.Second)
	w.wantOSD("after 29s", 2, 0, 1)
}

func TestAPartitionedMachineIsMissedAndComesBack(t *testing.T) {
	w := three(t, "16.2.15")
	for _, m := range w.machines[:3] {
		w.net.Cut(m.Addr, w.machines[3].Addr)
	}
	w.loop.RunFor(35 * time.Second)
	w.wantOSD("after 35s", 2, 0, 1)
	for _, m := range w.machines[:3] {
		w.net.Mend(m.Addr, w.machines[3].Addr)
	}
	w.loop.RunFor(30 * time.Second)
	w.wantOSD("30s after it was mended", 2, 1, 1)
}

func TestASingleOSDIsMissedByTheMonitorsOnly(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	w.osd(1)
	w.groups["osd.0"].Kill()
	w.loop.RunFor(850 * time.Second)
	w.wantOSD("after 850s", 0, 1, 1)
	w.loop.RunFor(70 * time.Second)
	w.wantOSD("after 920s", 0, 0, 1)
}

func TestNooutAndNodownHold(t *testing.T) {
	w := three(t, "16.2.15")
	w.ceph(nil, "osd", "set", "noout")
	w.groups["osd.1"].Kill()
	w.loop.RunFor(700 * time.Second)
	w.wantOSD("noout", 1, 0, 1)
	if h := w.health(); !strings.Contains(h, "OSDMAP_FLAGS: noout flag(s) set") {
		t.Errorf("health %s", h)
	}
	w.ceph(nil, "osd", "set", "nodown")
	w.groups["osd.2"].Kill()
	w.loop.RunFor(60 * time.Second)
	w.wantOSD("nodown", 2, 1, 1)
}

func TestAnOSDThatIsMarkedDownComesBack(t *testing.T) {
	w := three(t, "16.2.15")
	w.ceph(nil, "osd", "down", "1")
	w.wantOSD("at once", 1, 0, 1)
	w.loop.RunFor(10 * time.Second)
	w.wantOSD("10s later", 1, 1, 1)
}

func TestAnOSDStopsByItself(t *testing.T) {
	for name, c := range map[string]struct {
		spoil func(w *storage)
		args  []string
		want  string
	}{
		"wrong key": {
			func(w *storage) {
				w.write(w.machines[1], "/var/lib/ceph/osd/ceph-0/keyring", "[osd.0]\n\tkey = AQBs2w1rAAAAABAA7zbqIaSv+/rixWtxPWNMaA==\n")
			}, nil, "failed to fetch mon config",
		},
		"no key": {
			func(w *storage) { _ = w.machines[1].Files.Remove("/var/lib/ceph/osd/ceph-0/keyring") }, nil, "unable to find a keyring on /var/lib/ceph/osd/ceph-0/keyring",
		},
		"purged": {
			func(w *storage) {
				w.ceph(nil, "osd", "down", "0")
				w.ceph(nil, "osd", "purge", "0", "--yes-i-really-mean-it")
			}, nil, "failed to fetch mon config",
		},
		"another cluster": {func(*storage) {}, []string{"--fsid", "11111111-2222-3333-4444-555555555555"}, "cluster fsid"},
		"no type": {
			func(w *storage) {
				_ = w.machines[1].Files.Remove("/var/lib/ceph/osd/ceph-0/type")
				_ = w.machines[1].Files.Remove("/var/lib/ceph/osd/ceph-0/block")
			}, nil, "missing 'type' file and unable to infer osd type",
		},
		"no device": {
			func(w *storage) { w.machines[1].Devices = nil }, nil, "unable to open OSD superblock on /var/lib/ceph/osd/ceph-0: (2) No such file or directory",
		},
		"other id": {
			func(w *storage) {
				w.write(w.machines[1], "/var/lib/ceph/osd/ceph-0/keyring", w.must(w.machines[0], "ceph", "auth", "get-or-create", "osd.7", "mon", "allow profile osd"))
			},
			[]string{"--id", "7", "--osd-data", "/var/lib/ceph/osd/ceph-0"},
			"OSD id 0 != my id 7",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newStorage(t, "16.2.15", "", 1)
			w.mgr("a")
			w.osd(1)
			w.procs["osd.0"].Terminate()
			w.loop.RunFor(5 * time.Second)
			c.spoil(w)
			r := w.run(w.machines[1], "", append([]string{"ceph-osd", "-f", "-i", "0"}, c.args...)...)
			if !r.done || r.code == 0 || !strings.Contains(r.stderr, c.want) {
				t.Errorf("ended %v with %d: %s; want %s", r.done, r.code, r.stderr, c.want)
			}
		})
	}
}

func TestASecondDaemonOnOneStore(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	w.osd(1)
	r := w.run(w.machines[1], "", "ceph-osd", "-f", "-i", "0")
	if r.code != 1 || !strings.Contains(r.stderr, "(16) Device or resource busy") {
		t.Errorf("exit code %d: %s", r.code, r.stderr)
	}
}

func TestFilestoreInADirectory(t *testing.T) {
	for version, code := range map[string]int{"13.2.3": 0, "16.2.15": 0, "18.2.4": 237} {
		w := newStorage(t, version, "", 1)
		w.mgr("a")
		m := w.machines[1]
		data := "/var/lib/rook/osd0"
		w.mkdir(m, data)
		const uuid = "11111111-2222-3333-4444-555555555555"
		w.ceph(nil, "osd", "new", uuid)
		w.write(m, data+"/keyring", w.must(w.machines[0], "ceph", "auth", "get-or-create", "osd.0", "mon", "allow profile osd", "osd", "allow *"))
		args := []string{"ceph-osd", "--mkfs", "--id=0", "--osd-uuid=" + uuid, "--osd-data=" + data, "--keyring=" + data + "/keyring", "--osd-objectstore=filestore", "--osd-journal=" + data + "/journal"}
		for i := range 2 { // the second time finds what the first has made
			if r := w.run(m, "", args...); r.code != code {
				t.Fatalf("%s, run %d: exit code %d: %s", version, i, r.code, r.stderr)
			}
		}
		if code != 0 {
			continue
		}
		if r := w.run(m, "", append(args, "--osd-uuid=22222222-2222-3333-4444-555555555555")...); r.code != 1 || !strings.Contains(r.stderr, "error creating empty object store in "+data+": (22)") {
			t.Errorf("%s: another uuid: exit code %d: %s", version, r.code, r.stderr)
		}
		w.daemon(m, "osd.0", "ceph-osd", "--foreground", "--id=0", "--osd-data="+data, "--keyring="+data+"/keyring", "--osd-uuid="+uuid, "--crush-location=root=default host=n1 rack=r1")
		w.loop.RunFor(10 * time.Second)
		w.wantOSD(version, 0, 1, 1)
		var found struct {
			At map[string]string `json:"crush_location"`
		}
		w.ceph(&found, "osd", "find", "0")
		if found.At["rack"] != "r1" || found.At["host"] != "n1" || found.At["root"] != "default" {
			t.Errorf("%s: crush location %v", version, found.At)
		}
	}
}
