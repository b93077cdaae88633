package ceph

import (
	"path"
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

// start checks who the monitor is, binds, and serves.
func (run *monRun) start(m *mon) int {
	mm := m.newestMap()
	bind := mm.addrsOf(m.name)
	if bind != nil {
		m.addrs = bind
	} else {
		run.log(0, "mon.%s does not exist in monmap, will attempt to join an existing cluster", m.name)
		m.addrs = run.publicAddr("public_addr")
		if m.addrs == nil {
			return run.die(1, "no public_addr or public_network specified, and mon.%s not present in monmap or ceph.conf", m.name)
		}
		run.log(0, "using public_addr %s -> %s", run.o.or("public_addr", ""), m.addrs)
	}
	bind = m.addrs
	if b := run.publicAddr("public_bind_addr"); b != nil {
		bind = b
	}
	run.log(0, "starting mon.%s rank %d at public addrs %s at bind addrs %s mon_data %s fsid %s",
		m.name, mm.Rank(m.name), m.addrs, bind, run.data, m.store.fsid)
	if code := run.checkIdentity(m); code != 0 {
		return code
	}
	run.log(1, "mon.%s@-1(???) e%d preinit fsid %s", m.name, mm.Epoch, m.store.fsid)
	if mm.Rank(m.name) < 0 && m.store.joined {
		run.log(-1, "mon.%[1]s@-1(???) e%[2]d not in monmap and have been in a quorum before; must have been removed", m.name, mm.Epoch)
		run.log(-1, "mon.%[1]s@-1(???) e%[2]d commit suicide!", m.name, mm.Epoch)
		return run.die(1, "failed to initialize")
	}
	if code := run.loadKey(m); code != 0 {
		return code
	}
	run.filterSeed(m)
	if code := run.listen(m, bind); code != 0 {
		return code
	}
	m.store.lockedBy = m
	run.sim.mons = append(run.sim.mons, m)
	gone := func() {
		run.sim.mons = slices.DeleteFunc(run.sim.mons, func(x *mon) bool { return x == m })
		m.round++
		m.status = ""
		if m.store.lockedBy == m {
			m.store.lockedBy = nil
		}
	}
	run.p.Group.OnKill(gone)
	stop := run.sim.openAdminSocket(run.p, run.o, m)
	m.bootstrap()
	run.p.Serve()
	if !m.removed {
		run.log(-1, "mon.%s@%d(%s) e%d *** Got Signal Terminated ***", m.name, m.rank, m.shown(), m.epoch())
	}
	stop()
	for _, closeFn := range run.closers {
		closeFn()
	}
	gone()
	return 0
}

// checkIdentity refuses a store of another cluster than the one that was asked
// for. Ceph itself compares its cluster_uuid with its own monmap only, and so
// overlooks a data directory that an earlier cluster left behind; the
// simulation says so at once, in the same words (S4).
func (run *monRun) checkIdentity(m *mon) int {
	fsid, ok := run.o.get("fsid")
	if !ok || fsid == "" || strings.EqualFold(fsid, m.store.fsid) {
		return 0
	}
	run.log(-1, "mon.%s@-1(???) e%d error: cluster_uuid file exists with value %s, != our uuid %s", m.name, m.newestMap().Epoch, m.store.fsid, fsid)
	return run.die(1, "failed to initialize")
}

// loadKey reads the key of "mon.": from the data directory, else from the
// keyring of the options, which has to hold the same key if it has one.
func (run *monRun) loadKey(m *mon) int {
	search := run.o.or("keyring", path.Join(run.data, "keyring"))
	own := path.Join(run.data, "keyring")
	external, data := run.findFile(search)
	var given string
	if external == "" {
		run.log(-1, "auth: unable to find a keyring on %s: (2) No such file or directory", search)
		run.log(-1, "AuthRegistry(0x%x) no keyring found at %s, disabling cephx", threadID, search)
	} else if ring, err := conf.ParseKeyring(data); err != nil {
		run.log(-1, "auth: error parsing file %s: %v", external, err)
		run.log(-1, "auth: failed to load %s: (5) Input/output error", external)
	} else {
		given = ring["mon."].Key
	}
	stored := ""
	if text, err := run.p.Files.ReadFile(own); err == nil {
		if ring, err := conf.ParseKeyring(text); err == nil {
			stored = ring["mon."].Key
		}
	} else if given == "" {
		run.log(-1, "auth: error reading file: %s: can't open %s: %s", own, own, cppError(err))
	}
	switch {
	case stored != "" && given != "" && given != stored:
		// As with the fsid: Ceph goes on with the key of its data directory,
		// and no other monitor or client of the new cluster can talk to it.
		run.log(-1, "mon.%s@-1(???) e%d key of mon. in %s is not the one in %s", m.name, m.newestMap().Epoch, external, own)
		return run.die(1, "failed to initialize")
	case stored != "":
		m.key = stored
	case given != "":
		m.key = given
	default:
		run.log(-1, "mon.%s@-1(???) e%d unable to load initial keyring %s", m.name, m.newestMap().Epoch, search)
		return run.die(1, "failed to initialize")
	}
	return 0
}

// filterSeed keeps to mon_initial_members until there is a first quorum: others
// in the seed map are only asked where the cluster is.
func (run *monRun) filterSeed(m *mon) {
	members := strings.FieldsFunc(run.o.or("mon_initial_members", ""), func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
	if m.store.state != nil || len(members) == 0 {
		return
	}
	run.log(1, "mon.%s@-1(???) e0  initial_members %s, filtering seed monmap", m.name, strings.Join(members, ","))
	seed := m.store.seed.clone()
	seed.Mons = nil
	for _, info := range m.store.seed.Mons {
		switch {
		case slices.Contains(members, info.Name):
			seed.Mons = append(seed.Mons, info)
		default:
			m.hints = append(m.hints, info.Addrs)
		}
	}
	for _, name := range members {
		if seed.Rank(name) < 0 {
			seed.Mons = append(seed.Mons, MonInfo{Name: name})
		}
	}
	seed.sortByAddr()
	m.monmap = seed
}

func (mm *MonMap) addrsOf(name string) AddrVec {
	if i := mm.Rank(name); i >= 0 && len(mm.Mons[i].Addrs) > 0 {
		return mm.Mons[i].Addrs
	}
	return nil
}

// bindAttempts is how often a daemon tries to bind, 5 seconds apart.
const bindAttempts = 3

func (run *monRun) listen(m *mon, bind AddrVec) int {
	for _, a := range bind {
		for attempt := 1; ; attempt++ {
			err := run.bind(m, a)
			if err == nil {
				break
			}
			run.log(-1, " Processor -- bind unable to bind to %s: %s", a, cppError(err))
			if attempt == bindAttempts {
				run.log(-1, " Processor -- bind was unable to bind after %d attempts: %s", attempt, cppError(err))
				return run.die(1, "unable to bind monitor to %s", bind)
			}
			run.log(-1, " Processor -- bind was unable to bind. Trying again in 5 seconds ")
			run.p.Sleep(electionTimeout)
		}
	}
	return 0
}

// bind listens at an address, which has to be the process's own.
func (run *monRun) bind(m *mon, a Addr) error {
	if a.IP != run.p.Addr && !strings.HasPrefix(a.IP, "127.") {
		return errAddrNotAvailable
	}
	closeFn, err := run.sim.net.Listen(a.IP, a.Port, &port{m, a.Type})
	if err != nil {
		return err
	}
	closed := false
	closeOnce := func() {
		if !closed {
			closed = true
			closeFn()
		}
	}
	run.p.Group.OnKill(closeOnce)
	run.closers = append(run.closers, closeOnce)
	return nil
}
