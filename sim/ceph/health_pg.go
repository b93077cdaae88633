package ceph

import (
	"fmt"
	"strings"
	"time"
)

// pgChecks are the health checks that the manager reports: placement groups,
// pools' applications, and how many of both there are for an OSD.
func (c *call) pgChecks() []check {
	if !c.state.MgrMap.everActive() {
		return nil
	}
	d := c.digest()
	out := c.availabilityChecks(d)
	m := c.state.OSDMap
	total, _, in := m.count()
	if want := c.optionInt("osd_pool_default_size", 3); c.release.atLeast(nautilus) && total < want && c.optionBool("mon_warn_on_too_few_osds", true) {
		out = append(out, check{
			code: "TOO_FEW_OSDS", severity: warn, count: want - total,
			summary: fmt.Sprintf("OSD count %d < osd_pool_default_size %d", total, want),
		})
	}
	copies := 0
	for i := range d.pgs {
		copies += present(d.pgs[i].up)
	}
	if in > 0 && len(m.Pools) > 0 {
		per := copies / in
		least := c.optionInt("mon_pg_warn_min_per_osd", c.release.fewestPGs())
		if per < least && least > 0 && len(d.pgs) > 0 {
			out = append(out, check{
				code: "TOO_FEW_PGS", severity: warn, count: least - per, summary: fmt.Sprintf("too few PGs per OSD (%d < min %d)", per, least),
			})
		}
		if most := c.optionInt("mon_max_pg_per_osd", 250); most > 0 && per > most {
			out = append(out, check{
				code: "TOO_MANY_PGS", severity: warn, count: per - most, summary: fmt.Sprintf("too many PGs per OSD (%d > max %d)", per, most),
			})
		}
	}
	if apps := c.withoutApplication(); len(apps) > 0 {
		detail := make([]string, 0, len(apps)+1)
		for _, p := range apps {
			detail = append(detail, fmt.Sprintf("application not enabled on pool '%s'", p.Name))
		}
		detail = append(detail, "use 'ceph osd pool application enable <pool-name> <app-name>', where <app-name> is 'cephfs', 'rbd', 'rgw', or freeform for custom applications.")
		out = append(out, check{
			code: "POOL_APP_NOT_ENABLED", severity: warn, count: len(apps), detail: detail,
			summary: fmt.Sprintf("application not enabled on %d pool(s)", len(apps)),
		})
	}
	return out
}

// fewestPGs is mon_pg_warn_min_per_osd.
func (r *release) fewestPGs() int {
	if r.atLeast(octopus) {
		return 0
	}
	return 30
}

// withoutApplication lists the pools of which nobody has said what they are for:
// those with objects; from reef on any pool after five minutes.
func (c *call) withoutApplication() []*Pool {
	const grace = 300 * time.Second // mon_warn_on_pool_no_app_grace
	if !c.optionBool("mon_warn_on_pool_no_app", true) {
		return nil
	}
	var out []*Pool
	for _, p := range c.state.OSDMap.Pools {
		objects, _ := c.state.PGMap.Objects[p.ID].total()
		if len(p.Applications) == 0 && (objects > 0 || c.release.atLeast(reef) && c.now.Sub(p.Created) > grace) {
			out = append(out, p)
		}
	}
	return out
}

func (c *call) availabilityChecks(d digest) []check {
	type tally struct {
		n      int
		detail []string
	}
	count := func(holds func(*pg) bool, word string) tally {
		var t tally
		for i := range d.pgs {
			g := &d.pgs[i]
			if !holds(g) {
				continue
			}
			t.n++
			set := strings.ReplaceAll(fmt.Sprint(g.serving()), " ", ",")
			text := fmt.Sprintf("pg %s is %s, acting %s", g.id(), g.state, set)
			if word != "" {
				text = fmt.Sprintf("pg %s is stuck %s for %s, current state %s, last acting %s", g.id(), word, shortAge(c.now.Sub(g.since)), g.state, set)
			}
			t.detail = append(t.detail, text)
		}
		return t
	}
	long := func(g *pg) bool { return c.now.Sub(g.since) >= pgStuck }
	inactive := count(func(g *pg) bool { return !g.active && long(g) }, "inactive")
	peering := count(func(g *pg) bool { return strings.Contains(g.state, "peering") }, "")
	stale := count(func(g *pg) bool { return strings.HasPrefix(g.state, "stale") && long(g) }, "stale")
	degraded := count(func(g *pg) bool { return g.degraded > 0 }, "")
	undersized := count(func(g *pg) bool { return strings.Contains(g.state, "undersized") && long(g) }, "undersized")
	var out []check
	add := func(code, head string, parts []string, n int, detail ...tally) {
		if len(parts) == 0 {
			return
		}
		k := check{code: code, severity: warn, count: n, summary: head + strings.Join(parts, ", ")}
		seen := map[string]bool{}
		for _, t := range detail {
			for _, line := range t.detail {
				id := strings.Fields(line)[1]
				if !seen[id] {
					seen[id] = true
					k.detail = append(k.detail, line)
				}
			}
		}
		out = append(out, k)
	}
	part := func(parts []string, n int, word string) []string {
		if n == 0 {
			return parts
		}
		pgs := "pgs"
		if n == 1 {
			pgs = "pg"
		}
		return append(parts, fmt.Sprintf("%d %s %s", n, pgs, word))
	}
	parts := part(part(part(nil, inactive.n, "inactive"), peering.n, "peering"), stale.n, "stale")
	add("PG_AVAILABILITY", "Reduced data availability: ", parts, inactive.n+peering.n+stale.n, inactive, peering, stale)
	parts = nil
	if d.degraded > 0 {
		parts = append(parts, fmt.Sprintf("%d/%d objects degraded (%.3f%%)", d.degraded, d.copies, 100*float64(d.degraded)/float64(d.copies)))
	}
	parts = part(part(parts, degraded.n, "degraded"), undersized.n, "undersized")
	add("PG_DEGRADED", "Degraded data redundancy: ", parts, degraded.n+undersized.n, undersized, degraded)
	return out
}
