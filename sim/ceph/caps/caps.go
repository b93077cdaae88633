package caps

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// Services have caps of their own.
var services = []string{"mon", "osd", "mds", "mgr"}

// Check says whether a monitor accepts text as an entity's cap for a service.
// The error has the monitor's own text, such as "mon capability parse failed,
// stopped at 'x' of 'allow x'".
func Check(service, text string) error {
	var err error
	switch service {
	case "mon", "mgr":
		_, err = Parse(service, text)
	case "osd":
		_, err = ParseOSD(text)
	case "mds":
		err = checkMDS(text)
	default:
		err = fmt.Errorf("unknown cap type '%s'", service)
	}
	return err
}

// Known says whether a service has caps.
func Known(service string) bool { return slices.Contains(services, service) }

func stopped(service string, c *cursor) error {
	return fmt.Errorf("%s capability parse failed, stopped at '%s' of '%s'", service, c.rest(), c.text)
}

// Caps are the grants of a mon or mgr cap.
type Caps struct {
	text   string
	grants []grant
}

// grant is one "allow …" or "profile …". At most one of profile, service and
// command is set.
type grant struct {
	profile, service, command string
	args                      map[string]match
	access                    Access
}

// match constrains an argument of a command.
type match struct{ exact, prefix, regex string }

func (m match) holds(v string) bool {
	switch {
	case m.prefix != "":
		return strings.HasPrefix(v, m.prefix)
	case m.regex != "":
		re, err := regexp.Compile("^(?:" + m.regex + ")$")
		return err == nil && re.MatchString(v)
	}
	return v == m.exact
}

// Parse reads the text of a mon or mgr cap. An empty text grants nothing.
func Parse(service, text string) (Caps, error) {
	out := Caps{text: text}
	c := &cursor{text: text}
	c.separated(func() bool {
		g, ok := c.grant()
		if ok {
			out.grants = append(out.grants, g)
		}
		return ok
	})
	if !c.end() {
		return Caps{}, stopped(service, c)
	}
	return out, nil
}

func (c *cursor) grant() (grant, bool) {
	var g grant
	var ignored string
	network := func() bool { return c.maybe(c.named("network", &ignored)) }
	allow := func(steps ...func() bool) bool {
		g = grant{}
		return c.try(append([]func() bool{c.optionalSpaces, c.word("allow")}, steps...)...)
	}
	ok := allow(c.spaces, c.access(&g.access, "rwx"), network,
		func() bool { return c.maybe(c.named("fsname", &ignored)) }, c.optionalSpaces) ||
		c.try(c.optionalSpaces, func() bool { return c.maybe(c.word("allow"), c.spaces) },
			c.word("profile"), c.equalsOrSpaces, c.str(&g.profile), c.withArgs(&ignored), network, c.optionalSpaces) ||
		allow(c.serviceOrModule(&g), c.spaces, c.access(&g.access, "rwx"), c.with(&g), network, c.optionalSpaces) ||
		allow(c.named("command", &g.command), c.with(&g), network, c.optionalSpaces)
	return g, ok
}

func (c *cursor) serviceOrModule(g *grant) func() bool {
	return func() bool {
		return c.named("service", &g.service)() || c.named("module", &g.service)()
	}
}

func (c *cursor) optionalSpaces() bool { c.spaces(); return true }

// with takes the constraints of a command's arguments.
func (c *cursor) with(g *grant) func() bool {
	pair := func() bool {
		var name string
		var m match
		ok := c.try(c.str(&name), func() bool {
			return c.try(c.word("="), c.str(&m.exact)) ||
				c.try(c.spaces, c.word("prefix"), c.spaces, c.str(&m.prefix)) ||
				c.try(c.spaces, c.word("regex"), c.spaces, c.str(&m.regex))
		})
		if ok {
			if g.args == nil {
				g.args = map[string]match{}
			}
			g.args[name] = m
		}
		return ok
	}
	return func() bool {
		return c.maybe(c.spaces, c.word("with"), c.spaces, pair, func() bool {
			for c.try(c.spaces, pair) {
				continue
			}
			return true
		})
	}
}

// withArgs takes the arguments of a profile, such as "pool=rbd".
func (c *cursor) withArgs(ignored *string) func() bool {
	return func() bool {
		for c.try(c.spaces, c.str(ignored), c.word("="), c.str(ignored)) {
			continue
		}
		return true
	}
}

// Request is what somebody wants of a monitor or mgr.
type Request struct {
	Entity  string            // who: "client.admin", "osd.0"
	Service string            // of the command: "mon", "osd", "auth", "config-key", …
	Command string            // its prefix, such as "osd pool create"
	Args    map[string]string // its arguments as text
	Need    Access
}

// Allows says whether the grants together give what the request needs.
func (c Caps) Allows(q Request) bool {
	return allows(c.grants, q)
}

func (g grant) all() bool {
	return g.access == All && g.profile == "" && g.service == "" && g.command == ""
}

func allows(grants []grant, q Request) bool {
	var got Access
	for _, g := range grants {
		if g.all() {
			return true
		}
		got |= g.allowed(q)
		if got&q.Need == q.Need {
			return true
		}
	}
	return false
}

// allowed are the rights that one grant gives for a request.
func (g grant) allowed(q Request) Access {
	switch {
	case g.profile != "":
		var got Access
		for _, p := range expand(g.profile, q.Entity) {
			if p.all() {
				return All
			}
			got |= p.allowed(q)
		}
		return got
	case g.service != "":
		if g.service != q.Service {
			return 0
		}
		return g.access
	case g.command != "":
		if g.command != q.Command {
			return 0
		}
		for name, m := range g.args {
			if v, ok := q.Args[name]; !ok || !m.holds(v) {
				return 0
			}
		}
		return R | W | X
	case q.Service == "config-key": // secrets: only "*" and grants by name reach them
		return 0
	}
	return g.access
}
