package ceph

import (
	"maps"
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// OSDMap is what the cluster has agreed on about its OSDs and pools. Pointers
// in it lead to values that are never changed: replace them.
type OSDMap struct {
	Epoch                      int
	Created, Modified          time.Time
	LastUpChange, LastInChange time.Time
	// Flags are those that people set or that a full cluster gets: "noout",
	// "pause", …
	Flags             []string
	CrushVersion      int
	Crush             *crush.Map
	PoolMax           int
	Pools             []*Pool    // by id
	OSDs              []*OSDInfo // by id; nil where there is none
	RequireMinCompat  string
	RequireOSDRelease int // major version; 0 until a first one is set
	Full              Ratios
	Blocklist         []Blocked // in the order of their addresses
	ECProfiles        map[string]map[string]string
	NodeFlags         map[int][]string    // noout, … of buckets, by their ids
	ClassFlags        map[string][]string // of device classes
}

// Ratios are how full an OSD may be, 0 to 1.
type Ratios struct{ Full, Backfillfull, Nearfull float64 }

// Blocked is a client that may not talk to OSDs any more.
type Blocked struct {
	Addr  Addr
	Until time.Time
}

// OSDInfo is an OSD that exists.
type OSDInfo struct {
	ID              int
	UUID            string // empty if it was made without one and never started
	Up              bool
	Destroyed       bool
	New             bool    // never was up
	AutoOut         bool    // marked out by the monitors, not by a person
	Weight          float64 // 0 (out) to 1
	OldWeight       float64 // before it was marked out
	PrimaryAffinity float64
	UpFrom, UpThru  int
	DownAt, LostAt  int
	LastClean       [2]int
	Addrs           OSDAddrs
	DownSince       time.Time
	Flags           []string // noout, noin, … of this OSD
	Meta            *OSDMeta // nil until it was up
}

// OSDAddrs are the addresses of an OSD.
type OSDAddrs struct{ Public, Cluster, HeartbeatBack, HeartbeatFront AddrVec }

// OSDMeta is what an OSD tells about itself when it starts.
type OSDMeta struct {
	Metadata
	Store      string // "bluestore", "filestore"
	DataDir    string
	Device     string // "sdb"; empty for a directory
	DeviceID   string // model and serial number; empty if the device has none
	Size       uint64 // bytes
	Rotational bool
	Created    time.Time
	CreatedBy  *release
}

// In says whether the OSD gets data.
func (o *OSDInfo) In() bool { return o.Weight > 0 }

func (m *OSDMap) clone() *OSDMap {
	c := *m
	c.Flags = slices.Clone(m.Flags)
	c.Pools = slices.Clone(m.Pools)
	c.OSDs = slices.Clone(m.OSDs)
	c.Blocklist = slices.Clone(m.Blocklist)
	c.ECProfiles = maps.Clone(m.ECProfiles)
	return &c
}

// newOSDMap is the map of a cluster that has just been made. leaf is
// osd_crush_chooseleaf_type.
func newOSDMap(r *release, now time.Time, leaf int) *OSDMap {
	m := &OSDMap{
		Epoch: 1, Created: now, Modified: now, CrushVersion: 1,
		Crush: crush.New(crush.Options{
			Zones: r.atLeast(nautilus), Leaf: leaf, RuleSizes: !r.atLeast(quincy),
		}),
		RequireMinCompat: "jewel",
		Full:             Ratios{Full: 0.95, Backfillfull: 0.90, Nearfull: 0.85},
		ECProfiles: map[string]map[string]string{"default": {
			"k": "2", "m": "1", "plugin": "jerasure", "technique": "reed_sol_van",
		}},
	}
	if r.atLeast(octopus) {
		m.RequireMinCompat = "luminous"
		m.ECProfiles["default"]["m"] = "2"
	}
	m.RequireOSDRelease = r.major
	return m
}

// osd finds an OSD that exists; nil if there is none.
func (m *OSDMap) osd(id int) *OSDInfo {
	if id < 0 || id >= len(m.OSDs) {
		return nil
	}
	return m.OSDs[id]
}

// edit hands out a copy of an OSD to be changed, and puts it into the map.
func (m *OSDMap) edit(id int) *OSDInfo {
	c := *m.OSDs[id]
	m.OSDs[id] = &c
	return &c
}

// add puts an OSD into the map.
func (m *OSDMap) add(o *OSDInfo) {
	for len(m.OSDs) <= o.ID {
		m.OSDs = append(m.OSDs, nil)
	}
	m.OSDs[o.ID] = o
}

// editCrush hands out a copy of the CRUSH map to be changed.
func (t *change) editCrush() *crush.Map {
	m := t.osdmap()
	if m.Crush == t.old.OSDMap.Crush {
		m.Crush = m.Crush.Clone()
		m.CrushVersion++
	}
	return m.Crush
}

// existing lists the OSDs that exist, by id.
func (m *OSDMap) existing() []*OSDInfo {
	all := make([]*OSDInfo, 0, len(m.OSDs))
	for _, o := range m.OSDs {
		if o != nil {
			all = append(all, o)
		}
	}
	return all
}

// count counts the OSDs that exist, are up and are in.
func (m *OSDMap) count() (total, up, in int) {
	for _, o := range m.OSDs {
		if o == nil {
			continue
		}
		total++
		if o.Up {
			up++
		}
		if o.In() {
			in++
		}
	}
	return total, up, in
}

// byUUID finds an OSD by its uuid; nil if there is none.
func (m *OSDMap) byUUID(uuid string) *OSDInfo {
	for _, o := range m.OSDs {
		if o != nil && o.UUID == uuid {
			return o
		}
	}
	return nil
}

// freeID is the lowest id that no OSD has.
func (m *OSDMap) freeID() int {
	if i := slices.Index(m.OSDs, nil); i >= 0 {
		return i
	}
	return len(m.OSDs)
}

// flag says whether a flag of the whole map is set.
func (m *OSDMap) flag(name string) bool { return slices.Contains(m.Flags, name) }

// pool finds a pool by id; nil if there is none.
func (m *OSDMap) pool(id int) *Pool {
	for _, p := range m.Pools {
		if p.ID == id {
			return p
		}
	}
	return nil
}

// poolNamed finds a pool by name; nil if there is none.
func (m *OSDMap) poolNamed(name string) *Pool {
	for _, p := range m.Pools {
		if p.Name == name {
			return p
		}
	}
	return nil
}

// editPool hands out a copy of a pool to be changed, and puts it into the map.
func (m *OSDMap) editPool(id int) *Pool {
	i := slices.IndexFunc(m.Pools, func(p *Pool) bool { return p.ID == id })
	c := *m.Pools[i]
	c.Options = maps.Clone(c.Options)
	c.Applications = maps.Clone(c.Applications)
	m.Pools[i] = &c
	return &c
}
