package ceph

import (
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func crushRuleSimple(c *call) reply {
	m := c.state.OSDMap.Crush
	name := c.args.str("name")
	if m.RuleNamed(name) != nil {
		return done("rule %s already exists", name)
	}
	return c.newRule(name, c.args.str("root"), c.args.str("type"), "", crush.Replicated, c.args.str("mode") == "indep")
}

func crushRuleReplicated(c *call) reply {
	name := c.args.str("name")
	if c.state.OSDMap.Crush.RuleNamed(name) != nil {
		return done("rule %s already exists", name)
	}
	return c.newRule(name, c.args.str("root"), c.args.str("type"), c.args.str("class"), crush.Replicated, false)
}

func (c *call) newRule(name, root, level, class string, kind int, indep bool) reply {
	m := c.state.OSDMap.Crush
	b := m.BucketNamed(root)
	if b == nil {
		return fail(syscall.ENOENT, "root item %s does not exist", root)
	}
	t, ok := m.TypeNamed(level)
	if !ok {
		return fail(syscall.EINVAL, "unknown type %s", level)
	}
	n := c.change().editCrush()
	r, err := n.AddRule(name, n.Bucket(b.ID), t, class, kind)
	if err != nil {
		return fail(syscall.EINVAL, "%v", err)
	}
	c.sizeRule(r)
	if indep {
		for i := range r.Steps {
			r.Steps[i].Op = strings.Replace(r.Steps[i].Op, "_firstn", "_indep", 1)
		}
	}
	return done("")
}

// sizeRule gives a rule the sizes that it has in older releases.
func (c *call) sizeRule(r *crush.Rule) {
	switch {
	case c.release.atLeast(quincy):
	case r.Type == crush.Erasure:
		r.MinSize, r.MaxSize = 3, 20
	default:
		r.MinSize, r.MaxSize = 1, 10
	}
}

func crushRuleErasure(c *call) reply {
	name := c.args.str("name")
	profile := c.args.str("profile")
	if profile == "" {
		profile = "default"
	}
	if r := c.state.OSDMap.Crush.RuleNamed(name); r != nil {
		return done("rule %s already exists", name)
	}
	return c.erasureRule(name, profile)
}

// erasureRule makes the rule that a profile asks for.
func (c *call) erasureRule(name, profile string) reply {
	p, ok := c.state.OSDMap.ECProfiles[profile]
	if !ok {
		return fail(syscall.ENOENT, "unknown erasure code profile '%s'", profile)
	}
	get := func(key, otherwise string) string {
		if v := p[key]; v != "" {
			return v
		}
		return otherwise
	}
	r := c.newRule(name, get("crush-root", "default"), get("crush-failure-domain", "host"), p["crush-device-class"], crush.Erasure, true)
	if r.errno != 0 {
		return r
	}
	rule := c.change().editCrush().RuleNamed(name)
	if !c.release.atLeast(quincy) {
		k, m := ecCounts(p)
		rule.MinSize, rule.MaxSize = 3, k+m
	}
	return done("created rule %s at %d", name, rule.ID)
}

func crushRuleRm(c *call) reply {
	m := c.state.OSDMap
	name := c.args.str("name")
	r := m.Crush.RuleNamed(name)
	if r == nil {
		return done("rule %s does not exist", name)
	}
	if slices.ContainsFunc(m.Pools, func(p *Pool) bool { return p.Rule == r.ID }) {
		if c.release.atLeast(quincy) {
			return fail(syscall.EBUSY, "crush rule %s (%d) is in use", name, r.ID)
		}
		return fail(syscall.EBUSY, "crush ruleset %s %d is in use", name, r.ID)
	}
	c.change().editCrush().RemoveRule(r.ID)
	return done("")
}

func crushRuleRename(c *call) reply {
	m := c.state.OSDMap.Crush
	from, to := c.args.str("srcname"), c.args.str("dstname")
	if m.RuleNamed(from) == nil {
		if m.RuleNamed(to) != nil {
			return done("already renamed to '%s'", to)
		}
		return fail(syscall.ENOENT, "unable to rename crush rule '%s': does not exist", from)
	}
	if m.RuleNamed(to) != nil {
		return fail(syscall.EEXIST, "dst rule '%s' already exists", to)
	}
	c.change().editCrush().RuleNamed(from).Name = to
	return done("")
}
