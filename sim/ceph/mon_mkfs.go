package ceph

import (
	"path"
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

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
	store := &monStore{fsid: seed.FSID, seed: seed, madeBy: run.r}
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
