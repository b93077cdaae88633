package ceph

import (
	"slices"
	"strconv"
	"strings"
	"time"
)

// option is the value of an option at the monitor that answers: of its argv or
// ceph.conf, else of the central configuration.
func (c *call) option(name string) (string, bool) {
	if c.mon != nil {
		if v, ok := c.mon.opts.get(name); ok {
			return v, true
		}
	}
	return c.state.Config.value(name, "mon."+c.monName(), "mon", "global")
}

func (c *call) monName() string {
	if c.mon == nil {
		return ""
	}
	return c.mon.name
}

// value is an option's value in the first of the sections that has it.
func (d *ConfigDB) value(name string, sections ...string) (string, bool) {
	for _, s := range sections {
		i := slices.IndexFunc(d.Options, func(o ConfigOption) bool { return o.Section == s && o.Name == name && o.Mask == "" })
		if i >= 0 {
			return d.Options[i].Value, true
		}
	}
	return "", false
}

func (c *call) optionInt(name string, fallback int) int {
	if v, ok := c.option(name); ok {
		if n, err := strconv.Atoi(v); err == nil {
			return n
		}
	}
	return fallback
}

func (c *call) optionBool(name string, fallback bool) bool {
	if v, ok := c.option(name); ok {
		switch strings.ToLower(v) {
		case "true", "1", "yes":
			return true
		case "false", "0", "no":
			return false
		}
	}
	return fallback
}

func (c *call) optionSeconds(name string, fallback time.Duration) time.Duration {
	if v, ok := c.option(name); ok {
		if f, err := strconv.ParseFloat(v, 64); err == nil {
			return time.Duration(f * float64(time.Second))
		}
	}
	return fallback
}
