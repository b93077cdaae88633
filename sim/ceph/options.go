package ceph

import (
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// options are what a Ceph program is told by argv, environment and ceph.conf.
type options struct {
	release *release
	who     conf.Who
	argv    map[string]string // by conf.Name
	weak    map[string]string // of --default-NAME: hold where nothing else says otherwise
	rest    []string          // what was no option
	file    *conf.File        // nil if there is no ceph.conf
	path    string            // of the ceph.conf that was read or asked for
}

// short are the short options that every program takes, by the option's name.
var shortOptions = map[string]string{
	"-i": "id", "-n": "name", "-c": "conf", "-k": "keyring", "-m": "mon_host", "-K": "keyfile", "-a": "mon_host",
}

// early are options that tell a program who it is and what to read; they are
// no entries of the option table.
var earlyOptions = map[string]bool{
	"id": true, "name": true, "user": true, "conf": true, "cluster": true, "keyfile": true, "key": true, "setuser": true, "setgroup": true,
}

// errNoConf: the ceph.conf that was asked for is not there.
type errNoConf struct{ err error }

func (e errNoConf) Error() string { return e.err.Error() }

// readOptions takes the options off argv that Ceph's programs have in common.
// What is not known stays in rest, in order. flags are words that the program
// itself looks for in rest.
func readOptions(p *host.Process, r *release, kind, id string) (*options, error) {
	o := &options{release: r, who: conf.Who{Cluster: "ceph", Type: kind, ID: id, Host: p.Machine.Name}, argv: map[string]string{}, weak: map[string]string{}}
	args := p.Args[1:]
	for i := 0; i < len(args); i++ {
		n, err := o.take(p, args[i:])
		if err != nil {
			return nil, err
		}
		if n == 0 {
			o.rest = append(o.rest, args[i])
			n = 1
		}
		i += n - 1
	}
	if c, ok := o.argv["cluster"]; ok {
		o.who.Cluster = c
	}
	if name, ok := o.argv["name"]; ok {
		o.who.Type, o.who.ID, _ = strings.Cut(name, ".")
	}
	for _, key := range []string{"user", "id"} {
		if v, ok := o.argv[key]; ok {
			o.who.ID = v
		}
	}
	return o, o.readConf(p)
}

// take reads one option from the head of args and says how many words it has.
func (o *options) take(p *host.Process, args []string) (int, error) {
	word, value, inWord := args[0], "", false
	var name string
	switch long, isLong := strings.CutPrefix(word, "--"); {
	case isLong && long != "":
		long, value, inWord = strings.Cut(long, "=")
		name = conf.Name(long)
	case shortOptions[word] != "":
		name = shortOptions[word]
	case len(word) > 2 && shortOptions[word[:2]] != "" && !isLong:
		name, value, inWord = shortOptions[word[:2]], word[2:], true
	default:
		return 0, nil
	}
	if earlyOptions[name] {
		return o.set(name, value, inWord, args, false)
	}
	if weak, ok := strings.CutPrefix(name, "default_"); ok && inWord && o.release.atLeast(nautilus, 2, 1) {
		if opt, known := lookupOption(weak); known {
			o.weak[opt.name] = value
			return 1, nil
		}
	}
	opt, ok := lookupOption(name)
	negated := false
	if !ok {
		opt, ok = lookupOption(strings.TrimPrefix(name, "no_"))
		if negated = ok && strings.HasPrefix(name, "no_") && opt.kind == "bool"; !negated {
			return 0, nil
		}
	}
	if negated {
		o.argv[opt.name] = "false"
		return 1, nil
	}
	n, err := o.set(opt.name, value, inWord, args, opt.kind == "bool")
	if err != nil {
		return 0, err
	}
	if bad := opt.check(o.argv[opt.name]); bad {
		p.Errorf("parse error setting '%s' to '%s'\n\n", opt.name, o.argv[opt.name])
		delete(o.argv, opt.name)
		return n, nil
	}
	return n, nil
}

func (o *options) set(name, value string, inWord bool, args []string, isBool bool) (int, error) {
	switch {
	case inWord:
		o.argv[name] = value
		return 1, nil
	case isBool:
		if len(args) > 1 && (args[1] == "true" || args[1] == "false") {
			o.argv[name] = args[1]
			return 2, nil
		}
		o.argv[name] = "true"
		return 1, nil
	case len(args) < 2:
		return 0, says("Option %s requires an argument.", args[0])
	}
	o.argv[name] = args[1]
	return 2, nil
}

// check says whether a value is none of the option's kind.
func (o *option) check(v string) (bad bool) {
	switch o.kind {
	case "addr":
		_, ok := parseAddr(v)
		return !ok && v != "-" && v != ""
	case "uuid":
		return !uuidText.MatchString(v)
	case "int", "uint", "float", "bool":
		_, err := o.parse(v)
		return err != nil
	}
	return false
}

// readConf reads the ceph.conf: the one that was asked for, which has to be
// there, or the first of the usual places.
func (o *options) readConf(p *host.Process) error {
	paths, must := []string{"/etc/ceph/" + o.who.Cluster + ".conf"}, false
	if c := p.Env["CEPH_CONF"]; c != "" {
		paths, must = strings.Split(c, ","), true
	}
	if c := o.argv["conf"]; c != "" {
		paths, must = strings.Split(c, ","), true
	}
	for _, path := range paths {
		o.path = strings.TrimSpace(path)
		if o.path == "/dev/null" {
			return nil
		}
		data, err := p.Files.ReadFile(o.path)
		if err != nil {
			continue
		}
		f, err := conf.Parse(data)
		if err != nil {
			p.Errorf("parse error: %s: %v\n", o.path, err)
			return errNoConf{fs.ErrInvalid}
		}
		o.file = f
		return nil
	}
	if must {
		return errNoConf{fs.ErrNotExist}
	}
	return nil
}

// get is the value of an option: of argv, else of ceph.conf.
func (o *options) get(name string) (string, bool) {
	if v, ok := o.argv[name]; ok {
		return o.file.Expand(o.who, v), true
	}
	if o.file != nil {
		if v, ok := o.file.Lookup(o.who, name); ok {
			return v, true
		}
	}
	v, ok := o.weak[name]
	return o.file.Expand(o.who, v), ok
}

// or is the value of an option, or fallback with its metavariables expanded.
func (o *options) or(name, fallback string) string {
	if v, ok := o.get(name); ok {
		return v
	}
	return o.file.Expand(o.who, fallback)
}

// on is the value of a boolean option.
func (o *options) on(name string, fallback bool) bool {
	switch strings.ToLower(o.or(name, strconv.FormatBool(fallback))) {
	case "true", "1", "yes", "":
		return true
	}
	return false
}

// number is the value of an integer option.
func (o *options) number(name string, fallback int) int {
	if n, err := strconv.Atoi(o.or(name, "")); err == nil {
		return n
	}
	return fallback
}

// chooseleafType is osd_crush_chooseleaf_type: 1 (host) unless told otherwise.
func (o *options) chooseleafType() int { return o.number("osd_crush_chooseleaf_type", 1) }

// logf writes a line of a daemon's log to stderr if the options send it there:
// errors (negative level) always, the rest with log_to_stderr.
func (o *options) logf(p *host.Process, level int, format string, args ...any) {
	if level >= 0 && !o.on("log_to_stderr", false) || level < 0 && !o.on("err_to_stderr", true) || level > o.debugLevel() {
		return
	}
	stamp := p.Loop.Now().UTC().Format("2006-01-02T15:04:05.000+0000")
	if !o.release.atLeast(octopus) {
		stamp = p.Loop.Now().UTC().Format("2006-01-02 15:04:05.000")
	}
	p.Errorf("%s%s %12x %2d %s\n", o.or("log_stderr_prefix", ""), stamp, threadID, level, fmt.Sprintf(format, args...))
}

// threadID stands for the thread that writes a log line.
const threadID = 0x7f50b68b7640

func (o *options) debugLevel() int {
	text, _, _ := strings.Cut(o.or("debug_"+o.who.Type, "1"), "/")
	if n, err := strconv.Atoi(text); err == nil {
		return n
	}
	return 1
}
