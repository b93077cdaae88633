package ceph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func statusCommands() map[string]handler {
	return map[string]handler{
		"status":   func(c *call) reply { return c.show(c.statusJSON(), c.statusText) },
		"version":  version,
		"versions": versions,
		"fsid": func(c *call) reply {
			return c.show(object{{"fsid", c.state.FSID}}, func() string { return c.state.FSID + "\n" })
		},
		"features": func(c *call) reply { return reply{out: c.featureMap()} },
	}
}

// statusJSON is `ceph status`.
func (c *call) statusJSON() object {
	o := object{
		{"fsid", c.state.FSID},
		{"health", c.healthJSON(false)},
		{"election_epoch", c.mon.store.electionEpoch},
		{"quorum", c.mon.quorum},
		{"quorum_names", c.mon.quorumNames()},
	}
	if c.release.atLeast(nautilus) {
		o = append(o, field{"quorum_age", c.quorumAge()})
	}
	if c.release.atLeast(octopus) {
		mm := c.state.MonMap
		o = append(o, field{"monmap", object{{"epoch", mm.Epoch}, {"min_mon_release_name", releaseNames[mm.MinRelease]}, {"num_mons", len(mm.Mons)}}},
			field{"osdmap", c.osdStatJSON()})
	} else {
		o = append(o, field{"monmap", c.state.MonMap.json(c.release)}, field{"osdmap", object{{"osdmap", c.osdStatJSON()}}})
	}
	o = append(o, field{"pgmap", c.pgmapJSON()}, field{"fsmap", c.fsmapJSON()}, field{"mgrmap", c.mgrmapJSON()}, field{"servicemap", c.servicemapJSON()})
	if c.release.atLeast(nautilus) {
		o = append(o, field{"progress_events", object{}})
	}
	return o
}

// quorumAge is how long the quorum has been the same, in seconds.
func (c *call) quorumAge() int { return int(c.now.Sub(c.mon.quorumSince) / time.Second) }

func (c *call) statusText() string {
	var b strings.Builder
	checks := c.checks()
	fmt.Fprintf(&b, "  cluster:\n    id:     %s\n    health: %s\n", c.state.FSID, c.overall(checks))
	for _, k := range checks {
		if !c.muted(k.code) {
			fmt.Fprintf(&b, "            %s\n", k.summary)
		}
	}
	fmt.Fprintf(&b, " \n  services:\n    mon: %s\n    mgr: %s\n", c.monText(), c.mgrmapText())
	if mds := c.mdsLine(); mds != "" {
		fmt.Fprintf(&b, "    mds: %s\n", mds)
	}
	fmt.Fprintf(&b, "    osd: %s\n", c.osdStatText())
	for _, line := range c.serviceLines() {
		b.WriteString(line + "\n")
	}
	fmt.Fprintf(&b, " \n  data:\n%s%s \n", c.volumesLine(), c.pgmapText())
	return b.String()
}

func (c *call) monText() string {
	mm := c.state.MonMap
	text := fmt.Sprintf("%d daemons, quorum %s", len(mm.Mons), joinNames(c.mon.quorumNames()))
	if c.release.atLeast(nautilus) {
		text += " (age " + age(c.now.Sub(c.mon.quorumSince)) + ")"
	}
	var out []string
	for r, info := range mm.Mons {
		if !slices.Contains(c.mon.quorum, r) {
			out = append(out, info.Name)
		}
	}
	if len(out) > 0 {
		text += ", out of quorum: " + strings.Join(out, ", ")
	}
	return text
}

// age is a span of time as Ceph shows it: the two largest units would be too
// long, one of at most two digits is enough.
func age(d time.Duration) string {
	s := int(d / time.Second)
	switch {
	case s < 2:
		return fmt.Sprintf("%.6gs", d.Seconds())
	case s < 120:
		return fmt.Sprintf("%ds", s)
	case s < 120*60:
		return fmt.Sprintf("%dm", s/60)
	case s < 48*3600:
		return fmt.Sprintf("%dh", s/3600)
	case s < 14*86400:
		return fmt.Sprintf("%dd", s/86400)
	case s < 12*7*86400:
		return fmt.Sprintf("%dw", s/(7*86400))
	case s < 2*365*86400:
		return fmt.Sprintf("%dM", s/(30*86400))
	}
	return fmt.Sprintf("%dy", s/(365*86400))
}

func version(c *call) reply {
	long := c.release.long()
	return c.show(object{{"version", long}}, func() string { return long + "\n" })
}

// monVersions counts the monitors by version.
func (c *call) monVersions() object {
	var all []string
	for _, info := range c.state.MonMap.Mons {
		if meta, ok := c.state.MonMeta.Of[info.Name]; ok {
			all = append(all, meta.Release.long())
		}
	}
	return countJSON(all)
}

func versions(c *call) reply {
	kinds := object{{"mon", c.monVersions()}, {"mgr", c.mgrVersions()}, {"osd", c.osdVersions()}}
	if mds := c.mdsVersions(); len(mds) > 0 || !c.release.atLeast(reef) {
		kinds = append(kinds, field{"mds", mds})
	}
	for _, service := range slices.Sorted(maps.Keys(c.state.Services.Services)) {
		var versions []string
		for _, d := range c.state.Services.Services[service] {
			versions = append(versions, d.Metadata["ceph_version"])
		}
		kinds = append(kinds, field{service, countJSON(versions)})
	}
	var all []string
	for _, k := range kinds {
		for _, f := range k.value.(object) {
			for range f.value.(int) {
				all = append(all, f.name)
			}
		}
	}
	return reply{out: append(kinds, field{"overall", countJSON(all)})}
}

// features of messages that a release's programs have, as JSON shows them.
func (r *release) features() uint64 {
	switch {
	case r.atLeast(quincy):
		return 0x3f01cfbf7ffdffff
	case r.atLeast(pacific):
		return 0x3f01cfbdfffdffff
	case r.atLeast(octopus):
		return 0x3f01cfb8ffadffff
	case r.atLeast(nautilus):
		return 0x3ffddff8ffacffff
	case r.atLeast(mimic):
		return 0x3ffddff8ffa4fffb
	}
	return 0x1ffddff8eea4fffb
}

// requiredFeatures are those that a release's monitors ask of each other.
func (r *release) requiredFeatures() uint64 {
	switch {
	case r.atLeast(pacific):
		return 2449958747317026820
	case r.atLeast(octopus):
		return 2449958747315978244
	case r.atLeast(nautilus):
		return 2449958747315912708
	case r.atLeast(mimic):
		return 144115738102218752
	}
	return 153140804152475648
}

// featureMap groups daemons and clients by the features that they have.
func (c *call) featureMap() object { return featureMap(c.quorumMons()) }

// featureMap is what monitors and those who are connected to them can do.
func featureMap(mons []*mon) object {
	type group struct {
		features uint64
		n        int
	}
	groups := map[string][]group{}
	count := func(kind string, r *release) {
		for i := range groups[kind] {
			if groups[kind][i].features == r.features() {
				groups[kind][i].n++
				return
			}
		}
		groups[kind] = append(groups[kind], group{r.features(), 1})
	}
	for _, m := range mons {
		count("mon", m.release)
		for _, s := range m.sessions {
			if kind, _, _ := strings.Cut(s.entity, "."); kind != "mon" {
				count(kind, s.release)
			}
		}
	}
	out := object{}
	for _, kind := range []string{"mon", "mds", "osd", "client", "mgr"} {
		if g := groups[kind]; len(g) > 0 {
			slices.SortFunc(g, func(a, b group) int { return cmp.Compare(a.features, b.features) })
			out = append(out, field{kind, arrayOf(g, func(g group) any {
				return object{{"features", fmt.Sprintf("0x%x", g.features)}, {"release", "luminous"}, {"num", g.n}}
			})})
		}
	}
	return out
}
