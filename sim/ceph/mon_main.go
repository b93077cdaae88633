package ceph

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// monMain is the program ceph-mon.
func monMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "mon", "admin")
	if err != nil {
		p.Errorf("global_init: error reading config file: %v\n", err)
		return 1
	}
	run := &monRun{sim: s, p: p, r: r, o: o}
	for i := 0; i < len(o.rest); i++ {
		word, value, inWord := strings.Cut(o.rest[i], "=")
		next := func() string {
			if !inWord && i+1 < len(o.rest) {
				i++
				value = o.rest[i]
			}
			return value
		}
		switch word {
		case "--mkfs":
			run.mkfs = true
		case "--foreground", "-f", "-d", "--compact", "--force-sync", "--yes-i-really-mean-it":
		case "--monmap":
			run.monmap = next()
		case "--inject-monmap", "--inject_monmap":
			run.inject = next()
		case "--extract-monmap", "--extract_monmap":
			run.extract = next()
		default:
			p.Errorf("too many arguments: [%s]\n", strings.Join(o.rest[i:], ","))
			return 1
		}
	}
	if m, ok := o.argv["monmap"]; ok {
		run.monmap = m
	}
	if o.who.ID == "" {
		p.Errorf("must specify id (--id <id> or --name mon.<id>)\n")
		return 1
	}
	run.data = o.or("mon_data", "/var/lib/ceph/mon/$cluster-$id")
	if run.mkfs {
		return run.makeStore()
	}
	return run.serve()
}

// monRun is one run of ceph-mon.
type monRun struct {
	sim                     *Sim
	p                       *host.Process
	r                       *release
	o                       *options
	mkfs                    bool
	monmap, inject, extract string
	data                    string
	closers                 []func() // of what it listens on
}

func (run *monRun) log(level int, format string, args ...any) {
	run.o.logf(run.p, level, format, args...)
}

// die writes an error line and returns the exit code.
func (run *monRun) die(code int, format string, args ...any) int {
	run.log(-1, format, args...)
	return code
}

func (run *monRun) storePath() string { return path.Join(run.data, "store.db") }

// makeStore is ceph-mon --mkfs. A store that is there already is left as it is,
// and the exit code is 0 (S129).
func (run *monRun) makeStore() int {
	names, err := run.p.Files.ReadDir(run.data)
	switch {
	case isNotExist(err):
		if err := run.p.Files.Mkdir(run.data, 0o755); err != nil {
			return run.die(1, "mkdir(%s) : %s", run.data, cppError(err))
		}
	case err != nil:
		return run.die(1, "error opening '%s': %s", run.data, cppError(err))
	case len(monFiles(names)) > 0:
		return run.die(0, "'%s' already exists and is not empty: monitor may already exist", run.data)
	}
	seed, code := run.seed()
	if code != 0 {
		return code
	}
	store := &monStore{fsid: seed.FSID, seed: seed, lastRelease: run.r}
	if err := run.p.Files.WriteFile(path.Join(run.data, "kv_backend"), []byte("rocksdb\n"), 0o600); err != nil {
		return run.die(1, "ceph-mon: error opening mon data directory at '%s': %s", run.data, cppError(err))
	}
	if err := run.p.Files.MkdirAll(run.storePath(), 0o755); err != nil {
		return run.die(1, "ceph-mon: error opening mon data directory at '%s': %s", run.data, cppError(err))
	}
	if code := run.takeKeys(store); code != 0 {
		return code
	}
	if err := run.p.Files.SetState(run.storePath(), store); err != nil {
		return run.die(1, "ceph-mon: error creating monfs: %s", cppError(err))
	}
	run.log(0, "ceph-mon: created monfs at %s for mon.%s", run.data, run.o.who.ID)
	return 0
}

// monFiles are what makes a data directory one that is not empty.
func monFiles(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == "kv_backend" || n == "lost+found" })
}

// seed is the first monmap: of --monmap, or of mon_host.
func (run *monRun) seed() (*MonMap, int) {
	var mm *MonMap
	if run.monmap != "" {
		data, err := run.p.Files.ReadFile(run.monmap)
		if err != nil {
			return nil, run.die(1, "ceph-mon: error reading %s: can't open %s: %s", run.monmap, run.monmap, cppError(err))
		}
		var ok bool
		if mm, ok = decodeMonMap(data); !ok {
			return nil, run.die(1, "ceph-mon: error decoding monmap %s: buffer::end_of_buffer", run.monmap)
		}
		mm = mm.clone()
		mm.Epoch = 0
	} else {
		mm = run.initialMap()
		run.nameMe(mm)
	}
	if fsid, ok := run.o.get("fsid"); ok && fsid != "" {
		mm.FSID = fsid
		run.log(0, "ceph-mon: set fsid to %s", fsid)
	}
	if mm.FSID == "" {
		return nil, run.die(10, "ceph-mon: generated monmap has no fsid; use '--fsid <uuid>'")
	}
	return mm, 0
}

// noName begins the name that a monitor has of which only the address is known.
const noName = "noname-"

// initialMap is the monmap that mon_host describes.
func (run *monRun) initialMap() *MonMap {
	now := run.p.Loop.Now()
	mm := &MonMap{Created: now, Modified: now}
	for i, text := range splitMonHost(run.o.or("mon_host", "")) {
		v, ok := parseAddrVec(text)
		if !ok {
			run.log(-1, "unable to parse addrs in '%s'", text)
			continue
		}
		var addrs AddrVec
		for _, a := range v {
			addrs = append(addrs, run.r.monAddrs(a)...)
		}
		mm.Mons = append(mm.Mons, MonInfo{Name: noName + string(rune('a'+i)), Addrs: addrs})
	}
	if len(mm.Mons) == 0 {
		run.log(-1, "no monitors specified to monmap.")
		run.log(-1, "ceph-mon: warning: no initial monitors; must use admin socket to feed hints")
	}
	mm.sortByAddr()
	run.log(1, "initial generated monmap:\n%s", mm.text(run.r))
	return mm
}

// publicAddr is --public-addr, nil if it was not given.
func (run *monRun) publicAddr(name string) AddrVec {
	a, ok := parseAddr(run.o.or(name, ""))
	if !ok || a.IP == "0.0.0.0" {
		return nil
	}
	return run.r.monAddrs(a)
}

// nameMe finds this monitor in an initial map by its address and gives it its
// name.
func (run *monRun) nameMe(mm *MonMap) {
	if mm.Rank(run.o.who.ID) >= 0 {
		return
	}
	mine := run.publicAddr("public_addr")
	if mine == nil {
		mine = run.r.monAddrs(Addr{Type: "any", IP: run.p.Addr})
	}
	for i, info := range mm.Mons {
		if info.Addrs.shares(mine) {
			run.log(0, "ceph-mon: renaming mon.%s %s to mon.%s", info.Name, mine, run.o.who.ID)
			mm.Mons[i].Name = run.o.who.ID
			return
		}
	}
}

// takeKeys reads the keyring of mkfs: the key of "mon." goes to a file of its
// own, the others wait for the first quorum.
func (run *monRun) takeKeys(store *monStore) int {
	search := run.o.or("keyring", path.Join(run.data, "keyring"))
	file, data := run.findFile(search)
	var ring conf.Keyring
	switch key := run.o.argv["key"]; {
	case file != "":
		var err error
		if ring, err = conf.ParseKeyring(data); err != nil {
			run.log(-1, "auth: error parsing file %s: %v", file, err)
			run.log(-1, "mon.%s@-1(???) e0 unable to load initial keyring %s", run.o.who.ID, search)
			return run.die(1, "ceph-mon: error creating monfs: (5) Input/output error")
		}
	case key != "":
		ring = conf.Keyring{"mon.": {Entity: "mon.", Key: key, Caps: map[string]string{"mon": "allow *"}}}
	default:
		run.log(-1, "mon.%s@-1(???) e0 unable to find a keyring on %s: (2) No such file or directory", run.o.who.ID, search)
		return run.die(1, "ceph-mon: error creating monfs: (2) No such file or directory")
	}
	if e, ok := ring["mon."]; ok {
		own := conf.Keyring{"mon.": e}
		if err := run.p.Files.WriteFile(path.Join(run.data, "keyring"), []byte(own.String()), 0o600); err != nil {
			return run.die(1, "ceph-mon: error creating monfs: %s", cppError(err))
		}
		delete(ring, "mon.")
	}
	store.initial = ring
	return 0
}

// findFile reads the first of the files in a list that is there.
func (run *monRun) findFile(list string) (string, []byte) { return findFile(run.p, list) }

func findFile(p *host.Process, list string) (string, []byte) {
	for name := range strings.SplitSeq(list, ",") {
		if name = strings.TrimSpace(name); name == "" {
			continue
		}
		if data, err := p.Files.ReadFile(name); err == nil {
			return name, data
		}
	}
	return "", nil
}

// serve is ceph-mon without --mkfs: open the store, bind, serve until SIGTERM.
func (run *monRun) serve() int {
	run.log(0, "%s, process ceph-mon, pid %d", run.r.long(), run.sim.nextPID())
	names, err := run.p.Files.ReadDir(run.data)
	switch {
	case isNotExist(err):
		return run.die(1, "monitor data directory at '%s' does not exist: have you run 'mkfs'?", run.data)
	case err != nil:
		return run.die(1, "error opening '%s': %s", run.data, cppError(err))
	case len(monFiles(names)) == 0:
		return run.die(1, "monitor data directory at '%s' is empty: have you run 'mkfs'?", run.data)
	}
	store, ok := run.p.Files.State(run.storePath()).(*monStore)
	if !ok {
		return run.die(1, "unable to read magic from mon data")
	}
	if store.lockedBy != nil && !store.lockedBy.dead() {
		run.log(-1, "rocksdb: IO error: While lock file: %s/LOCK: Resource temporarily unavailable", run.storePath())
		return run.die(1, "error opening mon data directory at '%s': (22) Invalid argument", run.data)
	}
	if run.r.major > store.lastRelease.major+2 {
		return run.die(1, "recorded min_mon_release is %d (%s) and cannot upgrade to %d (%s) directly",
			store.lastRelease.major, store.lastRelease.name, run.r.major, run.r.name)
	}
	if done, code := run.surgery(store); done {
		return code
	}
	m := &mon{
		sim: run.sim, p: run.p, opts: run.o, release: run.r, name: run.o.who.ID, store: store, rank: -1, leader: -1,
		started: run.p.Loop.Now(), rand: run.p.Loop.Rand("mon messages"), outside: map[string]bool{},
	}
	return run.start(m)
}

// surgery is --extract-monmap and --inject-monmap.
func (run *monRun) surgery(store *monStore) (done bool, code int) {
	if run.extract != "" {
		mm := store.seed
		if store.state != nil {
			mm = store.state.MonMap
		}
		if err := run.p.Files.WriteFile(run.extract, mm.encode(), 0o644); err != nil {
			return true, run.die(1, "error writing monmap to %s: %s", run.extract, cppError(err))
		}
		run.log(-1, "wrote monmap to %s", run.extract)
		return true, 0
	}
	if run.inject == "" {
		return false, 0
	}
	data, err := run.p.Files.ReadFile(run.inject)
	if err != nil {
		return true, run.die(1, "unable to load monmap from %s: can't open %s: %s", run.inject, run.inject, cppError(err))
	}
	mm, ok := decodeMonMap(data)
	if !ok || mm.FSID != store.fsid {
		return true, run.die(1, "error decoding monmap %s: it is no map of cluster %s", run.inject, store.fsid)
	}
	if store.state == nil {
		store.seed = mm
		return true, 0
	}
	next := *store.state
	next.MonMap = mm.clone()
	next.MonMap.Epoch = store.state.MonMap.Epoch + 1
	next.Version++
	store.state = &next
	return true, 0
}

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
		m.store.lockedBy = nil
	}
	run.p.Group.OnKill(gone)
	stop := run.sim.openAdminSocket(run.p, run.o, m)
	m.bootstrap()
	run.p.Serve()
	run.log(-1, "mon.%s@%d(%s) e%d *** Got Signal Terminated ***", m.name, m.rank, m.shown(), m.epoch())
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

func isNotExist(err error) bool { return err != nil && errorsIs(err, fs.ErrNotExist) }

func (s *Sim) nextPID() int { s.pids++; return s.pids }

// text is the map as programs print it.
func (mm *MonMap) text(r *release) string {
	var b strings.Builder
	fsid := mm.FSID
	if fsid == "" {
		fsid = "00000000-0000-0000-0000-000000000000"
	}
	fmt.Fprintf(&b, "epoch %d\nfsid %s\nlast_changed %s\ncreated %s\n", mm.Epoch, fsid, r.stamp(mm.Modified), r.stamp(mm.Created))
	if r.atLeast(nautilus) {
		name := releaseNames[mm.MinRelease]
		if name == "" {
			name = "unknown"
		}
		fmt.Fprintf(&b, "min_mon_release %d (%s)\n", mm.MinRelease, name)
	}
	if r.atLeast(pacific) {
		b.WriteString("election_strategy: 1\n")
	}
	for i, info := range mm.Mons {
		addr := info.Addrs.String()
		if !r.atLeast(nautilus) {
			addr = info.Addrs.legacy().legacy()
		}
		b.WriteString(strconv.Itoa(i) + ": " + addr + " mon." + info.Name + "\n")
	}
	return b.String()
}
