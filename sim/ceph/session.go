package ceph

import (
	"math/rand/v2"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/caps"
	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Intervals of a client that looks for a monitor.
const (
	huntInterval    = 3 * time.Second // mon_client_hunt_interval, times 1.5 each time up to ten times
	connectTime     = 10 * time.Millisecond
	clientMount     = 300 * time.Second // client_mount_timeout
	retryAfterBusy  = time.Second
	messageTime     = time.Millisecond
	clientStartTime = 150 * time.Millisecond // of the Python program
)

// session is a client's or daemon's connection to the monitors. It stays when
// a monitor goes: the next call looks for another one.
type session struct {
	sim     *Sim
	p       *host.Process
	mons    []AddrVec // where to look
	release *release  // of the program
	entity  string
	key     string
	rand    *rand.Rand
	mon     *mon // connected to; may be gone
	caps    map[string]string
	watch   func(old, now *State)
}

// errDenied: the monitors do not know the entity by that key.
type errDenied struct{}

func (errDenied) Error() string { return "permission denied" }

// errTimedOut: no monitor that is in quorum answered in time.
type errTimedOut struct{}

func (errTimedOut) Error() string { return "timed out" }

// connect finds a monitor that is in quorum and shows it the key; it waits for
// one at most limit, or for ever if that is 0. It must be called from a
// process. The error is errTimedOut or errDenied.
func (s *Sim) connect(p *host.Process, mons []AddrVec, entity, key string, limit time.Duration) (*session, error) {
	c := &session{sim: s, p: p, release: releaseOf(p.Image.Version), mons: mons, entity: entity, key: key, rand: s.loop.Rand("clients")}
	p.Group.OnKill(c.close)
	return c, c.hunt(limit)
}

// close ends the session.
func (c *session) close() {
	if c.mon != nil {
		c.mon.sessions = slices.DeleteFunc(c.mon.sessions, func(x *session) bool { return x == c })
		c.mon = nil
	}
}

// onChange calls fn, as an event of its own, after each commit that reaches the
// monitor of the session. fn must not wait.
func (c *session) onChange(fn func(old, now *State)) { c.watch = fn }

func (c *session) notify(old, now *State) {
	if c.watch != nil {
		c.p.Group.After(messageTime, "map change", func() { c.watch(old, now) })
	}
}

// connected says whether the monitor of the session can still be used.
func (c *session) connected() bool {
	return c.mon != nil && !c.mon.dead() && c.mon.inQuorum() && c.reaches(c.mon)
}

func (c *session) reaches(m *mon) bool {
	for _, addrs := range c.places() {
		if c.sim.dial(c.p.Addr, addrs) == m {
			return true
		}
	}
	return false
}

// places are where a monitor may be: where the client was told, and the monmap
// that it last saw.
func (c *session) places() []AddrVec {
	all := slices.Clone(c.mons)
	if c.mon != nil && c.mon.monmap != nil {
		for _, info := range c.mon.monmap.Mons {
			all = append(all, info.Addrs)
		}
	}
	return all
}

// hunt looks for a monitor until limit has passed; 0 is no limit.
func (c *session) hunt(limit time.Duration) error {
	end := c.sim.loop.Now().Add(limit)
	for wait := huntInterval; ; wait = min(wait*3/2, 10*huntInterval) {
		c.sim.loop.Sleep(connectTime)
		if m := c.find(); m != nil {
			return c.login(m)
		}
		if limit > 0 {
			left := end.Sub(c.sim.loop.Now())
			if left <= 0 {
				return errTimedOut{}
			}
			wait = min(wait, left)
		}
		c.sim.loop.Sleep(wait)
	}
}

// find is a monitor in quorum, in an order of the client's choice.
func (c *session) find() *mon {
	places := c.places()
	for _, i := range c.rand.Perm(len(places)) {
		if m := c.sim.dial(c.p.Addr, places[i]); m != nil && m.inQuorum() && m.store.state != nil {
			return m
		}
	}
	return nil
}

func (c *session) login(m *mon) error {
	known := m.store.state.Auth.Entities[c.entity]
	if c.entity == "mon." {
		known = AuthEntry{Key: m.key, Caps: map[string]string{"mon": "allow *"}}
	}
	if known.Key == "" || known.Key != c.key {
		return errDenied{}
	}
	c.close()
	c.mon, c.caps = m, known.Caps
	m.sessions = append(m.sessions, c)
	return nil
}

// ready waits until there is a leader that can be reached through the session's
// monitor. The error is errDenied.
func (c *session) ready() (*mon, error) {
	for {
		if c.connected() {
			if leader := c.mon.reach(c.mon.leader); leader != nil && leader.status == stateLeader {
				return leader, nil
			}
			c.sim.loop.Sleep(retryAfterBusy)
			continue
		}
		if err := c.hunt(0); err != nil {
			return nil, err
		}
	}
}

// submit has the leader carry out fn at one instant and commits what it
// changed. It waits as long as there is no quorum. What a daemon sends to the
// monitors (boot, beacon) goes this way. The error is errDenied.
func (c *session) submit(writes bool, fn func(call *call) reply) (reply, error) {
	for {
		leader, err := c.ready()
		if err != nil {
			return reply{}, err
		}
		if writes {
			c.sim.loop.Sleep(leader.proposeDelay())
			if leader.status != stateLeader || leader.dead() {
				continue
			}
		}
		call := &call{
			sim: c.sim, mon: leader, state: leader.store.state, now: c.sim.loop.Now(), release: leader.release,
			caller: caller{entity: c.entity, caps: c.caps, addr: c.p.Addr}, session: c,
		}
		r := fn(call)
		if r.errno != 0 || call.tx == nil || leader.commit(call.tx) {
			return r, nil
		}
		c.sim.loop.Sleep(retryAfterBusy) // the quorum lost a member: an election is near
	}
}

// proposeDelay is how long the leader gathers changes before it commits.
func (m *mon) proposeDelay() time.Duration {
	since := m.sim.loop.Since(m.lastCommit)
	if m.lastCommit.IsZero() || since >= proposeInterval {
		return proposeMinWait
	}
	return proposeInterval - since
}

// run sends a command: to the leader, or to the active manager if the
// description says so.
func (c *session) run(d *description, a args, format string, input []byte) (reply, error) {
	if d.flags&flagMgr != 0 {
		if err := c.awaitMgr(); err != nil {
			return reply{}, err
		}
	}
	h, known := c.sim.handlers[d.prefix]
	return c.submit(d.writes(), func(call *call) reply {
		call.desc, call.args, call.format, call.input = d, a, format, input
		if m := call.state.MgrMap; d.flags&flagMgr != 0 && m.Active != nil {
			call.release = m.Active.Release // in the middle of an upgrade it is older than the monitors
		}
		switch {
		case !call.allowed():
			if d.flags&flagMgr != 0 && call.release.atLeast(nautilus) {
				return fail(syscall.EACCES, "access denied: does your client key have mgr caps? See http://docs.ceph.com/en/latest/mgr/administrator/#client-authentication")
			}
			return fail(syscall.EACCES, "access denied")
		case d.flags&flagHidden != 0 && d.prefix != "version" && d.module != "mds": // those of mds are only not shown
			return fail(syscall.EINVAL, "unrecognized command")
		case !known:
			return fail(syscall.EOPNOTSUPP, "the simulation has no handler for '%s'", d.prefix)
		}
		return h(call)
	})
}

// awaitMgr waits until a manager is active and has loaded its modules.
func (c *session) awaitMgr() error {
	for {
		leader, err := c.ready()
		if err != nil {
			return err
		}
		if m := leader.store.state.MgrMap; m.Active != nil && m.Available {
			return nil
		}
		c.sim.loop.Sleep(retryAfterBusy)
	}
}

// allowed checks the caller's caps against the command.
func (c *call) allowed() bool {
	service := "mon"
	if c.desc.flags&flagMgr != 0 {
		service = "mgr"
	}
	text := c.caller.caps[service]
	if text == "allow *" {
		return true
	}
	if c.desc.perm == "" {
		return true
	}
	granted, err := caps.Parse(service, text)
	if err != nil {
		return false
	}
	values := make(map[string]string, len(c.args))
	for name := range c.args {
		values[name] = strings.Join(c.args.texts(name), " ")
	}
	return granted.Allows(caps.Request{
		Entity: c.caller.entity, Service: c.desc.module, Command: c.desc.prefix, Args: values, Need: accessOf(c.desc.perm),
	})
}

func accessOf(perm string) caps.Access {
	var a caps.Access
	for letter, bit := range map[string]caps.Access{"r": caps.R, "w": caps.W, "x": caps.X} {
		if strings.Contains(perm, letter) {
			a |= bit
		}
	}
	return a
}

// monsOf are the places of the monitors that options name.
func (o *options) monsOf() []AddrVec {
	var all []AddrVec
	for _, text := range splitMonHost(o.or("mon_host", "")) {
		v, ok := parseAddrVec(text)
		if !ok {
			continue
		}
		var addrs AddrVec
		for _, a := range v {
			addrs = append(addrs, clientAddrs(a)...)
		}
		all = append(all, addrs)
	}
	return all
}

// clientAddrs are what a client tries for an address: both protocols where it
// does not say which.
func clientAddrs(a Addr) AddrVec {
	if a.Port != 0 {
		return AddrVec{a}
	}
	switch a.Type {
	case "v1":
		a.Port = portV1
		return AddrVec{a}
	case "v2":
		a.Port = portV2
		return AddrVec{a}
	}
	return AddrVec{{Type: "v2", IP: a.IP, Port: portV2}, {Type: "v1", IP: a.IP, Port: portV1}}
}

// keyringAttempts is how often a client of Ceph tries to read its keyring while
// it starts.
const keyringAttempts = 4

// keyOf reads the key of the program's entity: of --key, --keyfile or the first
// keyring that is there. Problems are written as Ceph's programs do.
func (o *options) keyOf(p *host.Process, fallback string) (key string, errno syscall.Errno) {
	if k, ok := o.argv["key"]; ok {
		return k, 0
	}
	if f, ok := o.get("keyfile"); ok {
		data, err := p.Files.ReadFile(f)
		if err != nil {
			o.logf(p, -1, "failed to open %s: %s", f, cppError(err))
			return "", syscall.ENOENT
		}
		return strings.TrimSpace(string(data)), 0
	}
	search := o.or("keyring", fallback)
	file, data := findFile(p, search)
	if file == "" {
		o.logf(p, -1, "auth: unable to find a keyring on %s: (2) No such file or directory", search)
		return "", syscall.ENOENT
	}
	ring, err := conf.ParseKeyring(data)
	if err != nil {
		for range keyringAttempts {
			o.logf(p, -1, "auth: error parsing file %s: %v", file, err)
			o.logf(p, -1, "auth: failed to load %s: (5) Input/output error", file)
		}
		return "", syscall.EIO
	}
	return ring[o.who.Name()].Key, 0
}
