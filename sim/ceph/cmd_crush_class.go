package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// classTargets are the OSDs of the argument "ids".
func (c *call) classTargets() ([]int, *reply) { return c.osdIDs("unable to parse osd id:\"%s\". ") }

func crushSetClass(c *call) reply {
	class := c.args.str("class")
	ids, bad := c.classTargets()
	if bad != nil {
		return *bad
	}
	m := c.change().editCrush()
	var set []string
	for _, id := range ids {
		if c.state.OSDMap.osd(id) == nil {
			continue
		}
		name := fmt.Sprintf("osd.%d", id)
		if old := m.Class(id); old != "" && old != class {
			return fail(syscall.EBUSY, "%s has already bound to class '%s', can not reset class to '%s'; "+
				"use 'ceph osd crush rm-device-class <id>' to remove old class first", name, old, class)
		}
		m.NameDevice(id, name)
		m.SetClass(id, class)
		set = append(set, fmt.Sprint(id))
	}
	return done("set osd(s) %s to class '%s'", strings.Join(set, ","), class)
}

func crushRmClass(c *call) reply {
	ids, bad := c.classTargets()
	if bad != nil {
		return *bad
	}
	m := c.change().editCrush()
	var gone []string
	for _, id := range ids {
		if c.state.OSDMap.osd(id) == nil {
			continue
		}
		m.SetClass(id, "")
		gone = append(gone, fmt.Sprint(id))
	}
	return done("done removing class of osd(s): %s", strings.Join(gone, ","))
}

func crushClassRename(c *call) reply {
	m := c.state.OSDMap.Crush
	from, to := c.args.str("srcname"), c.args.str("dstname")
	ids := m.OfClass(from)
	if len(ids) == 0 {
		return done("class '%s' does not exist", from)
	}
	if len(m.OfClass(to)) > 0 {
		return fail(syscall.EEXIST, "class '%s' already exists", to)
	}
	n := c.change().editCrush()
	for _, id := range ids {
		n.SetClass(id, to)
	}
	return done("rename class '%s' to '%s'", from, to)
}

func crushClassRm(c *call) reply {
	class := c.args.str("class")
	m := c.state.OSDMap.Crush
	if !slices.Contains(m.Classes, class) {
		return done("")
	}
	for _, r := range m.Rules {
		if slices.ContainsFunc(r.Steps, func(s crush.Step) bool { b := m.Bucket(s.Item); return s.Op == "take" && b != nil && b.Class == class }) {
			return fail(syscall.EBUSY, "class '%s' still referenced by crush rule(s): '%s'", class, r.Name)
		}
	}
	n := c.change().editCrush()
	for _, id := range m.OfClass(class) {
		n.SetClass(id, "")
	}
	return done("removed class %s from crush map", class)
}
