package ceph

import (
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// osdIDs are the OSDs of the argument "ids", in its order; complaint is the
// command's text for a word that is no OSD.
func (c *call) osdIDs(complaint string) ([]int, *reply) {
	var ids []int
	for _, text := range c.args.list("ids") {
		if text == "all" || text == "any" || text == "*" {
			for _, o := range c.state.OSDMap.existing() {
				ids = append(ids, o.ID)
			}
			continue
		}
		id, ok := osdID(text)
		if !ok {
			r := fail(syscall.EINVAL, complaint, text)
			return nil, &r
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// osdSet are the OSDs of the argument "ids", each once.
func (c *call) osdSet() ([]int, *reply) {
	ids, bad := c.osdIDs("invalid osd id '%s'")
	slices.Sort(ids)
	return slices.Compact(ids), bad
}

func osdOkToStop(c *call) reply {
	ids, refused := c.osdSet()
	if refused != nil {
		return *refused
	}
	ok := 0
	lists := map[string][]string{}
	for _, g := range c.pgs() {
		left := 0
		touched := false
		for _, id := range g.up {
			if slices.Contains(ids, id) {
				touched = true
			} else if id != crush.None {
				left++
			}
		}
		kind := ""
		switch {
		case !touched:
			continue
		case !g.active:
			kind = "bad_already_inactive"
		case left < g.pool.MinSize:
			kind = "bad_become_inactive"
		case present(g.up) < g.pool.Size:
			kind = "ok_become_more_degraded"
		default:
			kind = "ok_become_degraded"
		}
		lists[kind] = append(lists[kind], g.id())
		ok += bit(strings.HasPrefix(kind, "ok"))
	}
	bad := len(lists["bad_already_inactive"]) + len(lists["bad_become_inactive"])
	out := object{{"ok_to_stop", bad == 0}, {"osds", ids}, {"num_ok_pgs", ok}, {"num_not_ok_pgs", bad}}
	for _, kind := range []string{"bad_already_inactive", "bad_become_inactive", "ok_become_degraded", "ok_become_more_degraded"} {
		if list := lists[kind]; len(list) > 0 {
			out = append(out, field{kind, list})
		}
	}
	var r reply
	if bad > 0 {
		r = fail(syscall.EBUSY, "unsafe to stop osd(s) at this time (%d PGs are or would become offline)", bad)
	}
	if c.release.atLeast(pacific) {
		r.out = out
	} else if bad == 0 {
		r = done("OSD(s) %s are ok to stop without reducing availability or risking data, provided there are no other concurrent failures or interventions."+
			" %d PGs are likely to be degraded (but remain available) as a result.", joinInts(ids, ","), ok)
	}
	return r
}

func osdSafeToDestroy(c *call) reply {
	ids, bad := c.osdSet()
	if bad != nil {
		return *bad
	}
	safe, active, missing := []int{}, []int{}, []int{}
	pgs := c.pgs()
	counts := map[int]int{}
	unclean := false
	for i := range pgs {
		unclean = unclean || !strings.HasPrefix(pgs[i].state, "active+clean")
		for _, id := range pgs[i].up {
			counts[id]++
		}
	}
	total := 0
	for _, id := range ids {
		o := c.state.OSDMap.osd(id)
		switch {
		case o == nil:
			safe = append(safe, id)
		case counts[id] > 0:
			active = append(active, id)
			total += counts[id]
		case !o.Up && unclean:
			missing = append(missing, id)
		default:
			safe = append(safe, id)
		}
	}
	if c.plain() || !c.release.atLeast(nautilus) {
		switch {
		case len(active) > 0:
			return fail(syscall.EBUSY, "OSD(s) %s have %d pgs currently mapped to them. ", joinInts(active, ","), total)
		case len(missing) > 0:
			return fail(syscall.EAGAIN, "OSD(s) %s have no reported stats, and not all PGs are active+clean; we cannot draw any conclusions. ", joinInts(missing, ","))
		}
		return done("OSD(s) %s are safe to destroy without reducing data durability.", joinInts(safe, ","))
	}
	return reply{out: object{{"safe_to_destroy", safe}, {"active", active}, {"missing_stats", missing}, {"stored_pgs", []int{}}}}
}
