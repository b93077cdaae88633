package ceph

import "fmt"

// Release is a major version of Ceph. Releases are ordered as they came out.
type Release int

// The known releases (S46, Settled "Version support").
const (
	Luminous Release = 12
	Mimic    Release = 13
	Nautilus Release = 14
	Octopus  Release = 15
	Pacific  Release = 16
	Quincy   Release = 17
	Reef     Release = 18
	Squid    Release = 19
	Tentacle Release = 20
)

// releases says of each known release what it is called and whether it is
// supported; octopus is known but not supported.
var releases = map[Release]struct {
	name      string
	supported bool
}{
	Luminous: {"luminous", true},
	Mimic:    {"mimic", true},
	Nautilus: {"nautilus", true},
	Octopus:  {"octopus", false},
	Pacific:  {"pacific", true},
	Quincy:   {"quincy", true},
	Reef:     {"reef", true},
	Squid:    {"squid", true},
	Tentacle: {"tentacle", true},
}

// String is the release's name, such as "nautilus"; for a release that is not
// known, its number.
func (r Release) String() string {
	if known, ok := releases[r]; ok {
		return known.name
	}
	return fmt.Sprintf("release %d", int(r))
}

// ReleaseNamed is the release of that name, and whether there is one.
func ReleaseNamed(name string) (Release, bool) {
	for r, of := range releases {
		if of.name == name {
			return r, true
		}
	}
	return 0, false
}

// Known says whether the release is one of the constants above.
func (r Release) Known() bool { _, ok := releases[r]; return ok }

// Supported says whether the release may be run without allowUnsupported.
func (r Release) Supported() bool { return releases[r].supported }

// Feature is something that a part of the releases has: a command, a flag, a
// form of a command.
type Feature int

// What differs between the releases.
const (
	// MonStatus is the command `ceph mon_status`. Its successor is
	// `ceph quorum_status`, which every release has but which is the only one
	// from octopus on.
	MonStatus Feature = iota
	// Msgr2 is the second version of the wire protocol, on port 3300, and with
	// it `ceph mon enable-msgr2` and address vectors in the maps.
	Msgr2
	// ConfigDB is the configuration database of the mons, `ceph config …`.
	ConfigDB
	// ConfigForce is `ceph config set … --force`, which accepts an option that
	// the mons do not know, as one of a mgr module that is not loaded yet.
	ConfigForce
	// Blocklist is the word blocklist where earlier releases say blacklist.
	Blocklist
	// InitialCrush is the seed's initial crush map (S103-S107). Later releases
	// keep the map that Ceph makes (Settled 24).
	InitialCrush
	// DashboardTLS is a dashboard that speaks HTTPS and asks who one is; that
	// of luminous does neither.
	DashboardTLS
	// DashboardSSLPort is the option mgr/dashboard/ssl_server_port beside
	// server_port.
	DashboardSSLPort
	// DashboardUsers are users with roles, made by `ceph dashboard
	// ac-user-create`; before there is one login, made by `ceph dashboard
	// set-login-credentials`.
	DashboardUsers
	// DashboardPasswordFile is a dashboard that takes passwords from a file
	// (`-i`) only, and no longer from its arguments.
	DashboardPasswordFile
	// DefaultLogFlags are the daemon flags --default-log-to-file and
	// --default-mon-cluster-log-to-file (S118), which make the lines `log file`
	// of ceph.conf needless (S78).
	DefaultLogFlags
	// Orchestrator names the module orchestrator_cli by its later name,
	// orchestrator, which is always on.
	Orchestrator
	// MgrStat is the command `ceph mgr stat`.
	MgrStat
	// DotPoolConfirm is an `osd pool create` that makes a pool whose name begins
	// with a dot only with --yes-i-really-mean-it.
	DotPoolConfirm
	// SizeOneConfirm is an `osd pool set size 1` that needs the option
	// mon_allow_pool_size_one and --yes-i-really-mean-it.
	SizeOneConfirm
	// CrushNodeFlags are flags such as noout on a bucket of the crush hierarchy,
	// set by `ceph osd set-group`; before, only single OSDs can have them.
	CrushNodeFlags
	// FSFail is the command `ceph fs fail`.
	FSFail
	// StandbyReplay is the setting allow_standby_replay of a file system.
	StandbyReplay
	// MDSJoinFS is the option mds_join_fs, by which an MDS prefers a file system.
	MDSJoinFS
	// Filestore is the object store over a directory of a file system.
	Filestore
	// OkToStop are the questions `ceph mon ok-to-stop` and `ceph mds ok-to-stop`;
	// `ceph osd ok-to-stop` is older.
	OkToStop
	// OkToStopNames is an `osd ok-to-stop` that names the OSDs and PGs that it
	// speaks of, and takes `--max`.
	OkToStopNames
)

// span is which releases have a feature. Backports are versions in which an
// earlier release line received it; zero means no bound.
type span struct {
	from, until Version // from is inside, until is not
	backports   []Version
}

// features is the release table.
var features = map[Feature]span{
	MonStatus:             {until: Version{15, 0, 0}},
	Msgr2:                 {from: Version{14, 0, 0}},
	ConfigDB:              {from: Version{13, 0, 0}},
	ConfigForce:           {from: Version{14, 0, 0}},
	Blocklist:             {from: Version{16, 0, 0}},
	InitialCrush:          {until: Version{14, 0, 0}},
	DashboardTLS:          {from: Version{13, 0, 0}},
	DashboardSSLPort:      {from: Version{14, 0, 0}},
	DashboardUsers:        {from: Version{14, 0, 0}},
	DashboardPasswordFile: {from: Version{16, 0, 0}, backports: []Version{{14, 2, 17}, {15, 2, 10}}},
	DefaultLogFlags:       {from: Version{14, 2, 1}},
	Orchestrator:          {from: Version{15, 0, 0}},
	MgrStat:               {from: Version{15, 0, 0}},
	DotPoolConfirm:        {from: Version{17, 0, 0}},
	SizeOneConfirm:        {from: Version{15, 0, 0}},
	CrushNodeFlags:        {from: Version{14, 2, 2}},
	FSFail:                {from: Version{14, 0, 0}},
	StandbyReplay:         {from: Version{14, 0, 0}},
	MDSJoinFS:             {from: Version{15, 2, 0}},
	Filestore:             {until: Version{18, 0, 0}},
	OkToStop:              {from: Version{14, 0, 0}},
	OkToStopNames:         {from: Version{16, 0, 0}},
}

// Has says whether a version has a feature.
func (v Version) Has(f Feature) bool {
	s := features[f]
	for _, b := range s.backports {
		if v.Major == b.Major && !v.Less(b) {
			return true
		}
	}
	return !v.Less(s.from) && (s.until == Version{} || v.Less(s.until))
}
