package ceph

import (
	"maps"
	"slices"
	"time"
)

// FSMap is what the cluster has agreed on about its file systems and about the
// metadata servers (MDS) that serve them. Pointers in it lead to values that are
// never changed: replace them.
type FSMap struct {
	Epoch int
	// Multiple says whether there may be more than one file system;
	// EverMultiple, whether that was ever so.
	Multiple, EverMultiple bool
	Default                int           // fscid of the file system for clients that name none; -1 for none
	Last                   int           // fscid given out last
	Filesystems            []*Filesystem // by fscid
	Standbys               []*MDSInfo    // by gid
}

// Filesystem is one file system: its MDSMap.
type Filesystem struct {
	ID                int // fscid
	Name              string
	Epoch             int // of the FSMap in which it was last changed
	Created, Modified time.Time
	MetadataPool      int
	DataPools         []int // the first is the default
	Flags             int   // fs…
	EverAllowed       int   // flags that were ever set by a person
	MaxMDS, OldMaxMDS int
	// In are the ranks that the file system consists of, Failed and Damaged
	// those of them that nobody holds, Stopped those that were given back.
	In, Failed, Damaged, Stopped []int
	Up                           map[int]uint64 // rank: gid of the MDS that holds it
	MDS                          []*MDSInfo     // by gid: holders of ranks, and those that follow them
	StandbyWanted                int            // -1: nobody has said
	SessionTimeout, Autoclose    int            // seconds
	MaxFileSize                  int64
	Balancer                     string
	RequiredFeatures             []int
	InlineData                   bool
	LastFailureEpoch             int // of the OSD map that blocks the last MDS that failed
	Mirror                       bool
}

// Flags of a file system (CEPH_MDSMAP_*).
const (
	fsNotJoinable    = 1 << 0
	fsAllowSnaps     = 1 << 1
	fsMultiMDSSnaps  = 1 << 4
	fsStandbyReplay  = 1 << 5
	fsDefaultFlags   = fsAllowSnaps | fsMultiMDSSnaps
	maxRanks         = 256
	defaultFileLimit = 1 << 40
)

// mdsState is what an MDS does.
type mdsState string

const (
	mdsStandby       mdsState = "up:standby"
	mdsStandbyReplay mdsState = "up:standby-replay"
	mdsCreating      mdsState = "up:creating"
	mdsStarting      mdsState = "up:starting"
	mdsReplay        mdsState = "up:replay"
	mdsResolve       mdsState = "up:resolve"
	mdsReconnect     mdsState = "up:reconnect"
	mdsRejoin        mdsState = "up:rejoin"
	mdsClientReplay  mdsState = "up:clientreplay"
	mdsActive        mdsState = "up:active"
	mdsStopping      mdsState = "up:stopping"
)

// recovering are the states of a rank that takes over from another MDS.
func (s mdsState) recovering() bool {
	return slices.Contains([]mdsState{mdsReplay, mdsResolve, mdsReconnect, mdsRejoin, mdsClientReplay}, s)
}

// MDSInfo is a running MDS.
type MDSInfo struct {
	Metadata
	GID         uint64
	Name        string
	Rank        int // -1 for a standby
	Incarnation int
	State       mdsState
	Seq         int
	JoinFS      string    // mds_join_fs: the file system that it would rather serve
	JoinID      int       // its fscid; -1 for none
	LaggySince  time.Time // zero: it is heard of
	Epoch       int       // of the FSMap in which a standby was last changed
}

// newFSMap is the map of a cluster that has just been made.
func newFSMap(r *release) *FSMap {
	return &FSMap{Epoch: 1, Multiple: r.atLeast(pacific), EverMultiple: r.atLeast(pacific), Default: -1}
}

func (m *FSMap) clone() *FSMap {
	c := *m
	c.Filesystems, c.Standbys = slices.Clone(m.Filesystems), slices.Clone(m.Standbys)
	return &c
}

func (f *Filesystem) clone() *Filesystem {
	c := *f
	c.DataPools, c.RequiredFeatures = slices.Clone(f.DataPools), slices.Clone(f.RequiredFeatures)
	c.In, c.Failed, c.Damaged, c.Stopped = slices.Clone(f.In), slices.Clone(f.Failed), slices.Clone(f.Damaged), slices.Clone(f.Stopped)
	c.Up, c.MDS = maps.Clone(f.Up), slices.Clone(f.MDS)
	return &c
}

// named finds a file system; nil if there is none.
func (m *FSMap) named(name string) *Filesystem {
	for _, f := range m.Filesystems {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// byID finds a file system by its fscid; nil if there is none.
func (m *FSMap) byID(id int) *Filesystem {
	for _, f := range m.Filesystems {
		if f.ID == id {
			return f
		}
	}
	return nil
}

// user is the file system that uses a pool; nil if none does.
func (m *FSMap) user(pool int) *Filesystem {
	for _, f := range m.Filesystems {
		if f.MetadataPool == pool || slices.Contains(f.DataPools, pool) {
			return f
		}
	}
	return nil
}

// mds finds an MDS and the file system that it serves, nil for a standby.
func (m *FSMap) mds(gid uint64) (*MDSInfo, *Filesystem) {
	for _, i := range m.Standbys {
		if i.GID == gid {
			return i, nil
		}
	}
	for _, f := range m.Filesystems {
		if i := f.mds(gid); i != nil {
			return i, f
		}
	}
	return nil, nil
}

// all are all MDS, by gid.
func (m *FSMap) all() []*MDSInfo {
	list := slices.Clone(m.Standbys)
	for _, f := range m.Filesystems {
		list = append(list, f.MDS...)
	}
	slices.SortFunc(list, byGID)
	return list
}

func byGID(a, b *MDSInfo) int {
	switch {
	case a.GID < b.GID:
		return -1
	case a.GID > b.GID:
		return 1
	}
	return 0
}

func (f *Filesystem) mds(gid uint64) *MDSInfo {
	for _, i := range f.MDS {
		if i.GID == gid {
			return i
		}
	}
	return nil
}

// follower is the standby-replay MDS of a rank; nil if there is none.
func (f *Filesystem) follower(rank int) *MDSInfo {
	for _, i := range f.MDS {
		if i.State == mdsStandbyReplay && i.Rank == rank {
			return i
		}
	}
	return nil
}

func (f *Filesystem) followers() int {
	n := 0
	for _, i := range f.MDS {
		n += bit(i.State == mdsStandbyReplay)
	}
	return n
}

func (f *Filesystem) flag(bits int) bool { return f.Flags&bits != 0 }

// degraded says whether a rank has failed, is damaged or recovers.
func (f *Filesystem) degraded() bool {
	return len(f.Failed)+len(f.Damaged) > 0 || slices.ContainsFunc(f.MDS, func(i *MDSInfo) bool { return i.State.recovering() })
}

// resizeable says whether ranks may be added or given back now.
func (f *Filesystem) resizeable() bool {
	return !f.degraded() && !slices.ContainsFunc(f.MDS, func(i *MDSInfo) bool {
		return i.State == mdsCreating || i.State == mdsStarting || i.State == mdsStopping
	})
}

// actives counts the ranks that are active.
func (f *Filesystem) actives() int {
	n := 0
	for _, i := range f.MDS {
		n += bit(i.State == mdsActive)
	}
	return n
}

// standbysMissing is how many MDS more should stand by, of which there are so
// many that serve no file system.
func (f *Filesystem) standbysMissing(standbys int) int {
	return max(0, max(0, f.StandbyWanted)-standbys-f.followers())
}

// available is the standby that takes a rank of the file system first: one that
// wants to serve it, one that does not care, one that would rather serve
// another; nil if there is none.
func (m *FSMap) available(f *Filesystem) *MDSInfo {
	var who *MDSInfo
	for _, i := range m.Standbys {
		switch {
		case !i.LaggySince.IsZero():
		case i.JoinID == f.ID:
			return i
		case i.JoinID == -1 || who == nil:
			who = i
		}
	}
	return who
}

// replacement is the MDS that takes over a rank; nil if there is none.
func (m *FSMap) replacement(f *Filesystem, rank int) *MDSInfo {
	if i := f.follower(rank); i != nil && i.LaggySince.IsZero() {
		return i
	}
	return m.available(f)
}
