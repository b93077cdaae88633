package ceph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestPlacementGroupsOverTime(t *testing.T) {
	w := newStorage(t, "16.2.15", "mon_warn_on_pool_no_app = false\n", 4)
	w.mgr("a")
	for n := range 4 {
		w.osd(n + 1)
	}
	w.ceph(nil, "osd", "pool", "create", "data", "8", "8")
	w.loop.RunFor(10 * time.Second)
	for i := range 40 {
		w.must(w.machines[0], "rados", "-p", "data", "create", fmt.Sprintf("o%d", i))
	}
	want := func(when, text string) {
		t.Helper()
		if got := w.must(w.machines[0], "ceph", "pg", "stat"); !strings.Contains(got, text) {
			t.Errorf("%s: %s, want %s", when, got, text)
		}
	}
	w.loop.RunFor(10 * time.Second)
	want("at rest", "9 active+clean")
	w.refuses(16, "pgs currently mapped to them", "osd", "safe-to-destroy", "3")
	w.ceph(nil, "osd", "out", "3")
	w.loop.RunFor(3 * time.Second)
	want("its data moves", "active+remapped+backfilling")
	want("its data moves", "objects misplaced")
	w.refuses(16, "pgs currently mapped to them", "osd", "safe-to-destroy", "3")
	w.loop.RunFor(10 * time.Second)
	want("its data has moved", "9 active+clean")
	w.says("OSD(s) 3 are safe to destroy without reducing data durability.", "osd", "safe-to-destroy", "3")
	w.groups["osd.0"].Kill()
	w.loop.RunFor(5 * time.Second)
	want("another fails", "active+undersized+degraded")
	want("another fails", "objects degraded")
	w.refuses(11, "OSD(s) 0 have no reported stats, and not all PGs are active+clean; we cannot draw any conclusions. \nYou can proceed by passing --force", "osd", "purge", "0")
}

func TestFlagsOfAGroup(t *testing.T) {
	w := three(t, "16.2.15")
	w.ceph(nil, "osd", "set-group", "noout,noin", "n1", "osd.2")
	var m struct {
		NodeFlags map[string][]string `json:"crush_node_flags"`
	}
	w.ceph(&m, "osd", "dump")
	if got := fmt.Sprint(m.NodeFlags); got != "map[n1:[noin noout]]" {
		t.Errorf("flags %s", got)
	}
	detail := w.must(w.machines[0], "ceph", "health", "detail")
	for _, line := range []string{
		"[WRN] OSD_FLAGS: 2 OSDs or CRUSH {nodes, device-classes} have {NOUP,NODOWN,NOIN,NOOUT} flags set",
		"    osd.2 has flags noin,noout\n    host n1 has flags noin,noout",
	} {
		if !strings.Contains(detail, line) {
			t.Errorf("no %q in\n%s", line, detail)
		}
	}
	w.refuses(22, "Error EINVAL: unrecognized flag 'bogus', must be one of {noup,nodown,noin,noout}", "osd", "set-group", "bogus", "n1")
	w.refuses(22, `Error EINVAL: unable to parse osd id or crush node or device class: "nosuch". `, "osd", "set-group", "noout", "nosuch")
	w.groups["osd.0"].Kill()
	w.loop.RunFor(700 * time.Second)
	w.wantOSD("its host has noout", 0, 0, 1)
	w.ceph(nil, "osd", "unset-group", "noout,noin", "n1")
	w.loop.RunFor(20 * time.Second)
	w.wantOSD("its host has it no more", 0, 0, 0)
}
