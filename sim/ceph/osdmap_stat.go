package ceph

import (
	"fmt"
	"strings"
	"time"
)

// osdStatJSON is how many OSDs there are; it also stands in `ceph status`.
func (c *call) osdStatJSON() object {
	m := c.state.OSDMap
	total, up, in := m.count()
	o := object{{"epoch", m.Epoch}, {"num_osds", total}, {"num_up_osds", up}}
	if c.release.atLeast(octopus) {
		o = append(o, field{"osd_up_since", unixOrZero(m.LastUpChange)}, field{"num_in_osds", in},
			field{"osd_in_since", unixOrZero(m.LastInChange)})
	} else {
		o = append(o, field{"num_in_osds", in})
	}
	if !c.release.atLeast(octopus) {
		o = append(o, field{"full", m.flag("full")}, field{"nearfull", m.flag("nearfull")})
	}
	return append(o, field{"num_remapped_pgs", c.remapped()})
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// remapped counts the placement groups that are on their way to other OSDs.
func (c *call) remapped() int {
	n := 0
	for _, g := range c.pgs() {
		if strings.Contains(g.state, "remapped") {
			n++
		}
	}
	return n
}

// osdStatText is the line of OSDs in plain answers.
func (c *call) osdStatText() string {
	m := c.state.OSDMap
	total, up, in := m.count()
	if !c.release.atLeast(nautilus) {
		return fmt.Sprintf("%d osds: %d up, %d in", total, up, in)
	}
	age := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return fmt.Sprintf(" (since %s)", shortAge(c.now.Sub(t)))
	}
	return fmt.Sprintf("%d osds: %d up%s, %d in%s", total, up, age(m.LastUpChange), in, age(m.LastInChange))
}

// shortAge is a duration as Ceph's plain answers have it: its largest unit, of
// which there are at least two.
func shortAge(d time.Duration) string {
	s := int64(d / time.Second)
	for _, u := range []struct {
		seconds int64
		name    string
	}{{365 * 86400, "y"}, {30 * 86400, "M"}, {7 * 86400, "w"}, {86400, "d"}, {3600, "h"}, {60, "m"}} {
		if s >= 2*u.seconds {
			return fmt.Sprintf("%d%s", s/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("%ds", s)
}
