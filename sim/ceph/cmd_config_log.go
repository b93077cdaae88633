package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

// record adds a change to the log.
func (t *change) record(name string, diffs ...ConfigDiff) {
	d := t.config()
	version := 1
	if n := len(d.History); n > 0 {
		version = d.History[n-1].Version + 1
	}
	d.History = append(d.History, ConfigChange{Version: version, Time: t.now, Name: name, Changes: diffs})
}

func configLog(c *call) reply {
	n := 10
	if asked, ok := c.args.int("num"); ok {
		n = int(asked)
	}
	history := c.state.Config.History
	var shown []ConfigChange
	for _, h := range slices.Backward(history) {
		if len(shown) < n {
			shown = append(shown, h)
		}
	}
	when := func(h ConfigChange) string {
		if h.Version == 1 {
			return "0.000000"
		}
		return c.release.stamp(h.Time)
	}
	return c.show(arrayOf(shown, func(h ConfigChange) any {
		changes := arrayOf(h.Changes, func(d ConfigDiff) any {
			o := object{{"name", d.Name}}
			if d.Old != nil {
				o = append(o, field{"previous_value", *d.Old})
			}
			if d.New != nil {
				o = append(o, field{"new_value", *d.New})
			}
			return o
		})
		return object{{"version", h.Version}, {"timestamp", when(h)}, {"name", h.Name}, {"changes", changes}}
	}), func() string {
		var b strings.Builder
		for _, h := range shown {
			fmt.Fprintf(&b, "--- %d --- %s", h.Version, when(h))
			if h.Name != "" {
				b.WriteString(" --- " + h.Name)
			}
			b.WriteString(" ---\n")
			for _, d := range h.Changes {
				if d.Old != nil {
					fmt.Fprintf(&b, "- %s = %s\n", d.Name, *d.Old)
				}
				if d.New != nil {
					fmt.Fprintf(&b, "+ %s = %s\n", d.Name, *d.New)
				}
			}
		}
		return b.String()
	})
}

// splitKey takes a key of the log apart: "osd/class:ssd/osd_max_backfills".
func splitKey(key string) ConfigOption {
	section, rest, _ := strings.Cut(key, "/")
	o := ConfigOption{Section: section, Name: rest}
	if mask, name, ok := strings.Cut(rest, "/"); ok && strings.Contains(mask, ":") {
		o.Mask, o.Name = mask, name
	}
	return o
}

func configReset(c *call) reply {
	num, _ := c.args.int("num")
	history := c.state.Config.History
	current := history[len(history)-1].Version
	if int(num) < 1 || int(num) > current {
		return fail(syscall.EINVAL, "must specify a valid historical version to revert to; see 'ceph config log' for a list of avialable configuration historical versions")
	}
	if int(num) == current {
		return done("")
	}
	t := c.change()
	var diffs []ConfigDiff
	for _, h := range slices.Backward(history) {
		if h.Version <= int(num) {
			break
		}
		for _, d := range slices.Backward(h.Changes) {
			o := splitKey(d.Name)
			if d.Old != nil {
				o.Value = *d.Old
				diffs = append(diffs, t.config().put(o))
			} else if diff, ok := t.config().drop(o); ok {
				diffs = append(diffs, diff)
			}
		}
	}
	t.record(fmt.Sprintf("reset to %d", num), diffs...)
	return done("")
}

func configAssimilate(c *call) reply {
	f, err := conf.Parse(c.input)
	if err != nil {
		return fail(syscall.EINVAL, "failed to parse config: %v", err)
	}
	rest := &strings.Builder{}
	var diffs []ConfigDiff
	for _, section := range f.Sections() {
		var left []string
		for _, name := range f.Options(section) {
			value, _ := f.Get(section, name)
			opt, known := lookupOption(name)
			_, _, ok := target(section)
			if !known || !ok || notCentral[name] {
				left = append(left, name+" = "+value)
				continue
			}
			v, err := opt.parse(value)
			if err != nil {
				left = append(left, name+" = "+value)
				continue
			}
			diffs = append(diffs, c.change().config().put(ConfigOption{Section: section, Name: name, Value: v}))
		}
		if len(left) > 0 {
			fmt.Fprintf(rest, "\n[%s]\n\t%s\n", section, strings.Join(left, "\n\t"))
		}
	}
	if len(diffs) > 0 {
		c.change().record("assimilate-conf", diffs...)
	}
	return reply{out: rest.String()}
}

// notCentral are options that a daemon needs before it reaches the monitors
// (flag no_mon_update).
var notCentral = map[string]bool{
	"fsid": true, "mon_host": true, "host": true, "keyring": true, "key": true, "keyfile": true, "mon_data": true, "osd_data": true,
	"mgr_data": true, "mds_data": true, "public_addr": true, "public_bind_addr": true, "cluster_addr": true, "mon_initial_members": true, "osd_objectstore": true,
}

func configMinimal(c *call) reply {
	var hosts []string
	for _, info := range c.state.MonMap.Mons {
		hosts = append(hosts, info.Addrs.bracketed())
	}
	return reply{out: fmt.Sprintf("# minimal ceph.conf for %[1]s\n[global]\n\tfsid = %[1]s\n\tmon_host = %[2]s\n", c.state.FSID, strings.Join(hosts, " "))}
}
