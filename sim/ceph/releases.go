package ceph

import (
	"maps"
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
	renamed map[string]string    // prefix: new prefix
	shown   []string             // prefixes that lose their hidden flag
	changed func(d *description) // called for each command's own copy
}

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

func str(name string) param     { return param{name: name, kind: "CephString", required: true} }
func (p param) optional() param { p.required = false; return p }
func boolean(name string) param { return param{name: name, kind: "CephBool"} }
func choice(n, one string) param {
	return param{name: n, kind: "CephChoices", required: true, choices: strings.Split(one, "|")}
}
func flagChoice(flag string) param { return choice("sure", flag).optional() }
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
		if to, ok := e.renamed[d.prefix]; ok {
			c.rename(to)
		}
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

// rename gives a command other fixed words.
func (d *description) rename(to string) {
	var sig []param
	for w := range strings.FieldsSeq(to) {
		sig = append(sig, param{word: w, required: true})
	}
	for _, p := range d.sig {
		if p.word == "" {
			sig = append(sig, p)
		}
	}
	d.need += len(strings.Fields(to)) - len(strings.Fields(d.prefix))
	d.prefix, d.sig = to, sig
}

// commandSets are made once a release and never changed.
var commandSets = func() map[int]func() *commandSet {
	sets := map[int]func() *commandSet{}
	for major := luminous; major <= tentacle; major++ {
		sets[major] = sync.OnceValue(func() *commandSet { return newCommandSet(commandsOf(major)) })
	}
	return sets
}()

// commands is the release's command set; a release that is not known has that
// of the nearest one.
func (r *release) commands() *commandSet {
	return commandSets[min(max(r.major, luminous), tentacle)]()
}

func commandsOf(major int) []*description {
	list := parseDescriptions()
	for m := pacific; m > major; m-- {
		list = undo()[m].apply(list)
	}
	for m := pacific + 1; m <= major; m++ {
		list = since()[m].apply(list)
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
	return map[int]edits{
		quincy: {
			removed: []string{"osd blacklist", "osd blacklist ls", "osd blacklist clear"},
			added: []*description{
				command("config-key get-all", "config-key", "r", 0, "get all"),
			},
		},
		reef: {},
		squid: {
			added: []*description{
				command("osd rm-pg-upmap-primary-all", "osd", "rw", 0, "clear all pg primary setting (if any)"),
			},
		},
		tentacle: {},
	}
}

// undo is what a release changed, backwards: undo[pacific] makes octopus's list
// of pacific's.
func undo() map[int]edits {
	all := parseDescriptions()
	return map[int]edits{
		pacific: {
			removed: slices.Concat(
				withPrefix(all, "osd blocklist"), withPrefix(all, "orch"), withPrefix(all, "nfs"), withPrefix(all, "cephadm"),
				[]string{"mon ok-to-add-offline", "mon set election_strategy", "mon add disallowed_leader", "mon rm disallowed_leader", "mon set_location", "mon enable_stretch_mode"},
			),
		},
		octopus: {
			removed: slices.Concat(
				withPrefix(all, "health mute"), withPrefix(all, "health unmute"), withPrefix(all, "connection scores"),
				[]string{"osd ok-to-stop --max"},
			),
			shown: []string{"mon_status", "quorum enter", "quorum exit", "injectargs", "heap", "compact", "sync_force", "add_bootstrap_peer_hint"},
		},
		nautilus: {
			removed: slices.Concat(
				[]string{"mon enable-msgr2", "mon set-weight", "mon set-addrs", "add_bootstrap_peer_hintv", "mon ok-to-rm", "mon ok-to-stop", "config generate-minimal-conf"},
				withPrefix(all, "device"), withPrefix(all, "progress"), withPrefix(all, "crash"), withPrefix(all, "rbd"),
				withPrefix(all, "fs volume"), withPrefix(all, "fs subvolume"), withPrefix(all, "fs subvolumegroup"), withPrefix(all, "fs clone"),
				withPrefix(all, "osd pool autoscale-status"), withPrefix(all, "osd rm-pg-upmap-primary"),
			),
		},
		mimic: {
			removed: slices.Concat(withPrefix(all, "config"), withPrefix(all, "osd destroy-actual"), withPrefix(all, "osd purge-actual")),
		},
	}
}

// prefixes lists the commands of the set, sorted: for tests.
func (s *commandSet) prefixes() []string {
	seen := map[string]bool{}
	for _, d := range s.all {
		seen[d.prefix] = true
	}
	return slices.Sorted(maps.Keys(seen))
}
