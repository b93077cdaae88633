package ceph

import (
	"slices"
	"strings"
	"syscall"
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

// destroyable sorts OSDs by what the manager knows of the data on them.
type destroyable struct {
	safe, active, missing []int
	pgs                   int // on the active ones
}

func (c *call) destroyable(ids []int) destroyable {
	d := destroyable{safe: []int{}, active: []int{}, missing: []int{}}
	pgs := c.pgs()
	counts := map[int]int{}
	unclean := false
	for i := range pgs {
		g := &pgs[i]
		unclean = unclean || !strings.HasPrefix(g.state, "active+clean")
		for _, id := range g.up {
			counts[id]++
		}
		for _, id := range g.acting {
			counts[id] += bit(!slices.Contains(g.up, id))
		}
	}
	for _, id := range ids {
		o := c.state.OSDMap.osd(id)
		switch {
		case o == nil:
			d.safe = append(d.safe, id)
		case counts[id] > 0:
			d.active = append(d.active, id)
			d.pgs += counts[id]
		case !o.Up && unclean:
			d.missing = append(d.missing, id)
		default:
			d.safe = append(d.safe, id)
		}
	}
	return d
}

// refusal is why they may not be destroyed; nil if they may.
func (d destroyable) refusal(more string) *reply {
	var r reply
	switch {
	case len(d.active) > 0:
		r = fail(syscall.EBUSY, "OSD(s) %s have %d pgs currently mapped to them. %s", joinInts(d.active, ","), d.pgs, more)
	case len(d.missing) > 0:
		r = fail(syscall.EAGAIN, "OSD(s) %s have no reported stats, and not all PGs are active+clean; we cannot draw any conclusions. %s", joinInts(d.missing, ","), more)
	default:
		return nil
	}
	return &r
}

func osdSafeToDestroy(c *call) reply {
	ids, bad := c.osdSet()
	if bad != nil {
		return *bad
	}
	d := c.destroyable(ids)
	if !c.plain() && c.release.atLeast(nautilus) {
		return reply{out: object{{"safe_to_destroy", d.safe}, {"active", d.active}, {"missing_stats", d.missing}, {"stored_pgs", []int{}}}}
	}
	if r := d.refusal(""); r != nil {
		return *r
	}
	return done("OSD(s) %s are safe to destroy without reducing data durability.", joinInts(d.safe, ","))
}
