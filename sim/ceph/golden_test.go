package ceph

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/golden"
	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

const pacificGolden = "pacific-16.2.15"

// replay is a recorded run that the simulation repeats.
type replay struct {
	name   string
	stdin  string
	before func(g *goldenWorld)
	// differs names fields of the JSON that are not compared: those of a daemon
	// that is not there, or a machine's own.
	differs []string
	// trace: stderr has a trace of Python, of which the last line counts.
	trace bool
}

// mayDiffer are fields that are another in each cluster: times, keys and the
// counts that follow from both.
var mayDiffer = []string{"key", "modified", "created", "stamp", "timestamp", "seq", "quorum_age", "election_epoch"}

// goldenWorld is the cluster of the recordings.
type goldenWorld struct {
	*world
	runs map[string]*run
}

const goldenAddr = "127.0.0.1"

// newGoldenWorld starts the recorded cluster's monitors on one machine.
func newGoldenWorld(t *testing.T, names ...string) *goldenWorld {
	t.Helper()
	w := newWorld(t, "16.2.15", 1)
	g := &goldenWorld{world: w, runs: map[string]*run{}}
	sample, fsid := "quorum_status", ""
	if len(names) > 1 {
		sample = "mon3-quorum_status"
	}
	rec, err := golden.Case(pacificGolden, sample)
	if err != nil {
		t.Fatal(err)
	}
	var q struct{ Monmap struct{ FSID string } }
	if err := json.Unmarshal(rec.Stdout, &q); err != nil {
		t.Fatal(err)
	}
	fsid = q.Monmap.FSID
	mm := &MonMap{FSID: fsid, Created: w.loop.Now(), Modified: w.loop.Now()}
	var hosts []string
	for i, n := range names {
		addrs := AddrVec{{Type: "v2", IP: goldenAddr, Port: portV2 + i}, {Type: "v1", IP: goldenAddr, Port: portV1 + i}}
		mm.Mons = append(mm.Mons, MonInfo{Name: n, Addrs: addrs})
		hosts = append(hosts, addrs.String())
	}
	for _, d := range []string{"/var/run/ceph", "/lab/c1"} {
		_ = w.host(goldenAddr).Files.MkdirAll(d, 0o755)
	}
	g.file("/etc/ceph/ceph.conf", "[global]\nfsid = "+fsid+"\nmon host = "+strings.Join(hosts, " ")+
		"\nkeyring = /etc/ceph/keyring\nauth allow insecure global id reclaim = false\nmon down mkfs grace = 0\nosd crush chooseleaf type = 0\n"+
		"mon warn on pool no redundancy = false\nmon warn on too few osds = false\n")
	g.file("/etc/ceph/keyring", g.keyring())
	g.file("/tmp/monmap", string(mm.encode()))
	for _, n := range names {
		if r := w.exec(goldenAddr, nil, "ceph-mon", "-i", n, "--mkfs", "--monmap", "/tmp/monmap", "--keyring", "/etc/ceph/keyring"); r.code != 0 {
			t.Fatalf("mkfs of mon.%s: %s", n, &r.p.Stderr)
		}
	}
	for _, n := range names {
		g.startMon(n)
	}
	w.quorum(time.Minute, names...)
	return g
}

func (g *goldenWorld) startMon(name string) {
	g.runs[name] = g.start(goldenAddr, nil, "ceph-mon", "-i", name)
}

func (g *goldenWorld) file(name, text string) {
	g.t.Helper()
	if err := g.host(goldenAddr).Files.WriteFile(name, []byte(text), 0o600); err != nil {
		g.t.Fatal(err)
	}
}

// keyring is that of the recorded cluster, with a key for "mon.".
func (g *goldenWorld) keyring() string {
	g.t.Helper()
	rec, err := golden.Case(pacificGolden, "auth-ls")
	if err != nil {
		g.t.Fatal(err)
	}
	var dump struct {
		AuthDump []conf.Entry `json:"auth_dump"`
	}
	if err := json.Unmarshal(rec.Stdout, &dump); err != nil {
		g.t.Fatal(err)
	}
	ring := conf.Keyring{"mon.": {Entity: "mon.", Key: "AQCX2w1rhdDJJxAA1r4sVXTLjDipdlZ9tWYeLA==", Caps: map[string]string{"mon": "allow *"}}}
	for _, e := range dump.AuthDump {
		ring[e.Entity] = e
	}
	return ring.String()
}

// replayAll repeats recorded runs in order and says how many it compared.
func (g *goldenWorld) replayAll(t *testing.T, list []replay) {
	for _, r := range list {
		if r.before != nil {
			r.before(g)
		}
		t.Run(r.name, func(t *testing.T) { g.replay(t, r) })
	}
}

func (g *goldenWorld) replay(t *testing.T, r replay) {
	rec, err := golden.Case(pacificGolden, r.name)
	if err != nil {
		t.Fatal(err)
	}
	have := g.start(goldenAddr, []byte(r.stdin), rec.Argv...)
	limit := 10 * time.Minute
	if rec.ExitCode == -9 {
		limit = 30 * time.Second
	}
	g.loop.RunUntil(func() bool { return have.code != running }, limit)
	have.p.Group.Kill()
	if rec.ExitCode == -9 {
		if have.code != running {
			t.Errorf("exit code %d, but the real one hung", have.code)
		}
		return
	}
	if have.code != rec.ExitCode {
		t.Errorf("exit code %d, want %d; stderr %q", have.code, rec.ExitCode, have.p.Stderr.String())
	}
	want := rec.Stderr
	if r.trace {
		want = traceLines.ReplaceAllString(want, "")
	}
	if got := plainText(have.p.Stderr.String()); got != plainText(want) {
		t.Errorf("stderr:\n%s\nwant:\n%s", got, plainText(want))
	}
	for _, d := range compareOutput(have.p.Stdout.Bytes(), rec.Stdout, append(slices.Clone(mayDiffer), r.differs...)) {
		t.Errorf("stdout %s", d)
	}
}

var (
	logHead    = regexp.MustCompile(`(?m)\d{4}-\d\d-\d\dT[0-9:.]+\+0000 +[0-9a-f]+ `)
	traceLines = regexp.MustCompile(`(?m)^  .*\n`)
	keyText    = regexp.MustCompile(`AQ[A-Za-z0-9+/]{36}==`)
	ageText    = regexp.MustCompile(`(age|since) [0-9.]+[smh]`)
)

// plainText blanks out what is another in each run: time and thread of a log
// line, keys, ages.
func plainText(s string) string {
	s = logHead.ReplaceAllString(s, "TIME ")
	s = keyText.ReplaceAllString(s, "KEY")
	return ageText.ReplaceAllString(s, "$1 AGE")
}

// compareOutput lists the differences of two outputs: field by field where the
// recorded one is JSON, as text otherwise. An empty line before JSON counts.
func compareOutput(have, want []byte, ignored []string) []string {
	var h, w any
	if len(want) == 0 && string(have) == "\n" {
		return nil // the recorder kept no file that is one empty line
	}
	if json.Unmarshal(want, &w) != nil {
		if a, b := plainText(string(have)), plainText(string(want)); a != b {
			return []string{fmt.Sprintf("is\n%s\nwant\n%s", a, b)}
		}
		return nil
	}
	if err := json.Unmarshal(have, &h); err != nil {
		return []string{fmt.Sprintf("is no JSON (%v): %q", err, have)}
	}
	var out []string
	if (len(have) > 0 && have[0] == '\n') != (want[0] == '\n') {
		out = append(out, fmt.Sprintf("begins with %q, want %q", have[:1], want[:1]))
	}
	return append(out, compareJSON("", h, w, ignored)...)
}

func compareJSON(path string, have, want any, ignored []string) []string {
	var out []string
	switch w := want.(type) {
	case map[string]any:
		h, ok := have.(map[string]any)
		if !ok {
			return []string{fmt.Sprintf("%s: is %v, want an object", path, have)}
		}
		for _, k := range sortedKeys(w) {
			v, there := h[k]
			switch {
			case slices.Contains(ignored, strings.TrimPrefix(path+"."+k, ".")):
			case slices.Contains(ignored, k):
			case !there:
				out = append(out, fmt.Sprintf("%s.%s: is not there", path, k))
			default:
				out = append(out, compareJSON(path+"."+k, v, w[k], ignored)...)
			}
		}
		for _, k := range sortedKeys(h) {
			if _, there := w[k]; !there && !slices.Contains(ignored, k) {
				out = append(out, fmt.Sprintf("%s.%s: is %v, want no such field", path, k, h[k]))
			}
		}
	case []any:
		h, ok := have.([]any)
		if !ok || len(h) != len(w) {
			return []string{fmt.Sprintf("%s: is %v, want %v", path, have, want)}
		}
		for i := range w {
			out = append(out, compareJSON(fmt.Sprintf("%s[%d]", path, i), h[i], w[i], ignored)...)
		}
	default:
		if have != want {
			out = append(out, fmt.Sprintf("%s: is %v, want %v", path, have, want))
		}
	}
	return out
}

func sortedKeys(m map[string]any) []string {
	var keys []string
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// machineFields are those of metadata that say on which machine a daemon runs.
var machineFields = []string{
	"cpu", "container_name", "device_ids", "device_paths", "devices", "distro", "distro_description", "distro_version", "hostname",
	"kernel_description", "kernel_version", "mem_swap_kb", "mem_total_kb",
}

func TestGoldenOneMonitor(t *testing.T) {
	g := newGoldenWorld(t, "a")
	// What the recorder had set up before.
	g.sh(goldenAddr, "ceph", "config", "set", "mgr", "mgr/devicehealth/enable_monitoring", "false", "--force")
	g.sh(goldenAddr, "ceph", "config", "set", "mon", "mon_allow_pool_delete", "true")
	noOSDs := []string{"mds", "osd", "client", "mgr"}
	g.replayAll(t, []replay{
		{name: "version"},
		{name: "version-plain"},
		{name: "ceph-mon-version"},
		{name: "cli-v-conf-missing"},
		{name: "health"},
		{name: "health-detail"},
		{name: "health-plain"},
		{name: "fsid"},
		{name: "features", differs: noOSDs},
		{name: "mon_status"},
		{name: "tell-mon.a-mon_status", differs: noOSDs},
		{name: "tell-mon.nosuch"},
		{name: "quorum_status"},
		{name: "mon-dump"},
		{name: "mon-stat"},
		{name: "mon-metadata", differs: machineFields},
		{name: "mon-enable-msgr2"},
		{name: "mon-enable-msgr2-plain"},
		{name: "mon-getmap"},
		{name: "mon-versions"},
		{name: "time-sync-status"},
		{name: "config-dump-empty"},
		{name: "config-set"},
		{name: "config-set-unknown"},
		{name: "config-set-badwho"},
		{name: "config-get-one"},
		{name: "config-get"},
		{name: "config-get-unknown"},
		{name: "config-dump"},
		{name: "config-rm"},
		{name: "config-rm-again"},
		{name: "config-log"},
		{name: "config-generate-minimal-conf"},
		{name: "config-assimilate-conf", stdin: "[global]\nosd_max_backfills = 3\nno_such = 1\n"},
		{name: "config-key-set"},
		{name: "config-key-get"},
		{name: "config-key-exists"},
		{name: "config-key-exists-missing"},
		{name: "config-key-dump"},
		{name: "config-key-ls", before: func(g *goldenWorld) {
			g.sh(goldenAddr, "ceph", "config-key", "set", "mgr/telemetry/report_id", "x") // by the manager, there
			g.sh(goldenAddr, "ceph", "config-key", "set", "mgr/telemetry/salt", "x")
		}},
		{name: "config-key-rm"},
		{name: "config-key-rm-missing"},
		{name: "unknown-command"},
		{name: "unknown-command-out-file", trace: true},
		{name: "missing-argument"},
		{name: "missing-argument-out-file", trace: true},
		{name: "daemon-asok-missing"},
		{name: "auth-ls"},
		{name: "auth-list"},
		{name: "auth-get"},
		{name: "auth-get-plain"},
		{name: "auth-get-nosuch"},
		{name: "auth-get-key"},
		{name: "auth-get-key-plain"},
		{name: "auth-print-key"},
		{name: "auth-get-key-nosuch"},
		{name: "auth-get-key-nosuch-out-file"},
		{name: "auth-get-or-create"},
		{name: "auth-get-or-create-same"},
		{name: "auth-get-or-create-plain"},
		{name: "auth-get-or-create-nocaps"},
		{name: "auth-get-or-create-different"},
		{name: "auth-get-or-create-key"},
		{name: "auth-get-or-create-new-nocaps"},
		{name: "auth-get-or-create-badentity"},
		{name: "auth-get-or-create-badtype"},
		{name: "auth-get-or-create-badcap"},
		{name: "auth-get-or-create-badcap-osd"},
		{name: "auth-get-or-create-unknown-daemon"},
		{name: "auth-get-or-create-odd"},
		{name: "auth-add"},
		{name: "auth-add-again"},
		{name: "auth-add-different"},
		{name: "auth-caps"},
		{name: "auth-caps-nosuch"},
		{name: "auth-export"},
		{name: "auth-import", stdin: "[client.user-z]\n\tkey = AQCU2w1rOWv3IBAABrfv7t+9O5tLDgg8+4N6ug==\n\tcaps mon = \"allow r\"\n"},
		{name: "auth-import-bad", stdin: "garbage"},
		{name: "auth-get-after-caps"},
		{name: "auth-del"},
		{name: "auth-del-missing"},
		{name: "auth-rm"},
		{name: "auth-del-self-daemon-nosuch"},
		{name: "authtool-gen-mon"},
		{name: "authtool-gen-mon-over"},
		{name: "authtool-list"},
		{name: "authtool-print-key"},
		{name: "authtool-import", before: func(g *goldenWorld) { g.keyringOf("/lab/c1/keyring", "client.admin") }},
		{name: "authtool-gen-print-key"},
		{name: "authtool-nofile"},
		{name: "authtool-bad-dir"},
		{name: "authtool-no-args"},
		{name: "authtool-bad-caps"},
		{name: "wrong-key-timeout5", before: (*goldenWorld).badKeyrings},
		{name: "malformed-key"},
		{name: "unknown-user"},
		{name: "unknown-user-with-key"},
		{name: "auth-get-user-x"},
		{name: "restricted-user-denied-auth", before: func(g *goldenWorld) {
			for _, d := range []string{"/lab/c1", "/etc/ceph"} {
				g.keyringOf(d+"/user-x.keyring", "client.user-x")
			}
		}},
		{name: "restricted-user-denied-pool"},
		{name: "restricted-user-config-dump"},
		{name: "unreachable-mon-timeout5"},
		{name: "unreachable-mon-no-timeout"},
		{name: "v1-only-port-3300"},
		{name: "legacy-mon-addr"},
		{name: "no-conf-no-mon"},
		{name: "mon-host-by-plain-ip"},
		{name: "config-set-clone-delay"},
		{name: "config-rm-clone-delay"},
		{name: "config-set-cap-revoke-eviction"},
		{name: "ceph-mon-no-data"},
		{name: "auth-add-y-to-user"},
		{name: "auth-del-while-mounted"},
	})
}

// keyringOf writes the keyring of an entity of the cluster.
func (g *goldenWorld) keyringOf(file, entity string) {
	g.t.Helper()
	g.file(file, g.sh(goldenAddr, "ceph", "auth", "get", entity))
}

// badKeyrings are those of the recordings' failures.
func (g *goldenWorld) badKeyrings() {
	const other = "AQBs2w1rAAAAABAAsQ22hsBeowgWkjs32NgY3g=="
	for _, d := range []string{"/lab/c1", "/etc/ceph"} {
		g.file(d+"/wrong.keyring", "[client.admin]\n\tkey = "+other+"\n")
		g.file(d+"/malformed.keyring", "[client.admin]\n\tkey = notbase64!\n")
		g.file(d+"/unknown.keyring", "[client.nosuch]\n\tkey = "+other+"\n")
	}
}

func TestGoldenThreeMonitors(t *testing.T) {
	g := newGoldenWorld(t, "a", "b", "c")
	kill := func(names ...string) {
		for _, n := range names {
			g.runs[n].p.Group.Kill()
		}
	}
	osds := []string{"osdmap", "pgmap", "fsmap", "mgrmap", "servicemap"}
	features := []string{"feature_map"}
	g.replayAll(t, []replay{
		{name: "mon3-quorum_status"},
		{name: "mon3-mon-dump"},
		{name: "mon3-status", differs: osds},
		{name: "mon3-mon-stat"},
		{name: "mon3-ok-to-stop"},
		{name: "mon3-ok-to-add"},
		{name: "mon3-ok-to-rm"},
		{name: "mon3-c-down-quorum_status", before: func(g *goldenWorld) { kill("c"); g.quorum(time.Minute, "a", "b") }},
		{name: "mon3-c-down-health"},
		{name: "mon3-c-down-status", differs: osds},
		{name: "mon3-c-down-tell-c"},
		{name: "mon3-noquorum-daemon-mon_status", differs: features, before: func(g *goldenWorld) { kill("b"); g.loop.RunFor(20 * time.Second) }},
		{name: "mon3-noquorum-daemon-quorum_status"},
		{name: "mon3-noquorum-tell"},
		{name: "mon3-noquorum-ping"},
		{name: "mon3-back-quorum_status", before: func(g *goldenWorld) { g.startMon("b"); g.startMon("c"); g.quorum(time.Minute, "a", "b", "c") }},
		{name: "mon3-a-down-quorum_status", before: func(g *goldenWorld) { kill("a"); g.quorum(time.Minute, "b", "c") }},
		{name: "mon3-remove-nosuch", before: func(g *goldenWorld) { g.startMon("a"); g.quorum(time.Minute, "a", "b", "c") }},
		{name: "mon3-remove"},
		{name: "mon3-remove-again", before: func(g *goldenWorld) { g.quorum(time.Minute, "a", "b") }},
		{name: "mon3-removed-quorum_status"},
		{name: "mon3-removed-status", differs: osds},
		{name: "mon3-add", trace: true},
		{name: "mon3-add-plain"},
		{name: "mon3-add-again-otheraddr"},
		{name: "mon3-added-mon-dump", differs: []string{"removed_ranks: "}},
		{name: "mon3-set-addrs"},
		{name: "mon3-remove-down"},
	})
}

func TestGoldenMimic(t *testing.T) { // S96
	rec, err := golden.Case("mimic-13.2.3", "mon_status")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "13.2.3", 1)
	w.net.Translate = serviceTo("10.200.63.69", "192.170.56.83")
	addr := "192.170.56.83"
	args := []string{
		"ceph-mon", "--fsid=dcef92d7-1f6a-4b9d-8ed0-0037d537d00b", "--keyring=/etc/ceph/keyring-store/keyring", "--log-to-stderr=true",
		"--err-to-stderr=true", "--mon-cluster-log-to-stderr=true", "--log-stderr-prefix=debug ", "--mon-host=10.200.63.69:6789",
		"--mon-initial-members=a", "--id=a",
	}
	f := w.host(addr).Files
	for _, d := range []string{"/etc/ceph/keyring-store", "/var/lib/rook/rook-ceph"} {
		_ = f.MkdirAll(d, 0o755)
	}
	_ = f.WriteFile("/etc/ceph/keyring-store/keyring", []byte(keyring), 0o400)
	_ = f.WriteFile("/var/lib/rook/rook-ceph/client.admin.keyring", []byte(keyring), 0o600)
	_ = f.WriteFile("/var/lib/rook/rook-ceph/rook-ceph.config", []byte("[global]\nmon host = 10.200.63.69:6789\n"), 0o644)
	for range 4 { // three restarts: election epoch 9
		if r := w.exec(addr, nil, append(slices.Clone(args), "--public-addr=10.200.63.69", "--mkfs")...); r.code != 0 {
			t.Fatalf("mkfs: %s", &r.p.Stderr)
		}
		r := w.start(addr, nil, append(slices.Clone(args), "--foreground", "--public-addr=10.200.63.69", "--public-bind-addr="+addr)...)
		w.quorum(time.Minute, "a")
		defer r.p.Group.Kill()
		if w.sim.Clusters()[0].State.Version < 5 {
			r.p.Terminate()
		}
	}
	r := w.exec(addr, nil, "ceph", "mon_status", "--connect-timeout=15", "--cluster=rook-ceph", "--conf=/var/lib/rook/rook-ceph/rook-ceph.config",
		"--keyring=/var/lib/rook/rook-ceph/client.admin.keyring", "--format", "json", "--out-file", "/tmp/565758730")
	if r.code != 0 {
		t.Fatalf("exit code %d: %s", r.code, &r.p.Stderr)
	}
	have, err := f.ReadFile("/tmp/565758730")
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range compareOutput(have, rec.Stdout, []string{"modified", "created", "osd", "mgr", "client"}) {
		t.Error(d)
	}
}

// serviceTo translates one service address to one pod.
func serviceTo(service, pod string) func(string, int) (string, int, bool) {
	return func(ip string, port int) (string, int, bool) {
		if ip == service {
			return pod, port, true
		}
		return ip, port, true
	}
}

func TestGoldenNautilus(t *testing.T) { // S108
	rec, err := golden.Case("nautilus-14.2", "quorum_status")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, "14.2.1", 1)
	w.net.Translate = serviceTo("10.200.88.83", "192.170.1.2")
	f := w.host("192.170.1.2").Files
	_ = f.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o400)
	_ = f.WriteFile("/etc/ceph/ceph.conf", []byte("[global]\nmon host = 10.200.88.83\nfsid = 9d6b7ae7-362c-45df-bb28-cfc8393a2edf\n"), 0o644)
	args := []string{"ceph-mon", "--id=a", "--keyring=/etc/ceph/keyring", "--public-addr=10.200.88.83"}
	w.sh("192.170.1.2", append(slices.Clone(args), "--mkfs")...)
	w.start("192.170.1.2", nil, append(args, "--foreground", "--public-bind-addr=192.170.1.2")...)
	w.quorum(time.Minute, "a")
	have := w.sh("192.170.1.2", "ceph", "quorum_status", "--format", "json")
	for _, d := range compareOutput([]byte(strings.TrimSpace(have)), rec.Stdout, []string{"modified", "created", "quorum_age"}) {
		t.Error(d)
	}
}
