package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

func osdChangeCommands() map[string]handler {
	table := map[string]handler{
		"osd new":                           osdNew,
		"osd create":                        osdCreate,
		"osd in":                            osdIn,
		"osd out":                           osdOut,
		"osd down":                          osdDown,
		"osd stop":                          osdDown,
		"osd rm":                            osdRm,
		"osd lost":                          osdLost,
		"osd reweight":                      osdReweight,
		"osd primary-affinity":              osdPrimaryAffinity,
		"osd destroy":                       osdDestroy,
		"osd destroy-actual":                osdDestroy,
		"osd purge":                         osdPurge,
		"osd purge-actual":                  osdPurge,
		"osd purge-new":                     osdPurgeNew,
		"osd set":                           osdSet,
		"osd unset":                         osdUnset,
		"osd set-group":                     osdSetGroup,
		"osd unset-group":                   osdUnsetGroup,
		"osd pause":                         func(c *call) reply { return c.setFlags(true, "pauserd", "pausewr") },
		"osd unpause":                       func(c *call) reply { return c.setFlags(false, "pauserd", "pausewr") },
		"osd setmaxosd":                     osdSetMaxOSD,
		"osd require-osd-release":           osdRequireRelease,
		"osd set-require-min-compat-client": osdSetMinCompat,
		"osd set-full-ratio":                func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Full }) },
		"osd set-backfillfull-ratio":        func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Backfillfull }) },
		"osd set-nearfull-ratio":            func(c *call) reply { return c.setRatio(func(r *Ratios) *float64 { return &r.Nearfull }) },
		"osd blocklist":                     osdBlocklist,
		"osd blacklist":                     osdBlocklist,
		"osd blocklist clear":               osdBlocklistClear,
		"osd blacklist clear":               osdBlocklistClear,
	}
	for _, flag := range []string{"noup", "nodown", "noin", "noout"} {
		table["osd add-"+flag] = func(c *call) reply { return c.flagOSDs(flag, true) }
		table["osd rm-"+flag] = func(c *call) reply { return c.flagOSDs(flag, false) }
	}
	return table
}

// eachOSD does something with each OSD that the argument "ids" names, "all"
// and "any" included, and gathers what there is to say.
func (c *call) eachOSD(all func(*OSDInfo) bool, do func(*OSDInfo) string) (string, *reply) {
	var said strings.Builder
	ids := c.args.list("ids")
	if slices.Contains(ids, "all") || slices.Contains(ids, "any") || slices.Contains(ids, "*") {
		ids = nil
		for _, o := range c.state.OSDMap.existing() {
			if all(o) {
				ids = append(ids, strconv.Itoa(o.ID))
			}
		}
	}
	for _, text := range ids {
		id, ok := osdID(text)
		if !ok {
			r := fail(syscall.EINVAL, "unable to parse osd id or osd target: '%s'", text)
			return "", &r
		}
		o := c.change().osdmap().osd(id)
		if o == nil {
			fmt.Fprintf(&said, "osd.%d does not exist. ", id)
			continue
		}
		said.WriteString(do(o))
	}
	return said.String(), nil
}

func osdOut(c *call) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD((*OSDInfo).In, func(o *OSDInfo) string {
		if !o.In() {
			return fmt.Sprintf("osd.%d is already out. ", o.ID)
		}
		n := m.edit(o.ID)
		n.OldWeight, n.Weight, n.AutoOut = o.Weight, 0, false
		m.LastInChange = c.now
		return fmt.Sprintf("marked out osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdIn(c *call) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD(func(o *OSDInfo) bool { return !o.In() }, func(o *OSDInfo) string {
		if o.In() {
			return fmt.Sprintf("osd.%d is already in. ", o.ID)
		}
		n := m.edit(o.ID)
		n.Weight, n.OldWeight, n.AutoOut = 1, 0, false
		if o.OldWeight > 0 {
			n.Weight = o.OldWeight
		}
		m.LastInChange = c.now
		return fmt.Sprintf("marked in osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdDown(c *call) reply {
	m := c.change().osdmap()
	var ids []int
	said, bad := c.eachOSD(func(o *OSDInfo) bool { return o.Up }, func(o *OSDInfo) string {
		if !o.Up {
			return fmt.Sprintf("osd.%d is already down. ", o.ID)
		}
		m.markDown(o.ID, c.now)
		ids = append(ids, o.ID)
		return fmt.Sprintf("marked down osd.%d. ", o.ID)
	})
	if bad != nil {
		return *bad
	}
	c.sim.notice(c.state.FSID, ids, strings.HasSuffix(c.desc.prefix, "stop"))
	return done("%s", said)
}

// markDown says that an OSD is down.
func (m *OSDMap) markDown(id int, now time.Time) {
	o := m.edit(id)
	o.Up, o.DownAt, o.DownSince = false, m.Epoch+1, now
	o.LastClean = [2]int{o.UpFrom, o.UpThru}
	m.LastUpChange = now
}

func osdReweight(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	w, _ := c.args.float("weight")
	if w < 0 || w > 1 {
		return fail(syscall.EINVAL, "weight must be in the range [0..1]")
	}
	m := c.change().osdmap()
	m.edit(o.ID).Weight = w
	return done("reweighted osd.%d to %g (%x)", o.ID, w, int(w*0x10000))
}

func osdPrimaryAffinity(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	w, _ := c.args.float("weight")
	if w < 0 || w > 1 {
		return fail(syscall.EINVAL, "affinity must be in the range [0..1]")
	}
	c.change().osdmap().edit(o.ID).PrimaryAffinity = w
	return done("set osd.%d primary-affinity to %g (%d)", o.ID, w, int(w*0x10000))
}
