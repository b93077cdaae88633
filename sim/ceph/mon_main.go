package ceph

import (
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

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
		case "--foreground", "-f", "-d", "--compact", "--force-sync", "--yes-i-really-mean-it", "--no-mon-config":
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
	required := store.required()
	if required > run.r.major {
		run.log(-1, "ERROR: on disk data includes unsupported features: it requires %s", releaseName(required))
		return run.die(1, "error checking features: (1) Operation not permitted")
	}
	if run.r.major > required+2 {
		return run.die(1, "recorded min_mon_release is %d (%s) and cannot upgrade to %d (%s) directly",
			required, releaseName(required), run.r.major, run.r.name)
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

func isNotExist(err error) bool { return err != nil && errorsIs(err, fs.ErrNotExist) }

// required is the release that a store requires of its monitor: that of the
// monmap's features, which go up when all monitors have them, so that one monitor
// of a newer release alone leaves a store that the older one still reads.
func (s *monStore) required() int {
	if s.state == nil || len(s.state.MonMap.Features) == 0 {
		return s.madeBy.major
	}
	if mm := s.state.MonMap; mm.MinRelease > 0 {
		return mm.MinRelease
	}
	if slices.Contains(s.state.MonMap.Features, "mimic") {
		return mimic
	}
	return luminous
}

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
