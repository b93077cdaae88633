package ceph

import "slices"

// MonGroup is how the monitors of a cluster stand at this moment, whoever leads
// and whether an election is on.
type MonGroup struct {
	FSID string
	// Members is how many monitors the newest monmap has, Together how many of
	// them run and reach each other: the largest such group. A majority of the
	// members can form a quorum.
	Members, Together int
}

// Mons shows each cluster that has had a quorum, and has a monitor running.
func (s *Sim) Mons() []MonGroup {
	var all []MonGroup
	var newest []*State
	for _, m := range s.mons {
		st := m.store.state
		if st == nil {
			continue
		}
		i := slices.IndexFunc(newest, func(o *State) bool { return o.FSID == st.FSID })
		if i < 0 {
			newest, all = append(newest, st), append(all, MonGroup{FSID: st.FSID})
		} else if newest[i].Version < st.Version {
			newest[i] = st
		}
	}
	for i, st := range newest {
		all[i].Members = len(st.MonMap.Mons)
		for _, m := range s.members(st) {
			n := 0
			for _, peer := range s.members(st) {
				if s.net.Reaches(m.p.Addr, peer.p.Addr) && s.net.Reaches(m.p.Machine.Addr, peer.p.Machine.Addr) {
					n++
				}
			}
			all[i].Together = max(all[i].Together, n)
		}
	}
	return all
}

// members are the running monitors of a cluster that its monmap has.
func (s *Sim) members(st *State) []*mon {
	return slices.DeleteFunc(slices.Clone(s.mons), func(m *mon) bool {
		return m.dead() || m.store.fsid != st.FSID || m.rankIn(st.MonMap) < 0
	})
}
