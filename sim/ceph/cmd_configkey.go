package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"
)

func configKeyCommands() map[string]handler {
	return map[string]handler{
		"config-key get":    configKeyGet,
		"config-key set":    configKeySet,
		"config-key put":    configKeySet,
		"config-key rm":     configKeyRm,
		"config-key del":    configKeyRm,
		"config-key exists": configKeyExists,
		"config-key ls":     configKeyLs,
		"config-key list":   configKeyLs,
		"config-key dump":   configKeyDump,
	}
}

// keys are all config-keys: those that people and daemons set, and under
// config/ and config-history/ what `ceph config` keeps there.
func (s *State) keys() map[string]string {
	all := maps.Clone(s.ConfigKey.Of)
	for _, o := range s.Config.Options {
		all["config/"+o.key()] = o.Value
	}
	for _, h := range s.Config.History {
		if h.Version == 1 {
			continue
		}
		all[fmt.Sprintf("config-history/%d/", h.Version)] = h.Name
		for _, d := range h.Changes {
			if d.Old != nil {
				all[fmt.Sprintf("config-history/%d/-%s", h.Version, d.Name)] = *d.Old
			}
			if d.New != nil {
				all[fmt.Sprintf("config-history/%d/+%s", h.Version, d.Name)] = *d.New
			}
		}
	}
	return all
}

func configKeyGet(c *call) reply {
	v, ok := c.state.keys()[c.args.str("key")]
	if !ok {
		return fail(syscall.ENOENT, "")
	}
	r := reply{out: v}
	if !c.release.atLeast(octopus) {
		r.status = fmt.Sprintf("obtained '%s'", c.args.str("key"))
	}
	return r
}

// maxKeySize bounds a value (mon_config_key_max_entry_size).
const maxKeySize = 64 << 10

func configKeySet(c *call) reply {
	key, value := c.args.str("key"), c.args.str("val")
	if !c.args.has("val") && len(c.input) > 0 {
		value = string(c.input)
	}
	if len(value) > maxKeySize {
		return fail(syscall.EFBIG, "error: entry size limited to %d bytes. Use 'mon config key max entry size' to manually adjust", maxKeySize)
	}
	if have, ok := c.state.ConfigKey.Of[key]; !ok || have != value {
		c.change().configKey().Of[key] = value
	}
	return done("set %s", key)
}

func configKeyRm(c *call) reply {
	key := c.args.str("key")
	if _, ok := c.state.ConfigKey.Of[key]; ok {
		delete(c.change().configKey().Of, key)
	}
	return done("key deleted")
}

func configKeyExists(c *call) reply {
	key := c.args.str("key")
	if _, ok := c.state.keys()[key]; !ok {
		return fail(syscall.ENOENT, "key '%s' doesn't exist", key)
	}
	return done("key '%s' exists", key)
}

func configKeyLs(c *call) reply {
	return c.showAny(slices.Sorted(maps.Keys(c.state.keys())))
}

func configKeyDump(c *call) reply {
	all := c.state.keys()
	o := object{}
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if strings.HasPrefix(k, c.args.str("key")) {
			o = append(o, field{k, all[k]})
		}
	}
	return c.showAny(o)
}
