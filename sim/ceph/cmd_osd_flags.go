package ceph

import (
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func osdSet(c *call) reply { return c.setFlag(true) }

func osdUnset(c *call) reply { return c.setFlag(false) }

func (c *call) setFlag(on bool) reply {
	key := c.args.str("key")
	switch key {
	case "pause":
		return c.setFlags(on, "pauserd", "pausewr")
	case "sortbitwise", "recovery_deletes", "require_jewel_osds", "require_kraken_osds", "pglog_hardlimit":
		return done("%s is set", key)
	}
	return c.setFlags(on, key)
}

func (c *call) setFlags(on bool, flags ...string) reply {
	m := c.change().osdmap()
	for _, f := range flags {
		m.Flags = slices.DeleteFunc(m.Flags, func(x string) bool { return x == f })
		if on {
			m.Flags = append(m.Flags, f)
		}
	}
	if on {
		return done("%s is set", strings.Join(flags, ","))
	}
	return done("%s is unset", strings.Join(flags, ","))
}

func (c *call) flagOSDs(flag string, on bool) reply {
	m := c.change().osdmap()
	said, bad := c.eachOSD(func(*OSDInfo) bool { return true }, func(o *OSDInfo) string {
		n := m.edit(o.ID)
		n.Flags = slices.DeleteFunc(slices.Clone(o.Flags), func(f string) bool { return f == flag })
		if on {
			n.Flags = append(n.Flags, flag)
			slices.Sort(n.Flags)
		}
		return ""
	})
	if bad != nil {
		return *bad
	}
	return done("%s", said)
}

func osdSetMaxOSD(c *call) reply {
	n, _ := c.args.int("newmax")
	m := c.change().osdmap()
	for id := int(n); id < len(m.OSDs); id++ {
		if m.OSDs[id] != nil {
			return fail(syscall.EBUSY, "cannot shrink max_osd to %d because osd.%d (and possibly others) still in use", n, id)
		}
	}
	for len(m.OSDs) < int(n) {
		m.OSDs = append(m.OSDs, nil)
	}
	m.OSDs = m.OSDs[:n]
	return done("set new max_osd = %d", n)
}

func osdRequireRelease(c *call) reply {
	name := c.args.str("release")
	want := releaseNumber(name)
	m := c.state.OSDMap
	if want == m.RequireOSDRelease {
		return done("")
	}
	if want < m.RequireOSDRelease {
		return fail(syscall.EPERM, "require_osd_release cannot be lowered once it has been set")
	}
	if _, up, _ := m.count(); up == 0 && !c.sure() {
		return fail(syscall.EPERM, "not permitted to set require_osd_release with no up OSDs; pass --yes-i-really-mean-it to override")
	}
	for _, o := range m.existing() {
		if o.Up && o.Meta != nil && o.Meta.Release.major < want {
			return fail(syscall.EPERM, "not all up OSDs have CEPH_FEATURE_SERVER_%s feature", strings.ToUpper(name))
		}
	}
	c.change().osdmap().RequireOSDRelease = want
	return done("")
}

// releaseNumber is the major version of a release, by name or number; 0 if
// there is none.
func releaseNumber(text string) int {
	for major, name := range releaseNames {
		if name == text || strconv.Itoa(major) == text {
			return major
		}
	}
	return 0
}

func osdSetMinCompat(c *call) reply {
	v := c.args.str("version")
	if releaseNumber(v) == 0 && v != "jewel" && v != "hammer" && v != "firefly" && v != "infernalis" {
		return fail(syscall.EINVAL, "version %s is not recognized", v)
	}
	c.change().osdmap().RequireMinCompat = v
	return done("set require_min_compat_client to %s", v)
}

func (c *call) setRatio(of func(*Ratios) *float64) reply {
	v, _ := c.args.float("ratio")
	*of(&c.change().osdmap().Full) = v
	return done("%s %g", c.desc.prefix, v)
}
