package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
)

func ecCommands() map[string]handler {
	return map[string]handler{
		"osd erasure-code-profile ls":  func(c *call) reply { return c.showNames(slices.Sorted(maps.Keys(c.state.OSDMap.ECProfiles))) },
		"osd erasure-code-profile get": ecGet,
		"osd erasure-code-profile set": ecSet,
		"osd erasure-code-profile rm":  ecRm,
	}
}

// ecCounts are the numbers of data and coding chunks of a profile.
func ecCounts(p map[string]string) (k, m int) {
	k, _ = strconv.Atoi(p["k"])
	m, _ = strconv.Atoi(p["m"])
	return k, m
}

func ecGet(c *call) reply {
	name := c.args.str("name")
	p, ok := c.state.OSDMap.ECProfiles[name]
	if !ok {
		return fail(syscall.ENOENT, "unknown erasure code profile '%s'", name)
	}
	return c.show(profileJSON(p), func() string {
		var b strings.Builder
		for _, k := range slices.Sorted(maps.Keys(p)) {
			fmt.Fprintf(&b, "%s=%s\n", k, p[k])
		}
		return b.String()
	})
}

func profileText(p map[string]string) string {
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(p)) {
		parts = append(parts, k+"="+p[k])
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func ecSet(c *call) reply {
	name := c.args.str("name")
	p := map[string]string{
		"crush-device-class": "", "crush-failure-domain": "host", "crush-root": "default", "jerasure-per-chunk-alignment": "false",
		"k": "2", "m": "1", "plugin": "jerasure", "technique": "reed_sol_van", "w": "8",
	}
	if c.release.atLeast(octopus) {
		p["m"] = "2"
	}
	force := c.args.flag("force")
	for _, kv := range c.args.list("profile") {
		k, v, ok := strings.Cut(kv, "=")
		switch {
		case kv == "--force":
			force = true
		case !ok:
			return fail(syscall.EINVAL, "could not parse key=value pair %s", kv)
		default:
			p[k] = v
		}
	}
	if p["plugin"] != "jerasure" {
		for _, k := range []string{"jerasure-per-chunk-alignment", "technique", "w"} {
			delete(p, k)
		}
	}
	k, m := ecCounts(p)
	switch {
	case k < 2:
		return fail(syscall.EINVAL, "k=%s must be >= 2", p["k"])
	case m < 1:
		return fail(syscall.EINVAL, "m=%s must be >= 1", p["m"])
	}
	if old, there := c.state.OSDMap.ECProfiles[name]; there {
		if maps.Equal(old, p) {
			return done("")
		}
		if !force {
			return fail(syscall.EPERM, "will not override erasure code profile %s because the existing profile %s is different from the proposed profile %s",
				name, profileText(old), profileText(p))
		}
	}
	c.change().osdmap().ECProfiles[name] = p
	return done("")
}

func ecRm(c *call) reply {
	name := c.args.str("name")
	var users []string
	for _, p := range c.state.OSDMap.Pools {
		if p.Profile == name {
			users = append(users, p.Name)
		}
	}
	if len(users) > 0 {
		return fail(syscall.EBUSY, "%s pool(s) are using the erasure code profile '%s'", strings.Join(users, ","), name)
	}
	if _, there := c.state.OSDMap.ECProfiles[name]; !there {
		return done("erasure-code-profile %s does not exist", name)
	}
	delete(c.change().osdmap().ECProfiles, name)
	return done("")
}
