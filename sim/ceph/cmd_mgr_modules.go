package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

// mgrModuleCommands are commands of the manager's always-on modules, as far as
// they say something about a cluster on which nobody uses them.
func mgrModuleCommands() map[string]handler {
	table := map[string]handler{
		"balancer status": balancerStatus,
		"balancer on":     func(c *call) reply { return c.setModule("balancer/active", "true") },
		"balancer off":    func(c *call) reply { return c.setModule("balancer/active", "false") },
		"balancer mode":   func(c *call) reply { return c.setModule("balancer/mode", c.args.str("mode")) },
		"balancer ls":     func(*call) reply { return reply{out: array{}} },
		"progress":        func(*call) reply { return done("Nothing in progress") },
		"progress json": func(*call) reply {
			return reply{out: object{{"events", array{}}, {"completed", array{}}}}
		},
		"crash ls":       func(c *call) reply { return c.show(array{}, func() string { return "" }) },
		"crash ls-new":   func(c *call) reply { return c.show(array{}, func() string { return "" }) },
		"crash stat":     func(*call) reply { return reply{out: "0 crashes recorded\n"} },
		"service dump":   func(c *call) reply { return reply{out: c.servicemapJSON()} },
		"service status": serviceStatus,
	}
	for _, prefix := range []string{
		"orch status", "orch host ls", "orch device ls", "orch ls", "orch ps", "orch pause", "orch resume", "orch cancel", "orch upgrade status",
	} {
		table[prefix] = func(*call) reply {
			return fail(syscall.ENOENT, "No orchestrator configured (try `ceph orch set backend`)")
		}
	}
	for _, verb := range []string{"scrub", "deep-scrub", "repair"} {
		table["osd "+verb] = func(c *call) reply { return c.scrubOSD(verb) }
		table["pg "+verb] = func(c *call) reply { return c.scrubPG(verb) }
	}
	return table
}

// setModule sets an option of a module in the central configuration.
func (c *call) setModule(name, value string) reply {
	name = "mgr/" + name
	db := c.change().config()
	db.Options = slices.DeleteFunc(db.Options, func(o ConfigOption) bool { return o.Section == "mgr" && o.Name == name })
	db.Options = append(db.Options, ConfigOption{Section: "mgr", Name: name, Value: value})
	slices.SortFunc(db.Options, func(a, b ConfigOption) int { return strings.Compare(a.Section+"/"+a.Name, b.Section+"/"+b.Name) })
	return done("")
}

func (c *call) module(name, fallback string) string {
	if v, ok := c.state.Config.value("mgr/"+name, "mgr."+c.state.MgrMap.activeName(), "mgr", "global"); ok {
		return v
	}
	return fallback
}

func balancerStatus(c *call) reply {
	mode, on := "none", "false"
	if c.release.atLeast(octopus) {
		mode, on = "upmap", "true"
	}
	active, _ := truth(c.module("balancer/active", on))
	o := object{{"active", active}, {"last_optimize_duration", ""}, {"last_optimize_started", ""}, {"mode", c.module("balancer/mode", mode)}}
	if c.release.atLeast(pacific) {
		o = append(o, field{"no_optimization_needed", false})
	}
	if c.release.atLeast(nautilus) {
		o = append(o, field{"optimize_result", ""})
	}
	return reply{out: append(o, field{"plans", array{}})}
}

func serviceStatus(c *call) reply {
	o := object{}
	for _, f := range c.servicemapJSON() {
		if f.name == "services" {
			o = f.value.(object)
		}
	}
	return reply{out: o}
}

func (c *call) scrubOSD(verb string) reply {
	who := c.args.str("who")
	var ids []string
	for _, o := range c.state.OSDMap.existing() {
		if o.Up && (who == "all" || who == "any" || who == "*" || who == osdEntity(o.ID) || who == fmt.Sprint(o.ID)) {
			ids = append(ids, fmt.Sprint(o.ID))
		}
	}
	if id, ok := osdID(who); ok && len(ids) == 0 {
		if c.state.OSDMap.osd(id) == nil {
			return fail(syscall.ENOENT, "invalid osd '%s'", who)
		}
		return fail(syscall.EAGAIN, "osd.%d is not up", id)
	}
	return done("instructed osd(s) %s to %s", strings.Join(ids, ","), verb)
}

func (c *call) scrubPG(verb string) reply {
	for _, g := range c.pgs() {
		if g.id() == c.args.str("pgid") {
			if g.primary() < 0 {
				return fail(syscall.EAGAIN, "pg %s has no primary osd", g.id())
			}
			return done("instructing pg %s on osd.%d to %s", g.id(), g.primary(), verb)
		}
	}
	return fail(syscall.ENOENT, "pg %s does not exist", c.args.str("pgid"))
}
