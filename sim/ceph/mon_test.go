package ceph

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"
)

// releases are one version of each release.
var releases = []string{"12.2.13", "13.2.3", "14.2.0", "15.2.17", "16.2.15", "17.2.7", "18.2.4", "19.2.0", "20.2.0"}

// parsed is the JSON of a command that has to work.
func (w *world) parsed(addr string, argv ...string) map[string]any {
	w.t.Helper()
	out := w.sh(addr, append(argv, "--format", "json")...)
	var m map[string]any
	if err := json.Unmarshal([]byte(out), &m); err != nil {
		w.t.Fatalf("%s: %v in %q", strings.Join(argv, " "), err, out)
	}
	return m
}

func TestOneMonitorOfEachRelease(t *testing.T) {
	for _, v := range releases {
		t.Run(v, func(t *testing.T) {
			w := newWorld(t, v, 1)
			w.cluster("a")
			if s := w.parsed("10.0.0.1", "ceph", "status"); s["fsid"] != testFSID {
				t.Errorf("fsid %v, want %s", s["fsid"], testFSID)
			}
			q := w.parsed("10.0.0.1", "ceph", "quorum_status")
			if q["quorum_leader_name"] != "a" || q["election_epoch"] != 3.0 {
				t.Errorf("leader %v in election epoch %v, want a in 3", q["quorum_leader_name"], q["election_epoch"])
			}
			r := w.exec("10.0.0.1", nil, "ceph", "mon_status", "--format", "json")
			if old := w.sim.Image(v).Version < "15"; old != (r.code == 0) {
				t.Errorf("mon_status: exit code %d of %s", r.code, v)
			}
		})
	}
}

func TestMkfsAgainChangesNothing(t *testing.T) { // S129
	w := newWorld(t, "13.2.3", 1)
	runs := w.cluster("a")
	w.sh("10.0.0.1", "ceph", "auth", "get-or-create", "client.x")
	runs["a"].p.Terminate()
	for range 3 {
		r := w.mkfs([]string{"a"}, "a")
		if want := "'/var/lib/ceph/mon/ceph-a' already exists and is not empty: monitor may already exist"; !strings.Contains(r.p.Stderr.String(), want) {
			t.Errorf("stderr %q, want %q", r.p.Stderr.String(), want)
		}
	}
	w.mon([]string{"a"}, "a")
	w.quorum(time.Minute, "a")
	w.sh("10.0.0.1", "ceph", "auth", "get", "client.x")
	if e := w.parsed("10.0.0.1", "ceph", "mon_status")["election_epoch"]; e != 5.0 {
		t.Errorf("election epoch %v after one restart, want 5", e)
	}
}

func TestMonRefusesToStart(t *testing.T) {
	names := []string{"a"}
	tests := []struct {
		name   string
		before func(w *world)
		argv   []string
		code   int
		stderr string
	}{
		{"before mkfs", nil, monArgs(names, "a", "--foreground"), 1, "monitor data directory at '/var/lib/ceph/mon/ceph-a' does not exist: have you run 'mkfs'?"},
		{
			"empty directory", func(w *world) { _ = w.host("10.0.0.1").Files.MkdirAll("/var/lib/ceph/mon/ceph-a", 0o755) },
			monArgs(names, "a", "--foreground"), 1, "monitor data directory at '/var/lib/ceph/mon/ceph-a' is empty: have you run 'mkfs'?",
		},
		{
			"mkfs without fsid", func(w *world) { _ = w.host("10.0.0.1").Files.Remove("/etc/ceph/ceph.conf") },
			append(monArgs(names, "a", "--mkfs")[:1], monArgs(names, "a", "--mkfs")[2:]...), 10, "ceph-mon: generated monmap has no fsid; use '--fsid <uuid>'",
		},
		{"mkfs without keyring", nil, monArgs(names, "a", "--mkfs", "--keyring=/none"), 1, "unable to find a keyring on /none: (2) No such file or directory"},
		{
			"mkfs with a keyring that is none", func(w *world) { _ = w.host("10.0.0.1").Files.WriteFile("/bad", []byte("garbage\n"), 0o600) },
			monArgs(names, "a", "--mkfs", "--keyring=/bad"), 1, "unable to load initial keyring /bad",
		},
		{"unknown option", nil, monArgs(names, "a", "--mkfs", "--foo=bar"), 1, "too many arguments: [--foo=bar]"},
		{"no such directory", nil, monArgs(names, "a", "--mkfs", "--mon-data=/none/mon"), 1, "mkdir(/none/mon) : (2) No such file or directory"},
		{
			"foreign fsid", func(w *world) { w.mkfs(names, "a") }, monArgs(names, "a", "--fsid=aaaaaaaa-1f6a-4b9d-8ed0-0037d537d00b"), 1,
			"error: cluster_uuid file exists with value " + testFSID + ", != our uuid aaaaaaaa-1f6a-4b9d-8ed0-0037d537d00b",
		},
		{"foreign address", func(w *world) { w.mkfs(names, "a") }, monArgs(names, "a", "--public-bind-addr=10.0.0.77"), 1, "unable to bind monitor to"},
		{"key of another cluster", func(w *world) {
			w.mkfs(names, "a")
			_ = w.host("10.0.0.1").Files.WriteFile("/other", []byte("[mon.]\n\tkey = AQBs2w1rAAAAABAAT8VfpOYAFm1b91xR2EWZ1w==\n"), 0o600)
		}, monArgs(names, "a", "--keyring=/other"), 1, "key of mon. in /other is not the one in /var/lib/ceph/mon/ceph-a/keyring"},
		{"no key at all", func(w *world) {
			w.mkfs(names, "a")
			_ = w.host("10.0.0.1").Files.Remove("/var/lib/ceph/mon/ceph-a/keyring")
		}, monArgs(names, "a", "--keyring=/none"), 1, "unable to load initial keyring /none"},
		{
			"store in use", func(w *world) { w.mkfs(names, "a"); w.mon(names, "a"); w.quorum(time.Minute, "a") },
			monArgs(names, "a"), 1, "error opening mon data directory at '/var/lib/ceph/mon/ceph-a': (22) Invalid argument",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "16.2.15", 1)
			_ = w.host("10.0.0.1").Files.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o600)
			if tt.before != nil {
				tt.before(w)
			}
			r := w.exec("10.0.0.1", nil, tt.argv...)
			if r.code != tt.code || !strings.Contains(r.p.Stderr.String(), tt.stderr) {
				t.Errorf("exit code %d, want %d; stderr:\n%s\nwant in it:\n%s", r.code, tt.code, r.p.Stderr.String(), tt.stderr)
			}
		})
	}
}

func TestAddressInUse(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	w.cluster("a")
	_ = w.host("10.0.0.1").Files.MkdirAll("/b", 0o755)
	args := append(monArgs([]string{"a"}, "a"), "--id=b", "--mon-data=/b/mon")
	if r := w.exec("10.0.0.1", nil, append(args, "--mkfs")...); r.code != 0 {
		t.Fatalf("mkfs: %s", &r.p.Stderr)
	}
	begin := w.loop.Now()
	r := w.exec("10.0.0.1", nil, append(args, "--public-bind-addr=10.0.0.1")...)
	if want := "bind was unable to bind after 3 attempts: (98) Address already in use"; r.code != 1 || !strings.Contains(r.p.Stderr.String(), want) {
		t.Errorf("exit code %d, stderr %s", r.code, &r.p.Stderr)
	}
	if took := w.loop.Since(begin); took < 10*time.Second {
		t.Errorf("gave up after %v, want two pauses of 5s", took)
	}
}

func TestWrongPublicAddressNeverFindsQuorum(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	names := []string{"a"}
	_ = w.host("10.0.0.1").Files.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o600)
	w.conf("10.0.0.1", names)
	wrong := append(monArgs(names, "a"), "--public-addr=10.0.0.9")
	if r := w.exec("10.0.0.1", nil, append(wrong, "--mkfs")...); r.code != 0 {
		t.Fatalf("mkfs: %s", &r.p.Stderr)
	}
	r := w.start("10.0.0.1", nil, append(wrong, "--public-bind-addr=10.0.0.1")...)
	w.loop.RunFor(time.Minute)
	if r.code != running || !strings.Contains(r.p.Stderr.String(), "mon.a does not exist in monmap, will attempt to join an existing cluster") {
		t.Errorf("exit code %d; stderr:\n%s", r.code, &r.p.Stderr)
	}
	s := w.parsed("10.0.0.1", "ceph", "daemon", "mon.a", "mon_status")
	if s["state"] != "probing" || s["rank"] != -1.0 {
		t.Errorf("state %v, rank %v; want probing, -1", s["state"], s["rank"])
	}
}

func TestThreeMonitors(t *testing.T) {
	for _, v := range releases {
		for seed := range uint64(4) {
			w := newWorld(t, v, seed)
			w.cluster("a", "b", "c")
			q := w.parsed("10.0.0.2", "ceph", "quorum_status")
			if e := int(q["election_epoch"].(float64)); e%2 != 0 {
				t.Errorf("%s, seed %d: election epoch %d in a quorum of three, want an even one", v, seed, e)
			}
			if q["quorum_leader_name"] != "a" {
				t.Errorf("%s, seed %d: leader %v, want a", v, seed, q["quorum_leader_name"])
			}
		}
	}
}

func TestLeaderLoss(t *testing.T) { // S109
	for seed := range uint64(5) {
		w := newWorld(t, "16.2.15", seed)
		runs := w.cluster("a", "b", "c")
		w.sh("10.0.0.1", "ceph", "config-key", "set", "k", "before")
		runs["a"].p.Group.Kill()
		begin := w.loop.Now()
		w.quorum(30*time.Second, "b", "c")
		t.Logf("seed %d: b leads after %v", seed, w.loop.Since(begin))
		w.sh("10.0.0.2", "ceph", "config-key", "set", "k", "while a was away")
		w.loop.RunFor(2 * time.Minute)
		health := w.sh("10.0.0.2", "ceph", "health", "detail")
		if want := "mon.a (rank 0) addr [v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0] is down (out of quorum)"; !strings.Contains(health, want) {
			t.Errorf("health:\n%s\nwant in it:\n%s", health, want)
		}
		begin = w.loop.Now()
		w.mon([]string{"a", "b", "c"}, "a")
		w.quorum(30*time.Second, "a", "b", "c")
		t.Logf("seed %d: a is back after %v", seed, w.loop.Since(begin))
		if v := w.sh("10.0.0.1", "ceph", "config-key", "get", "k"); v != "while a was away" {
			t.Errorf("seed %d: k is %q", seed, v)
		}
	}
}

func TestNoMajorityNoService(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	runs := w.cluster("a", "b", "c")
	runs["a"].p.Group.Kill()
	runs["b"].p.Group.Kill()
	w.loop.RunFor(time.Minute)
	begin := w.loop.Now()
	r := w.exec("10.0.0.3", nil, "ceph", "--connect-timeout=15", "-s")
	if r.code != 1 || r.p.Stderr.String() != "timed out\n" {
		t.Errorf("exit code %d, stderr %q; want 1, timed out", r.code, r.p.Stderr.String())
	}
	if took := w.loop.Since(begin); took < 15*time.Second || took > 17*time.Second {
		t.Errorf("took %v, want 15s", took)
	}
	begin = w.loop.Now()
	if r := w.exec("10.0.0.3", nil, "ceph", "-s"); r.code != 1 || w.loop.Since(begin) < 300*time.Second {
		t.Errorf("without limit: exit code %d after %v; want 1 after 300s", r.code, w.loop.Since(begin))
	}
	s := w.parsed("10.0.0.3", "ceph", "daemon", "mon.c", "mon_status")
	if s["state"] != "probing" {
		t.Errorf("state %v, want probing", s["state"])
	}
}

func TestPowerLossKeepsEverything(t *testing.T) {
	w := newWorld(t, "14.2.0", 3)
	runs := w.cluster("a", "b", "c")
	w.sh("10.0.0.1", "ceph", "config", "set", "mon", "mon_allow_pool_delete", "true")
	for _, n := range []string{"a", "b", "c"} {
		runs[n].p.Group.Kill()
	}
	w.loop.RunFor(time.Minute)
	if n := len(w.sim.Clusters()); n != 0 {
		t.Errorf("%d clusters run after a power cut", n)
	}
	for _, n := range []string{"c", "b", "a"} {
		w.mon([]string{"a", "b", "c"}, n)
		w.loop.RunFor(time.Second)
	}
	w.quorum(30*time.Second, "a", "b", "c")
	if v := w.sh("10.0.0.1", "ceph", "config", "get", "mon", "mon_allow_pool_delete"); v != "true\n" {
		t.Errorf("the option is %q after a power cut", v)
	}
}

func TestPartition(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	w.cluster("a", "b", "c")
	w.net.Cut("10.0.0.1", "10.0.0.2")
	w.net.Cut("10.0.0.1", "10.0.0.3")
	w.quorum(30*time.Second, "b", "c")
	w.loop.RunFor(20 * time.Second)
	if n := len(w.sim.Clusters()); n != 1 {
		t.Fatalf("%d clusters", n)
	}
	s := w.parsed("10.0.0.1", "ceph", "daemon", "mon.a", "mon_status")
	if s["state"] != "probing" && s["state"] != "electing" {
		t.Errorf("the cut-off leader is %v", s["state"])
	}
	w.net.Mend("10.0.0.1", "10.0.0.2")
	w.net.Mend("10.0.0.1", "10.0.0.3")
	w.quorum(30*time.Second, "a", "b", "c")
}

func TestJoinAndRemove(t *testing.T) {
	for _, v := range []string{"13.2.3", "14.2.0", "16.2.15"} {
		w := newWorld(t, v, 1)
		w.cluster("a")
		three := []string{"a", "b", "c"}
		runs := map[string]*run{}
		for _, n := range []string{"b", "c"} {
			w.mkfs(three, n)
			runs[n] = w.mon(three, n)
		}
		w.quorum(time.Minute, "a", "b", "c")
		w.sh("10.0.0.1", "ceph", "mon", "remove", "c")
		w.loop.RunFor(time.Minute)
		w.quorum(time.Minute, "a", "b")
		if runs["c"].code == running {
			t.Errorf("%s: the monitor that was removed still runs", v)
		}
		if log := runs["c"].p.Stderr.String(); runs["c"].code != 0 || !strings.Contains(log, " removed from monmap, suicide.") {
			t.Errorf("%s: exit code %d: %s", v, runs["c"].code, log)
		}
		again := w.mon(three, "c") // it has the map in which it is not
		w.loop.RunFor(time.Minute)
		if log := again.p.Stderr.String(); again.code != 1 || !strings.Contains(log, "not in monmap and have been in a quorum before; must have been removed") || !strings.Contains(log, "failed to initialize") {
			t.Errorf("%s: exit code %d: %s", v, again.code, log)
		}
		w.quorum(time.Minute, "a", "b")
	}
}

// A monitor that was removed while it was down learns it from the others, ends
// and leaves them alone; the leader may be removed as well, and of two one, but
// not the last (asked of 16.2.15).
func TestRemovalOfTheDeadTheLeaderAndTheLast(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	three := []string{"a", "b", "c"}
	runs := w.cluster(three...)
	w.loop.RunFor(time.Second) // all know of it
	runs["c"].p.Group.Kill()
	w.quorum(time.Minute, "a", "b")
	epoch := w.sim.Clusters()[0].State.MonMap.Epoch
	w.sh("10.0.0.1", "ceph", "mon", "remove", "c")
	w.loop.RunFor(time.Minute)
	elections := w.parsed("10.0.0.1", "ceph", "quorum_status")["election_epoch"]
	again := w.mon(three, "c")
	w.loop.RunFor(time.Minute)
	if log := again.p.Stderr.String(); again.code != 0 || !strings.Contains(log, " removed from monmap, suicide.") {
		t.Errorf("exit code %d: %s", again.code, log)
	}
	if now := w.parsed("10.0.0.1", "ceph", "quorum_status")["election_epoch"]; now != elections {
		t.Errorf("election epoch %v, was %v", now, elections)
	}
	if mm := w.sim.Clusters()[0].State.MonMap; mm.Epoch != epoch+1 || !slices.Equal(mm.RemovedRanks, []int{2}) {
		t.Errorf("epoch %d after %d, removed ranks %v", mm.Epoch, epoch, mm.RemovedRanks)
	}
	w.sh("10.0.0.1", "ceph", "mon", "remove", "a")
	w.quorum(time.Minute, "b")
	if r := w.exec("10.0.0.2", nil, "ceph", "mon", "remove", "b"); r.code != 22 || !strings.Contains(r.p.Stderr.String(), "Error EINVAL: error: refusing removal of last monitor b") {
		t.Errorf("the last: exit code %d: %s", r.code, &r.p.Stderr)
	}
}

func TestEnableMsgr2(t *testing.T) { // S100, S101
	w := newWorld(t, "14.2.0", 1)
	names := []string{"a"}
	_ = w.host("10.0.0.1").Files.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o600)
	w.conf("10.0.0.1", names)
	v1 := append(monArgs(names, "a"), "--mon-host=10.0.0.1:6789")
	w.exec("10.0.0.1", nil, append(v1, "--mkfs")...)
	w.start("10.0.0.1", nil, append(v1, "--public-bind-addr=10.0.0.1")...)
	w.quorum(time.Minute, "a")
	if h := w.sh("10.0.0.1", "ceph", "health"); !strings.Contains(h, "1 monitors have not enabled msgr2") {
		t.Errorf("health %q", h)
	}
	w.sh("10.0.0.1", "ceph", "mon", "enable-msgr2")
	w.sh("10.0.0.1", "ceph", "mon", "enable-msgr2")
	if h := w.sh("10.0.0.1", "ceph", "health"); strings.Contains(h, "msgr2") {
		t.Errorf("health %q", h)
	}
	if d := w.sh("10.0.0.1", "ceph", "mon", "dump"); !strings.Contains(d, "0: [v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0] mon.a") {
		t.Errorf("mon dump:\n%s", d)
	}
}

func TestClockSkew(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	w.cluster("a", "b")
	w.sim.SetClockSkew("host-10.0.0.2", 700*time.Millisecond)
	if h := w.sh("10.0.0.1", "ceph", "health", "detail"); !strings.Contains(h, "MON_CLOCK_SKEW: clock skew detected on mon.b\n    mon.b clock skew 0.7s > max 0.05s (latency 0.0005s)") {
		t.Errorf("health:\n%s", h)
	}
}

// One seed, one history: what a run says and when is the same again.
func TestSameSeedSameHistory(t *testing.T) {
	history := func() string {
		w := newWorld(t, "16.2.15", 7)
		var trace strings.Builder
		w.loop.TraceTo(&trace)
		runs := w.cluster("a", "b", "c")
		trace.WriteString(w.sh("10.0.0.1", "ceph", "auth", "get-or-create", "client.x", "mon", "allow r"))
		runs["b"].p.Group.Kill()
		w.quorum(time.Minute, "a", "c")
		trace.WriteString(w.sh("10.0.0.3", "ceph", "mon", "dump", "--format", "json"))
		for _, n := range []string{"a", "b", "c"} {
			trace.WriteString(runs[n].p.Stderr.String())
		}
		return trace.String()
	}
	if a, b := history(), history(); a != b {
		t.Errorf("two histories of one seed differ:\n%s\n---\n%s", a, b)
	}
}

func TestOldClientsAreReported(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	w.cluster("a")
	w.version = "14.2.0"
	if h := w.sh("10.0.0.1", "ceph", "health"); !strings.Contains(h, "client is using insecure global_id reclaim; mon is allowing insecure global_id reclaim") {
		t.Errorf("health of a nautilus client: %s", h)
	}
	w.version = "16.2.15"
	w.sh("10.0.0.1", "ceph", "config", "set", "mon", "auth_allow_insecure_global_id_reclaim", "false")
	if h := w.sh("10.0.0.1", "ceph", "health"); h != "HEALTH_OK\n" {
		t.Errorf("health: %s", h)
	}
}

// A change that is under way when the leader dies is made by the next one, once.
func TestWriteOutlivesTheLeader(t *testing.T) {
	for seed := range uint64(6) {
		w := newWorld(t, "16.2.15", seed)
		runs := w.cluster("a", "b", "c")
		r := w.start("10.0.0.2", nil, "ceph", "config", "set", "mon", "debug_ms", "1")
		w.loop.RunFor(170*time.Millisecond + time.Duration(seed)*10*time.Millisecond)
		runs["a"].p.Group.Kill()
		w.loop.RunUntil(func() bool { return r.code != running }, time.Minute)
		if r.code != 0 {
			t.Fatalf("seed %d: exit code %d: %s", seed, r.code, &r.p.Stderr)
		}
		w.quorum(time.Minute, "b", "c")
		history := w.sim.Clusters()[0].State.Config.History
		if len(history) != 2 || len(history[1].Changes) != 1 {
			t.Errorf("seed %d: the log has %d entries: %v", seed, len(history), history)
		}
	}
}

// The argv of S118 is known from 14.2.1 on.
func TestDefaultFlags(t *testing.T) {
	for v, want := range map[string]int{"14.2.0": 1, "14.2.1": 0, "13.2.3": 1} {
		w := newWorld(t, v, 1)
		_ = w.host("10.0.0.1").Files.WriteFile("/etc/ceph/keyring", []byte(keyring), 0o600)
		r := w.exec("10.0.0.1", nil, monArgs([]string{"a"}, "a", "--default-log-to-file=false", "--default-mon-cluster-log-to-file=false", "--mkfs")...)
		if r.code != want {
			t.Errorf("%s: exit code %d, want %d: %s", v, r.code, want, &r.p.Stderr)
		}
	}
}
