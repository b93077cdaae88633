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
	if flagged := m.flaggedParts(); len(flagged) > 0 {
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
	whole := map[int]int{} // bucket: OSDs below, all down; an empty one counts as down
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
		if all {
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
			below, down := whole[b.ID]
			if b.Type != t.ID || !down || b.Shadow() {
				continue
			}
			n, osds = n+1, osds+below
			detail = append(detail, fmt.Sprintf("%s %s (%s) (%d osds) is down", t.Name, b.Name, pathOf(m.Crush, b), below))
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
