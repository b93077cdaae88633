package ceph

import (
	"slices"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// stopReport is what stopping a set of OSDs would do to the placement groups.
type stopReport struct {
	// ok are those that stay available.
	ok, inactive, becomeInactive, degraded, moreDegraded []string
}

func (r *stopReport) bad() int { return len(r.inactive) + len(r.becomeInactive) }

// stopping says what stopping OSDs would do.
func stopping(pgs []pg, ids map[int]bool) *stopReport {
	r := &stopReport{}
	for i := range pgs {
		g := &pgs[i]
		left, touched := 0, false
		for _, id := range g.up {
			if ids[id] {
				touched = true
			} else if id != crush.None {
				left++
			}
		}
		switch {
		case !touched:
		case !g.active:
			r.inactive = append(r.inactive, g.id())
		case left < g.pool.MinSize:
			r.becomeInactive = append(r.becomeInactive, g.id())
		case present(g.up) < g.pool.Size:
			r.moreDegraded = append(r.moreDegraded, g.id())
			r.ok = append(r.ok, g.id())
		default:
			r.degraded = append(r.degraded, g.id())
			r.ok = append(r.ok, g.id())
		}
	}
	return r
}

func osdOkToStop(c *call) reply {
	ids, refused := c.osdSet()
	if refused != nil {
		return *refused
	}
	if len(ids) == 0 {
		return fail(syscall.EINVAL, "must specify one or more OSDs")
	}
	if !c.release.atLeast(pacific) {
		return c.okToStopOf(ids)
	}
	most, _ := c.args.int("max")
	ids, report := c.mostToStop(ids, int(most))
	out := object{{"ok_to_stop", report.bad() == 0}, {"osds", ids}, {"num_ok_pgs", len(report.ok)}, {"num_not_ok_pgs", report.bad()}}
	for _, list := range []field{
		{"bad_already_inactive", report.inactive},
		{"bad_become_inactive", report.becomeInactive},
		{"ok_become_degraded", report.degraded},
		{"ok_become_more_degraded", report.moreDegraded},
	} {
		if len(list.value.([]string)) > 0 {
			out = append(out, list)
		}
	}
	r := reply{}
	if bad := report.bad(); bad > 0 {
		r = fail(syscall.EBUSY, "unsafe to stop osd(s) at this time (%d PGs are or would become offline)", bad)
	}
	r.out = out
	return r
}

// okToStopOf is the answer up to octopus: how degraded a placement group is that
// is degraded was not looked at, so that none of its OSDs may be stopped.
func (c *call) okToStopOf(ids []int) reply {
	r := stopping(c.pgs(), setOf(ids))
	if bad := r.bad() + len(r.moreDegraded); bad > 0 {
		return fail(syscall.EBUSY, "%d PGs are already too degraded, would become too degraded or might become unavailable", bad)
	}
	return done("OSD(s) %s are ok to stop without reducing availability or risking data, provided there are no other concurrent failures or interventions."+
		"\n%d PGs are likely to be degraded (but remain available) as a result.", joinInts(ids, ","), len(r.ok))
}

// mostToStop adds OSDs to a set that may be stopped, up the hierarchy from the
// first of them and as long as all below a bucket can be added, until there are
// most of them.
func (c *call) mostToStop(ids []int, most int) ([]int, *stopReport) {
	pgs := c.pgs()
	set := setOf(ids)
	report := stopping(pgs, set)
	m := c.state.OSDMap
	for b := m.Crush.Parent(ids[0]); b != nil && report.bad() == 0 && len(set) < most; b = m.Crush.Parent(b.ID) {
		failed := false
		for _, o := range m.existing() {
			if !o.Up || set[o.ID] || !m.Crush.Below(o.ID, b.ID) || len(set) >= most {
				continue
			}
			set[o.ID] = true
			if next := stopping(pgs, set); next.bad() == 0 {
				report = next
			} else {
				delete(set, o.ID)
				failed = true
			}
		}
		if failed {
			break
		}
	}
	all := make([]int, 0, len(set))
	for _, o := range m.existing() {
		if set[o.ID] {
			all = append(all, o.ID)
			delete(set, o.ID)
		}
	}
	for _, id := range ids { // those that do not exist
		if set[id] {
			all = append(all, id)
		}
	}
	slices.Sort(all)
	return all, report
}

func setOf(ids []int) map[int]bool {
	set := map[int]bool{}
	for _, id := range ids {
		set[id] = true
	}
	return set
}
