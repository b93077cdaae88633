package ceph

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// mgrOf finds a running manager; nil if there is none.
func (s *Sim) mgrOf(fsid string, gid uint64) *mgrDaemon {
	for _, d := range s.mgrs {
		if d.fsid == fsid && d.gid == gid {
			return d
		}
	}
	return nil
}

// mgrTick is what the leader does about managers at each tick: drop those that
// are silent; and what an active manager's modules do by themselves.
func mgrTick(m *mon, t *change) {
	grace := (&call{mon: m, state: t.old}).optionSeconds("mon_mgr_beacon_grace", mgrBeaconGrace)
	for _, i := range t.old.MgrMap.all() {
		d := m.sim.mgrOf(t.old.FSID, i.GID)
		if d != nil && m.sim.linked(d.p, m.p) {
			d.lastSay = t.now
			continue
		}
		since := m.sim.mgrSilent(i.GID, t.now)
		if d != nil {
			since = d.lastSay
		}
		if t.now.Sub(since) < grace {
			continue
		}
		delete(m.sim.mgrSilence, i.GID)
		active := t.old.MgrMap.Active == i
		t.dropMgr(i.GID)
		if active {
			text := fmt.Sprintf("Manager daemon %s is unresponsive. No standby daemons available.", i.Name)
			if n := t.new.MgrMap.Active; n != nil {
				text = fmt.Sprintf("Manager daemon %s is unresponsive, replacing it with standby daemon %s", i.Name, n.Name)
			}
			t.clusterLog(m, "[INF]", text)
		}
	}
	for _, d := range m.sim.mgrs {
		known := slices.ContainsFunc(t.new.MgrMap.all(), func(i *MgrInfo) bool { return i.GID == d.gid })
		if d.fsid == t.old.FSID && !known && m.sim.linked(d.p, m.p) {
			d.joinAgain()
		}
	}
	if a := t.new.MgrMap; a.Active != nil && a.Available {
		modulePools(m, t)
	}
}

// mgrSilent is since when a manager that has ended has not been heard of.
func (s *Sim) mgrSilent(gid uint64, now time.Time) time.Time {
	if s.mgrSilence == nil {
		s.mgrSilence = map[uint64]time.Time{}
	}
	if _, ok := s.mgrSilence[gid]; !ok {
		s.mgrSilence[gid] = now
	}
	return s.mgrSilence[gid]
}

// modulePools makes the pool that modules keep their data in: from octopus on
// device_health_metrics when there is an OSD, from quincy on .mgr when there are
// as many OSDs as a pool has copies.
func modulePools(m *mon, t *change) {
	r := t.new.MgrMap.Active.Release
	c := &call{sim: m.sim, mon: m, state: t.old, now: t.now, release: m.release}
	size := c.optionInt("osd_pool_default_size", 3)
	name, app, need := "device_health_metrics", "mgr_devicehealth", 1
	if r.atLeast(quincy) {
		name, app, need = ".mgr", "mgr", size
	}
	if v, ok := t.old.Config.value("mgr/devicehealth/enable_monitoring", "mgr."+t.new.MgrMap.Active.Name, "mgr", "global"); ok {
		if on, _ := truth(strings.ToLower(v)); !on && !r.atLeast(quincy) {
			return
		}
	}
	ready := 0
	for _, o := range t.old.OSDMap.existing() {
		ready += bit(o.Up && o.In())
	}
	if !r.atLeast(octopus) || ready < need || t.new.OSDMap.poolNamed(name) != nil || len(t.old.OSDMap.Crush.Rules) == 0 {
		return
	}
	next := t.osdmap()
	next.PoolMax++
	next.Pools = append(next.Pools, &Pool{
		ID: next.PoolMax, Name: name, Created: t.now, Kind: crush.Replicated, Size: size, MinSize: c.minSize(size),
		Rule: next.Crush.Rules[0].ID, PGNum: 1, PGPNum: 1, PGNumTarget: 1, LastChange: next.Epoch + 1, Autoscale: "on",
		Flags: []string{"hashpspool"}, Options: map[string]any{"pg_num_min": int64(1)}, SnapMode: "selfmanaged",
		Applications: map[string]map[string]string{app: {}},
	})
}
