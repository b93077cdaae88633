package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

func osdBlocklist(c *call) reply {
	word := "blocklist"
	if !c.release.atLeast(pacific) {
		word = "blacklist"
	}
	addr, ok := parseAddr(c.args.str("addr"))
	if !ok {
		return fail(syscall.EINVAL, "unable to parse address %s", c.args.str("addr"))
	}
	op := c.args.str("blocklistop") + c.args.str("blacklistop")
	same := func(b Blocked) bool { return b.Addr.legacy() == addr.legacy() }
	m := c.state.OSDMap
	if op == "add" {
		d := time.Hour
		seconds, given := c.args.float("expire")
		if given {
			d = time.Duration(seconds * float64(time.Second))
		}
		until := c.now.Add(d)
		n := c.change().osdmap()
		n.Blocklist = append(slices.DeleteFunc(n.Blocklist, same), Blocked{addr, until})
		slices.SortFunc(n.Blocklist, func(a, b Blocked) int { return strings.Compare(a.Addr.legacy(), b.Addr.legacy()) })
		return done("%sing %s until %s (%g sec)", word, addr.legacy(), c.release.stamp(until), d.Seconds())
	}
	if !slices.ContainsFunc(m.Blocklist, same) {
		return done("%s isn't %sed", addr.legacy(), word)
	}
	n := c.change().osdmap()
	n.Blocklist = slices.DeleteFunc(n.Blocklist, same)
	return done("un-%sing %s", word, addr.legacy())
}

func osdBlocklistClear(c *call) reply {
	c.change().osdmap().Blocklist = nil
	return done(" removed all blocklist entries")
}

func osdBlocklistLs(c *call) reply {
	m := c.state.OSDMap
	list := arrayOf(m.Blocklist, func(b Blocked) any {
		return object{{"addr", b.Addr.legacy()}, {"until", c.release.stamp(b.Until)}}
	})
	r := c.show(list, func() string {
		var b strings.Builder
		for _, e := range m.Blocklist {
			fmt.Fprintf(&b, "%s %s\n", e.Addr.legacy(), c.release.stamp(e.Until))
		}
		return b.String()
	})
	if !c.plain() && c.release.atLeast(pacific) { // also the list of blocked ranges
		r.out = raw(string(toJSON(list)) + "[]")
	}
	r.status = fmt.Sprintf("listed %d entries", len(m.Blocklist))
	return r
}
