package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func pgCommands() map[string]handler {
	return map[string]handler{
		"pg stat":             pgStat,
		"pg ls":               pgLs,
		"pg ls-by-pool":       pgLs,
		"pg ls-by-osd":        pgLs,
		"pg ls-by-primary":    pgLs,
		"pg dump":             pgDump,
		"pg dump_stuck":       pgDumpStuck,
		"pg map":              pgMap,
		"osd map":             osdMapObject,
		"osd ok-to-stop":      osdOkToStop,
		"osd safe-to-destroy": osdSafeToDestroy,
	}
}

func (g *pg) id() string { return fmt.Sprintf("%d.%x", g.pool.ID, g.seed) }

func (g *pg) primary() int { return primaryOf(g.up) }

func primaryOf(osds []int) int {
	for _, id := range osds {
		if id != crush.None {
			return id
		}
	}
	return -1
}

func pgStat(c *call) reply {
	d := c.digest()
	sum := object{
		{"num_pg_by_state", arrayOf(d.states, func(s stateCount) any { return object{{"name", s.state}, {"num", s.n}} })},
		{"num_pgs", len(d.pgs)},
		{"num_bytes", d.bytes},
		{"total_bytes", d.total},
		{"total_avail_bytes", d.total - d.used},
		{"total_used_bytes", d.used},
		{"total_used_raw_bytes", d.used},
	}
	sum = append(sum, d.moving()...)
	out := sum
	if c.release.atLeast(nautilus) {
		out = object{{"pg_ready", c.state.MgrMap.Available}, {"pg_summary", sum}}
	}
	return c.show(out, func() string {
		var states []string
		for _, s := range d.states {
			states = append(states, fmt.Sprintf("%d %s", s.n, s.state))
		}
		text := fmt.Sprintf("%d pgs: %s; %s data, %s used, %s / %s avail", len(d.pgs), strings.Join(states, ", "),
			byteText(uint64(d.bytes)), byteText(d.used), byteText(d.total-d.used), byteText(d.total))
		return strings.Join(append([]string{text}, d.movingText()...), "; ") + "\n"
	})
}

// matching are the placement groups that the arguments ask for.
func (c *call) matching() ([]pg, *reply) {
	all := c.pgs()
	keep := func(fn func(*pg) bool) {
		all = slices.DeleteFunc(all, func(g pg) bool { return !fn(&g) })
	}
	if name := c.args.str("poolstr"); name != "" {
		p := c.state.OSDMap.poolNamed(name)
		if p == nil {
			r := fail(syscall.ENOENT, "pool %s does not exist", name)
			return nil, &r
		}
		keep(func(g *pg) bool { return g.pool.ID == p.ID })
	}
	if id, given := c.args.int("pool"); given {
		keep(func(g *pg) bool { return g.pool.ID == int(id) })
	}
	if c.args.has("osd") {
		id, _ := c.osdArg("osd")
		if c.state.OSDMap.osd(id) == nil {
			r := fail(syscall.ENOENT, "osd %d does not exist", id)
			return nil, &r
		}
		primary := c.desc.prefix == "pg ls-by-primary"
		keep(func(g *pg) bool {
			if primary {
				return g.primary() == id
			}
			return slices.Contains(g.up, id)
		})
	}
	if states := c.args.list("states"); len(states) > 0 {
		keep(func(g *pg) bool {
			return slices.ContainsFunc(states, func(s string) bool { return slices.Contains(strings.Split(g.state, "+"), s) })
		})
	}
	return all, nil
}

func pgLs(c *call) reply {
	pgs, bad := c.matching()
	if bad != nil {
		return *bad
	}
	list := arrayOf(pgs, func(g pg) any { return c.pgJSON(&g) })
	if !c.release.atLeast(octopus) && !c.release.atLeast(nautilus, 2) {
		return c.show(list, func() string { return pgText(pgs) })
	}
	return c.show(object{{"pg_ready", c.state.MgrMap.Available}, {"pg_stats", list}}, func() string { return pgText(pgs) })
}

func pgText(pgs []pg) string {
	t := table{head: []string{"PG", "OBJECTS", "DEGRADED", "MISPLACED", "BYTES", "STATE", "UP", "ACTING"}, right: []int{1, 2, 3, 4}}
	for i := range pgs {
		g := &pgs[i]
		set := func(osds []int) string {
			return strings.ReplaceAll(fmt.Sprint(osds), " ", ",") + fmt.Sprintf("p%d", primaryOf(osds))
		}
		t.rows = append(t.rows, []string{
			g.id(), fmt.Sprint(g.objects), fmt.Sprint(g.degraded), fmt.Sprint(g.misplaced), fmt.Sprint(g.bytes), g.state, set(g.up), set(g.serving()),
		})
	}
	return t.text()
}

func (c *call) pgJSON(g *pg) object {
	since := c.release.stamp(g.since)
	up := append([]int{}, g.up...)
	return object{
		{"pgid", g.id()},
		{"version", "0'0"},
		{"reported_seq", 1},
		{"reported_epoch", c.state.OSDMap.Epoch},
		{"state", g.state},
		{"last_fresh", c.release.stamp(c.now)},
		{"last_change", since},
		{"last_active", since},
		{"last_clean", since},
		{"mapping_epoch", g.pool.LastChange},
		{"created", g.pool.LastChange},
		{"stat_sum", object{
			{"num_bytes", g.bytes},
			{"num_objects", g.objects},
			{"num_object_copies", g.objects * g.pool.Size},
			{"num_objects_degraded", g.degraded},
			{"num_objects_misplaced", g.misplaced},
			{"num_objects_unfound", 0},
		}},
		{"up", up},
		{"acting", append([]int{}, g.serving()...)},
		{"up_primary", g.primary()},
		{"acting_primary", primaryOf(g.serving())},
	}
}

func pgDump(c *call) reply {
	pgs := c.pgs()
	return reply{
		status: "dumped all",
		out: c.show(object{{"pg_ready", c.state.MgrMap.Available}, {"pg_map", object{
			{"version", c.state.Version},
			{"stamp", c.release.stamp(c.now)},
			{"pg_stats", arrayOf(pgs, func(g pg) any { return c.pgJSON(&g) })},
		}}}, func() string { return pgText(pgs) }).out,
	}
}

func pgDumpStuck(c *call) reply {
	kinds := c.args.list("stuckops")
	var stuck []pg
	for _, g := range c.pgs() {
		for _, k := range g.stuck(c.now.Sub(g.since) >= pgStuck) {
			if len(kinds) == 0 && k != "undersized" && k != "degraded" || slices.Contains(kinds, k) {
				stuck = append(stuck, g)
				break
			}
		}
	}
	return c.show(object{{"stuck_pg_stats", arrayOf(stuck, func(g pg) any { return c.pgJSON(&g) })}}, func() string { return pgText(stuck) })
}

// stuck are the ways in which a placement group is stuck if it has been as it
// is for long.
func (g *pg) stuck(long bool) []string {
	if !long {
		return nil
	}
	var out []string
	for _, x := range []struct {
		holds bool
		name  string
	}{
		{!g.active, "inactive"},
		{!strings.Contains(g.state, "clean"), "unclean"},
		{strings.HasPrefix(g.state, "stale"), "stale"},
		{strings.Contains(g.state, "undersized"), "undersized"},
		{strings.Contains(g.state, "degraded"), "degraded"},
	} {
		if x.holds {
			out = append(out, x.name)
		}
	}
	return out
}

func pgMap(c *call) reply {
	for _, g := range c.sim.pgs(c.state, c.now) {
		if g.id() == c.args.str("pgid") {
			return c.mapReply(&g, object{{"epoch", c.state.OSDMap.Epoch}, {"raw_pgid", g.id()}, {"pgid", g.id()}},
				fmt.Sprintf("osdmap e%d pg %s (%s)", c.state.OSDMap.Epoch, g.id(), g.id()))
		}
	}
	return fail(syscall.ENOENT, "pg '%s' does not exist", c.args.str("pgid"))
}

func (c *call) mapReply(g *pg, head object, text string) reply {
	up := append([]int{}, g.up...)
	acting := append([]int{}, g.serving()...)
	return c.show(append(head, field{"up", up}, field{"acting", acting}), func() string {
		set := func(osds []int) string { return strings.ReplaceAll(fmt.Sprint(osds), " ", ",") }
		return fmt.Sprintf("%s -> up %s acting %s\n", text, set(up), set(acting))
	})
}

func osdMapObject(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	name := ObjectName{c.args.str("nspace"), c.args.str("object")}
	for _, g := range c.sim.pgs(c.state, c.now) {
		if g.pool.ID == p.ID && g.seed == name.seed(p.PGNum) {
			return c.mapReply(&g, object{
				{"epoch", c.state.OSDMap.Epoch}, {"pool", p.Name}, {"pool_id", p.ID}, {"objname", name.Name}, {"raw_pgid", g.id()}, {"pgid", g.id()},
			}, fmt.Sprintf("osdmap e%d pool '%s' (%d) object '%s' -> pg %s (%s)", c.state.OSDMap.Epoch, p.Name, p.ID, name.Name, g.id(), g.id()))
		}
	}
	return fail(syscall.ENOENT, "pool '%s' has no placement groups", p.Name)
}
