package ceph

import (
	"maps"
	"syscall"
)

func poolAppEnable(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	app := c.args.str("app")
	if _, there := p.Applications[app]; !there && len(p.Applications) > 0 && !c.sure() {
		return fail(syscall.EPERM, "Are you SURE? Pool '%s' already has an enabled application; pass --yes-i-really-mean-it to proceed anyway", p.Name)
	}
	c.change().osdmap().editPool(p.ID).app(app, nil)
	return done("enabled application '%s' on pool '%s'", app, p.Name)
}

// app sets an application's keys and values on a pool that is being changed;
// nil keeps what it has.
func (p *Pool) app(name string, values map[string]string) {
	if p.Applications == nil {
		p.Applications = map[string]map[string]string{}
	}
	if values == nil {
		values = p.Applications[name]
	}
	if values == nil {
		values = map[string]string{}
	}
	p.Applications[name] = values
}

func poolAppDisable(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	app := c.args.str("app")
	if _, there := p.Applications[app]; !there {
		return done("application '%s' is not enabled on pool '%s'", app, p.Name)
	}
	if !c.sure() {
		return fail(syscall.EPERM, "Are you SURE? Disabling an application within a pool might result in loss of application functionality; "+
			"pass --yes-i-really-mean-it to proceed anyway")
	}
	delete(c.change().osdmap().editPool(p.ID).Applications, app)
	return done("disable application '%s' on pool '%s'", app, p.Name)
}

func poolAppSet(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	app, key, value := c.args.str("app"), c.args.str("key"), c.args.str("value")
	old, there := p.Applications[app]
	if !there {
		return fail(syscall.ENOENT, "application '%s' is not enabled on pool '%s'", app, p.Name)
	}
	values := maps.Clone(old)
	values[key] = value
	c.change().osdmap().editPool(p.ID).app(app, values)
	return done("set application '%s' key '%s' to '%s' on pool '%s'", app, key, value, p.Name)
}

func poolAppRm(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	app, key := c.args.str("app"), c.args.str("key")
	old, there := p.Applications[app]
	if !there {
		return fail(syscall.ENOENT, "application '%s' is not enabled on pool '%s'", app, p.Name)
	}
	if _, has := old[key]; !has {
		return done("application '%s' on pool '%s' does not have key '%s'", app, p.Name, key)
	}
	values := maps.Clone(old)
	delete(values, key)
	c.change().osdmap().editPool(p.ID).app(app, values)
	return done("removed application '%s' key '%s' on pool '%s'", app, key, p.Name)
}

func poolAppGet(c *call) reply {
	name := c.args.str("pool")
	if name == "" {
		return reply{out: func() object {
			o := object{}
			for _, p := range c.state.OSDMap.Pools {
				o = append(o, field{p.Name, p.appsJSON()})
			}
			return o
		}()}
	}
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	app := c.args.str("app")
	if app == "" {
		return reply{out: p.appsJSON()}
	}
	values, there := p.Applications[app]
	if !there {
		return fail(syscall.ENOENT, "pool '%s' has no application '%s'", name, app)
	}
	key := c.args.str("key")
	if key == "" {
		return reply{out: profileJSON(values)}
	}
	v, has := values[key]
	if !has {
		return fail(syscall.ENOENT, "application '%s' on pool '%s' does not have key '%s'", app, name, key)
	}
	return c.show(v, func() string { return v + "\n" })
}
