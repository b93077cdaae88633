package ceph_test

import (
	"fmt"
	"testing"
	"time"
)

// TestAThousandOSDs starts a thousand OSDs on fifty machines, loses a machine,
// and asks for what is large.
func TestAThousandOSDs(t *testing.T) {
	const machines, each = 50, 20
	w := newStorage(t, "16.2.15", "osd_pool_default_pg_autoscale_mode = off\nmon_max_pg_per_osd = 500\n", machines)
	w.mgr("a")
	began := time.Now()
	id := 0
	for n := 1; n <= machines; n++ {
		w.bootstrap(w.machines[n])
		for i := range each {
			w.disk(w.machines[n], fmt.Sprintf("sd%c", 'b'+i), 10)
		}
		m := w.machines[n]
		for i := range each {
			w.must(m, "ceph-volume", "lvm", "batch", "--prepare", "--bluestore", "--yes", fmt.Sprintf("/dev/sd%c", 'b'+i))
		}
		w.must(m, "ceph-volume", "lvm", "activate", "--all")
		for range each {
			w.daemon(m, fmt.Sprintf("osd.%d", id), "ceph-osd", "-f", "-i", fmt.Sprint(id))
			id++
		}
	}
	made := time.Since(began)
	w.ceph(nil, "osd", "pool", "create", "data", "4096", "4096")
	if !w.loop.RunUntil(func() bool { return w.up() == machines*each }, time.Hour) {
		t.Fatalf("%d OSDs are up", w.up())
	}
	t.Logf("%d OSDs made and started in %v of real time, %v of virtual time", machines*each, time.Since(began), w.loop.Elapsed())
	t.Logf("of that %v to make them", made)
	began = time.Now()
	w.loop.RunFor(10 * time.Minute)
	t.Logf("ten quiet minutes take %v", time.Since(began))
	for _, args := range [][]string{{"osd", "tree"}, {"osd", "dump"}, {"status"}, {"health", "detail"}} {
		began = time.Now()
		w.must(w.machines[0], append(append([]string{"ceph"}, args...), "--format", "json")...)
		t.Logf("ceph %v takes %v", args, time.Since(began))
	}
	w.machines[machines].PowerOff()
	began = time.Now()
	w.loop.RunFor(time.Minute)
	t.Logf("a minute in which a machine is lost takes %v", time.Since(began))
	if up := w.up(); up != (machines-1)*each {
		t.Errorf("%d OSDs are up after a machine was lost", up)
	}
}

// up counts the OSDs that are up, without a command.
func (w *storage) up() int {
	n := 0
	for _, c := range w.sim.Clusters() {
		for _, o := range c.State.OSDMap.OSDs {
			if o != nil && o.Up {
				n++
			}
		}
	}
	return n
}
