package ceph_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/golden"
)

// fsState is a file system as `fs get` tells it.
type fsState struct {
	MDSMap struct {
		MaxMDS  int `json:"max_mds"`
		In      []int
		Failed  []int
		Stopped []int
		Info    map[string]struct {
			Name, State string
			Rank        int
			Laggy       string `json:"laggy_since"`
		}
	}
}

// state is "a=up:active,b=up:standby-replay", sorted.
func (w *storage) fsState(fs string) string {
	w.t.Helper()
	var s fsState
	w.ceph(&s, "fs", "get", fs)
	var out []string
	for _, i := range s.MDSMap.Info {
		text := i.Name + "=" + i.State
		if i.Laggy != "" {
			text += "(laggy)"
		}
		out = append(out, text)
	}
	slices.Sort(out)
	return strings.Join(out, ",")
}

// newFS is a lab whose file system mds.a serves while mds.b stands by.
func newFS(t *testing.T) *storage {
	w := newLab(t)
	w.mds("b")
	return w
}

func (w *storage) is(fs, want string) {
	w.t.Helper()
	if got := w.fsState(fs); got != want {
		w.t.Errorf("%s is %s, want %s", fs, got, want)
	}
}

func TestAStandbyTakesOverAfterTheBeaconGrace(t *testing.T) {
	w := newFS(t)
	w.groups["mds.a"].Kill()
	w.loop.RunFor(14 * time.Second)
	w.is("cephfs", "a=up:active")
	w.loop.RunFor(16 * time.Second)
	w.is("cephfs", "b=up:active")
	if out := w.must(w.machines[0], "ceph", "osd", "blocklist", "ls"); strings.Count(out, "\n") < 2 {
		t.Errorf("the lost MDS may still write: %q", out)
	}
}

func TestAnMDSThatEndsIsReplacedAtOnce(t *testing.T) {
	w := newFS(t)
	w.procs["mds.a"].Terminate()
	w.loop.RunFor(7 * time.Second)
	w.is("cephfs", "b=up:active")
}

func TestAnMDSThatComesBackByItsNameIsNewAtOnce(t *testing.T) {
	w := newLab(t)
	w.groups["mds.a"].Kill()
	w.loop.RunFor(time.Second)
	w.daemon(w.machines[0], "mds.a", "ceph-mds", "-f", "-i", "a")
	w.loop.RunFor(10 * time.Second)
	w.is("cephfs", "a=up:active")
}

func TestALaggyMDSIsNotLaggyOnceAStandbyComes(t *testing.T) {
	w := newLab(t)
	w.groups["mds.a"].Kill()
	w.loop.RunFor(time.Minute)
	w.is("cephfs", "a=up:active(laggy)")
	w.mds("b")
	w.loop.RunFor(15 * time.Second)
	w.is("cephfs", "b=up:active")
}

func TestAFollowerIsReplacedAndTakesOver(t *testing.T) {
	w := newFS(t)
	w.ceph(nil, "fs", "set", "cephfs", "allow_standby_replay", "true")
	w.loop.RunFor(5 * time.Second)
	w.is("cephfs", "a=up:active,b=up:standby-replay")
	w.ceph(nil, "mds", "fail", "a")
	w.loop.RunFor(10 * time.Second)
	w.is("cephfs", "a=up:standby-replay,b=up:active")
}

func TestAnMDSThatPrefersAFileSystemGetsIt(t *testing.T) {
	w := newFS(t)
	w.mds("c", "--mds-join-fs=cephfs")
	w.loop.RunFor(15 * time.Second)
	w.is("cephfs", "c=up:active")
}

func TestAnMDSWaitsForItsPool(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("x")
	w.ceph(nil, "osd", "pool", "create", "m", "8")
	w.ceph(nil, "osd", "pool", "create", "d", "8")
	w.ceph(nil, "fs", "new", "f", "m", "d")
	w.mds("a")
	w.loop.RunFor(time.Minute)
	w.is("f", "a=up:creating")
	for range 3 {
		w.osd(1)
	}
	w.ceph(nil, "osd", "pool", "set", "m", "size", "2")
	w.ceph(nil, "osd", "crush", "rule", "create-replicated", "flat", "default", "osd")
	w.ceph(nil, "osd", "pool", "set", "m", "crush_rule", "flat")
	w.loop.RunFor(time.Minute)
	w.is("f", "a=up:active")
}

// What an MDS ends with that cannot start.
func TestAnMDSThatCannotStart(t *testing.T) {
	w := newLab(t)
	m := w.machines[0]
	w.write(m, "/tmp/wrong", "[mds.x]\n\tkey = AQDqDA5rAAAAABAAQ1KpykfjRIHV01yjFS4WPg==\n")
	for name, c := range map[string]struct {
		args []string
		want string
	}{
		"a number first":  {[]string{"-i", "0a"}, "MDS id 'mds.0a' is invalid. MDS names may not start with a numeric digit."},
		"no keyring":      {[]string{"-i", "x"}, "failed to fetch mon config (--no-mon-config to skip)"},
		"another key":     {[]string{"-i", "x", "--keyring=/tmp/wrong"}, "failed to fetch mon config (--no-mon-config to skip)"},
		"an unknown word": {[]string{"-i", "x", "bogus"}, "Error: can't understand argument: bogus"},
	} {
		r := w.run(m, "", append([]string{"ceph-mds", "-f"}, c.args...)...)
		if !r.done || r.code != 1 || !strings.Contains(r.stderr, c.want) {
			t.Errorf("%s: ended %v with %d: %s", name, r.done, r.code, r.stderr)
		}
	}
}

// The fields of `fs get` are those of the release.
func TestFSGetOfNautilus(t *testing.T) {
	rec, err := golden.Case("nautilus-14.2", "fs-get")
	if err != nil {
		t.Fatal(err)
	}
	w := newStorage(t, "14.2.0", "", 1)
	w.mgr("x")
	w.ceph(nil, "osd", "pool", "create", "cephfs_metadata", "8")
	w.ceph(nil, "osd", "pool", "create", "cephfs_data", "8")
	w.ceph(nil, "fs", "new", "cephfs", "cephfs_metadata", "cephfs_data")
	w.mds("lin")
	var want, have any
	if err := json.Unmarshal([]byte(sameGIDs(strings.ReplaceAll(string(rec.Stdout), "gid_14111", "gid_4111"))), &want); err != nil {
		t.Fatal(err)
	}
	out := w.must(w.machines[0], "ceph", "fs", "get", "cephfs", "--format", "json")
	if err := json.Unmarshal([]byte(sameGIDs(out)), &have); err != nil {
		t.Fatal(err)
	}
	skip := map[string]bool{"state": true, "features": true, "data_pools": true, "metadata_pool": true, "up": true}
	for k := range loose {
		skip[k] = true
	}
	var diffs []string
	differences("", want, have, skip, &diffs)
	for _, d := range diffs {
		t.Error(d)
	}
	if r := w.run(w.machines[0], "", "ceph", "fs", "new", "two", "cephfs_metadata", "cephfs_data"); !strings.Contains(r.stderr, "Creation of multiple filesystems is disabled") {
		t.Errorf("a second file system: %d %s", r.code, r.stderr)
	}
	if r := w.run(w.machines[0], "", "ceph", "fs", "flag", "set", "enable_multiple", "true"); r.code != 1 || !strings.Contains(r.stderr, "This feature is experimental") {
		t.Errorf("more of them: %d %s", r.code, r.stderr)
	}
}
