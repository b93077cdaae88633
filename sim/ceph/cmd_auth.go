package ceph

import (
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/caps"
	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

func authCommands() map[string]handler {
	return map[string]handler{
		"auth get":               authGet,
		"auth get-key":           authKey,
		"auth print-key":         authKey,
		"auth print_key":         authKey,
		"auth get-or-create":     authGetOrCreate,
		"auth get-or-create-key": authGetOrCreate,
		"auth add":               authAdd,
		"auth caps":              authCaps,
		"auth del":               authDel,
		"auth rm":                authDel,
		"auth ls":                authLs,
		"auth list":              authLs,
		"auth export":            authExport,
		"auth import":            authImport,
	}
}

// entity is an entity of the database as an entry of a keyring.
func (a *AuthDB) entity(name string) (conf.Entry, bool) {
	e, ok := a.Entities[name]
	return conf.Entry{Entity: name, Key: e.Key, Caps: e.Caps}, ok
}

func (a *AuthDB) names() []string {
	return slices.SortedFunc(maps.Keys(a.Entities), conf.CompareEntities)
}

func entryJSON(e conf.Entry) object {
	list := object{}
	for _, service := range slices.Sorted(maps.Keys(e.Caps)) {
		list = append(list, field{service, e.Caps[service]})
	}
	return object{{"entity", e.Entity}, {"key", e.Key}, {"caps", list}}
}

func authGet(c *call) reply {
	e, ok := c.state.Auth.entity(c.args.str("entity"))
	if !ok {
		return fail(syscall.ENOENT, "failed to find %s in keyring", c.args.str("entity"))
	}
	r := c.show(array{entryJSON(e)}, e.String)
	if !c.release.atLeast(reef) {
		r.status = "exported keyring for " + e.Entity
	}
	return r
}

func authKey(c *call) reply {
	e, ok := c.state.Auth.entity(c.args.str("entity"))
	if !ok {
		return fail(syscall.ENOENT, "don't have %s", c.args.str("entity"))
	}
	return c.showKey(e.Key)
}

func (c *call) showKey(key string) reply {
	return c.show(object{{"key", key}}, func() string { return key })
}

// wantedCaps reads "mon", "allow r", "osd", … and checks each.
func (c *call) wantedCaps() (map[string]string, *reply) {
	list := c.args.list("caps")
	bad := func(text string) (map[string]string, *reply) {
		r := fail(syscall.EINVAL, "%s", text)
		return nil, &r
	}
	if len(list)%2 != 0 {
		return bad("bad capabilities request; odd number of arguments")
	}
	wanted := map[string]string{}
	for i := 0; i < len(list); i += 2 {
		if !caps.Known(list[i]) {
			return bad("unknown cap type '" + list[i] + "'")
		}
		if err := caps.Check(list[i], list[i+1]); err != nil {
			return bad(err.Error())
		}
		wanted[list[i]] = list[i+1]
	}
	return wanted, nil
}

// differs is the first service whose cap is not the one that is wanted.
func (e AuthEntry) differs(wanted map[string]string) (service string, differ bool) {
	for _, s := range slices.Sorted(maps.Keys(wanted)) {
		if have, ok := e.Caps[s]; !ok || have != wanted[s] {
			return s, true
		}
	}
	return "", false
}

func authGetOrCreate(c *call) reply {
	name := c.args.str("entity")
	if !conf.ValidEntity(name) {
		return fail(syscall.EINVAL, "bad entity name")
	}
	wanted, bad := c.wantedCaps()
	if bad != nil {
		return *bad
	}
	entry, known := c.state.Auth.Entities[name]
	if known {
		if s, differ := entry.differs(wanted); differ {
			return fail(syscall.EINVAL, "key for %s exists but cap %s does not match", name, s)
		}
	} else {
		entry = AuthEntry{Key: c.sim.newKey(), Caps: wanted}
		c.change().auth().Entities[name] = entry
	}
	if c.desc.prefix == "auth get-or-create-key" {
		return c.showKey(entry.Key)
	}
	e := conf.Entry{Entity: name, Key: entry.Key, Caps: entry.Caps}
	return c.show(array{entryJSON(e)}, func() string { return conf.Entry{Entity: name, Key: entry.Key}.String() })
}

func authAdd(c *call) reply {
	name := c.args.str("entity")
	if !conf.ValidEntity(name) {
		return fail(syscall.EINVAL, "bad entity name")
	}
	wanted, bad := c.wantedCaps()
	if bad != nil {
		return *bad
	}
	key := ""
	if len(c.input) > 0 {
		ring, err := conf.ParseKeyring(c.input)
		if err != nil {
			return fail(syscall.EINVAL, "error decoding keyring %v", err)
		}
		given, ok := ring[name]
		if !ok {
			return fail(syscall.ENOENT, "unable to find %s in keyring", name)
		}
		key = given.Key
		for s, text := range given.Caps {
			if _, set := wanted[s]; !set {
				wanted[s] = text
			}
		}
	}
	if entry, known := c.state.Auth.Entities[name]; known {
		if key != "" && key != entry.Key {
			return fail(syscall.EINVAL, "entity %s exists but key does not match", name)
		}
		if len(entry.Caps) != len(wanted) {
			return fail(syscall.EINVAL, "entity %s exists but caps do not match", name)
		}
		if s, differ := entry.differs(wanted); differ {
			return fail(syscall.EINVAL, "entity %s exists but cap %s does not match", name, s)
		}
		return done("")
	}
	if key == "" {
		key = c.sim.newKey()
	}
	c.change().auth().Entities[name] = AuthEntry{Key: key, Caps: wanted}
	return done("added key for %s", name)
}

func authCaps(c *call) reply {
	name := c.args.str("entity")
	entry, ok := c.state.Auth.Entities[name]
	if !ok {
		return fail(syscall.ENOENT, "couldn't find entry %s", name)
	}
	wanted, bad := c.wantedCaps()
	if bad != nil {
		return *bad
	}
	entry.Caps = wanted
	c.change().auth().Entities[name] = entry
	return done("updated caps for %s", name)
}

func authDel(c *call) reply {
	name := c.args.str("entity")
	if _, ok := c.state.Auth.Entities[name]; !ok {
		return done("entity %s does not exist", name)
	}
	delete(c.change().auth().Entities, name)
	return done("updated")
}

func authLs(c *call) reply {
	db := c.state.Auth
	r := c.show(object{{"auth_dump", arrayOf(db.names(), func(n string) any {
		e, _ := db.entity(n)
		return entryJSON(e)
	})}}, func() string {
		var b strings.Builder
		for _, n := range db.names() {
			e := db.Entities[n]
			b.WriteString(n + "\n\tkey: " + e.Key + "\n")
			for _, s := range slices.Sorted(maps.Keys(e.Caps)) {
				b.WriteString("\tcaps: [" + s + "] " + e.Caps[s] + "\n")
			}
		}
		return b.String()
	})
	if c.plain() {
		r.status = "installed auth entries:\n"
	}
	return r
}

func authExport(c *call) reply {
	db := c.state.Auth
	name := c.args.str("entity")
	if name == "" {
		ring := conf.Keyring{}
		for n := range db.Entities {
			ring[n], _ = db.entity(n)
		}
		return c.showKeyring("exported master keyring", slices.Collect(maps.Values(ring))...)
	}
	e, ok := db.entity(name)
	if !ok {
		return fail(syscall.ENOENT, "no key for %s", name)
	}
	return c.showKeyring("export auth(key="+e.Key+")", e)
}

func (c *call) showKeyring(status string, entries ...conf.Entry) reply {
	ring := conf.Keyring{}
	for _, e := range entries {
		ring[e.Entity] = e
	}
	r := c.show(arrayOf(ring.Entities(), func(n string) any { return entryJSON(ring[n]) }), ring.String)
	r.status = status
	return r
}

func authImport(c *call) reply {
	if len(c.input) == 0 {
		return fail(syscall.EINVAL, "auth import: no data supplied")
	}
	ring, err := conf.ParseKeyring(c.input)
	if err != nil {
		return fail(syscall.EINVAL, "error decoding keyring %v", err)
	}
	for _, n := range ring.Entities() {
		if ring[n].Key == "" {
			return fail(syscall.EINVAL, "%s has no key", n)
		}
		for s, text := range ring[n].Caps {
			if err := caps.Check(s, text); err != nil {
				return fail(syscall.EINVAL, "%v", err)
			}
		}
	}
	for _, n := range ring.Entities() {
		c.change().auth().Entities[n] = AuthEntry{Key: ring[n].Key, Caps: ring[n].Caps}
	}
	return done("imported keyring")
}
