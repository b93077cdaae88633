package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func monCommands() map[string]handler {
	return map[string]handler{
		"mon_status": func(c *call) reply {
			return c.show(c.session.mon.statusJSON(), func() string { return string(toPrettyJSON(c.session.mon.statusJSON())) })
		},
		"quorum_status":         quorumStatus,
		"mon stat":              monStat,
		"mon dump":              monDump,
		"mon getmap":            monGetmap,
		"mon metadata":          monMetadata,
		"mon count-metadata":    monCountMetadata,
		"mon versions":          func(c *call) reply { return reply{out: c.monVersions()} },
		"mon add":               monAdd,
		"mon rm":                monRemove,
		"mon remove":            monRemove,
		"mon ok-to-stop":        monOKToStop,
		"mon ok-to-rm":          monOKToRm,
		"mon ok-to-add-offline": monOKToAddOffline,
		"mon enable-msgr2":      monEnableMsgr2,
		"mon set-addrs":         monSetAddrs,
		"mon feature ls":        monFeatureLs,
		"mon scrub":             func(*call) reply { return done("") },
		"compact":               func(*call) reply { return done("compacted rocksdb in 0 seconds") },
		"quorum enter":          func(*call) reply { return done("started responding to quorum, initiated new election") },
		"time-sync-status":      timeSyncStatus,
		"node ls":               nodeLs,
	}
}

// statusJSON is mon_status.
func (m *mon) statusJSON() object {
	r := m.release
	o := object{{"name", m.name}, {"rank", m.rank}, {"state", string(m.status)}, {"election_epoch", m.store.electionEpoch}, {"quorum", append([]int{}, m.quorum...)}}
	if r.atLeast(nautilus) && m.inQuorum() {
		o = append(o, field{"quorum_age", int(m.sim.loop.Since(m.quorumSince).Seconds())})
	}
	features := object{{"required_con", "0"}, {"required_mon", []string{}}, {"quorum_con", "0"}, {"quorum_mon", []string{}}}
	if m.store.state != nil {
		features = m.featuresJSON(true)
	}
	outside := []string{}
	if !m.inQuorum() {
		for name := range m.outside {
			outside = append(outside, name)
		}
		slices.Sort(outside)
	}
	o = append(o, field{"features", features}, field{"outside_quorum", outside},
		field{"extra_probe_peers", arrayOf(m.hints, func(v AddrVec) any {
			if !r.atLeast(nautilus) {
				return v.legacy().legacy()
			}
			return v.json()
		})}, field{"sync_provider", array{}}, field{"monmap", m.monmap.json(r)}, field{"feature_map", featureMap([]*mon{m})})
	if r.atLeast(pacific) {
		o = append(o, field{"stretch_mode", false})
	}
	return o
}

// featuresJSON is the features of mon_status, and without what is required
// those of quorum_status.
func (m *mon) featuresJSON(required bool) object {
	var o object
	mon := m.store.state.MonMap.Features
	if required {
		o = object{{"required_con", strconv.FormatUint(m.release.requiredFeatures(), 10)}, {"required_mon", mon}}
	}
	return append(o, field{"quorum_con", strconv.FormatUint(m.release.features(), 10)}, field{"quorum_mon", mon})
}

func quorumStatus(c *call) reply {
	m := c.mon
	o := object{
		{"election_epoch", m.store.electionEpoch},
		{"quorum", m.quorum},
		{"quorum_names", m.quorumNames()},
		{"quorum_leader_name", m.name},
	}
	if c.release.atLeast(nautilus) {
		o = append(o, field{"quorum_age", c.quorumAge()})
	}
	if c.release.atLeast(octopus) {
		o = append(o, field{"features", m.featuresJSON(false)})
	}
	o = append(o, field{"monmap", c.state.MonMap.json(c.release)})
	return c.show(o, func() string { return string(toJSON(o)) + "\n" })
}

func monStat(c *call) reply {
	mm := c.state.MonMap
	leader := mm.Mons[c.mon.rank].Name
	if !c.plain() && c.release.atLeast(nautilus) {
		o := object{{"epoch", mm.Epoch}}
		if c.release.atLeast(octopus) {
			o = append(o, field{"min_mon_release_name", releaseNames[mm.MinRelease]})
		}
		return reply{out: append(o, field{"num_mons", len(mm.Mons)}, field{"leader", leader},
			field{"quorum", arrayOf(c.mon.quorum, func(r int) any { return object{{"rank", r}, {"name", mm.Mons[r].Name}} })})}
	}
	return reply{out: fmt.Sprintf("e%d: %s, election epoch %d, leader %d %s, quorum %s %s\n", mm.Epoch, mm.summary(c.release), c.mon.store.electionEpoch,
		c.mon.rank, leader, joinInts(c.mon.quorum, ","), joinNames(c.mon.quorumNames()))}
}

// summary is the map in one line.
func (mm *MonMap) summary(r *release) string {
	all := make([]string, len(mm.Mons))
	for i, info := range mm.Mons {
		all[i] = info.Name + "=" + r.addrText(info.Addrs)
	}
	text := fmt.Sprintf("%d mons at {%s}", len(mm.Mons), strings.Join(all, ","))
	if r.atLeast(pacific, 2, 11) {
		text += " removed_ranks: {" + joinInts(mm.RemovedRanks, ",") + "}"
	}
	return text
}

func joinInts(list []int, sep string) string {
	all := make([]string, len(list))
	for i, n := range list {
		all[i] = strconv.Itoa(n)
	}
	return strings.Join(all, sep)
}

// epochArg refuses an epoch of which there is no map any more; only the current
// one is kept.
func (c *call) epochArg(current int) *reply {
	if n, ok := c.args.int("epoch"); ok && n != 0 && int(n) != current {
		r := fail(syscall.ENOENT, "there is no map for epoch %d", n)
		return &r
	}
	return nil
}

func monDump(c *call) reply {
	mm := c.state.MonMap
	if bad := c.epochArg(mm.Epoch); bad != nil {
		return *bad
	}
	r := c.show(append(mm.json(c.release), field{"quorum", c.mon.quorum}), func() string { return mm.text(c.release) })
	r.status = fmt.Sprintf("dumped monmap epoch %d", mm.Epoch)
	return r
}

func monGetmap(c *call) reply {
	mm := c.state.MonMap
	if bad := c.epochArg(mm.Epoch); bad != nil {
		return *bad
	}
	return reply{out: mm.encode(), status: fmt.Sprintf("got monmap epoch %d", mm.Epoch)}
}

// json is a daemon's metadata, first fields first as Ceph sorts them.
func (meta Metadata) json(r *release) object {
	o := object{}
	add := func(name, value string) { o = append(o, field{name, value}) }
	if r.atLeast(nautilus) {
		add("addrs", meta.Addrs.bracketed())
	} else {
		add("addr", meta.Addrs.legacy().legacy())
	}
	add("arch", "x86_64")
	if r.atLeast(nautilus) {
		add("ceph_release", meta.Release.name)
	}
	add("ceph_version", meta.Release.long())
	add("ceph_version_short", meta.Release.version)
	if r.atLeast(octopus) {
		add("compression_algorithms", "none, snappy, zlib, zstd, lz4")
	}
	if meta.Image != "" {
		add("container_hostname", meta.ContainerHostname)
		add("container_image", meta.Image)
	}
	add("cpu", "Intel(R) Xeon(R)")
	add("device_ids", "")
	if r.atLeast(pacific) {
		add("device_paths", "")
	}
	add("devices", "sda")
	add("distro", "centos")
	add("distro_description", "CentOS Linux 7 (Core)")
	add("distro_version", "7")
	add("hostname", meta.Hostname)
	add("kernel_description", "#1 SMP")
	add("kernel_version", "4.18.0")
	add("mem_swap_kb", "0")
	add("mem_total_kb", "16777216")
	add("os", "Linux")
	if meta.PodName != "" {
		add("pod_name", meta.PodName)
		add("pod_namespace", meta.PodNamespace)
	}
	return o
}

func monMetadata(c *call) reply {
	one := func(name string) object {
		meta, ok := c.state.MonMeta.Of[name]
		if !ok {
			return object{}
		}
		return meta.json(c.release)
	}
	var out any
	if id := c.args.str("id"); id != "" {
		if c.state.MonMap.Rank(id) < 0 {
			return fail(syscall.ENOENT, "requested mon not found")
		}
		out = one(id)
	} else {
		out = arrayOf(c.state.MonMap.Mons, func(i MonInfo) any {
			return append(object{{"name", i.Name}}, one(i.Name)...)
		})
	}
	return c.show(out, func() string { return string(toPrettyJSON(out)) })
}

func monCountMetadata(c *call) reply {
	property := c.args.str("property")
	var all []string
	for _, info := range c.state.MonMap.Mons {
		value := "unknown"
		for _, f := range c.state.MonMeta.Of[info.Name].json(c.release) {
			if f.name == property {
				value = f.value.(string)
			}
		}
		all = append(all, value)
	}
	return reply{out: countJSON(all)}
}

func monFeatureLs(c *call) reply {
	all := (&release{major: c.release.major, name: c.release.name}).monFeatures()
	persistent := c.state.MonMap.Features
	out := object{{"all", object{{"supported", all}, {"persistent", all}}}, {"monmap", object{{"persistent", persistent}, {"optional", []string{}}, {"required", persistent}}}}
	return c.show(out, func() string {
		return fmt.Sprintf("all features\n\tsupported: [%[1]s]\n\tpersistent: [%[1]s]\non current monmap (epoch %[2]d)\n\tpersistent: [%[3]s]\n\trequired: [%[3]s]\n",
			strings.Join(all, ","), c.state.MonMap.Epoch, strings.Join(persistent, ","))
	})
}

func nodeLs(c *call) reply {
	mons := map[string][]string{}
	for _, info := range c.state.MonMap.Mons {
		h := c.state.MonMeta.Of[info.Name].Hostname
		mons[h] = append(mons[h], info.Name)
	}
	osds := map[string][]int{}
	for _, o := range c.state.OSDMap.existing() {
		if o.Meta != nil {
			osds[o.Meta.Hostname] = append(osds[o.Meta.Hostname], o.ID)
		}
	}
	mgrs := map[string][]string{}
	if a := c.state.MgrMap.Active; a != nil {
		mgrs[a.Hostname] = append(mgrs[a.Hostname], a.Name)
	}
	for _, s := range c.state.MgrMap.Standbys {
		mgrs[s.Hostname] = append(mgrs[s.Hostname], s.Name)
	}
	mdss := map[string][]string{}
	for _, i := range c.state.FSMap.byName() {
		mdss[i.Hostname] = append(mdss[i.Hostname], i.Name)
	}
	parts := map[string]any{"mon": mons, "osd": osds, "mds": mdss, "mgr": mgrs}
	if kind := c.args.str("type"); kind != "" && kind != "all" {
		return c.showAny(parts[kind])
	}
	o := object{{"mon", mons}, {"osd", osds}}
	if len(mdss) > 0 {
		o = append(o, field{"mds", mdss})
	}
	return c.showAny(append(o, field{"mgr", mgrs}))
}

// showAny shows the same JSON in every format, indented for people.
func (c *call) showAny(v any) reply {
	return c.show(v, func() string { return string(toPrettyJSON(v)) })
}
