package ceph

import (
	"slices"
	"strings"
	"sync"
)

// edits are what one release changed in the commands of the release before it,
// from octopus to tentacle, and undone for what is older: the embedded list is
// pacific's. Source: src/mon/MonCommands.h and src/mgr/MgrCommands.h of each
// release.
type edits struct {
	removed []string             // prefixes
	added   []*description       // at the end
	shown   []string             // prefixes that lose their hidden flag
	changed func(d *description) // called for each command's own copy
}

// command describes a command that pacific does not have.
func command(prefix, module, perm string, flags int, help string, params ...param) *description {
	d := &description{prefix: prefix, module: module, perm: perm, flags: flags, help: help}
	for w := range strings.FieldsSeq(prefix) {
		d.sig = append(d.sig, param{word: w, required: true})
	}
	d.sig = append(d.sig, params...)
	for _, p := range d.sig {
		if p.required {
			d.need++
		}
	}
	return d
}

// withPrefix are the commands that begin with those words.
func withPrefix(ds []*description, start string) []string {
	var out []string
	for _, d := range ds {
		if d.prefix == start || strings.HasPrefix(d.prefix, start+" ") {
			out = append(out, d.prefix)
		}
	}
	return out
}

// apply makes the next list from one that stays as it is.
func (e edits) apply(list []*description) []*description {
	var out []*description
	for _, d := range list {
		if slices.Contains(e.removed, d.prefix) {
			continue
		}
		c := *d
		if slices.Contains(e.shown, c.prefix) {
			c.flags &^= flagHidden
		}
		if e.changed != nil {
			e.changed(&c)
		}
		out = append(out, &c)
	}
	return append(out, e.added...)
}

// edition is what a set of commands is of: a release, before or after a change
// that came to some in the middle of their life.
type edition struct {
	major int
	// passwordFiles: the dashboard takes passwords from files.
	passwordFiles bool
}

// commandSets are made once an edition and never changed.
var commandSets = func() map[edition]func() *commandSet {
	sets := map[edition]func() *commandSet{}
	for major := luminous; major <= tentacle; major++ {
		for _, e := range []edition{{major, false}, {major, true}} {
			sets[e] = sync.OnceValue(func() *commandSet { return newCommandSet(commandsOf(e)) })
		}
	}
	return sets
}()

// commands is the release's command set; a release that is not known has that
// of the nearest one.
func (r *release) commands() *commandSet {
	return commandSets[edition{min(max(r.major, luminous), tentacle), r.passwordFiles()}]()
}

// passwordFiles says whether the dashboard takes passwords from files: from
// pacific on, and since 14.2.17 and 15.2.10.
func (r *release) passwordFiles() bool {
	switch r.major {
	case nautilus:
		return r.atLeast(nautilus, 2, 17)
	case octopus:
		return r.atLeast(octopus, 2, 10)
	}
	return r.atLeast(pacific)
}

func commandsOf(e edition) []*description {
	major := e.major
	list := parseDescriptions()
	for m := pacific; m > major; m-- {
		list = undo()[m].apply(list)
	}
	for m := pacific + 1; m <= major; m++ {
		list = since()[m].apply(list)
	}
	return append(withReleases(list, major), moduleCommands(e)...)
}

// withReleases has a release know itself and those before it, not those after it.
func withReleases(list []*description, major int) []*description {
	var names []string
	for m := luminous; m <= major; m++ {
		names = append(names, releaseNames[m])
	}
	for i, d := range list {
		if d.prefix != "osd require-osd-release" {
			continue
		}
		own := *d
		own.sig = slices.Clone(d.sig)
		for j := range own.sig {
			if own.sig[j].name == "release" {
				own.sig[j].choices = names
			}
		}
		list[i] = &own
	}
	return list
}

func newCommandSet(list []*description) *commandSet {
	s := &commandSet{byWord: map[string][]*description{}}
	for _, d := range list {
		if d.flags&flagObsolete != 0 {
			continue
		}
		s.all = append(s.all, d)
		s.byWord[d.sig[0].word] = append(s.byWord[d.sig[0].word], d)
	}
	return s
}

// since is what quincy and later changed.
func since() map[int]edits {
	pg := param{name: "pgid", kind: "CephPgid", required: true}
	osd := param{name: "id", kind: "CephOsdName", required: true}
	return map[int]edits{
		quincy: {
			removed: []string{"osd blacklist", "osd blacklist ls", "osd blacklist clear"},
			changed: func(d *description) {
				if d.prefix == "osd pool create" {
					d.sig = append(slices.Clone(d.sig), param{name: "yes_i_really_mean_it", kind: "CephBool"})
				}
			},
		},
		reef: {added: []*description{
			command("osd pg-upmap-primary", "osd", "rw", 0, "set pg primary osd mapping <pgid>:<id>", pg, osd),
			command("osd rm-pg-upmap-primary", "osd", "rw", 0, "clear pg primary setting for <pgid>", pg),
		}},
		squid: {added: []*description{
			command("osd rm-pg-upmap-primary-all", "osd", "rw", 0, "clear all pg primary entries (developers only)"),
		}},
	}
}

// undo is what a release changed, backwards: undo[pacific] makes octopus's list
// of pacific's.
func undo() map[int]edits {
	all := parseDescriptions()
	with := func(starts ...string) []string {
		var out []string
		for _, s := range starts {
			out = append(out, withPrefix(all, s)...)
		}
		return out
	}
	return map[int]edits{
		pacific: {
			removed: with("osd blocklist", "nfs", "fs snapshot mirror", "fs snap-schedule", "connection scores",
				"mon set election_strategy", "mon add disallowed_leader", "mon rm disallowed_leader", "mon set_location", "mon enable_stretch_mode"),
			changed: func(d *description) {
				if d.prefix == "mon add" {
					d.sig = d.sig[:4] // no location yet
				}
			},
		},
		octopus: {
			removed: with("health mute", "health unmute", "orch", "cephadm", "rbd mirror snapshot", "alerts", "osd info"),
			shown:   []string{"mon_status", "quorum enter", "quorum exit", "injectargs", "heap", "compact", "sync_force", "add_bootstrap_peer_hint", "sessions", "ops"},
			changed: func(d *description) {
				if d.prefix == "osd pool create" {
					d.require("pg_num")
				}
			},
		},
		nautilus: {
			removed: with("mon enable-msgr2", "mon set-weight", "mon set-addrs", "add_bootstrap_peer_hintv", "mon ok-to-rm", "mon ok-to-stop",
				"mon ok-to-add-offline", "config generate-minimal-conf", "device", "progress", "rbd task", "rbd perf", "insights", "osd perf counters",
				"osd perf query", "osd set-group", "osd unset-group", "fs fail", "mds ok-to-stop", "fs volume", "fs subvolume", "fs subvolumegroup", "fs clone", "osd pool autoscale-status", "osd numa-status"),
		},
		mimic: {removed: with("config", "crash", "telemetry", "dashboard")},
	}
}

// require makes an optional argument a required one.
func (d *description) require(name string) {
	d.sig = slices.Clone(d.sig)
	for i := range d.sig {
		if p := &d.sig[i]; p.name == name && !p.required {
			p.required = true
			d.need++
		}
	}
}
