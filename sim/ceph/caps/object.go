package caps

import "strings"

// OSD are the grants of an osd cap.
type OSD struct{ grants []objectGrant }

type objectGrant struct {
	access         Access
	profile        string
	pool           string
	namespace      string
	hasNamespace   bool // "namespace=" with an empty name means the default one
	namespaceStar  bool // the name is a prefix
	prefix         string
	tag, key, want string
}

// Object is where somebody wants to read or write.
type Object struct {
	Pool, Namespace, Name string
	// Tags are the pool's applications with their keys and values.
	Tags map[string]map[string]string
}

// ParseOSD reads an osd cap. An empty text grants nothing.
func ParseOSD(text string) (OSD, error) {
	var out OSD
	c := &cursor{text: text}
	c.separated(func() bool {
		g, ok := c.objectGrant()
		if ok {
			out.grants = append(out.grants, g)
		}
		return ok
	})
	if !c.end() {
		return OSD{}, stopped("osd", c)
	}
	return out, nil
}

func (c *cursor) objectGrant() (objectGrant, bool) {
	var g objectGrant
	var ignored string
	network := func() bool { return c.maybe(c.named("network", &ignored)) }
	namespace := func() bool {
		return c.try(c.spaces, c.word("namespace"), c.equalsOrSpaces, func() bool {
			g.hasNamespace = true
			if c.lit(`""`) || c.lit("''") {
				return true
			}
			named := c.str(&g.namespace)()
			g.namespaceStar = c.lit("*")
			return named || g.namespaceStar
		})
	}
	tag := func() bool {
		value := func(out *string) func() bool {
			return func() bool {
				if c.lit("*") {
					*out = "*"
					return true
				}
				return c.str(out)()
			}
		}
		return c.try(c.spaces, c.word("tag"), c.spaces, c.str(&g.tag), c.spaces, value(&g.key), c.word("="), value(&g.want))
	}
	match := func() bool {
		if tag() {
			return c.maybe(namespace)
		}
		c.maybe(c.named("pool", &g.pool))
		c.maybe(namespace)
		return c.maybe(c.named("object_prefix", &g.prefix))
	}
	rights := func() bool {
		return c.try(c.spaces, c.access(&g.access, "rwx")) ||
			c.try(c.spaces, c.word("class-read"), func() bool { g.access = classRead; return true }) ||
			c.try(c.spaces, c.word("class-write"), func() bool { g.access = classWrite; return true })
	}
	class := func() bool { var cls string; return c.maybe(c.named("class", &cls), c.maybeStr(&cls)) }
	start := func() bool { g = objectGrant{}; return c.try(c.optionalSpaces, c.word("allow")) }
	ok := c.try(start, class, rights, match, network, c.optionalSpaces) ||
		c.try(start, match, rights, network, c.optionalSpaces) ||
		c.try(func() bool { g = objectGrant{}; return true }, c.optionalSpaces,
			func() bool { return c.maybe(c.word("allow"), c.spaces) },
			c.word("profile"), c.equalsOrSpaces, c.str(&g.profile), match, network, c.optionalSpaces)
	return g, ok
}

func (c *cursor) maybeStr(out *string) func() bool {
	return func() bool { return c.maybe(c.spaces, c.str(out)) }
}

// Allows says whether the grants give the rights there.
func (o OSD) Allows(at Object, need Access) bool {
	var got Access
	for _, g := range o.grants {
		if g.covers(at) {
			got |= g.rights()
		}
		if got&need == need {
			return true
		}
	}
	return false
}

func (g objectGrant) rights() Access {
	switch g.profile {
	case "":
		return g.access
	case "rbd", "rbd-mirror":
		return R | W | X
	case "rbd-read-only":
		return R | X
	}
	return 0
}

func (g objectGrant) covers(at Object) bool {
	if g.pool != "" && g.pool != at.Pool || !strings.HasPrefix(at.Name, g.prefix) {
		return false
	}
	if g.hasNamespace && at.Namespace != g.namespace && (!g.namespaceStar || !strings.HasPrefix(at.Namespace, g.namespace)) {
		return false
	}
	return g.tag == "" || g.tagged(at.Tags[g.tag])
}

func (g objectGrant) tagged(values map[string]string) bool {
	if values == nil {
		return false
	}
	if g.key == "*" && g.want == "*" {
		return true
	}
	for k, v := range values {
		if (g.key == "*" || g.key == k) && (g.want == "*" || g.want == v) {
			return true
		}
	}
	return false
}

// checkMDS reads an mds cap. "allow" alone is what daemons have.
func checkMDS(text string) error {
	c := &cursor{text: text}
	var ignored string
	var rights Access
	c.separated(func() bool {
		return c.try(c.optionalSpaces, c.word("allow"), func() bool {
			return c.maybe(c.spaces, c.access(&rights, "rwfpsx"))
		}, func() bool {
			for _, name := range []string{"fsname", "path", "root_squash", "uid", "gids", "network"} {
				if name == "root_squash" {
					c.maybe(c.spaces, c.word(name))
					continue
				}
				c.maybe(c.named(name, &ignored), func() bool {
					for name == "gids" && c.try(c.word(","), c.str(&ignored)) {
						continue
					}
					return true
				})
			}
			return true
		}, c.optionalSpaces) ||
			c.try(c.optionalSpaces, func() bool { return c.maybe(c.word("allow"), c.spaces) },
				c.word("profile"), c.equalsOrSpaces, c.str(&ignored), c.optionalSpaces)
	})
	if !c.end() {
		return stopped("mds", c)
	}
	return nil
}
