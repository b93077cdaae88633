package ceph

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// world is a network with machines that have one release of Ceph installed.
type world struct {
	t       testing.TB
	loop    *loop.Loop
	net     *host.Network
	sim     *Sim
	version string
	hosts   map[string]*host.Machine
}

// run is a program that has been started.
type run struct {
	p    *host.Process
	code int // -100 while it runs
}

const running = -100

func newWorld(t testing.TB, version string, seed uint64) *world {
	t.Helper()
	l := loop.New(seed)
	t.Cleanup(l.Close)
	n := host.NewNetwork()
	return &world{t: t, loop: l, net: n, sim: New(l, n), version: version, hosts: map[string]*host.Machine{}}
}

// host is a machine at an address, with the directories that an image has.
func (w *world) host(addr string) *host.Machine {
	if m := w.hosts[addr]; m != nil {
		return m
	}
	m := host.NewMachine(w.loop, w.net, "host-"+addr, addr)
	for _, d := range []string{"/etc/ceph", "/var/lib/ceph/mon", "/var/lib/ceph/mgr", "/var/lib/ceph/osd", "/tmp", "/lab/c1", "/run"} {
		if err := m.Files.MkdirAll(d, 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	w.hosts[addr] = m
	return m
}

// start runs a program on a machine.
func (w *world) start(addr string, stdin []byte, argv ...string) *run {
	m := w.host(addr)
	g := m.Running.NewGroup(argv[0])
	r := &run{code: running}
	r.p = &host.Process{
		Args: argv, Env: map[string]string{}, Stdin: stdin, Files: m.Files, Machine: m, Addr: addr,
		Image: w.sim.Image(w.version), Loop: w.loop, Group: g,
	}
	g.Go(argv[0], func() {
		r.code = r.p.Run()
	})
	return r
}

// exec runs a program to its end, at most for ten minutes.
func (w *world) exec(addr string, stdin []byte, argv ...string) *run {
	r := w.start(addr, stdin, argv...)
	w.loop.RunUntil(func() bool { return r.code != running }, 10*time.Minute)
	r.p.Group.Kill()
	return r
}

// sh is exec for a program that has to work; it returns stdout.
func (w *world) sh(addr string, argv ...string) string {
	w.t.Helper()
	r := w.exec(addr, nil, argv...)
	if r.code != 0 {
		w.t.Fatalf("%s: exit code %d\nstdout: %s\nstderr: %s", strings.Join(argv, " "), r.code, &r.p.Stdout, &r.p.Stderr)
	}
	return r.p.Stdout.String()
}

const testFSID = "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"

// keyring is the keyring of S70 and S71 that all machines of a test share.
const keyring = `[mon.]
	key = AQCX2w1rhdDJJxAA1r4sVXTLjDipdlZ9tWYeLA==
	caps mon = "allow *"
[client.admin]
	key = AQBs2w1rAAAAABAAT8VfpOYAFm1b91xR2EWZ1w==
	caps mds = "allow *"
	caps mgr = "allow *"
	caps mon = "allow *"
	caps osd = "allow *"
`

// monArgs are the arguments of S117 and S128 for a monitor that is one of
// names, at 10.0.0.1 and following.
func monArgs(names []string, id string, more ...string) []string {
	var hosts []string
	for i := range names {
		hosts = append(hosts, monIP(i))
	}
	return append([]string{
		"ceph-mon", "--fsid=" + testFSID, "--keyring=/etc/ceph/keyring", "--log-to-stderr=true", "--err-to-stderr=true",
		"--mon-cluster-log-to-stderr=true", "--log-stderr-prefix=debug ", "--mon-host=" + strings.Join(hosts, ","),
		"--mon-initial-members=" + strings.Join(names, ","), "--id=" + id, "--public-addr=" + monIP(slices.Index(names, id)),
	}, more...)
}

func monIP(i int) string { return "10.0.0." + string(rune('1'+i)) }

// mkfs prepares a monitor.
func (w *world) mkfs(names []string, id string) *run {
	w.t.Helper()
	ip := monIP(slices.Index(names, id))
	if err := w.host(ip).Files.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o600); err != nil {
		w.t.Fatal(err)
	}
	w.conf(ip, names)
	r := w.exec(ip, nil, monArgs(names, id, "--mkfs")...)
	if r.code != 0 {
		w.t.Fatalf("mkfs of mon.%s: exit code %d\n%s", id, r.code, &r.p.Stderr)
	}
	return r
}

// conf writes the ceph.conf of clients on a machine.
func (w *world) conf(addr string, names []string) {
	w.t.Helper()
	var hosts []string
	for i := range names {
		hosts = append(hosts, monIP(i))
	}
	text := "[global]\nfsid = " + testFSID + "\nmon host = " + strings.Join(hosts, ",") + "\nkeyring = /etc/ceph/keyring\n"
	if err := w.host(addr).Files.WriteFile("/etc/ceph/ceph.conf", []byte(text), 0o644); err != nil {
		w.t.Fatal(err)
	}
}

// mon starts a monitor.
func (w *world) mon(names []string, id string) *run {
	return w.start(monIP(slices.Index(names, id)), nil, monArgs(names, id, "--foreground", "--public-bind-addr="+monIP(slices.Index(names, id)))...)
}

// cluster makes a cluster of monitors and waits until all are in quorum.
func (w *world) cluster(names ...string) map[string]*run {
	w.t.Helper()
	runs := map[string]*run{}
	for _, n := range names {
		w.mkfs(names, n)
	}
	for _, n := range names {
		runs[n] = w.mon(names, n)
	}
	w.quorum(time.Minute, names...)
	return runs
}

// quorum waits until exactly these monitors are in quorum.
func (w *world) quorum(limit time.Duration, names ...string) {
	w.t.Helper()
	var have []string
	if !w.loop.RunUntil(func() bool {
		for _, c := range w.sim.Clusters() {
			have = c.Quorum
			if slices.Equal(c.Quorum, names) {
				return true
			}
		}
		return false
	}, limit) {
		w.t.Fatalf("after %v the quorum is %v, not %v", limit, have, names)
	}
}
