package volume

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Majors at which something changes here.
const (
	nautilus = 14
	octopus  = 15
	pacific  = 16
	reef     = 18
)

// run is one run of ceph-volume.
type run struct {
	*host.Process
	major   int // version of Ceph
	cluster string
	conf    *conf.File
}

// runtimeError ends ceph-volume with "-->  RuntimeError: …" and exit code 1.
type runtimeError struct{ kind, text string }

func (e runtimeError) Error() string { return e.kind + ": " + e.text }

func failf(format string, args ...any) error {
	return runtimeError{"RuntimeError", fmt.Sprintf(format, args...)}
}

// usageError ends ceph-volume as argparse does, with exit code 2.
type usageError struct{ usage, program, text string }

func (e usageError) Error() string { return e.text }

const mainUsage = `usage: ceph-volume [-h] [--cluster CLUSTER]
                   [--log-level {debug,info,warning,error,critical}]
                   [--log-path LOG_PATH]
`

// Main is the program ceph-volume of a release, given by its major version.
func Main(major int, p *host.Process) int {
	r := &run{Process: p, major: major, cluster: "ceph"}
	err := r.main(p.Args[1:])
	switch e := err.(type) {
	case nil:
		return 0
	case usageError:
		p.Errorf("%s%s: error: %s\n", e.usage, e.program, e.text)
		return 2
	default:
		p.Errorf("-->  %s\n", e)
		return 1
	}
}

func (r *run) main(args []string) error {
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		name, value, inWord := strings.Cut(args[0], "=")
		known := slices.Contains([]string{"--cluster", "--log-level", "--log-path"}, name)
		if !known {
			return usageError{mainUsage, "ceph-volume", "unrecognized arguments: " + strings.Join(args, " ")}
		}
		args = args[1:]
		if !inWord {
			if len(args) == 0 {
				return usageError{mainUsage, "ceph-volume", fmt.Sprintf("argument %s: expected one argument", name)}
			}
			value, args = args[0], args[1:]
		}
		if name == "--cluster" {
			r.cluster = value
		}
	}
	verb := strings.Join(args[:min(2, len(args))], " ")
	switch {
	case len(args) == 0:
		r.Printf("%s", mainUsage)
		return nil
	case args[0] == "inventory":
		return r.inventory(args[1:])
	case verb == "lvm batch":
		return r.batch(args[2:])
	case verb == "lvm prepare", verb == "lvm create":
		return r.lvmPrepare(args[2:])
	case verb == "lvm activate":
		return r.lvmActivate(args[2:])
	case verb == "lvm list":
		return r.lvmList(args[2:])
	case verb == "lvm zap":
		return r.lvmZap(args[2:])
	case args[0] == "raw" && r.major < octopus && r.major != nautilus:
		return usageError{mainUsage, "ceph-volume", "unrecognized arguments: " + strings.Join(args, " ")}
	case verb == "raw prepare":
		return r.rawPrepare(args[2:])
	case verb == "raw activate":
		return r.rawActivate(args[2:])
	case verb == "raw list":
		return r.rawList(args[2:])
	}
	return usageError{mainUsage, "ceph-volume", "unrecognized arguments: " + strings.Join(args, " ")}
}

// say prints a line of ceph-volume's own.
func (r *run) say(format string, args ...any) { r.Errorf("--> "+format+"\n", args...) }

// flags are the arguments of a command of ceph-volume.
type flags struct {
	program string
	values  map[string]string
	set     map[string]bool
	lists   map[string][]string
	rest    []string
}

// spec says which flags a command has: those with one value, those with
// several, and those with none.
type spec struct{ values, lists, switches string }

func parse(program string, s spec, args []string) (*flags, error) {
	f := &flags{program: program, values: map[string]string{}, set: map[string]bool{}, lists: map[string][]string{}}
	is := func(list, name string) bool { return slices.Contains(strings.Fields(list), name) }
	for i := 0; i < len(args); i++ {
		name, value, inWord := strings.Cut(args[i], "=")
		switch {
		case !strings.HasPrefix(name, "--"):
			f.rest = append(f.rest, args[i])
		case is(s.switches, name):
			f.set[name] = true
		case is(s.values, name):
			if !inWord {
				if i++; i >= len(args) {
					return nil, f.bad("argument %s: expected one argument", name)
				}
				value = args[i]
			}
			f.values[name] = value
		case is(s.lists, name):
			if inWord {
				f.lists[name] = append(f.lists[name], value)
			}
			for i+1 < len(args) && !strings.HasPrefix(args[i+1], "--") {
				i++
				f.lists[name] = append(f.lists[name], args[i])
			}
		default:
			return nil, f.bad("unrecognized arguments: %s", args[i])
		}
	}
	return f, nil
}

func (f *flags) bad(format string, args ...any) error {
	return usageError{fmt.Sprintf("usage: %s [-h]\n", f.program), f.program, fmt.Sprintf(format, args...)}
}

// needConf reads the ceph.conf of the cluster, without which nothing can be
// prepared or activated.
func (r *run) needConf() error {
	path := r.Env["CEPH_CONF"]
	if path == "" {
		path = "/etc/ceph/" + r.cluster + ".conf"
	}
	data, err := r.Files.ReadFile(path)
	if err != nil {
		return runtimeError{"ConfigurationError", "Unable to load expected Ceph config at: " + path}
	}
	r.conf, err = conf.Parse(data)
	if err != nil {
		return runtimeError{"RuntimeError", fmt.Sprintf("Unable to read configuration file: %s", path)}
	}
	return nil
}

// fsid is the cluster's, from its ceph.conf.
func (r *run) fsid() (string, error) {
	if v, ok := r.conf.Get("global", "fsid"); ok {
		return v, nil
	}
	return "", runtimeError{"RuntimeError", "Unable to find any 'fsid' in the section global of the ceph.conf"}
}

// child runs another program, prints it as ceph-volume does, and hands back what
// it wrote.
func (r *run) child(stdin []byte, show bool, args ...string) (out string, err error) {
	r.Errorf("Running command: /usr/bin/%s\n", strings.Join(args, " "))
	c := r.Child(args...)
	c.Stdin = stdin
	code := c.Run()
	for line := range strings.Lines(c.Stderr.String()) {
		r.Errorf(" stderr: %s\n", strings.TrimRight(line, "\n"))
	}
	if show {
		for line := range strings.Lines(c.Stdout.String()) {
			r.Errorf(" stdout: %s\n", strings.TrimRight(line, "\n"))
		}
	}
	if code != 0 {
		return c.Stdout.String(), failf("Command failed with exit code %d: /usr/bin/%s", code, strings.Join(args, " "))
	}
	return c.Stdout.String(), nil
}

// note prints a command that has no effect of its own in the simulation.
func (r *run) note(args ...string) { r.Errorf("Running command: %s\n", strings.Join(args, " ")) }

// dataDevice is the device of --data, which must be given.
func (r *run) dataDevice(f *flags) (entry, error) {
	if f.values["--data"] == "" {
		return entry{}, f.bad("the following arguments are required: --data")
	}
	return r.device(f, f.values["--data"])
}

// device is the device that a command names.
func (r *run) device(f *flags, name string) (entry, error) {
	e, ok := find(r.Machine, name)
	if !ok || !Open(r.Process) {
		return entry{}, f.bad("Unable to proceed with non-existing device: %s", name)
	}
	return e, nil
}
