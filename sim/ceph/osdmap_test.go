package ceph_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// refuses checks that a command of ceph fails.
func (w *storage) refuses(code int, stderr string, args ...string) {
	w.t.Helper()
	r := w.run(w.machines[0], "", append([]string{"ceph"}, args...)...)
	if r.code != code || !strings.Contains(r.stderr, stderr) {
		w.t.Errorf("ceph %s: exit code %d: %s; want %d: %s", strings.Join(args, " "), r.code, r.stderr, code, stderr)
	}
}

// says checks what a command that works says.
func (w *storage) says(stderr string, args ...string) {
	w.t.Helper()
	w.refuses(0, stderr, args...)
}

func TestPoolsFollowTheConfiguration(t *testing.T) {
	w := newStorage(t, "16.2.15", "osd pool default size = 1\nosd_pool_default_pg_num = 4\n", 1)
	w.mgr("a")
	w.osd(1)
	w.ceph(nil, "osd", "pool", "create", "one")
	var pool struct {
		Size, PGNum int
		MinSize     int `json:"min_size"`
		PG          int `json:"pg_num"`
	}
	w.ceph(&pool, "osd", "pool", "get", "one", "all")
	if pool.Size != 1 || pool.MinSize != 1 || pool.PG != 4 {
		t.Errorf("pool %+v", pool)
	}
	w.loop.RunFor(10 * time.Second)
	if h := w.health(); !strings.Contains(h, "POOL_NO_REDUNDANCY: 2 pool(s) have no replicas configured") || strings.Contains(h, "TOO_FEW_OSDS") {
		t.Errorf("health %s", h)
	}
	w.refuses(1, "pool deletion is disabled; you must first set the mon_allow_pool_delete config option to true", "osd", "pool", "rm", "one", "one", "--yes-i-really-really-mean-it")
	w.ceph(nil, "config", "set", "mon", "mon_allow_pool_delete", "true")
	w.ceph(nil, "osd", "pool", "set", "one", "nodelete", "true")
	w.refuses(1, "you must unset nodelete flag", "osd", "pool", "rm", "one", "one", "--yes-i-really-really-mean-it")
	w.ceph(nil, "osd", "pool", "set", "one", "nodelete", "false")
	w.says("pool 'one' removed", "osd", "pool", "rm", "one", "one", "--yes-i-really-really-mean-it")
	w.refuses(34, "which exceeds the mon_max_pg_per_osd value of 250", "osd", "pool", "create", "big", "1024")
}

func TestTooFewOSDs(t *testing.T) {
	for version, want := range map[string]string{
		"13.2.3": "HEALTH_OK", "16.2.15": "HEALTH_WARN TOO_FEW_OSDS: OSD count 1 < osd_pool_default_size 3;",
	} {
		w := newStorage(t, version, "mon_warn_on_msgr2_not_enabled = false\n", 1)
		w.mgr("a")
		w.osd(1)
		w.ceph(nil, "config", "set", "mgr", "mgr/devicehealth/enable_monitoring", "false", "--force")
		if h := w.health(); !strings.HasPrefix(h, want) {
			t.Errorf("%s: %s, want %s", version, h, want)
		}
	}
}

func TestAPoolWithoutRoomIsUndersized(t *testing.T) {
	w := newStorage(t, "16.2.15", "mon_warn_on_pool_no_app = false\n", 2)
	w.mgr("a")
	w.osd(1)
	w.osd(2)
	w.ceph(nil, "osd", "pool", "create", "data", "8", "8")
	w.loop.RunFor(30 * time.Second)
	if h := w.health(); strings.Contains(h, "PG_DEGRADED") {
		t.Errorf("after 30s: %s", h)
	}
	w.loop.RunFor(time.Minute)
	if h := w.health(); !strings.Contains(h, "PG_DEGRADED: Degraded data redundancy: 9 pgs undersized") {
		t.Errorf("after 90s: %s", h)
	}
	w.osd(1)
	if h := w.health(); !strings.Contains(h, "undersized") {
		t.Errorf("a second OSD on one host made up for a third host: %s", h)
	}
}

func TestPoolWithoutOSDs(t *testing.T) {
	w := newStorage(t, "16.2.15", "mon_warn_on_pool_no_app = false\n", 1)
	w.mgr("a")
	w.ceph(nil, "osd", "pool", "create", "data", "8", "8")
	w.loop.RunFor(2 * time.Minute)
	h := w.health()
	for _, want := range []string{"PG_AVAILABILITY: Reduced data availability: 8 pgs inactive", "TOO_FEW_OSDS: OSD count 0 < osd_pool_default_size 3"} {
		if !strings.Contains(h, want) {
			t.Errorf("health %s lacks %s", h, want)
		}
	}
	out := w.must(w.machines[0], "ceph", "-s")
	if !strings.Contains(out, "100.000% pgs unknown\n             8 unknown\n") {
		t.Errorf("status:\n%s", out)
	}
}

func TestCrushLocations(t *testing.T) {
	w := three(t, "16.2.15")
	w.says("added bucket r1 type rack to location {root=default}", "osd", "crush", "add-bucket", "r1", "rack", "root=default")
	w.says("moved item id -3 name 'n1' to location {rack=r1} in crush map", "osd", "crush", "move", "n1", "rack=r1")
	w.says("no need to move item id -3 name 'n1' to location {rack=r1} in crush map", "osd", "crush", "move", "n1", "rack=r1")
	w.says("create-or-move updated item name 'osd.0' weight 5 at location {host=n1,root=default} to crush map", "osd", "crush", "create-or-move", "osd.0", "5.0", "root=default", "host=n1")
	w.says("set item id 0 name 'osd.0' weight 2 at location {host=n1,root=default} to crush map", "osd", "crush", "set", "osd.0", "2.0", "root=default", "host=n1")
	w.refuses(22, "unknown type nosuch", "osd", "crush", "move", "n1", "nosuch=x")
	w.refuses(22, "malformed location", "osd", "crush", "move", "n1", "rack")
	w.refuses(39, "bucket 'r1' is not empty", "osd", "crush", "rm", "r1")
	w.refuses(2, "osd.9 does not exist.  Create it before updating the crush map", "osd", "crush", "create-or-move", "osd.9", "1.0", "root=default")
	w.says("", "osd", "crush", "rule", "create-replicated", "fast", "default", "host", "hdd")
	w.refuses(22, "device class ssd does not exist", "osd", "crush", "rule", "create-replicated", "slow", "default", "host", "ssd")
	var rule struct{ Steps []struct{ Item_name string } }
	w.ceph(&rule, "osd", "crush", "rule", "dump", "fast")
	if rule.Steps[0].Item_name != "default~hdd" {
		t.Errorf("rule %+v", rule)
	}
	w.refuses(16, "class 'hdd' still referenced by crush rule(s): 'fast'", "osd", "crush", "class", "rm", "hdd")
	out := w.must(w.machines[0], "ceph", "osd", "tree")
	want := `ID  CLASS  WEIGHT   TYPE NAME          STATUS  REWEIGHT  PRI-AFF
-1         2.01959  root default                                
-5         0.00980      host n2                                 
 1    hdd  0.00980          osd.1          up   1.00000  1.00000
-7         0.00980      host n3                                 
 2    hdd  0.00980          osd.2          up   1.00000  1.00000
-9         2.00000      rack r1                                 
-3         2.00000          host n1                             
 0    hdd  2.00000              osd.0      up   1.00000  1.00000
`
	if diff := cmp.Diff(want, out); diff != "" {
		t.Errorf("tree (-want +got):\n%s", diff)
	}
}

func TestAnUpgradeIsFinishedByHand(t *testing.T) {
	w := three(t, "14.2.0")
	w.ceph(nil, "mon", "enable-msgr2")
	old := w.image
	w.image = w.sim.Image("16.2.15")
	for i := range 3 {
		name := "osd." + string(rune('0'+i))
		w.procs[name].Terminate()
		w.loop.RunFor(5 * time.Second)
		w.daemon(w.machines[i+1], name, "ceph-osd", "-f", "-i", string(rune('0'+i)))
		w.loop.RunFor(10 * time.Second)
	}
	w.image = old
	var versions struct{ OSD map[string]int }
	w.ceph(&versions, "versions")
	if len(versions.OSD) != 1 {
		t.Errorf("versions %v", versions.OSD)
	}
	if h := w.health(); !strings.Contains(h, "OSD_UPGRADE_FINISHED: all OSDs are running pacific or later but require_osd_release < pacific") {
		t.Errorf("health %s", h)
	}
}

func TestNewOSDs(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	const a, b = "11111111-2222-3333-4444-555555555555", "21111111-2222-3333-4444-555555555555"
	id := func(args ...string) int {
		t.Helper()
		var got struct{ OSDID int }
		w.ceph(&got, args...)
		return got.OSDID
	}
	for _, c := range []struct {
		want int
		args []string
	}{
		{0, []string{"osd", "new", a}},
		{0, []string{"osd", "new", a}},
		{7, []string{"osd", "new", b, "7"}},
		{1, []string{"osd", "create"}},
	} {
		if got := id(c.args...); got != c.want {
			t.Errorf("%v gave %d, want %d", c.args, got, c.want)
		}
	}
	w.refuses(17, "osd.7 is already associated with uuid "+b, "osd", "new", b, "3")
	w.refuses(17, "osd.0 exists and has not been destroyed", "osd", "new", "31111111-2222-3333-4444-555555555555", "0")
	w.ceph(nil, "osd", "destroy", "0", "--yes-i-really-mean-it")
	if got := id("osd", "new", "31111111-2222-3333-4444-555555555555", "0"); got != 0 {
		t.Errorf("the id of a destroyed OSD was not used again: %d", got)
	}
	w.refuses(1, "Pass --yes-i-really-mean-it if you really do.", "osd", "purge", "7")
	w.says("purged osd.7", "osd", "purge", "7", "--yes-i-really-mean-it")
	w.says("osd.7 does not exist", "osd", "purge", "7", "--yes-i-really-mean-it")
}
