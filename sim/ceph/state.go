package ceph

import (
	"maps"
	"slices"
	"time"
)

// State is all that a cluster's monitors have agreed on. A committed state is
// never changed: the next one shares those sections that stay as they are
// (change.go).
type State struct {
	Version uint64 // of paxos: one more for each commit
	FSID    string

	MonMap    *MonMap
	MonMeta   *MonMeta
	OSDMap    *OSDMap
	PGMap     *PGMap
	MgrMap    *MgrMap
	FSMap     *FSMap
	Auth      *AuthDB
	Config    *ConfigDB
	ConfigKey *KeyStore
	Log       *ClusterLog
	Health    *HealthDB
	Services  *ServiceMap
	Created   time.Time // when mkfs was committed
}

// MonMap says who the monitors are.
type MonMap struct {
	Epoch             int
	FSID              string
	Modified, Created time.Time
	MinRelease        int      // major version; 0 below nautilus
	Features          []string // persistent ones, in Ceph's order
	Mons              []MonInfo
	RemovedRanks      []int // from pacific on
}

// MonInfo is a monitor of the monmap; its rank is its place there.
type MonInfo struct {
	Name  string
	Addrs AddrVec
}

func (m *MonMap) clone() *MonMap {
	c := *m
	c.Mons = slices.Clone(m.Mons)
	c.Features = slices.Clone(m.Features)
	c.RemovedRanks = slices.Clone(m.RemovedRanks)
	return &c
}

// Rank is the place of a monitor in the map, -1 if it is not there.
func (m *MonMap) Rank(name string) int {
	return slices.IndexFunc(m.Mons, func(i MonInfo) bool { return i.Name == name })
}

// MonMeta is what each monitor has told about itself, by name.
type MonMeta struct{ Of map[string]Metadata }

// Metadata is what a daemon tells about itself.
type Metadata struct {
	Addrs    AddrVec
	Release  *release
	Hostname string // of the machine; in a pod the node's name
	// Of a container, empty outside of one: its image, host name and pod.
	Image, ContainerHostname, PodName, PodNamespace string
}

func (m *MonMeta) clone() *MonMeta { return &MonMeta{maps.Clone(m.Of)} }

// AuthDB holds the entities that may talk to the cluster.
type AuthDB struct{ Entities map[string]AuthEntry }

// AuthEntry is an entity's key and what it may do.
type AuthEntry struct {
	Key  string            // base64
	Caps map[string]string // by service: mon, osd, mds, mgr
}

func (a *AuthDB) clone() *AuthDB { return &AuthDB{maps.Clone(a.Entities)} }

// ConfigDB is the central configuration.
type ConfigDB struct {
	Options []ConfigOption // sorted by section and name
	History []ConfigChange // oldest first
}

// ConfigOption is an option that was set for a section.
type ConfigOption struct {
	Section string // "global", "mon", "osd.0"
	Mask    string // "host:a", "class:ssd"; empty for none
	Name    string
	Value   string
}

// ConfigChange is one entry of `ceph config log`.
type ConfigChange struct {
	Version int
	Time    time.Time
	Name    string // what was done as a whole, such as "assimilate-conf"
	Changes []ConfigDiff
}

// ConfigDiff is one option that a change changed; nil stands for "not set".
type ConfigDiff struct {
	Name     string // "mon/mon_allow_pool_delete"
	Old, New *string
}

func (c *ConfigDB) clone() *ConfigDB {
	return &ConfigDB{Options: slices.Clone(c.Options), History: slices.Clone(c.History)}
}

// KeyStore is what `ceph config-key` keeps.
type KeyStore struct{ Of map[string]string }

func (k *KeyStore) clone() *KeyStore { return &KeyStore{maps.Clone(k.Of)} }

// ClusterLog is the tail of the cluster log.
type ClusterLog struct {
	Seq     int
	Entries []LogEntry // oldest first
}

// LogEntry is a line of the cluster log.
type LogEntry struct {
	Name, Rank string // "mon.a", "mon.0"
	Addrs      AddrVec
	Stamp      time.Time
	Seq        int
	Channel    string // "cluster", "audit"
	Priority   string // "[INF]", "[WRN]", "[ERR]", "[DBG]"
	Message    string
}

// logKept is how many lines of the cluster log are kept.
const logKept = 200

func (l *ClusterLog) clone() *ClusterLog {
	return &ClusterLog{Seq: l.Seq, Entries: slices.Clone(l.Entries[max(0, len(l.Entries)-logKept):])}
}

// HealthDB is what the health of a cluster remembers.
type HealthDB struct {
	Mutes []Mute
	// Since says when a check came up, by code.
	Since map[string]time.Time
}

// Mute silences a health check.
type Mute struct {
	Code, Summary string
	Sticky        bool
	Until         time.Time // zero: for ever
	Count         int
}

func (h *HealthDB) clone() *HealthDB {
	return &HealthDB{Mutes: slices.Clone(h.Mutes), Since: maps.Clone(h.Since)}
}

// ServiceMap lists daemons that report to the manager (rgw, rbd-mirror, …).
type ServiceMap struct {
	Epoch    int
	Modified time.Time
	Services map[string][]ServiceDaemon // by kind of service
}

// ServiceDaemon is one daemon of the service map.
type ServiceDaemon struct {
	ID         string
	GID        uint64
	Addr       Addr
	StartEpoch int
	Start      time.Time
	Metadata   map[string]string
}

func (m *ServiceMap) clone() *ServiceMap {
	c := *m
	c.Services = maps.Clone(m.Services)
	return &c
}
