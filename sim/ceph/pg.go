package ceph

import (
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// How long placement groups take to come to rest after the OSD map has changed.
const (
	pgLag      = 500 * time.Millisecond  // until the manager has heard what became of an old one
	pgUnknown  = 500 * time.Millisecond  // until the manager has heard of a new one
	pgCreating = 1500 * time.Millisecond // until a new one is active
	pgPeering  = 1500 * time.Millisecond // until an old one is active on other OSDs
	pgRecovery = 5 * time.Second         // until one with objects is clean again
	// pgStuck is mon_pg_stuck_threshold: what lasts longer is a health check.
	pgStuck = 60 * time.Second
)

// pg is a placement group at one moment.
type pg struct {
	pool *Pool
	seed int
	// up are the OSDs that CRUSH gives it of those that are up; the first is the
	// primary. crush.None stands where an erasure-coded pool has none.
	up []int
	// acting are the OSDs that serve it; nil for up. They differ while data moves.
	acting  []int
	state   string
	objects int
	bytes   int
	// degraded counts the copies of objects that there are too few of, misplaced
	// those that are in another place than they belong.
	degraded, misplaced int
	active              bool
	since               time.Time // of the last change that moved it
}

// layout is where the placement groups of each pool lie under one OSD map.
type layout struct {
	m    *OSDMap
	raw  map[int][][]int // by pool and seed: what CRUSH gives, down OSDs included
	live map[int][][]int // without those that are down
}

// layoutsKept is how many layouts are worth keeping: those of the map of the
// moment and the settled one of a cluster or two.
const layoutsKept = 6

// layout finds or makes the layout of an OSD map. Pools whose placement is not
// touched by what changed since the last map are taken over.
func (s *Sim) layout(m *OSDMap) *layout {
	for _, l := range s.layouts {
		if l.m == m {
			return l
		}
	}
	l := &layout{m: m, raw: map[int][][]int{}, live: map[int][][]int{}}
	for _, p := range m.Pools {
		for _, old := range slices.Backward(s.layouts) {
			if q := old.m.pool(p.ID); q != nil && sameRaw(old.m, m) && samePool(q, p) {
				l.raw[p.ID] = old.raw[p.ID]
				if sameUp(old.m, m) {
					l.live[p.ID] = old.live[p.ID]
				}
				break
			}
		}
		if l.raw[p.ID] == nil {
			l.raw[p.ID] = m.place(p)
		}
		if l.live[p.ID] == nil {
			l.live[p.ID] = m.onlyUp(p, l.raw[p.ID])
		}
	}
	s.layouts = append(s.layouts, l)
	if len(s.layouts) > layoutsKept {
		s.layouts = slices.Delete(s.layouts, 0, 1)
	}
	return l
}

func sameRaw(a, b *OSDMap) bool {
	return a.Crush == b.Crush && slices.EqualFunc(a.OSDs, b.OSDs, func(x, y *OSDInfo) bool {
		return x == y || x != nil && y != nil && x.Weight == y.Weight
	})
}

func sameUp(a, b *OSDMap) bool {
	return slices.EqualFunc(a.OSDs, b.OSDs, func(x, y *OSDInfo) bool {
		return x == y || x != nil && y != nil && x.Up == y.Up
	})
}

func samePool(a, b *Pool) bool {
	return a.ID == b.ID && a.Size == b.Size && a.Rule == b.Rule && a.PGNum == b.PGNum && a.PGPNum == b.PGPNum
}

// place lets CRUSH find OSDs for each placement group of a pool.
func (m *OSDMap) place(p *Pool) [][]int {
	all := make([][]int, p.PGNum)
	rule := m.Crush.Rule(p.Rule)
	if rule == nil {
		return all
	}
	placer := m.Crush.NewPlacer(func(id int) float64 {
		if o := m.osd(id); o != nil {
			return o.Weight
		}
		return 0
	})
	for seed := range all {
		all[seed] = placer.Place(rule, uint64(p.ID)<<32|uint64(seed%max(p.PGPNum, 1)), p.Size)
	}
	return all
}

func (m *OSDMap) onlyUp(p *Pool, raw [][]int) [][]int {
	live := make([][]int, len(raw))
	for i, osds := range raw {
		live[i] = osds
		down := func(id int) bool { o := m.osd(id); return o == nil || !o.Up }
		if !slices.ContainsFunc(osds, down) {
			continue
		}
		live[i] = slices.Clone(osds)
		if p.Kind == crush.Erasure {
			for j, id := range live[i] {
				if down(id) {
					live[i][j] = crush.None
				}
			}
			continue
		}
		live[i] = slices.DeleteFunc(live[i], down)
	}
	return live
}

// present counts the OSDs of a set.
func present(osds []int) int {
	n := 0
	for _, id := range osds {
		if id != crush.None {
			n++
		}
	}
	return n
}

// settle notes in the PG map that this change moves placement groups, if it
// does. It belongs to the end of every change.
func (t *change) settle() {
	was, is := t.old.OSDMap, t.new.OSDMap
	if was == is || was == nil {
		return
	}
	if sameRaw(was, is) && sameUp(was, is) && slices.EqualFunc(was.Pools, is.Pools, samePool) {
		return
	}
	m := t.pgmap()
	if m.Settled == nil || t.now.Sub(m.Since) > pgRecovery {
		m.Settled = was
	}
	m.Since = t.now
}

// pgs are all placement groups at a moment, by pool and seed.
func (s *Sim) pgs(st *State, now time.Time) []pg {
	if st.OSDMap == nil || len(st.OSDMap.Pools) == 0 {
		return nil
	}
	is := s.layout(st.OSDMap)
	was := is
	if st.PGMap.Settled != nil {
		was = s.layout(st.PGMap.Settled)
	}
	n := 0
	for _, p := range st.OSDMap.Pools {
		n += p.PGNum
	}
	all := make([]pg, 0, n)
	for _, p := range st.OSDMap.Pools {
		objects, bytes := st.PGMap.Objects[p.ID].perPG(p.PGNum)
		for seed, up := range is.live[p.ID] {
			g := pg{pool: p, seed: seed, up: up, objects: objects[seed], bytes: bytes[seed], since: p.Created}
			g.judge(is, was, st.PGMap.Since, now)
			all = append(all, g)
		}
	}
	return all
}

// judge finds the state of a placement group from where it lies, where it lay
// and how long ago that changed.
func (g *pg) judge(is, was *layout, changed, now time.Time) {
	p := g.pool
	var before, rawBefore []int
	old := was.live[p.ID]
	fresh := g.seed >= len(old) && was.m.pool(p.ID) == nil
	if g.seed < len(old) {
		before, rawBefore = old[g.seed], was.raw[p.ID][g.seed]
	}
	moved := !slices.Equal(before, g.up)
	age := now.Sub(p.Created)
	if moved {
		g.since = changed
		age = now.Sub(changed)
	}
	have := present(g.up)
	switch {
	case have == 0 && present(before) == 0:
		g.state = "unknown"
		return
	case have == 0:
		g.state = "stale+active+clean"
		if present(before) < p.Size {
			g.state = "stale+active+undersized"
		}
		return
	case fresh && age < pgUnknown:
		g.state = "unknown"
		return
	case fresh && age < pgCreating:
		g.state = "creating+peering"
		return
	case moved && age < pgLag && present(before) > 0:
		g.reported(before)
		return
	case moved && age < pgPeering:
		g.state = "peering"
		return
	}
	g.active = have >= p.MinSize
	g.degraded = g.objects * (p.Size - have)
	switch {
	case have < p.Size:
		g.state = "undersized"
		if g.degraded > 0 {
			g.state += "+degraded"
		}
		if g.active {
			g.state = "active+" + g.state
		} else {
			g.state += "+peered"
		}
	case moved && g.objects > 0 && age < pgRecovery && !slices.Equal(rawBefore, is.raw[p.ID][g.seed]):
		g.backfill(before, is.m, float64(pgRecovery-age)/float64(pgRecovery-pgPeering))
	default:
		g.state = "active+clean"
	}
}

// reported is the state as long as the manager does not know of the change: the
// former one, without news if the primary went.
func (g *pg) reported(before []int) {
	g.active, g.state, g.acting = present(before) >= g.pool.MinSize, "active+clean", before
	if short := g.pool.Size - present(before); short > 0 {
		g.state = "active+undersized"
		if g.degraded = g.objects * short; g.degraded > 0 {
			g.state += "+degraded"
		}
	}
	first := slices.IndexFunc(before, func(id int) bool { return id != crush.None })
	if !slices.Contains(g.up, before[first]) {
		g.state = "stale+" + g.state
	}
}

// backfill is the state while data moves to where it belongs, of which that part
// is left. Where all copies are there the former OSDs serve, and the data is only
// misplaced; else it is degraded.
func (g *pg) backfill(before []int, m *OSDMap, left float64) {
	fresh := 0
	for _, id := range g.up {
		fresh += bit(id != crush.None && !slices.Contains(before, id))
	}
	holds := slices.DeleteFunc(slices.Clone(before), func(id int) bool {
		o := m.osd(id)
		return id == crush.None || o == nil || !o.Up
	})
	lacking := min(max(g.pool.Size-len(holds), 0), fresh)
	moving := func(copies int) int { return int(float64(g.objects*copies)*left + 0.5) }
	g.degraded, g.misplaced = moving(lacking), moving(fresh-lacking)
	g.state = "active+remapped+backfilling"
	if lacking > 0 {
		g.state = "active+undersized+degraded+remapped+backfilling"
	}
	if g.pool.Kind == crush.Replicated && len(holds) > 0 {
		g.acting = holds[:min(len(holds), g.pool.Size)]
	}
}

// serving are the OSDs that serve it.
func (g *pg) serving() []int {
	if g.acting != nil {
		return g.acting
	}
	return g.up
}

// perPG spreads the objects of a pool over its placement groups.
func (o *Objects) perPG(n int) (count, bytes []int) {
	count, bytes = make([]int, n), make([]int, n)
	if o == nil {
		return count, bytes
	}
	for name, data := range o.Of {
		seed := name.seed(n)
		count[seed]++
		bytes[seed] += len(data)
	}
	return count, bytes
}

// seed is the placement group, of n, that an object lies in.
func (o ObjectName) seed(n int) int {
	h := uint64(14695981039346656037)
	for _, b := range []byte(o.Namespace + "\x1f" + o.Name) {
		h = (h ^ uint64(b)) * 1099511628211
	}
	return int((h ^ h>>32) % uint64(n))
}
