package ceph_test

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

// TestAThousandOSDs starts a thousand OSDs on fifty machines, lets time pass, and
// loses a machine.
func TestAThousandOSDs(t *testing.T) {
	w := thousandOSDs(t)
	w.loop.RunFor(10 * time.Minute)
	if up := w.up(); up != 1000 {
		t.Errorf("%d OSDs are up after ten quiet minutes", up)
	}
	w.machines[50].PowerOff()
	w.loop.RunFor(time.Minute)
	if up := w.up(); up != 980 {
		t.Errorf("%d OSDs are up after a machine of 20 was lost", up)
	}
}

// BenchmarkThousandOSDs measures what is asked of a large cluster.
func BenchmarkThousandOSDs(b *testing.B) {
	w := thousandOSDs(b)
	for _, args := range [][]string{{"osd", "tree"}, {"osd", "dump"}, {"status"}, {"health", "detail"}} {
		b.Run(strings.Join(args, " "), func(b *testing.B) {
			for range b.N {
				w.must(w.machines[0], append(append([]string{"ceph"}, args...), "--format", "json")...)
			}
		})
	}
	b.Run("a quiet minute", func(b *testing.B) {
		for range b.N {
			w.loop.RunFor(time.Minute)
		}
	})
}

func thousandOSDs(t testing.TB) *storage {
	t.Helper()
	const machines, each = 50, 20
	w := newStorage(t, "16.2.15", "osd_pool_default_pg_autoscale_mode = off\nmon_max_pg_per_osd = 500\n", machines)
	w.mgr("a")
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
	w.ceph(nil, "osd", "pool", "create", "data", "4096", "4096")
	if !w.loop.RunUntil(func() bool { return w.up() == machines*each }, time.Hour) {
		t.Fatalf("%d OSDs are up", w.up())
	}
	return w
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
