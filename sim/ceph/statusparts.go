package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// pgmapJSON is the "pgmap" of `ceph status`.
func (c *call) pgmapJSON() object {
	d := c.digest()
	o := object{
		{"pgs_by_state", arrayOf(d.states, func(s stateCount) any { return object{{"state_name", s.state}, {"count", s.n}} })},
		{"num_pgs", len(d.pgs)},
		{"num_pools", d.pools},
		{"num_objects", d.objects},
		{"data_bytes", d.bytes},
		{"bytes_used", d.used},
		{"bytes_avail", d.total - d.used},
		{"bytes_total", d.total},
	}
	if n := d.inactive(); n > 0 {
		unknown := d.count("unknown")
		if unknown > 0 {
			o = append(o, field{"unknown_pgs_ratio", float64(unknown) / float64(len(d.pgs))})
		}
		if n > unknown {
			o = append(o, field{"inactive_pgs_ratio", float64(n-unknown) / float64(len(d.pgs))})
		}
	}
	return append(o, d.moving()...)
}

// inactive counts the placement groups that are not active.
func (d *digest) inactive() int {
	n := 0
	for i := range d.pgs {
		n += bit(!d.pgs[i].active)
	}
	return n
}

// count counts the placement groups in exactly that state.
func (d *digest) count(state string) int {
	for _, s := range d.states {
		if s.state == state {
			return s.n
		}
	}
	return 0
}

// pgmapText is the part "data" of plain `ceph status`, without its heading.
func (c *call) pgmapText() string {
	d := c.digest()
	var b strings.Builder
	fmt.Fprintf(&b, "    pools:   %d pools, %d pgs\n", d.pools, len(d.pgs))
	fmt.Fprintf(&b, "    objects: %d objects, %s\n", d.objects, byteText(uint64(d.bytes)))
	fmt.Fprintf(&b, "    usage:   %s used, %s / %s avail\n", byteText(d.used), byteText(d.total-d.used), byteText(d.total))
	b.WriteString("    pgs:     ")
	var lines []string
	if unknown := d.count("unknown"); unknown > 0 {
		lines = append(lines, fmt.Sprintf("%.3f%% pgs unknown", 100*float64(unknown)/float64(len(d.pgs))))
	}
	if n := d.inactive() - d.count("unknown"); n > 0 {
		lines = append(lines, fmt.Sprintf("%.3f%% pgs not active", 100*float64(n)/float64(len(d.pgs))))
	}
	lines = append(lines, d.movingText()...)
	width := 0
	for _, s := range d.states {
		width = max(width, len(fmt.Sprint(s.n)))
	}
	for _, s := range d.states {
		lines = append(lines, fmt.Sprintf("%-*d %s", width, s.n, s.state))
	}
	b.WriteString(strings.Join(lines, "\n             ") + "\n")
	return b.String()
}

// mgrmapJSON is the "mgrmap" of `ceph status`.
func (c *call) mgrmapJSON() object {
	m := c.state.MgrMap
	if !c.release.atLeast(octopus) {
		return mgrDump(c).out.(object)
	}
	return object{
		{"available", m.Available},
		{"num_standbys", len(m.Standbys)},
		{"modules", append([]string{}, m.Modules...)},
		{"services", c.servicesJSON()},
	}
}

// mgrmapText is the line of managers in plain `ceph status`, behind "mgr: ".
func (c *call) mgrmapText() string {
	m := c.state.MgrMap
	text := "no daemons active"
	if m.Active != nil {
		text = m.Active.Name + "(active"
		if !m.Available {
			text += ", starting"
		}
		if c.release.atLeast(nautilus) {
			text += fmt.Sprintf(", since %s", shortAge(c.now.Sub(m.ActiveChange)))
		}
		text += ")"
	} else if c.release.atLeast(nautilus) && !m.DownSince.IsZero() {
		text += fmt.Sprintf(" (since %s)", shortAge(c.now.Sub(m.DownSince)))
	}
	if len(m.Standbys) > 0 {
		names := make([]string, len(m.Standbys))
		for i, s := range m.Standbys {
			names[i] = s.Name
		}
		text += ", standbys: " + strings.Join(names, ", ")
	}
	return text
}

// servicemapJSON is the "servicemap" of `ceph status`.
func (c *call) servicemapJSON() object {
	m := c.state.Services
	services := object{}
	for _, kind := range slices.Sorted(maps.Keys(m.Services)) {
		daemons := object{}
		if c.release.atLeast(mimic) {
			daemons = object{{"summary", ""}}
		}
		for _, d := range m.Services[kind] {
			metadata := object{}
			for _, k := range slices.Sorted(maps.Keys(d.Metadata)) {
				metadata = append(metadata, field{k, d.Metadata[k]})
			}
			daemons = append(daemons, field{d.ID, object{
				{"start_epoch", d.StartEpoch},
				{"start_stamp", c.release.stamp(d.Start)},
				{"gid", d.GID},
				{"addr", d.Addr.legacy()},
				{"metadata", metadata},
				{"task_status", object{}},
			}})
		}
		services = append(services, field{kind, object{{"daemons", daemons}}})
	}
	return object{{"epoch", m.Epoch}, {"modified", c.release.stamp(m.Modified)}, {"services", services}}
}

// serviceLines are the lines of other daemons in plain `ceph status`.
func (c *call) serviceLines() []string {
	m := c.state.Services
	var out []string
	for _, kind := range slices.Sorted(maps.Keys(m.Services)) {
		if n := len(m.Services[kind]); n > 0 {
			plural := "s"
			if n == 1 {
				plural = ""
			}
			out = append(out, fmt.Sprintf("%s: %d daemon%s active", kind, n, plural))
		}
	}
	return out
}
