package ceph

import (
	"fmt"
	"maps"
	"slices"
	"syscall"
)

func mgrCommands() map[string]handler {
	return map[string]handler{
		"mgr stat":           mgrStat,
		"mgr dump":           mgrDump,
		"mgr services":       mgrServices,
		"mgr metadata":       mgrMetadata,
		"mgr versions":       func(c *call) reply { return reply{out: c.mgrVersions()} },
		"mgr count-metadata": mgrCountMetadata,
		"mgr fail":           mgrFail,
		"mgr module ls":      mgrModuleLs,
		"mgr module enable":  mgrModuleEnable,
		"mgr module disable": mgrModuleDisable,
	}
}

// everActive says whether there is or was an active manager.
func (m *MgrMap) everActive() bool { return m.Active != nil || !m.DownSince.IsZero() }

// all are the active manager and the standbys.
func (m *MgrMap) all() []*MgrInfo {
	if m.Active == nil {
		return m.Standbys
	}
	return append([]*MgrInfo{m.Active}, m.Standbys...)
}

func (m *MgrMap) activeName() string {
	if m.Active == nil {
		return ""
	}
	return m.Active.Name
}

func mgrStat(c *call) reply {
	m := c.state.MgrMap
	return reply{out: object{
		{"epoch", m.Epoch}, {"available", m.Available}, {"active_name", m.activeName()}, {"num_standby", len(m.Standbys)},
	}}
}

func mgrDump(c *call) reply {
	m, r := c.state.MgrMap, c.release
	var gid uint64
	var addr Addr
	if m.Active != nil {
		gid, addr = m.Active.GID, m.Active.Addr
	}
	o := object{{"epoch", m.Epoch}}
	if r.atLeast(reef) {
		o = append(o, field{"flags", 0})
	}
	o = append(o, field{"active_gid", gid}, field{"active_name", m.activeName()})
	if r.atLeast(nautilus) {
		addrs := AddrVec{}
		if m.Active != nil {
			addrs = m.Active.Addrs
		}
		o = append(o, field{"active_addrs", addrs.json()})
	}
	text := "-"
	if m.Active != nil {
		text = addr.legacy()
	}
	o = append(o, field{"active_addr", text})
	if r.atLeast(octopus) {
		o = append(o, field{"active_change", c.stampOrZero(m.ActiveChange)}, field{"active_mgr_features", uint64(4540138314316775423)})
	}
	o = append(o, field{"available", m.Available}, field{"standbys", arrayOf(m.Standbys, func(i *MgrInfo) any {
		j := object{{"gid", i.GID}, {"name", i.Name}}
		if r.atLeast(octopus) {
			j = append(j, field{"mgr_features", uint64(4540138314316775423)})
		}
		return append(j, field{"available_modules", c.availableModules()})
	})}, field{"modules", append([]string{}, m.Modules...)}, field{"available_modules", c.availableModules()},
		field{"services", c.servicesJSON()})
	if r.atLeast(nautilus) {
		always, _, _ := r.modules()
		byRelease := object{}
		for major := nautilus; major <= r.major; major++ {
			list := always
			if major != r.major {
				list, _, _ = (&release{major: major}).modules()
			}
			byRelease = append(byRelease, field{releaseNames[major], list})
		}
		o = append(o, field{"always_on_modules", byRelease})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"last_failure_osd_epoch", 0}, field{"active_clients", array{}})
	}
	return reply{out: o}
}

// moduleNames are what the active manager can run, sorted.
func (c *call) moduleNames() []string {
	always, byDefault, others := c.release.modules()
	names := slices.Sorted(slices.Values(slices.Concat(always, byDefault, others)))
	if a := c.state.MgrMap.Active; a != nil {
		names = slices.DeleteFunc(names, func(n string) bool { return slices.Contains(a.Disabled, n) })
	}
	return names
}

func (c *call) availableModules() any {
	if !c.release.atLeast(mimic) {
		return c.moduleNames()
	}
	return arrayOf(c.moduleNames(), func(name string) any {
		o := object{{"name", name}, {"can_run", true}, {"error_string", ""}}
		if c.release.atLeast(nautilus) {
			o = append(o, field{"module_options", object{}})
		}
		return o
	})
}

func (c *call) servicesJSON() object {
	o := object{}
	for _, k := range slices.Sorted(maps.Keys(c.state.MgrMap.Services)) {
		o = append(o, field{k, c.state.MgrMap.Services[k]})
	}
	return o
}

func mgrServices(c *call) reply { return reply{out: c.servicesJSON()} }

// metadata is what a manager told at its start.
func (i *MgrInfo) metadata() object {
	values := i.values()
	values["addr"], values["addrs"] = i.Addr.IP, i.Addr.legacy()
	o := object{{"name", i.Name}}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		o = append(o, field{k, values[k]})
	}
	return o
}

func mgrMetadata(c *call) reply {
	m := c.state.MgrMap
	name := c.args.str("who")
	if name == "" {
		name = c.args.str("id")
	}
	if name == "" {
		return reply{out: arrayOf(m.all(), func(i *MgrInfo) any { return i.metadata() })}
	}
	for _, i := range m.all() {
		if i.Name == name {
			return reply{out: i.metadata()}
		}
	}
	return fail(syscall.ENOENT, "")
}

// mgrVersions counts the managers of each version.
func (c *call) mgrVersions() object {
	var all []string
	for _, i := range c.state.MgrMap.all() {
		all = append(all, i.Release.long())
	}
	return countJSON(all)
}

func mgrCountMetadata(c *call) reply {
	var all []string
	for _, i := range c.state.MgrMap.all() {
		v, ok := i.values()[c.args.str("property")]
		if !ok {
			v = "unknown"
		}
		all = append(all, v)
	}
	return reply{out: countJSON(all)}
}

func mgrFail(c *call) reply {
	m := c.state.MgrMap
	who := c.args.str("who")
	if who == "" {
		if m.Active == nil {
			return done("Currently no active mgr")
		}
		who = m.activeName()
	}
	for _, i := range m.all() {
		if i.Name == who || fmt.Sprint(i.GID) == who {
			c.change().dropMgr(i.GID)
			return done("")
		}
	}
	return done("Daemon not found '%s', already failed?", who)
}

// dropMgr takes a manager out of the map. A standby takes the place of the
// active one.
func (t *change) dropMgr(gid uint64) {
	m := t.mgrmap()
	m.Standbys = slices.DeleteFunc(m.Standbys, func(i *MgrInfo) bool { return i.GID == gid })
	if m.Active == nil || m.Active.GID != gid {
		return
	}
	m.Active, m.Available, m.ActiveChange = nil, false, t.now
	m.Services = map[string]string{}
	if len(m.Standbys) > 0 {
		m.Active, m.Standbys = m.Standbys[0], slices.Clone(m.Standbys[1:])
		return
	}
	m.DownSince = t.now
}

// addMgr puts a manager that has started into the map.
func (t *change) addMgr(i *MgrInfo) {
	m := t.mgrmap()
	if m.Active == nil {
		m.Active, m.Available, m.ActiveChange = i, false, t.now
		return
	}
	m.Standbys = append(m.Standbys, i)
}

func mgrModuleLs(c *call) reply {
	always, _, _ := c.release.modules()
	enabled := append([]string{}, c.state.MgrMap.Modules...)
	disabled := slices.DeleteFunc(c.moduleNames(), func(n string) bool {
		return slices.Contains(always, n) || slices.Contains(enabled, n)
	})
	if c.state.MgrMap.Active == nil {
		disabled = nil
	}
	var off any = append([]string{}, disabled...)
	if c.release.atLeast(mimic) {
		off = arrayOf(disabled, func(n string) any {
			o := object{{"name", n}, {"can_run", true}, {"error_string", ""}}
			if c.release.atLeast(nautilus) {
				o = append(o, field{"module_options", object{}})
			}
			return o
		})
	}
	o := object{}
	if c.release.atLeast(nautilus) {
		o = append(o, field{"always_on_modules", always})
	}
	return reply{out: append(o, field{"enabled_modules", enabled}, field{"disabled_modules", off})}
}

func mgrModuleEnable(c *call) reply {
	name := c.args.str("module")
	always, _, _ := c.release.modules()
	m := c.state.MgrMap
	switch {
	case slices.Contains(always, name):
		return done("module '%s' is already enabled (always-on)", name)
	case slices.Contains(m.Modules, name):
		if c.release.atLeast(octopus) {
			return done("module '%s' is already enabled", name)
		}
		return done("")
	case !c.args.flag("force") && (m.Active == nil || !slices.Contains(c.moduleNames(), name)):
		return fail(syscall.ENOENT, "all mgr daemons do not support module '%s', pass --force to force enablement", name)
	}
	n := c.change().mgrmap()
	n.Modules = append(n.Modules, name)
	slices.Sort(n.Modules)
	return done("")
}

func mgrModuleDisable(c *call) reply {
	name := c.args.str("module")
	always, _, _ := c.release.modules()
	if slices.Contains(always, name) {
		return fail(syscall.EINVAL, "module '%s' cannot be disabled (always-on)", name)
	}
	if !slices.Contains(c.state.MgrMap.Modules, name) {
		return done("module '%s' is already disabled", name)
	}
	n := c.change().mgrmap()
	n.Modules = slices.DeleteFunc(n.Modules, func(x string) bool { return x == name })
	return done("")
}
