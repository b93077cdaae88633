package ceph

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// How OSDs find out about each other, and what the monitors make of it. The
// numbers are Ceph's defaults.
const (
	heartbeatGrace  = 20 * time.Second  // osd_heartbeat_grace
	reportTimeout   = 900 * time.Second // mon_osd_report_timeout
	downOutInterval = 600 * time.Second // mon_osd_down_out_interval
	minReporters    = 2                 // mon_osd_min_down_reporters
	minInRatio      = 0.75              // mon_osd_min_in_ratio
)

// reportRefused is what peers of an OSD do when its ports refuse connections:
// one report that they have seen it is enough for it to be marked down at once
// (osd_fast_fail_on_connection_refused).
func (s *Sim) reportRefused(d *osdDaemon) {
	m := s.leaderOf(d.store.ClusterFSID)
	if m == nil || !s.hasPeer(m.store.state, d) {
		return
	}
	m.propose(func(t *change) {
		o := t.old.OSDMap.osd(d.id())
		if o == nil || !o.Up || !o.Addrs.Public.equal(d.addrs.Public) || t.old.OSDMap.flag("nodown") {
			return
		}
		t.clusterLog(m, "[INF]", fmt.Sprintf("osd.%d failed (connection refused reported by its peers)", d.id()))
		t.osdmap().markDown(d.id(), t.now)
	})
}

// hasPeer says whether another OSD that is up runs and could see the daemon.
func (s *Sim) hasPeer(st *State, d *osdDaemon) bool {
	return slices.ContainsFunc(s.osds, func(x *osdDaemon) bool {
		return x.id() != d.id() && x.store.ClusterFSID == d.store.ClusterFSID && st.OSDMap.runs(x) && s.linked(x.run.p, d.run.p)
	})
}

// linked says whether the network between two processes is whole: that of their
// own addresses and that of their machines.
func (s *Sim) linked(a, b *host.Process) bool {
	return s.net.Reaches(a.Addr, b.Addr) && s.net.Reaches(a.Machine.Addr, b.Machine.Addr)
}

// runs says whether the map has that daemon up.
func (m *OSDMap) runs(d *osdDaemon) bool {
	o := m.osd(d.id())
	return o != nil && o.Up && o.Addrs.Public.equal(d.addrs.Public)
}

// osdTick is what the leader does about OSDs at each tick: mark those down that
// nobody hears of, mark those out that have been down for long, and let those
// boot that run and are down in the map.
func osdTick(m *mon, t *change) {
	w := &osdWatch{m: m, t: t, st: t.old, now: t.now}
	w.find()
	w.markDown()
	w.markOut()
	w.bootAgain()
}

type osdWatch struct {
	m       *mon
	t       *change
	st      *State
	now     time.Time
	daemons map[int]*osdDaemon // up ones by id, those included that have just ended
	hosts   map[string]bool    // on which OSDs run
}

func (w *osdWatch) find() {
	w.daemons, w.hosts = map[int]*osdDaemon{}, map[string]bool{}
	s := w.m.sim
	s.silent = slices.DeleteFunc(s.silent, func(d *osdDaemon) bool {
		return d.store.ClusterFSID == w.st.FSID && !w.st.OSDMap.runs(d)
	})
	for _, d := range append(slices.Clone(s.silent), s.osds...) {
		if d.store.ClusterFSID == w.st.FSID && w.st.OSDMap.runs(d) {
			w.daemons[d.id()] = d
			if !d.done {
				w.hosts[d.run.p.Machine.Name] = true
			}
		}
	}
}

// heard says whether OSDs on other machines reach the daemon, and on how many
// machines there are some that do not.
func (w *osdWatch) heard(d *osdDaemon) (ok bool, reporters int) {
	const asked = 3 // peers are enough to tell
	seen := map[string]bool{}
	s := w.m.sim
	peers := s.osds
	start := slices.Index(peers, d) + 1
	for i := range peers {
		p := peers[(start+i)%len(peers)]
		where := p.run.p.Machine.Name
		if p == d || p.done || seen[where] || p.store.ClusterFSID != w.st.FSID || !w.st.OSDMap.runs(p) {
			continue
		}
		seen[where] = true
		if !d.done && s.linked(p.run.p, d.run.p) && d.run.p.Machine.Up() {
			return true, 0
		}
		if len(seen) == asked {
			break
		}
	}
	return len(seen) == 0 && !d.done, len(seen)
}

func (w *osdWatch) markDown() {
	nodown := w.st.OSDMap.flag("nodown")
	need := w.number("mon_osd_min_down_reporters", minReporters)
	grace, timeout := w.seconds("osd_heartbeat_grace", heartbeatGrace), w.seconds("mon_osd_report_timeout", reportTimeout)
	for _, o := range w.st.OSDMap.existing() {
		if !o.Up {
			continue
		}
		d := w.daemons[o.ID]
		if d == nil { // the simulation never saw it: it is of a world before this one
			w.down(o.ID, nodown, "no active daemon")
			continue
		}
		ok, reporters := w.heard(d)
		if ok {
			d.silentSince = time.Time{}
		} else if d.silentSince.IsZero() {
			d.silentSince = w.now
		}
		if !d.done && w.m.sim.linked(d.run.p, w.m.p) {
			d.lastBeacon = w.now
		}
		refused := d.done && d.run.p.Machine.Up()
		switch {
		case ok && w.now.Sub(d.lastBeacon) < timeout:
		case refused && reporters > 0:
			w.down(o.ID, nodown, "connection refused")
		case w.now.Sub(d.lastBeacon) >= timeout:
			w.down(o.ID, nodown, fmt.Sprintf("no beacon for %g seconds", w.now.Sub(d.lastBeacon).Seconds()))
		case reporters >= need && w.now.Sub(d.silentSince) >= grace:
			w.down(o.ID, nodown, fmt.Sprintf("%d reporters from different host after %.6f >= grace %.6f",
				reporters, w.now.Sub(d.silentSince).Seconds(), grace.Seconds()))
		}
	}
}

func (w *osdWatch) down(id int, nodown bool, why string) {
	if nodown || w.st.OSDMap.spared(id, "nodown") {
		return
	}
	w.t.clusterLog(w.m, "[INF]", fmt.Sprintf("osd.%d failed (%s)", id, why))
	w.t.osdmap().markDown(id, w.now)
}

// number and seconds are options of the leader.
func (w *osdWatch) number(name string, fallback int) int {
	return (&call{mon: w.m, state: w.st}).optionInt(name, fallback)
}

func (w *osdWatch) seconds(name string, fallback time.Duration) time.Duration {
	return (&call{mon: w.m, state: w.st}).optionSeconds(name, fallback)
}

func (w *osdWatch) markOut() {
	m := w.st.OSDMap
	interval := w.seconds("mon_osd_down_out_interval", downOutInterval)
	if interval == 0 || m.flag("noout") {
		return
	}
	total, _, in := m.count()
	for _, o := range m.existing() {
		if o.Up || !o.In() || o.DownSince.IsZero() || w.now.Sub(o.DownSince) < interval || m.spared(o.ID, "noout") {
			continue
		}
		if float64(in)/float64(total) < minInRatio || w.subtreeDown(o.ID) {
			continue
		}
		in--
		w.t.clusterLog(w.m, "[INF]", fmt.Sprintf("Marking osd.%d out (has been down for %d seconds)", o.ID, int(w.now.Sub(o.DownSince).Seconds())))
		next := w.t.osdmap()
		n := next.edit(o.ID)
		n.OldWeight, n.Weight, n.AutoOut = o.Weight, 0, true
		next.LastInChange = w.now
	}
}

// subtreeDown says whether everything in the OSD's rack, or a larger part of the
// tree, is down: then a network is more likely broken than all of its disks
// (mon_osd_down_out_subtree_limit).
func (w *osdWatch) subtreeDown(id int) bool {
	const limit = "rack"
	m := w.st.OSDMap
	level, ok := m.Crush.TypeNamed(limit)
	if !ok {
		return false
	}
	for b := m.Crush.Parent(id); b != nil; b = m.Crush.Parent(b.ID) {
		if b.Type != level {
			continue
		}
		return !slices.ContainsFunc(m.existing(), func(o *OSDInfo) bool { return o.Up && m.Crush.Below(o.ID, b.ID) })
	}
	return false
}

// bootAgain has daemons boot that run though the map has them down.
func (w *osdWatch) bootAgain() {
	for _, d := range w.m.sim.osds {
		if d.store.ClusterFSID == w.st.FSID && !w.st.OSDMap.runs(d) {
			d.bootSoon()
		}
	}
}

// bootSoon has the daemon boot, unless it does already.
func (d *osdDaemon) bootSoon() {
	if d.booting || d.done || d.session == nil {
		return
	}
	d.booting = true
	if d.booted {
		d.run.log(-1, "osd.%d %d map says i am down: wrongly marked me down", d.id(), d.epoch())
		d.booted = false
	}
	d.run.p.Group.Go("osd boot", func() {
		d.run.p.Sleep(osdReboot)
		d.boot()
	})
}

// notice has the daemons of OSDs look at a map in which they are down: they boot
// again, or end if they are told to.
func (s *Sim) notice(fsid string, ids []int, stop bool) {
	for _, d := range s.osds {
		if d.store.ClusterFSID != fsid || !slices.Contains(ids, d.id()) {
			continue
		}
		s.loop.After(messageTime, "osd sees the map", func() {
			if stop {
				d.run.p.Terminate()
			} else {
				d.bootSoon()
			}
		})
	}
}
