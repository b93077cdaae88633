package config

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Facts are what a cluster's configuration follows from.
type Facts struct {
	FSID string
	// Mons by name; those without an endpoint are not in the configuration yet.
	Mons    map[string]pass.Mon
	Version ceph.Version
	// LogLevel is the operator's (S78).
	LogLevel string
}

// FactsOf are those of a pass.
func FactsOf(p *pass.Pass) Facts {
	return Facts{FSID: p.Identity.FSID, Mons: p.Identity.Mons, Version: p.Version, LogLevel: p.LogLevel}
}

// MonInitialMembers are the names of the mons. A configuration file has blanks
// between them (S78), an argument commas.
func (f Facts) MonInitialMembers(between string) string {
	var names []string
	for _, m := range f.mons() {
		names = append(names, m.Name)
	}
	return strings.Join(names, between)
}

// MonHost is the value of `mon host` for daemons: the endpoints with commas
// between, marked v1: where the release knows two protocols (S78, S119).
func (f Facts) MonHost() string { return f.monHost(f.Version.Has(ceph.Msgr2)) }

func (f Facts) monHost(marked bool) string {
	var endpoints []string
	for _, m := range f.mons() {
		if marked {
			endpoints = append(endpoints, "v1:"+m.Endpoint)
		} else {
			endpoints = append(endpoints, m.Endpoint)
		}
	}
	return strings.Join(endpoints, ",")
}

// mons are those with an endpoint, in the order in which their ids are given out.
func (f Facts) mons() []pass.Mon {
	mons := slices.Collect(maps.Values(f.Mons))
	mons = slices.DeleteFunc(mons, func(m pass.Mon) bool { return m.Endpoint == "" })
	slices.SortFunc(mons, func(a, b pass.Mon) int {
		return cmp.Or(cmp.Compare(len(a.Name), len(b.Name)), cmp.Compare(a.Name, b.Name))
	})
	return mons
}

// Operator is the file of the operator's own commands (S76, S77). dir is its
// directory. The mons are always marked v1:, since the operator's programs are
// of a release that knows both protocols.
func Operator(f Facts, dir string) *File {
	file := &File{}
	file.Set(global, "fsid", f.FSID)
	file.Set(global, "run dir", dir)
	f.setMons(file, f.monHost(true))
	f.setDaemons(file)
	f.setPools(file)
	f.setClients(file)
	file.Set("client.admin", "keyring", adminKeyring(dir))
	return file
}

// Daemons is the ceph.conf of the daemons (S82). It has what the operator's own
// has, without its paths. From octopus on Ceph warns of pools of one copy, so
// that from there on its own values hold for new pools.
func Daemons(f Facts) *File {
	file := &File{}
	file.Set(global, "fsid", f.FSID)
	f.setMons(file, f.MonHost())
	f.setDaemons(file)
	if !f.Version.AtLeast(ceph.Octopus) {
		f.setPools(file)
	}
	f.setClients(file)
	return file
}

const global = "global"

func (f Facts) setMons(file *File, host string) {
	file.Set(global, "mon initial members", f.MonInitialMembers(" "))
	file.Set(global, "mon host", host)
}

func (f Facts) setDaemons(file *File) {
	if !f.Version.Has(ceph.DefaultLogFlags) {
		file.Set(global, "log file", "/dev/stderr")
		file.Set(global, "mon cluster log file", "/dev/stderr")
	}
	file.Set(global, "mon keyvaluedb", "rocksdb")
	file.Set(global, "mon_allow_pool_delete", "true")
	file.Set(global, "mon_max_pg_per_osd", "1000")
	for _, subsystem := range []string{"default", "rados", "mon", "osd", "bluestore", "filestore", "journal", "leveldb"} {
		file.Set(global, "debug "+subsystem, f.debugLevel())
	}
	file.Set(global, "filestore_omap_backend", "rocksdb")
}

// setPools sets what holds for new pools. In the seed this is one copy, since
// its clusters have few OSDs.
func (f Facts) setPools(file *File) {
	file.Set(global, "osd pg bits", "11")
	file.Set(global, "osd pgp bits", "11")
	file.Set(global, "osd pool default size", "1")
	file.Set(global, "osd pool default min size", "1")
	file.Set(global, "osd pool default pg num", "100")
	file.Set(global, "osd pool default pgp num", "100")
}

func (f Facts) setClients(file *File) {
	file.Set(global, "rbd_default_features", "3")
	file.Set(global, "fatal signal handlers", "false")
}

// debugLevel follows the operator's log level (S78).
func (f Facts) debugLevel() string {
	switch strings.ToUpper(f.LogLevel) {
	case "ERROR", "WARNING":
		return "-1"
	case "DEBUG":
		return "10"
	case "TRACE":
		return "100"
	}
	return "0"
}
