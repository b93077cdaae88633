package ceph

import (
	"fmt"
	"slices"
	"time"
)

// mdsBeaconGrace is mds_beacon_grace: an MDS that was not heard of for so long is
// replaced, or called laggy where nobody can.
const mdsBeaconGrace = 15 * time.Second

// mdsTick is what the leader does about MDS at each tick and after each new
// FSMap: fill ranks that are empty, add and take back ranks, have standbys
// follow.
func mdsTick(m *mon, t *change) {
	if t.old.FSMap == nil {
		return
	}
	t.joinIDs()
	t.dropSilent(m)
	for _, f := range t.old.FSMap.Filesystems {
		if t.new.FSMap.byID(f.ID) == nil {
			continue
		}
		t.wantStandby(f.ID)
		if !t.resize(m, f.ID) {
			t.replace(m, f.ID)
		}
	}
	for _, d := range m.sim.mdss {
		if d.fsid == t.old.FSID && !d.done && m.sim.linked(d.p, m.p) {
			d.p.Group.After(messageTime, "mds sees the map", d.lookNow)
		}
	}
}

// joinIDs keeps the number of the file system that an MDS wants to serve.
func (t *change) joinIDs() {
	for _, i := range t.old.FSMap.all() {
		id := -1
		if f := t.old.FSMap.named(i.JoinFS); f != nil {
			id = f.ID
		}
		if id != i.JoinID {
			t.editMDS(i.GID, func(i *MDSInfo) { i.JoinID = id })
		}
	}
}

// dropSilent looks for MDS that are not heard of.
func (t *change) dropSilent(m *mon) {
	grace := (&call{mon: m, state: t.old}).optionSeconds("mds_beacon_grace", mdsBeaconGrace)
	for _, i := range t.old.FSMap.all() {
		since := m.sim.mdsSilent(i.GID, t.old.FSID, m, t.now)
		now, f := t.new.FSMap.mds(i.GID)
		laggy := t.now.Sub(since) >= grace
		switch {
		case now == nil:
		case !laggy && !now.LaggySince.IsZero():
			t.editMDS(i.GID, func(i *MDSInfo) { i.LaggySince = time.Time{} })
		case !laggy:
		case f == nil || now.State == mdsStandbyReplay:
			t.clusterLog(m, "[INF]", fmt.Sprintf("Standby %s is not responding, dropping it", now.human()))
			t.failMDS(i.GID)
		case !f.flag(fsNotJoinable) && t.new.FSMap.replacement(f, now.Rank) != nil:
			t.clusterLog(m, "[WRN]", fmt.Sprintf("%s is not responding, replacing it as rank %d with standby %s",
				now.human(), now.Rank, t.new.FSMap.replacement(f, now.Rank).human()))
			t.failMDS(i.GID)
		case now.LaggySince.IsZero():
			t.editMDS(i.GID, func(i *MDSInfo) { i.LaggySince = t.now })
		}
	}
}

// mdsSilent is since when an MDS has not been heard of by the leader; now for
// one that is heard of.
func (s *Sim) mdsSilent(gid uint64, fsid string, m *mon, now time.Time) time.Time {
	for _, d := range s.mdss {
		if d.fsid != fsid || d.gid != gid {
			continue
		}
		if !d.done && s.linked(d.p, m.p) {
			d.lastSay = now
		}
		return d.lastSay
	}
	return now // started just now, or of a world before this one: the next beacon tells
}

// wantStandby asks for a standby where there once was one, unless a person has
// said how many there should be.
func (t *change) wantStandby(id int) {
	f := t.new.FSMap.byID(id)
	if f.StandbyWanted == -1 && f.actives() > 0 && f.followers()+len(t.new.FSMap.Standbys) > 0 {
		t.filesystem(id).StandbyWanted = 1
	}
}

// resize adds a rank, or has the last one given back.
func (t *change) resize(m *mon, id int) bool {
	f := t.new.FSMap.byID(id)
	if !f.resizeable() {
		return false
	}
	switch {
	case len(f.In) < f.MaxMDS && !f.flag(fsNotJoinable):
		rank := 0
		for slices.Contains(f.In, rank) {
			rank++
		}
		who := t.new.FSMap.replacement(f, rank)
		if who == nil {
			return false
		}
		t.clusterLog(m, "[INF]", fmt.Sprintf("%s assigned to filesystem %s as rank %d (now has %d ranks)", who.human(), f.Name, rank, len(f.In)+1))
		t.promote(who.GID, id, rank)
		return true
	case len(f.In) > f.MaxMDS:
		gid := f.Up[f.In[len(f.In)-1]]
		if i := f.mds(gid); i != nil && i.State == mdsActive {
			t.clusterLog(m, "[INF]", "stopping "+i.human())
			t.editMDS(gid, func(i *MDSInfo) { i.State = mdsStopping })
			return true
		}
	}
	return false
}

// replace fills failed ranks, and has standbys follow where that is wanted.
func (t *change) replace(m *mon, id int) {
	f := t.new.FSMap.byID(id)
	if f.flag(fsNotJoinable) {
		return
	}
	if len(f.Failed) > 0 {
		for _, rank := range f.Failed {
			if who := t.new.FSMap.replacement(t.new.FSMap.byID(id), rank); who != nil {
				t.clusterLog(m, "[INF]", fmt.Sprintf("Standby %s assigned to filesystem %s as rank %d", who.human(), f.Name, rank))
				t.promote(who.GID, id, rank)
			}
		}
		return
	}
	if !f.resizeable() {
		return
	}
	t.prefer(m, id)
	if !f.flag(fsStandbyReplay) {
		return
	}
	for _, rank := range f.In {
		if t.new.FSMap.byID(id).follower(rank) != nil {
			continue
		}
		who := t.new.FSMap.available(f)
		if who == nil {
			return
		}
		t.follow(who.GID, id, rank)
	}
}

// prefer replaces an MDS that would rather serve another file system by a
// standby that wants to serve this one (mds_join_fs).
func (t *change) prefer(m *mon, id int) {
	f := t.new.FSMap.byID(id)
	for _, rank := range f.In {
		i := f.mds(f.Up[rank])
		better := t.new.FSMap.available(f)
		if i == nil || i.JoinID == id || better == nil || better.JoinID != id {
			continue
		}
		t.clusterLog(m, "[INF]", fmt.Sprintf("Dropping low affinity active %s in favor of higher affinity standby.", i.human()))
		t.failMDS(i.GID)
		return
	}
}
