package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func mdsCommands() map[string]handler {
	return map[string]handler{
		"mds stat":           mdsStat,
		"mds metadata":       mdsMetadata,
		"mds count-metadata": mdsCountMetadata,
		"mds versions":       func(c *call) reply { return reply{out: c.mdsVersions()} },
		"mds ok-to-stop":     mdsOkToStop,
		"mds fail":           mdsFail,
		"mds repaired":       mdsRepaired,
		"mds rm":             mdsRm,
		"mds rmfailed":       mdsRmFailed,
		"mds compat show": func(c *call) reply {
			return c.show(c.release.compatJSON(false), func() string { return c.release.compatText(false) + "\n" })
		},
	}
}

func mdsStat(c *call) reply {
	m := c.state.FSMap
	return c.show(object{{"fsmap", c.fsmapDump()}, {"mdsmap_first_committed", 1}, {"mdsmap_last_committed", m.Epoch}}, func() string {
		if line := c.fsmapLine(); line != "" {
			return line + "\n"
		}
		return ""
	})
}

// metadata is what an MDS told at its start.
func (i *MDSInfo) metadata() object {
	values := i.values()
	values["addr"] = i.Addrs.String()
	delete(values, "addrs")
	var o object
	for _, k := range slices.Sorted(maps.Keys(values)) {
		o = append(o, field{k, values[k]})
	}
	return o
}

// byName are all MDS in the order of their names.
func (m *FSMap) byName() []*MDSInfo {
	list := m.all()
	slices.SortStableFunc(list, func(a, b *MDSInfo) int { return strings.Compare(a.Name, b.Name) })
	return list
}

func mdsMetadata(c *call) reply {
	who := c.args.str("who")
	if who == "" {
		return reply{out: arrayOf(c.state.FSMap.byName(), func(i *MDSInfo) any { return append(object{{"name", i.Name}}, i.metadata()...) })}
	}
	i := c.mdsArg(who)
	if i == nil {
		r := fail(syscall.EINVAL, "MDS named '%s' does not exist, or is not up", who)
		r.out = object{}
		return r
	}
	return reply{out: i.metadata()}
}

func mdsCountMetadata(c *call) reply {
	var all []string
	for _, i := range c.state.FSMap.all() {
		v, ok := i.values()[c.args.str("property")]
		if !ok {
			v = "unknown"
		}
		all = append(all, v)
	}
	return reply{out: countJSON(all)}
}

// mdsVersions counts the MDS of each version.
func (c *call) mdsVersions() object { return versionsOf(c.state.FSMap.all()) }

func versionsOf(list []*MDSInfo) object {
	var all []string
	for _, i := range list {
		all = append(all, i.Release.long())
	}
	return countJSON(all)
}

// mdsArg is the MDS that a role ("cephfs:0", "0"), a name or a gid means; nil if
// there is none.
func (c *call) mdsArg(who string) *MDSInfo {
	m := c.state.FSMap
	f, rank := c.roleArg(who)
	if f != nil {
		if i := f.mds(f.Up[rank]); i != nil {
			return i
		}
	}
	for _, i := range m.all() {
		if i.Name == who || strconv.FormatUint(i.GID, 10) == who {
			return i
		}
	}
	return nil
}

// roleArg is the rank of a file system that a text means; nil for none. A rank
// alone is one of the default file system.
func (c *call) roleArg(text string) (*Filesystem, int) {
	m := c.state.FSMap
	fs, number, named := strings.Cut(text, ":")
	f := m.named(fs)
	if !named {
		f, number = m.byID(m.Default), text
		if len(m.Filesystems) == 1 {
			f = m.Filesystems[0]
		}
	}
	rank, err := strconv.Atoi(number)
	if f == nil || err != nil || !slices.Contains(f.In, rank) {
		return nil, -1
	}
	return f, rank
}

// mdsOkToStop says whether there are standbys enough for the ranks that would be
// lost. An MDS that does not exist is not missed.
func mdsOkToStop(c *call) reply {
	m := c.state.FSMap
	ids := c.args.list("ids")
	stopping := map[uint64]bool{}
	for _, id := range ids {
		if i := c.mdsArg(id); i != nil {
			stopping[i.GID] = true
		}
	}
	if slices.ContainsFunc(m.Filesystems, (*Filesystem).degraded) {
		return fail(syscall.EBUSY, "one or more filesystems is currently degraded")
	}
	var active, standby []string
	for _, i := range m.all() {
		if !stopping[i.GID] || i.State == mdsStandbyReplay {
			continue
		}
		_, f := m.mds(i.GID)
		switch {
		case f == nil:
			standby = append(standby, fmt.Sprint(i.GID))
		case f.follower(i.Rank) == nil || stopping[f.follower(i.Rank).GID]:
			active = append(active, fmt.Sprint(i.GID))
		}
	}
	if len(m.Standbys)-len(standby) < len(active) {
		return fail(syscall.EBUSY, "insufficent standby MDS daemons to stop active gids %s and/or standby gids %s", strings.Join(active, ","), strings.Join(standby, ","))
	}
	return done("should be safe to stop [%s]", strings.Join(ids, ","))
}

func mdsFail(c *call) reply {
	who := c.args.str("role_or_gid")
	i := c.mdsArg(who)
	if i == nil {
		text := fmt.Sprintf("MDS named '%s' does not exist, or is not up", who)
		return done("%s%s", text, strings.TrimSuffix(text, ", or is not up")+", is not up or you lack the permission to see.")
	}
	c.change().failMDS(i.GID)
	return done("failed mds gid %d", i.GID)
}

func mdsRepaired(c *call) reply {
	fs, number, _ := strings.Cut(c.args.str("role"), ":")
	if c.state.FSMap.named(fs) == nil {
		return fail(syscall.ENOENT, "Invalid filesystem")
	}
	f, rank := c.roleArg(c.args.str("role"))
	switch {
	case f == nil:
		return fail(syscall.ENOENT, "Rank '%s' not found", number)
	case !slices.Contains(f.Damaged, rank):
		return done("nothing to do: rank is not damaged")
	}
	n := c.change().filesystem(f.ID)
	n.Damaged, n.Failed = without(n.Damaged, rank), sortedWith(n.Failed, rank)
	return done("repaired: restoring rank %s", c.args.str("role"))
}

func mdsRm(c *call) reply {
	gid, _ := c.args.int("gid")
	i, f := c.state.FSMap.mds(uint64(gid))
	switch {
	case i == nil:
		return done("mds gid %d does not exist", gid)
	case f != nil:
		return fail(syscall.EBUSY, "cannot remove active mds.%s rank %d", i.Name, i.Rank)
	}
	c.change().failMDS(i.GID)
	return done("removed mds gid %d", gid)
}

func mdsRmFailed(c *call) reply {
	if !c.sure() {
		return fail(syscall.EPERM, "WARNING: this can make your filesystem inaccessible! Add --yes-i-really-mean-it if you are sure you wish to continue.")
	}
	f, rank := c.roleArg(c.args.str("role"))
	if f == nil {
		return fail(syscall.EINVAL, "Invalid rank '%s'", c.args.str("role"))
	}
	n := c.change().filesystem(f.ID)
	n.In, n.Failed = without(n.In, rank), without(n.Failed, rank)
	return done("removed failed mds.%s", c.args.str("role"))
}
