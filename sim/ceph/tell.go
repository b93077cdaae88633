package ceph

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// asker is what a daemon answers to `ceph tell` and on its admin socket.
type asker interface {
	// ask runs a command; known is false if the daemon has none of that name.
	ask(words []string, format string) (r reply, known bool)
}

// adminSocket is the state of the file that stands for a daemon's socket.
type adminSocket struct {
	daemon asker
	open   bool
}

// openAdminSocket makes the socket of a daemon, as far as its directory can be
// written to, until the returned function is called or the process ends.
func (s *Sim) openAdminSocket(p *host.Process, o *options, daemon asker) (stop func()) {
	name := o.or("admin_socket", "$run_dir/$cluster-$name.asok")
	name = strings.ReplaceAll(name, "$run_dir", o.or("run_dir", "/var/run/ceph"))
	sock := &adminSocket{daemon: daemon, open: true}
	closeSocket := func() { sock.open = false }
	p.Group.OnKill(closeSocket)
	if p.Files.MkdirAll(path.Dir(name), 0o770) == nil && p.Files.WriteFile(name, nil, 0o755) == nil {
		if err := p.Files.SetState(name, sock); err != nil {
			o.logf(p, -1, "AdminSocket::bind_and_listen: failed to bind the UNIX domain socket to '%s': %s", name, cppError(err))
		}
	}
	return func() {
		closeSocket()
		_ = p.Files.Remove(name) // gone with the container otherwise
	}
}

// socketCommands are the first commands that an admin socket has, which the
// command line shows where it finds none that fits.
var socketCommands = []string{
	"0", "1", "2", "abort", "add_bootstrap_peer_hint <addr>", "add_bootstrap_peer_hintv <addrv>", "assert", "compact", "config diff", "config diff get <var>",
}

// daemonCommand is `ceph daemon NAME|PATH WORDS` and --admin-daemon.
func (c *cli) daemonCommand() int {
	words, socket := slices.Clone(c.words), c.asok
	kind, numbered := "", false
	if socket == "" {
		if len(words) < 3 {
			c.p.Errorf("daemon requires at least 3 arguments\n")
			return int(syscall.EINVAL)
		}
		socket, words = words[1], words[2:]
		if !strings.Contains(socket, "/") {
			var id string
			var ok bool
			kind, id, ok = strings.Cut(socket, ".")
			_, err := strconv.Atoi(id)
			numbered = err == nil
			if !ok {
				c.p.Errorf("Can't get admin socket path: unable to get conf option admin_socket for %s: b\"error parsing '%s': expected string of the form TYPE.ID, valid types are: auth, mon, osd, mds, mgr, client\\n\"\n", socket, socket)
				return int(syscall.EINVAL)
			}
			o := *c.o
			o.who.Type, o.who.ID = kind, id
			socket = strings.ReplaceAll(o.or("admin_socket", "$run_dir/$cluster-$name.asok"), "$run_dir", o.or("run_dir", "/var/run/ceph"))
		}
	}
	sock, ok := c.p.Files.State(socket).(*adminSocket)
	if !ok && numbered {
		// The program takes the number for a process id, and what is before it
		// for the daemon's name.
		c.p.Errorf("Can't get admin socket path: unable to get conf option admin_socket for %[1]s: b\"error parsing '%[1]s': expected string of the form TYPE.ID, valid types are: auth, mon, osd, mds, mgr, client\\n\"\n", kind)
		return int(syscall.EINVAL)
	}
	if !ok || !sock.open {
		why := "[Errno 2] No such file or directory"
		if ok {
			why = "[Errno 111] Connection refused"
		}
		c.p.Errorf("admin_socket: exception getting command descriptions: %s\n", why)
		return int(syscall.EINVAL)
	}
	format := c.format
	if format == "" {
		format = "json-pretty"
	}
	r, known := sock.daemon.ask(append(words, c.inject...), format)
	if !known {
		c.p.Errorf("no valid command found; 10 closest matches:\n%s\nadmin_socket: invalid command\n", strings.Join(socketCommands, "\n"))
		return int(syscall.EINVAL)
	}
	if r.errno != 0 {
		c.p.Errorf("%s: %s\n", errnoName(r.errno), r.status)
		return int(r.errno)
	}
	body := render(r.out, format)
	c.p.Printf("%s", body)
	return 0
}

// tell is `ceph tell DAEMON WORDS`.
func (c *cli) tell(s *session, words []string, input []byte) int {
	if len(words) < 2 {
		c.p.Errorf("error handling command target: local variable 'p' referenced before assignment\n")
		return 1
	}
	if len(words) < 3 {
		c.p.Errorf("\"ceph tell\" requires additional arguments. Try \"ceph tell <name> <command> [options...]\" instead.\n")
		return int(syscall.EINVAL)
	}
	target := words[1]
	kind, id, ok := strings.Cut(target, ".")
	if _, err := daemonName(target); err != nil || !ok && target != "mgr" && target != "mon" {
		c.p.Errorf("error handling command target: %v\n", err)
		return 1
	}
	words = words[2:]
	if id != "*" {
		daemon, errno := s.daemon(kind, id)
		if daemon == nil {
			return c.finish(fail(errno, "problem getting command descriptions from %s", target), "", "")
		}
		return c.finish(c.ask(daemon, words), "", "")
	}
	code := 0
	all := s.daemons(kind)
	for _, id := range all {
		prefix, suffix := "", ""
		if len(all) > 1 && c.out == "" {
			prefix, suffix = kind+"."+id+": ", "\n"
		}
		daemon, errno := s.daemon(kind, id)
		r := fail(errno, "problem getting command descriptions from %s.%s", kind, id)
		if daemon != nil {
			r = c.ask(daemon, words)
		}
		if n := c.finish(r, prefix, suffix); n != 0 {
			code = n
		}
	}
	return code
}

func (c *cli) ask(daemon asker, words []string) reply {
	format := c.format
	if format == "" {
		format = "json-pretty"
	}
	r, known := daemon.ask(words, format)
	if !known {
		c.p.Errorf("no valid command found; 10 closest matches:\n%s\n", strings.Join(socketCommands, "\n"))
		return fail(syscall.EINVAL, "invalid command")
	}
	if r.out != nil {
		r.out = render(r.out, format)
	}
	return r
}

// daemon is the daemon of that name, as far as the client can reach it.
func (s *session) daemon(kind, id string) (asker, syscall.Errno) {
	leader, err := s.ready()
	if err != nil {
		return nil, syscall.EACCES
	}
	if kind != "mon" {
		return s.sim.daemonAt(s.p.Addr, leader.store.state, kind, id)
	}
	mm := leader.store.state.MonMap
	if id == "" {
		return s.mon, 0
	}
	i := mm.Rank(id)
	if i < 0 {
		return nil, syscall.ENOENT
	}
	m := s.sim.dial(s.p.Addr, mm.Mons[i].Addrs)
	if m == nil {
		s.sim.loop.Sleep(probeTimeout)
		return nil, syscall.ENXIO
	}
	return m, 0
}

// daemons are the ids of all daemons of a kind.
func (s *session) daemons(kind string) []string {
	leader, err := s.ready()
	if err != nil {
		return nil
	}
	if kind == "mon" {
		var ids []string
		for _, info := range leader.store.state.MonMap.Mons {
			ids = append(ids, info.Name)
		}
		return ids
	}
	return daemonIDs(leader.store.state, kind)
}

// ping is `ceph ping mon.ID`, which needs no quorum and no key.
func (c *cli) ping() int {
	if len(c.words) < 2 {
		c.p.Errorf("\"ping\" requires a monitor name as argument: \"ping mon.<id>\"\n")
		return 1
	}
	id, ok := strings.CutPrefix(c.words[1], "mon.")
	if !ok {
		c.p.Errorf("\"ping\" expects a monitor to ping; try \"ping mon.<id>\"\n")
		return 1
	}
	for _, addrs := range c.o.monsOf() {
		m := c.sim.dial(c.p.Addr, addrs)
		if m == nil || m.name != id && id != "*" || !m.inQuorum() {
			continue
		}
		c.p.Printf("%s\n", toPrettyJSON(object{{"health", object{{"status", "HEALTH_OK"}}}, {"mon_status", m.statusJSON()}}))
		return 0
	}
	c.p.Sleep(time.Duration(c.o.number("client_mount_timeout", int(clientMount/time.Second))) * time.Second)
	c.p.Errorf("[errno 110] RADOS timed out (error calling ping_monitor)\n")
	return 1
}

// ask answers `ceph tell mon.X` and the admin socket.
func (m *mon) ask(words []string, format string) (reply, bool) {
	if len(words) > 2 && words[0] == "config" {
		return m.askConfig(words[1:])
	}
	switch strings.Join(words, " ") {
	case "mon_status":
		return reply{out: m.statusJSON()}, true
	case "version":
		return reply{out: versionJSON(m.release)}, true
	case "quorum enter":
		if m.status == "" {
			return done(""), true
		}
		return done("started responding to quorum, initiated new election"), true
	case "help":
		return reply{out: object{{"mon_status", "report status of monitors"}, {"version", "get ceph version"}}}, true
	}
	return reply{}, false
}

// askConfig is "config get NAME" and "config set NAME VALUE", which last as long
// as the process.
func (m *mon) askConfig(words []string) (reply, bool) {
	opt, known := lookupOption(words[1])
	if !known {
		return reply{out: object{{"error", "error getting '" + words[1] + "': (2) No such file or directory"}}}, true
	}
	switch {
	case words[0] == "get":
		v, ok := m.opts.get(opt.name)
		if !ok {
			v = opt.defaultFor("mon." + m.name)
		}
		return reply{out: object{{opt.name, v}}}, true
	case words[0] == "set" && len(words) > 2:
		v, err := opt.parse(words[2])
		if err != nil {
			return reply{out: object{{"error", "error setting '" + opt.name + "' to '" + words[2] + "': " + err.Error()}}}, true
		}
		m.opts.argv[opt.name] = v
		return reply{out: object{{"success", ""}}}, true
	}
	return reply{}, false
}

// versionJSON is what every daemon answers to "version".
func versionJSON(r *release) object {
	o := object{{"version", r.version}, {"release", r.name}}
	if r.atLeast(nautilus) {
		o = append(o, field{"release_type", "stable"})
	}
	return o
}
