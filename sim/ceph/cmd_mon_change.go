package ceph

import (
	"slices"
	"syscall"
)

func monAdd(c *call) reply {
	name := c.args.str("name")
	v, ok := parseAddrVec(c.args.str("addr"))
	if !ok {
		return fail(syscall.EINVAL, "addr %s does not parse", c.args.str("addr"))
	}
	addrs := v
	if len(v) == 1 {
		addrs = c.release.monAddrs(v[0])
	}
	mm := c.state.MonMap
	if i := mm.Rank(name); i >= 0 {
		if mm.Mons[i].Addrs.equal(addrs) {
			return done("mon.%s at %s already exists", name, c.release.addrText(addrs))
		}
		return fail(syscall.EEXIST, "mon.%s already exists at address %s", name, c.release.addrText(mm.Mons[i].Addrs))
	}
	for _, info := range mm.Mons {
		if info.Addrs.shares(addrs) {
			return fail(syscall.EEXIST, "mon.%s already exists at address %s", info.Name, c.release.addrText(info.Addrs))
		}
	}
	c.change().monmap().put(MonInfo{Name: name, Addrs: addrs}, c.release)
	if c.release.atLeast(nautilus) {
		return done("adding mon.%s at %s", name, addrs)
	}
	return done("adding mon.%s at %s", name, addrs.legacy().legacy())
}

func monRemove(c *call) reply {
	name := c.args.str("name")
	mm := c.state.MonMap
	rank := mm.Rank(name)
	if rank < 0 {
		return done("mon.%s does not exist or has already been removed", name)
	}
	if len(mm.Mons) == 1 {
		return fail(syscall.EINVAL, "error: refusing removal of last monitor %s", name)
	}
	next := c.change().monmap()
	next.Mons = slices.Delete(next.Mons, rank, rank+1)
	if c.release.atLeast(pacific) {
		next.RemovedRanks = append(next.RemovedRanks, rank)
	}
	if c.release.atLeast(pacific) {
		return done("")
	}
	return done("removing mon.%s at %s, there will be %d monitors", name, c.release.addrText(mm.Mons[rank].Addrs), len(next.Mons))
}

// without are the names of the quorum that stay when some monitors go.
func (c *call) without(gone []string) []string {
	return slices.DeleteFunc(c.mon.quorumNames(), func(n string) bool { return slices.Contains(gone, n) })
}

func monOKToStop(c *call) reply {
	ids := c.args.list("ids")
	stay := c.without(ids)
	if len(stay) >= c.state.MonMap.majority() {
		return done("quorum should be preserved (%s) after stopping [%s]", joinNames(stay), joinNames(ids))
	}
	return fail(syscall.EBUSY, "not enough monitors would be available (%s) after stopping mons [%s]", joinNames(stay), joinNames(ids))
}

func monOKToRm(c *call) reply {
	id := c.args.str("id")
	mm := c.state.MonMap
	if mm.Rank(id) < 0 {
		return done("mon.%s does not exist", id)
	}
	stay := c.without([]string{id})
	if len(stay) >= (len(mm.Mons)-1)/2+1 {
		return done("safe to remove mon.%s", id)
	}
	return fail(syscall.EBUSY, "removing mon.%s would break quorum", id)
}

func monOKToAddOffline(c *call) reply {
	if len(c.mon.quorum) >= (len(c.state.MonMap.Mons)+1)/2+1 {
		return done("adding another mon that is not yet online will not break quorum")
	}
	return fail(syscall.EBUSY, "adding a monitor may break quorum (until that monitor starts)")
}

// monEnableMsgr2 gives each monitor that is bound to the default v1 port alone
// an address on the v2 port too.
func monEnableMsgr2(c *call) reply {
	mm := c.state.MonMap
	if !slices.Contains(mm.Features, "nautilus") {
		return fail(syscall.EACCES, "all monitors must be running nautilus to enable v2")
	}
	for i, info := range mm.Mons {
		a, ok := info.Addrs.of("v1")
		if _, has := info.Addrs.of("v2"); has || !ok || a.Port != portV1 {
			continue
		}
		c.change().monmap().Mons[i].Addrs = AddrVec{{Type: "v2", IP: a.IP, Port: portV2}, a}
	}
	return done("")
}

func monSetAddrs(c *call) reply {
	name := c.args.str("name")
	i := c.state.MonMap.Rank(name)
	if i < 0 {
		return fail(syscall.ENOENT, "mon.%s does not exist", name)
	}
	addrs, ok := parseAddrVec(c.args.str("addrs"))
	if !ok {
		return fail(syscall.EINVAL, "failed to parse addrs '%s'", c.args.str("addrs"))
	}
	for j := range addrs {
		if addrs[j].Port == 0 {
			return fail(syscall.EINVAL, "monitor must bind to a non-zero port, not %s", addrs[j])
		}
	}
	c.change().monmap().Mons[i].Addrs = addrs
	return done("")
}
