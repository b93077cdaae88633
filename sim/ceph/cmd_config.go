package ceph

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

func configCommands() map[string]handler {
	return map[string]handler{
		"config set":                   configSet,
		"config rm":                    configRm,
		"config get":                   configGet,
		"config dump":                  configDump,
		"config help":                  configHelp,
		"config ls":                    configLs,
		"config log":                   configLog,
		"config reset":                 configReset,
		"config assimilate-conf":       configAssimilate,
		"config generate-minimal-conf": configMinimal,
	}
}

// daemonTypes are the sections of the configuration for a kind of daemon, in
// the order in which Ceph shows them.
var daemonTypes = []string{"global", "mon", "mgr", "osd", "mds", "client"}

// target reads who an option is for: a section, and a mask of host or device
// class behind slashes.
func target(who string) (section, mask string, ok bool) {
	section, mask, _ = strings.Cut(who, "/")
	if strings.Contains(section, ":") && mask == "" {
		section, mask = "global", section
	}
	kind, _, _ := strings.Cut(section, ".")
	ok = slices.Contains(daemonTypes, kind) && (kind != "global" || section == "global")
	for part := range strings.SplitSeq(mask, "/") {
		k, _, masked := strings.Cut(part, ":")
		ok = ok && (part == "" || masked && k != "")
	}
	return section, mask, ok
}

// compareSections orders sections as `config dump` does.
func compareSections(a, b string) int {
	ka, _, _ := strings.Cut(a, ".")
	kb, _, _ := strings.Cut(b, ".")
	return cmp.Or(cmp.Compare(slices.Index(daemonTypes, ka), slices.Index(daemonTypes, kb)), cmp.Compare(a, b))
}

func (o ConfigOption) compare(p ConfigOption) int {
	return cmp.Or(compareSections(o.Section, p.Section), cmp.Compare(o.Name, p.Name), cmp.Compare(o.Mask, p.Mask))
}

// key is the name of an option in the log and among the config-keys.
func (o ConfigOption) key() string {
	if o.Mask != "" {
		return o.Section + "/" + o.Mask + "/" + o.Name
	}
	return o.Section + "/" + o.Name
}

// put sets an option and returns what the log says of it.
func (d *ConfigDB) put(o ConfigOption) ConfigDiff {
	value := o.Value
	diff := ConfigDiff{Name: o.key(), New: &value}
	i, found := slices.BinarySearchFunc(d.Options, o, ConfigOption.compare)
	if found {
		old := d.Options[i].Value
		diff.Old = &old
		d.Options[i] = o
	} else {
		d.Options = slices.Insert(d.Options, i, o)
	}
	return diff
}

// drop unsets an option; ok is false if it was not set.
func (d *ConfigDB) drop(o ConfigOption) (diff ConfigDiff, ok bool) {
	i, found := slices.BinarySearchFunc(d.Options, o, ConfigOption.compare)
	if !found {
		return ConfigDiff{}, false
	}
	old := d.Options[i].Value
	d.Options = slices.Delete(d.Options, i, i+1)
	return ConfigDiff{Name: o.key(), Old: &old}, true
}

func configSet(c *call) reply {
	name := c.args.str("name")
	force := c.args.flag("force")
	section, mask, ok := target(c.args.str("who"))
	value := c.args.str("value")
	if !strings.HasPrefix(name, "mgr/") {
		name = conf.Name(name)
		opt, known := lookupOption(name)
		if !known && !force {
			return fail(syscall.EINVAL, "unrecognized config option '%s'", c.args.str("name"))
		}
		if known && !force {
			v, err := opt.parse(value)
			if err != nil {
				return fail(syscall.EINVAL, "error parsing value: %v", err)
			}
			value = v
		}
	}
	if !ok {
		return fail(syscall.EINVAL, "unrecognized config target '%s'", c.args.str("who"))
	}
	o := ConfigOption{Section: section, Mask: mask, Name: name, Value: value}
	if have, set := c.state.Config.exact(o); set && have == value {
		return done("")
	}
	t := c.change()
	t.record("", t.config().put(o))
	return done("")
}

func (d *ConfigDB) exact(o ConfigOption) (string, bool) {
	i, found := slices.BinarySearchFunc(d.Options, o, ConfigOption.compare)
	if !found {
		return "", false
	}
	return d.Options[i].Value, true
}

// optionName is an option's name as it is stored.
func optionName(name string) string {
	if strings.HasPrefix(name, "mgr/") {
		return name
	}
	return conf.Name(name)
}

func configRm(c *call) reply {
	section, mask, ok := target(c.args.str("who"))
	if !ok {
		return fail(syscall.EINVAL, "unrecognized config target '%s'", c.args.str("who"))
	}
	o := ConfigOption{Section: section, Mask: mask, Name: optionName(c.args.str("name"))}
	if _, set := c.state.Config.exact(o); !set {
		return done("")
	}
	t := c.change()
	diff, _ := t.config().drop(o)
	t.record("", diff)
	return done("")
}

// effective are the options that hold for a daemon or a kind of daemon, by
// name.
func (d *ConfigDB) effective(who string) map[string]ConfigOption {
	kind, _, _ := strings.Cut(who, ".")
	out := map[string]ConfigOption{}
	for _, section := range []string{"global", kind, who} {
		for _, o := range d.Options {
			if o.Section == section && o.Mask == "" {
				out[o.Name] = o
			}
		}
	}
	return out
}

func configGet(c *call) reply {
	who := c.args.str("who")
	section, _, ok := target(who)
	if !ok {
		return fail(syscall.EINVAL, "unrecognized entity '%s'", who)
	}
	set := c.state.Config.effective(section)
	if key := c.args.str("key"); key != "" {
		name := optionName(key)
		if o, is := set[name]; is {
			return reply{out: o.Value + "\n"}
		}
		opt, known := lookupOption(name)
		if !known && !strings.HasPrefix(name, "mgr/") {
			return fail(syscall.ENOENT, "unrecognized key '%s'", key)
		}
		if opt == nil {
			return reply{out: "\n"}
		}
		return reply{out: opt.defaultFor(section) + "\n"}
	}
	names := slices.Sorted(maps.Keys(set))
	return c.show(c.configMapJSON(set, names), func() string {
		rows := [][]string{{"WHO", "MASK", "LEVEL", "OPTION", "VALUE", "RO"}}
		for _, n := range names {
			rows = append(rows, set[n].row(""))
		}
		return textTable(rows)
	})
}

func (c *call) configMapJSON(set map[string]ConfigOption, names []string) object {
	o := object{}
	for _, n := range names {
		level := field{"can_update_at_runtime", set[n].runtime()}
		o = append(o, field{n, object{{"value", set[n].Value}, {"section", set[n].Section}, {"mask", object{}}, level}})
	}
	return o
}

// defaultFor is the value that an option has where nothing sets it.
func (o *option) defaultFor(section string) string {
	v := o.fallback
	if kind, _, _ := strings.Cut(section, "."); o.daemon != "" && kind != "client" {
		v = o.daemon
	}
	switch {
	case o.kind == "bool":
		v = strings.ToLower(v)
	case o.kind == "addr" && v == "":
		v = "-"
	}
	return v
}

func (o ConfigOption) level() string {
	if opt, ok := lookupOption(o.Name); ok {
		return opt.level
	}
	if strings.HasPrefix(o.Name, "mgr/") {
		return "advanced"
	}
	return "unknown"
}

func (o ConfigOption) runtime() bool {
	if opt, ok := lookupOption(o.Name); ok {
		return opt.runtime
	}
	return strings.HasPrefix(o.Name, "mgr/")
}

// row is a line of the table of `config dump`.
func (o ConfigOption) row(indent string) []string {
	ro := ""
	if !o.runtime() {
		ro = "*"
	}
	return []string{indent + o.Section, o.Mask, o.level(), o.Name, o.Value, ro}
}

func configDump(c *call) reply {
	options := c.state.Config.Options
	return c.show(arrayOf(options, func(o ConfigOption) any {
		return object{
			{"section", o.Section},
			{"name", o.Name},
			{"value", o.Value},
			{"level", o.level()},
			{"can_update_at_runtime", o.runtime()},
			{"mask", o.Mask},
		}
	}), func() string {
		rows := [][]string{{"WHO", "MASK", "LEVEL", "OPTION", "VALUE", "RO"}}
		for _, o := range options {
			indent := "  "
			switch {
			case o.Section == "global":
				indent = ""
			case strings.Contains(o.Section, "."):
				indent = "    "
			}
			rows = append(rows, o.row(indent))
		}
		return textTable(rows)
	})
}

// textTable lays rows out as Ceph's TextTable does: columns two blanks apart,
// all to the left, each padded to its widest cell.
func textTable(rows [][]string) string {
	widths := make([]int, len(rows[0]))
	for _, row := range rows {
		for i, cell := range row {
			widths[i] = max(widths[i], len(cell))
		}
	}
	var b strings.Builder
	for n, row := range rows {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			if n == 0 && i == len(row)-1 {
				b.WriteString(cell)
				break
			}
			fmt.Fprintf(&b, "%-*s", widths[i], cell)
		}
		b.WriteString("\n")
	}
	return b.String()
}

func configHelp(c *call) reply {
	key := c.args.str("key")
	opt, ok := lookupOption(key)
	if !ok {
		return fail(syscall.ENOENT, "configuration option '%s' not recognized", key)
	}
	return c.show(object{
		{"name", opt.name},
		{"type", opt.kind},
		{"level", opt.level},
		{"desc", opt.description},
		{"long_desc", ""},
		{"default", opt.fallback},
		{"daemon_default", opt.daemon},
		{"tags", array{}},
		{"services", array{}},
		{"see_also", array{}},
		{"enum_values", append([]string{}, opt.enum...)},
		{"min", opt.low},
		{"max", opt.high},
		{"can_update_at_runtime", opt.runtime},
		{"flags", array{}},
	}, func() string {
		limits := ""
		if opt.low != "" || opt.high != "" {
			limits = fmt.Sprintf("  Minimum: %s\n  Maximum: %s\n", opt.low, opt.high)
		}
		return fmt.Sprintf("%s - %s\n  (%s, %s)\n  Default: %s\n%s  Can update at runtime: %t\n", opt.name, opt.description, opt.kind, opt.level, opt.fallback, limits, opt.runtime)
	})
}

func configLs(c *call) reply {
	names := slices.Sorted(maps.Keys(optionTable()))
	return c.show(names, func() string { return strings.Join(names, "\n") + "\n" })
}
