package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func osdShowCommands() map[string]handler {
	return map[string]handler{
		"osd dump":           osdDump,
		"osd stat":           osdStat,
		"osd ls":             osdLs,
		"osd getmaxosd":      osdGetMaxOSD,
		"osd find":           osdFind,
		"osd metadata":       osdMetadata,
		"osd versions":       osdVersions,
		"osd count-metadata": osdCountMetadata,
		"osd lspools":        osdLspools,
		"osd blocklist ls":   osdBlocklistLs,
		"osd blacklist ls":   osdBlocklistLs,
		"osd info":           osdInfoCommand,
		"osd last-stat-seq":  func(*call) reply { return reply{out: "0\n"} },
		"osd numa-status":    func(c *call) reply { return c.show(array{}, func() string { return "" }) },
		"osd getcrushmap":    osdGetCrushMap,
		"osd getmap":         osdGetMap,
		"osd ls-tree":        osdLsTree,
		"osd get-require-min-compat-client": func(c *call) reply {
			return reply{out: c.state.OSDMap.RequireMinCompat + "\n"}
		},
	}
}

// osdID reads "3" or "osd.3".
func osdID(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "osd."))
	return n, err == nil && n >= 0
}

// osdArg is the OSD that an argument names; ok is false where none was given.
func (c *call) osdArg(name string) (id int, ok bool) {
	if n, isInt := c.args.int(name); isInt {
		return int(n), true
	}
	return osdID(c.args.str(name))
}

func osdDump(c *call) reply {
	m := c.state.OSDMap
	return c.show(c.osdMapJSON(m), func() string { return c.osdMapText(m) })
}

func osdStat(c *call) reply {
	return c.show(c.osdStatJSON(), func() string {
		return fmt.Sprintf("%s; epoch: e%d\n", c.osdStatText(), c.state.OSDMap.Epoch)
	})
}

func osdLs(c *call) reply {
	ids := []int{}
	for _, o := range c.state.OSDMap.existing() {
		ids = append(ids, o.ID)
	}
	return c.showIDs(ids)
}

func (c *call) showIDs(ids []int) reply {
	return c.show(ids, func() string {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintln(&b, id)
		}
		return b.String()
	})
}

func osdGetMaxOSD(c *call) reply {
	m := c.state.OSDMap
	return c.show(object{{"epoch", m.Epoch}, {"max_osd", len(m.OSDs)}}, func() string {
		return fmt.Sprintf("max_osd = %d in epoch %d\n", len(m.OSDs), m.Epoch)
	})
}

// existingOSD is the OSD that the argument "id" names.
func (c *call) existingOSD() (*OSDInfo, *reply) {
	id, _ := c.osdArg("id")
	if o := c.state.OSDMap.osd(id); o != nil {
		return o, nil
	}
	r := fail(syscall.ENOENT, "osd.%d does not exist", id)
	return nil, &r
}

func osdFind(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	j := object{{"osd", o.ID}}
	if c.release.atLeast(nautilus) {
		j = append(j, field{"addrs", o.Addrs.Public.json()})
	} else {
		j = append(j, field{"ip", o.Addrs.Public.legacyText()})
	}
	j = append(j, field{"osd_fsid", o.uuid()})
	if o.Meta != nil {
		j = append(j, field{"host", o.Meta.Hostname})
		if o.Meta.PodName != "" {
			j = append(j, field{"pod_name", o.Meta.PodName}, field{"pod_namespace", o.Meta.PodNamespace})
		}
	}
	at := object{}
	location := c.state.OSDMap.Crush.Location(o.ID)
	slices.SortFunc(location, func(a, b crush.Placed) int { return strings.Compare(a.Type, b.Type) })
	for _, l := range location {
		at = append(at, field{l.Type, l.Name})
	}
	j = append(j, field{"crush_location", at})
	return reply{out: raw(toJSON(j))}
}

func osdLspools(c *call) reply {
	m := c.state.OSDMap
	return c.show(arrayOf(m.Pools, func(p *Pool) any {
		return object{{"poolnum", p.ID}, {"poolname", p.Name}}
	}), func() string {
		var b strings.Builder
		for _, p := range m.Pools {
			fmt.Fprintf(&b, "%d %s\n", p.ID, p.Name)
		}
		return b.String()
	})
}

func osdInfoCommand(c *call) reply {
	if c.args.has("id") {
		o, bad := c.existingOSD()
		if bad != nil {
			return *bad
		}
		return reply{out: c.osdJSON(o)}
	}
	return reply{out: arrayOf(c.state.OSDMap.existing(), func(o *OSDInfo) any { return c.osdJSON(o) })}
}

func osdGetCrushMap(c *call) reply {
	return reply{out: c.state.OSDMap.Crush.Marshal(), status: strconv.Itoa(c.state.OSDMap.CrushVersion)}
}

func osdLsTree(c *call) reply {
	m := c.state.OSDMap
	root, ok := m.Crush.ID(c.args.str("name"))
	if !ok {
		return fail(syscall.ENOENT, "\"%s\" does not exist", c.args.str("name"))
	}
	var ids []int
	for _, o := range m.existing() {
		if m.Crush.Below(o.ID, root) {
			ids = append(ids, o.ID)
		}
	}
	return c.showIDs(ids)
}

// osdGetMap is the map as a file that nobody but Ceph's programs reads.
func osdGetMap(c *call) reply {
	m := c.state.OSDMap
	return reply{out: append([]byte("\x00ceph osdmap\n"), toJSON(c.osdMapJSON(m))...), status: fmt.Sprintf("got osdmap epoch %d", m.Epoch)}
}
