package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
)

// groupFlags are the flags that may be set on a part of the OSDs.
func groupFlags() []string { return []string{"noup", "nodown", "noin", "noout"} }

func osdSetGroup(c *call) reply { return c.flagGroup(true) }

func osdUnsetGroup(c *call) reply { return c.flagGroup(false) }

// flagGroup sets or unsets flags on OSDs, buckets of the CRUSH map and device
// classes.
func (c *call) flagGroup(on bool) reply {
	flags := strings.Split(c.args.str("flags"), ",")
	for _, f := range flags {
		if !slices.Contains(groupFlags(), f) {
			return fail(syscall.EINVAL, "unrecognized flag '%s', must be one of {noup,nodown,noin,noout}", f)
		}
	}
	m := c.change().osdmap()
	for _, who := range c.args.list("who") {
		id, isOSD := osdID(who)
		bucket := m.Crush.BucketNamed(who)
		switch {
		case slices.Contains([]string{"all", "any", "*"}, who):
			for _, o := range m.existing() {
				n := m.edit(o.ID)
				n.Flags = flagged(n.Flags, flags, on)
			}
		case isOSD && m.osd(id) == nil:
			return fail(syscall.EINVAL, "osd.%d does not exist. ", id)
		case isOSD:
			n := m.edit(id)
			n.Flags = flagged(n.Flags, flags, on)
		case bucket != nil:
			m.NodeFlags = withFlags(m.NodeFlags, bucket.ID, flags, on)
		case len(m.Crush.OfClass(who)) > 0:
			m.ClassFlags = withFlags(m.ClassFlags, who, flags, on)
		default:
			return fail(syscall.EINVAL, "unable to parse osd id or crush node or device class: \"%s\". ", who)
		}
	}
	return done("")
}

// flagged is the sorted list with some flags more or less.
func flagged(had, flags []string, on bool) []string {
	out := slices.DeleteFunc(slices.Clone(had), func(f string) bool { return slices.Contains(flags, f) })
	if on {
		out = append(out, flags...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// withFlags is a copy of the map of flags with those of one key changed; a key
// without flags goes.
func withFlags[K comparable](had map[K][]string, key K, flags []string, on bool) map[K][]string {
	out := maps.Clone(had)
	if out == nil {
		out = map[K][]string{}
	}
	if out[key] = flagged(out[key], flags, on); len(out[key]) == 0 {
		delete(out, key)
	}
	return out
}

// spared says whether a flag holds for an OSD: its own, that of a bucket above
// it, or that of its device class.
func (m *OSDMap) spared(id int, flag string) bool {
	if slices.Contains(m.osd(id).Flags, flag) {
		return true
	}
	if len(m.NodeFlags) > 0 {
		for b := m.Crush.Parent(id); b != nil; b = m.Crush.Parent(b.ID) {
			if slices.Contains(m.NodeFlags[b.ID], flag) {
				return true
			}
		}
	}
	return len(m.ClassFlags) > 0 && slices.Contains(m.ClassFlags[m.Crush.Class(id)], flag)
}

// nodeFlagsJSON are the flags of buckets by name.
func (m *OSDMap) nodeFlagsJSON() object {
	o := object{}
	for _, b := range m.Crush.Buckets {
		if flags := m.NodeFlags[b.ID]; len(flags) > 0 {
			o = append(o, field{b.Name, flags})
		}
	}
	slices.SortFunc(o, func(a, b field) int { return strings.Compare(a.name, b.name) })
	return o
}

func (m *OSDMap) classFlagsJSON() object {
	o := object{}
	for _, class := range slices.Sorted(maps.Keys(m.ClassFlags)) {
		o = append(o, field{class, m.ClassFlags[class]})
	}
	return o
}

// flaggedParts are the lines of OSD_FLAGS: OSDs, then buckets, then classes.
func (m *OSDMap) flaggedParts() []string {
	var lines []string
	for _, o := range m.existing() {
		if len(o.Flags) > 0 {
			lines = append(lines, fmt.Sprintf("osd.%d has flags %s", o.ID, strings.Join(o.Flags, ",")))
		}
	}
	for _, b := range m.Crush.Buckets {
		if flags := m.NodeFlags[b.ID]; len(flags) > 0 {
			lines = append(lines, fmt.Sprintf("%s %s has flags %s", m.Crush.TypeName(b.Type), b.Name, strings.Join(flags, ",")))
		}
	}
	for _, class := range slices.Sorted(maps.Keys(m.ClassFlags)) {
		lines = append(lines, fmt.Sprintf("device class '%s' has flags %s", class, strings.Join(m.ClassFlags[class], ",")))
	}
	return lines
}
