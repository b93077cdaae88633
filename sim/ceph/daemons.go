package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Ports that daemons bind to (ms_bind_port_min and ms_bind_port_max).
const (
	portMin = 6800
	portMax = 7300
)

// bindPort makes server reachable at the first free port of the range.
func (s *Sim) bindPort(p *host.Process, kind string, nonce uint32, server any) (Addr, bool) {
	for n := portMin; n <= portMax; n++ {
		closeFn, err := s.net.Listen(p.Addr, n, server)
		if err != nil {
			continue
		}
		p.Group.OnKill(closeFn)
		return Addr{Type: kind, IP: p.Addr, Port: n, Nonce: nonce}, true
	}
	return Addr{}, false
}

// bindDaemon binds one messenger of a daemon: v2 and v1 from nautilus on.
func (s *Sim) bindDaemon(p *host.Process, r *release, nonce uint32, server any) (AddrVec, bool) {
	kinds := []string{"v2", "v1"}
	if !r.atLeast(nautilus) {
		kinds = []string{"v1"}
	}
	var v AddrVec
	for _, kind := range kinds {
		a, ok := s.bindPort(p, kind, nonce, server)
		if !ok {
			return nil, false
		}
		v = append(v, a)
	}
	return v, true
}

// daemonAt is the daemon of a kind and id that a client at an address can reach.
// The errno says why there is none: ENOENT for a kind that cannot be told
// anything, ENXIO for a daemon that is not there or not up.
func (s *Sim) daemonAt(from string, st *State, kind, id string) (asker, syscall.Errno) {
	switch kind {
	case "osd":
		n, err := strconv.Atoi(id)
		if err != nil {
			return nil, syscall.EINVAL
		}
		o := st.OSDMap.osd(n)
		if o == nil || !o.Up {
			return nil, syscall.ENXIO
		}
		if d, ok := s.serverAt(from, o.Addrs.Public).(*osdDaemon); ok {
			return d, 0
		}
		return nil, syscall.ENXIO
	case "mgr":
		for _, i := range st.MgrMap.all() {
			if id != "" && i.Name != id || id == "" && i != st.MgrMap.Active {
				continue
			}
			if d := s.mgrOf(st.FSID, i.GID); d != nil {
				return d, 0
			}
			return nil, syscall.ENXIO
		}
	case "mds":
		for _, i := range st.FSMap.all() {
			if i.Name != id {
				continue
			}
			if d, ok := s.serverAt(from, i.Addrs).(*mdsDaemon); ok {
				return d, 0
			}
			return nil, syscall.ENXIO
		}
	}
	return nil, syscall.ENOENT
}

// serverAt is whatever listens at one of the addresses, nil if nothing can be
// reached.
func (s *Sim) serverAt(from string, addrs AddrVec) any {
	for _, a := range addrs {
		if server, err := s.net.Dial(from, a.IP, a.Port); err == nil {
			return server
		}
	}
	return nil
}

// daemonIDs are the ids of the daemons of a kind that the maps know.
func daemonIDs(st *State, kind string) []string {
	var ids []string
	switch kind {
	case "osd":
		for _, o := range st.OSDMap.existing() {
			ids = append(ids, strconv.Itoa(o.ID))
		}
	case "mgr":
		for _, i := range st.MgrMap.all() {
			ids = append(ids, i.Name)
		}
		slices.Sort(ids)
	case "mds":
		for _, i := range st.FSMap.byName() {
			ids = append(ids, i.Name)
		}
	}
	return ids
}

// versionOnly answers the commands that every daemon knows.
func versionOnly(r *release, words []string) (reply, bool) {
	switch {
	case len(words) > 0 && words[0] == "version":
		return reply{out: versionJSON(r)}, true
	case len(words) > 0 && words[0] == "help":
		return reply{out: object{{"help", "list available commands"}, {"version", "get ceph version"}}}, true
	}
	return reply{}, false
}

// leaderOf is the leader of a cluster, nil if there is none that could commit.
func (s *Sim) leaderOf(fsid string) *mon {
	for _, m := range s.mons {
		if m.status == stateLeader && m.store.fsid == fsid && m.canCommit() {
			return m
		}
	}
	return nil
}

// denied is what a daemon writes whose key the monitors do not accept, and its
// exit code.
func (o *options) denied(p *host.Process) int {
	if o.release.atLeast(nautilus) {
		o.logf(p, -1, "monclient(hunting): handle_auth_bad_method server allowed_methods [2] but i only support [2]")
	}
	if !o.release.atLeast(mimic) {
		o.logf(p, -1, " ** ERROR: %s init failed: (1) Operation not permitted", o.who.Type)
		return 1
	}
	p.Errorf("failed to fetch mon config (--no-mon-config to skip)\n")
	return 1
}

// daemonFlags are words that every daemon takes besides options, and how many
// values each has.
var daemonFlags = map[string]int{
	"-f": 0, "--foreground": 0, "-d": 0, "--no-mon-config": 0, "--setuser-match-path": 1,
}

// unknownWord is the first word of a daemon's argv that is neither option nor
// flag.
func (o *options) unknownWord(also map[string]int) (string, bool) {
	for i := 0; i < len(o.rest); i++ {
		n, ok := also[o.rest[i]]
		if !ok {
			if n, ok = daemonFlags[o.rest[i]]; !ok {
				return o.rest[i], true
			}
		}
		i += n
	}
	return "", false
}

func (o *options) has(word string) bool { return slices.Contains(o.rest, word) }

// gid makes an id for a client or daemon.
func (s *Sim) gid() uint64 { return 4100 + uint64(s.nextPID()) }

// osdEntity is "osd.3".
func osdEntity(id int) string { return fmt.Sprintf("osd.%d", id) }
