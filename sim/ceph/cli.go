package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// cli is one run of the program ceph.
type cli struct {
	sim *Sim
	p   *host.Process
	r   *release
	o   *options

	format, in, out, asok string
	timeout               time.Duration
	version, status, help bool
	words                 []string // the command
	inject                []string // injectargs and what follows
}

// cephMain is the program ceph.
func cephMain(s *Sim, r *release, p *host.Process) int {
	c := &cli{sim: s, p: p, r: r}
	if code, ok := c.parse(); !ok {
		return code
	}
	if c.version {
		p.Sleep(clientStartTime / 2)
		p.Printf("%s\n", r.long())
		return 0
	}
	p.Sleep(clientStartTime)
	if c.asok != "" || len(c.words) > 0 && c.words[0] == "daemon" {
		return c.daemonCommand()
	}
	if len(c.words) > 0 && c.words[0] == "ping" {
		return c.ping()
	}
	return c.command()
}

// globalFlags are the flags of the program itself, by every spelling, with
// whether they take a value.
var globalFlags = map[string]struct {
	name  string
	value bool
}{
	"-h": {"help", false}, "--help": {"help", false},
	"-c": {"conf", true}, "--conf": {"conf", true},
	"-i": {"in", true}, "--in-file": {"in", true},
	"-o": {"out", true}, "--out-file": {"out", true},
	"--setuser": {"setuser", true}, "--setgroup": {"setgroup", true},
	"--id": {"id", true}, "--user": {"id", true}, "--name": {"name", true}, "-n": {"name", true},
	"--cluster": {"cluster", true}, "--admin-daemon": {"asok", true},
	"-s": {"status", false}, "--status": {"status", false},
	"--version": {"version", false}, "-v": {"version", false},
	"--verbose": {"verbose", false}, "--concise": {"verbose", false},
	"-f": {"format", true}, "--format": {"format", true},
	"--connect-timeout": {"timeout", true}, "--block": {"block", false}, "--period": {"period", true}, "-p": {"period", true},
}

// parse takes argv apart: the program's own flags, wherever they stand, then
// Ceph's configuration options, and what is left is the command.
func (c *cli) parse() (code int, ok bool) {
	args := slices.Clone(c.p.Args)
	if extra := c.p.Env["CEPH_ARGS"]; extra != "" {
		args = append(args, strings.Fields(extra)...)
	}
	rest := []string{args[0]}
	for i := 1; i < len(args); i++ {
		word, value, inWord := splitFlag(args[i])
		flag, known := globalFlags[word]
		if !known {
			rest = append(rest, args[i])
			continue
		}
		if flag.value && !inWord {
			if i++; i == len(args) {
				return c.usage("argument %s: expected one argument", word), false
			}
			value = args[i]
		}
		if code, ok := c.flag(flag.name, word, value); !ok {
			return code, false
		}
	}
	if i := slices.Index(rest, "injectargs"); i > 0 {
		c.inject, rest = rest[i:], rest[:i]
	}
	return c.readOptions(rest)
}

// splitFlag parts --name=value, and -fvalue as argparse takes it.
func splitFlag(arg string) (word, value string, inWord bool) {
	if strings.HasPrefix(arg, "--") {
		return strings.Cut(arg, "=")
	}
	if len(arg) > 2 && arg[0] == '-' {
		if f, ok := globalFlags[arg[:2]]; ok && f.value {
			return arg[:2], strings.TrimPrefix(arg[2:], "="), true
		}
	}
	return arg, "", false
}

func (c *cli) flag(name, word, value string) (code int, ok bool) {
	switch name {
	case "help":
		c.help = true
	case "in":
		c.in = value
	case "out":
		c.out = value
	case "asok":
		c.asok = value
	case "status":
		c.status = true
	case "version":
		c.version = true
	case "format":
		if !slices.Contains([]string{"json", "json-pretty", "xml", "xml-pretty", "plain", "yaml"}, value) {
			return c.usage("argument -f/--format: invalid choice: '%s' (choose from 'json', 'json-pretty', 'xml', 'xml-pretty', 'plain', 'yaml')", value), false
		}
		c.format = value
	case "timeout":
		n, err := strconv.Atoi(value)
		if err != nil {
			return c.usage("argument %s: invalid int value: '%s'", word, value), false
		}
		c.timeout = time.Duration(n) * time.Second
	case "conf", "id", "name", "cluster":
		if c.o == nil {
			c.o = &options{argv: map[string]string{}}
		}
		c.o.argv[name] = value
	}
	return 0, true
}

// usage is argparse's answer to a flag that it cannot read.
func (c *cli) usage(format string, args ...any) int {
	c.p.Errorf("usage: ceph [-h] [-c CEPHCONF] [-i INPUT_FILE] [-o OUTPUT_FILE]\nceph: error: %s\n", fmt.Sprintf(format, args...))
	return 2
}

// readOptions reads configuration options and ceph.conf as librados does.
func (c *cli) readOptions(rest []string) (code int, ok bool) {
	if c.version {
		return 0, true
	}
	early := c.o
	q := *c.p
	q.Args = rest
	if early != nil {
		for name, v := range early.argv {
			q.Args = slices.Insert(slices.Clone(q.Args), 1, "--"+name+"="+v)
		}
	}
	o, err := readOptions(&q, c.r, "client", "admin")
	c.p.Stderr = q.Stderr
	if err != nil {
		c.p.Errorf("Error initializing cluster client: ObjectNotFound('RADOS object not found (error calling conf_read_file)')\n")
		return 1, false
	}
	for name, v := range map[string]string{"log_to_stderr": "true", "err_to_stderr": "true"} {
		if _, set := o.argv[name]; !set {
			o.argv[name] = v
		}
	}
	c.o, c.words = o, o.rest
	if i := slices.Index(c.words, "--"); i >= 0 {
		c.words = slices.Delete(c.words, i, i+1)
	}
	return 0, true
}

// connect reaches the monitors, or says why not as librados does.
func (c *cli) connect() (*session, int) {
	mons := c.o.monsOf()
	if len(mons) == 0 {
		c.p.Errorf("unable to get monitor info from DNS SRV with service name: ")
		c.o.logf(c.p, -1, "failed for service _ceph-mon._tcp")
		c.p.Errorf("ceph-mon\n")
		c.o.logf(c.p, -1, "monclient: get_monmap_and_config cannot identify monitors to contact")
		c.noConnection(syscall.ENOENT, "object not found")
		return nil, 1
	}
	key, errno := c.o.keyOf(c.p, "/etc/ceph/$cluster.$name.keyring,/etc/ceph/$cluster.keyring,/etc/ceph/keyring,/etc/ceph/keyring.bin")
	switch errno {
	case 0:
	case syscall.EIO:
		c.o.logf(c.p, -1, "monclient: keyring not found")
		c.noConnection(syscall.EIO, "I/O error")
		return nil, 1
	default:
		c.o.logf(c.p, -1, "monclient: keyring not found")
		c.noConnection(syscall.ENOENT, "object not found")
		return nil, 1
	}
	limit := c.timeout
	if limit == 0 {
		limit = time.Duration(c.o.number("client_mount_timeout", int(clientMount/time.Second))) * time.Second
	}
	s, err := c.sim.connect(c.p, mons, c.o.who.Name(), key, limit)
	switch err.(type) {
	case nil:
		return s, 0
	case errDenied:
		if !c.r.atLeast(nautilus) {
			c.o.logf(c.p, 0, "librados: %s authentication error (1) Operation not permitted", c.o.who.Name())
			c.noConnection(syscall.EPERM, "")
			return nil, 1
		}
		c.o.logf(c.p, -1, "monclient(hunting): handle_auth_bad_method server allowed_methods [2] but i only support [2]")
		c.noConnection(syscall.EACCES, "permission denied")
		return nil, int(syscall.EACCES)
	}
	if c.timeout > 0 {
		c.p.Errorf("timed out\n")
	} else {
		c.o.logf(c.p, 0, "monclient(hunting): authenticate timed out after %d", int(limit/time.Second))
		c.noConnection(syscall.ETIMEDOUT, "timed out")
	}
	return nil, 1
}

// noConnection is librados's last word about a connection that failed.
func (c *cli) noConnection(errno syscall.Errno, what string) {
	if !c.r.atLeast(octopus) {
		c.p.Errorf("[errno %d] error connecting to the cluster\n", int(errno))
		return
	}
	c.p.Errorf("[errno %d] RADOS %s (error connecting to the cluster)\n", int(errno), what)
}

// command runs what goes over the network.
func (c *cli) command() int {
	s, code := c.connect()
	if s == nil {
		return code
	}
	defer s.close()
	if c.help {
		return c.helpText(s)
	}
	input, err := c.input()
	if err != nil {
		c.p.Errorf("Can't open input file %s: [Errno %d] %s: '%s'\n", c.in, errnoOf(err), strings.SplitN(cppError(err), " ", 2)[1], c.in)
		return 1
	}
	if c.out != "" && c.out != "-" {
		if err := c.p.Files.WriteFile(c.out, nil, 0o644); err != nil {
			c.p.Errorf("Can't open output file %s: [Errno %d] %s: '%s'\n", c.out, errnoOf(err), strings.SplitN(cppError(err), " ", 2)[1], c.out)
			return 1
		}
	}
	words := c.words
	if c.status {
		words = append([]string{"status"}, words...)
	}
	if len(words) > 0 && words[0] == "tell" {
		return c.tell(s, append(slices.Clone(words), c.inject...), input)
	}
	words = append(slices.Clone(words), c.inject...)
	if len(words) == 0 {
		return 0 // the real one reads commands from stdin, which ends at once
	}
	d, a, bad := s.mon.release.commands().choose(words)
	if bad != nil {
		return c.refuse(bad)
	}
	r, err := s.run(d, a, c.format, input)
	if err != nil {
		r = fail(syscall.EACCES, "access denied")
	}
	return c.finish(r, "", "")
}

// refuse prints the advice for a line that is no command.
func (c *cli) refuse(bad *mismatch) int {
	c.p.Errorf("%s", bad.stderr)
	if bad.crash != "" {
		return 1
	}
	if c.out != "" && c.out != "-" && c.r.atLeast(octopus) {
		// The advice is no bytes, and Python 3 does not write it to the file.
		c.p.Errorf("Traceback (most recent call last):\nTypeError: a bytes-like object is required, not 'str'\n")
		return 1
	}
	return c.finish(fail(syscall.EINVAL, "invalid command"), "", "")
}

// input reads the file of -i.
func (c *cli) input() ([]byte, error) {
	switch c.in {
	case "":
		return nil, nil
	case "-":
		return c.p.Stdin, nil
	}
	return c.p.Files.ReadFile(c.in)
}

// render is an answer's output as bytes.
func render(out any, format string) []byte {
	switch v := out.(type) {
	case nil:
		return nil
	case string:
		return []byte(v)
	case []byte:
		return v
	}
	if format == "json-pretty" {
		return toPrettyJSON(out)
	}
	return toJSON(out)
}

// finish prints an answer and returns the exit code. An empty line goes before
// JSON on stdout, as the real program does.
func (c *cli) finish(r reply, prefix, suffix string) int {
	if r.errno != 0 && !c.r.atLeast(octopus) {
		c.p.Errorf("Error %s: %s\n", errnoName(r.errno), r.status)
		return int(r.errno)
	}
	body := render(r.out, c.format)
	switch {
	case c.out != "" && c.out != "-":
		if err := c.p.Files.WriteFile(c.out, body, 0o644); err != nil {
			c.p.Errorf("Can't open output file %s: %s\n", c.out, cppError(err))
			return 1
		}
	default:
		if strings.HasPrefix(c.format, "json") && c.out != "-" {
			c.p.Printf("\n")
		}
		if len(body) > 0 {
			c.p.Printf("%s%s%s", prefix, body, suffix)
		}
	}
	if r.errno != 0 {
		c.p.Errorf("Error %s: %s\n", errnoName(r.errno), r.status)
		return int(r.errno)
	}
	if r.status != "" {
		c.p.Errorf("%s%s\n", prefix, r.status)
	}
	return 0
}

// helpText lists the commands of the monitors.
func (c *cli) helpText(s *session) int {
	partial := strings.Join(c.words, " ")
	c.p.Printf("\n Monitor commands: \n =================\n")
	var lines []string
	for _, d := range s.mon.release.commands().all {
		if d.flags&(flagDeprecated|flagHidden) == 0 && strings.HasPrefix(d.usage(), partial) {
			lines = append(lines, fmt.Sprintf("%-60s %s", d.usage(), d.help))
		}
	}
	slices.Sort(lines)
	c.p.Printf("%s\n", strings.Join(lines, "\n"))
	return 0
}
