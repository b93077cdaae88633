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
	t        *testing.T
	loop     *loop.Loop
	net      *host.Network
	sim      *ceph.Sim
	image    host.Image
	machines []*host.Machine
	groups   map[string]*loop.Group
	procs    map[string]*host.Process
}

const storageFSID = "24d0f1de-7ba3-4ae3-9f3b-5f7a4e0a1c11"

func newStorage(t *testing.T, version, conf string, nodes int) *storage {
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
			t.Log("\n" + w.must(w.machines[0], "ceph", "osd", "tree") + w.must(w.machines[0], "ceph", "-s"))
		})
	}
}
