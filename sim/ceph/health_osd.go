package ceph

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// osdChecks are the health checks that follow from the OSD map alone.
func (c *call) osdChecks() []check {
	m := c.state.OSDMap
	var out []check
	out = append(out, c.downChecks()...)
	if flags := m.warnFlags(); len(flags) > 0 {
		out = append(out, check{code: "OSDMAP_FLAGS", severity: warn, summary: strings.Join(flags, ",") + " flag(s) set", count: len(flags)})
	}
	var flagged []string
	for _, o := range m.existing() {
		if len(o.Flags) > 0 {
			flagged = append(flagged, fmt.Sprintf("osd.%d has flags %s", o.ID, strings.Join(o.Flags, ",")))
		}
	}
	if len(flagged) > 0 {
		out = append(out, check{
			code: "OSD_FLAGS", severity: warn, count: len(flagged), detail: flagged,
			summary: fmt.Sprintf("%d OSDs or CRUSH {nodes, device-classes} have {NOUP,NODOWN,NOIN,NOOUT} flags set", len(flagged)),
		})
	}
	out = append(out, c.crushChecks()...)
	out = append(out, c.poolChecks()...)
	if v := m.allRun(); m.RequireOSDRelease != 0 && v > m.RequireOSDRelease {
		out = append(out, check{
			code: "OSD_UPGRADE_FINISHED", severity: warn, count: 0,
			summary: fmt.Sprintf("all OSDs are running %s or later but require_osd_release < %s", releaseName(v), releaseName(v)),
		})
	}
	return out
}

// allRun is the oldest release that an OSD which is up runs; 0 if none is.
func (m *OSDMap) allRun() int {
	oldest := 0
	for _, o := range m.existing() {
		if o.Up && o.Meta != nil && (oldest == 0 || o.Meta.Release.major < oldest) {
			oldest = o.Meta.Release.major
		}
	}
	return oldest
}

// warnFlags are the flags that a cluster is warned about.
func (m *OSDMap) warnFlags() []string {
	flags := slices.Clone(m.Flags)
	slices.SortFunc(flags, func(a, b string) int { return flagBits[a] - flagBits[b] })
	return flags
}

func (c *call) downChecks() []check {
	m := c.state.OSDMap
	var down []*OSDInfo
	for _, o := range m.existing() {
		if !o.Up && o.In() {
			down = append(down, o)
		}
	}
	if len(down) == 0 {
		return nil
	}
	detail := make([]string, len(down))
	for i, o := range down {
		at := ""
		location := m.Crush.Location(o.ID)
		parts := make([]string, 0, len(location))
		for _, l := range slices.Backward(location) {
			parts = append(parts, l.Type+"="+l.Name)
		}
		if len(parts) > 0 {
			at = " (" + strings.Join(parts, ",") + ")"
		}
		detail[i] = fmt.Sprintf("osd.%d%s is down", o.ID, at)
	}
	out := []check{{code: "OSD_DOWN", severity: warn, count: len(down), summary: fmt.Sprintf("%d osds down", len(down)), detail: detail}}
	return append(out, c.subtreeChecks()...)
}

// subtreeChecks name the subtrees of which all OSDs are down, at each level only
// those that are not part of one higher up.
func (c *call) subtreeChecks() []check {
	m := c.state.OSDMap
	isDown := func(id int) bool { o := m.osd(id); return o != nil && !o.Up }
	whole := map[int]int{} // bucket: OSDs below, all down
	var visit func(id int) (osds int, all bool)
	visit = func(id int) (int, bool) {
		b := m.Crush.Bucket(id)
		if b == nil {
			o := m.osd(id)
			return bit(o != nil), o == nil || isDown(id)
		}
		n, all := 0, true
		for _, i := range b.Items {
			k, a := visit(i.ID)
			n, all = n+k, all && a
		}
		if n > 0 && all {
			whole[id] = n
		}
		return n, all
	}
	roots := m.Crush.Roots(false)
	for _, b := range roots {
		visit(b.ID)
	}
	var out []check
	for _, t := range m.Crush.Types {
		n, osds := 0, 0
		var detail []string
		for _, b := range m.Crush.Buckets {
			if b.Type != t.ID || whole[b.ID] == 0 || b.Shadow() {
				continue
			}
			n, osds = n+1, osds+whole[b.ID]
			detail = append(detail, fmt.Sprintf("%s %s (%s) (%d osds) is down", t.Name, b.Name, pathOf(m.Crush, b), whole[b.ID]))
		}
		if n > 0 && t.ID > 0 {
			plural := t.Name
			if n > 1 {
				plural += "s"
			}
			out = append(out, check{
				code: "OSD_" + strings.ToUpper(t.Name) + "_DOWN", severity: warn, count: n, detail: detail,
				summary: fmt.Sprintf("%d %s (%d osds) down", n, plural, osds),
			})
		}
	}
	return out
}

func pathOf(m *crush.Map, b *crush.Bucket) string {
	parts := []string{}
	for _, l := range slices.Backward(m.Location(b.ID)) {
		parts = append(parts, l.Type+"="+l.Name)
	}
	return strings.Join(parts, ",")
}

// oldestTunables is mon_crush_min_required_version: maps that older clients can
// read are warned about.
func (r *release) oldestTunables() string {
	if r.atLeast(nautilus) {
		return "hammer"
	}
	return "firefly"
}

func (c *call) crushChecks() []check {
	m := c.state.OSDMap.Crush
	var out []check
	need := c.optionText("mon_crush_min_required_version", c.release.oldestTunables())
	if have := m.MinimumRelease(); have < need && c.optionBool("mon_warn_on_legacy_crush_tunables", true) {
		out = append(out, check{
			code: "OLD_CRUSH_TUNABLES", severity: warn,
			summary: fmt.Sprintf("crush map has legacy tunables (require %s, min is %s)", have, need),
			detail:  []string{"see http://docs.ceph.com/docs/master/rados/operations/crush-map/#tunables"},
		})
	}
	if m.Tunables.StrawCalcVersion == 0 && c.optionBool("mon_warn_on_crush_straw_calc_version_zero", true) {
		out = append(out, check{
			code: "OLD_CRUSH_STRAW_CALC_VERSION", severity: warn, summary: "crush map has straw_calc_version=0",
			detail: []string{"see http://docs.ceph.com/docs/master/rados/operations/crush-map/#tunables"},
		})
	}
	return out
}

func (c *call) poolChecks() []check {
	m := c.state.OSDMap
	var out []check
	var single []string
	for _, p := range m.Pools {
		if p.Size == 1 && p.Kind == crush.Replicated {
			single = append(single, fmt.Sprintf("pool '%s' has no replicas configured", p.Name))
		}
	}
	if len(single) > 0 && c.release.atLeast(octopus) && c.optionBool("mon_warn_on_pool_no_redundancy", true) {
		out = append(out, check{
			code: "POOL_NO_REDUNDANCY", severity: warn, count: len(single), detail: single,
			summary: fmt.Sprintf("%d pool(s) have no replicas configured", len(single)),
		})
	}
	var full []string
	for _, p := range m.Pools {
		if c.full(p) {
			full = append(full, fmt.Sprintf("pool '%s' is full (running out of quota)", p.Name))
		}
	}
	if len(full) > 0 {
		out = append(out, check{
			code: "POOL_FULL", severity: warn, count: len(full), detail: full, summary: fmt.Sprintf("%d pool(s) full", len(full)),
		})
	}
	return out
}

// mgrChecks are the health checks about the manager.
func (c *call) mgrChecks() []check {
	inactiveGrace := c.optionSeconds("mon_mgr_inactive_grace", 60*time.Second)
	m := c.state.MgrMap
	total, _, _ := c.state.OSDMap.count()
	grace := c.optionSeconds("mon_mgr_mkfs_grace", 120*time.Second)
	if m.Active != nil || total == 0 || c.now.Sub(c.state.MonMap.Created) <= grace {
		return nil
	}
	level := warn
	if since := m.DownSince; since.IsZero() && c.now.Sub(c.state.MonMap.Created) > grace+inactiveGrace ||
		!since.IsZero() && c.now.Sub(since) > inactiveGrace {
		level = erring
	}
	return []check{{code: "MGR_DOWN", severity: level, summary: "no active mgr"}}
}

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
			set := strings.ReplaceAll(fmt.Sprint(g.up), " ", ",")
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
