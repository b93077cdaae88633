package ceph

// ShortPGs counts the placement groups of all clusters of which, at this moment,
// fewer OSDs run than their pools need (min_size), whether or not the monitors
// know that an OSD has ended.
func (s *Sim) ShortPGs() int {
	running := map[string]map[int]bool{} // by cluster
	for _, d := range s.osds {
		if d.done || !d.booted {
			continue
		}
		if running[d.store.ClusterFSID] == nil {
			running[d.store.ClusterFSID] = map[int]bool{}
		}
		running[d.store.ClusterFSID][d.id()] = true
	}
	short := 0
	for _, group := range s.Mons() {
		m := s.newest(group.FSID).OSDMap
		if m == nil {
			continue
		}
		raw := s.layout(m).raw
		for _, p := range m.Pools {
			for _, osds := range raw[p.ID] {
				up := 0
				for _, id := range osds {
					if running[group.FSID][id] {
						up++
					}
				}
				if up < p.MinSize {
					short++
				}
			}
		}
	}
	return short
}

// newest is the newest state that a monitor of the cluster which runs has.
func (s *Sim) newest(fsid string) *State {
	var newest *State
	for _, m := range s.mons {
		if st := m.store.state; st != nil && st.FSID == fsid && (newest == nil || newest.Version < st.Version) {
			newest = st
		}
	}
	return newest
}
