package ceph

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Ceph's default intervals.
const (
	leaseInterval    = 5 * time.Second // mon_lease
	leaseRenew       = 3 * time.Second // mon_lease × mon_lease_renew_interval_factor
	leaseAckTimeout  = 10 * time.Second
	electionTimeout  = 5 * time.Second        // mon_election_timeout
	probeTimeout     = 2 * time.Second        // mon_probe_timeout
	proposeInterval  = time.Second            // paxos_propose_interval
	proposeMinWait   = 50 * time.Millisecond  // paxos_min_wait
	tickInterval     = 5 * time.Second        // mon_tick_interval
	syncTime         = 500 * time.Millisecond // of a small store
	monDownMkfsGrace = time.Minute            // mon_down_mkfs_grace
)

// monStatus is what a monitor is doing, by the name that mon_status gives it.
type monStatus string

const (
	stateProbing       monStatus = "probing"
	stateSynchronizing monStatus = "synchronizing"
	stateElecting      monStatus = "electing"
	stateLeader        monStatus = "leader"
	statePeon          monStatus = "peon"
)

// monStore is a monitor's database: what is in its data directory and outlives
// the process.
type monStore struct {
	fsid          string
	seed          *MonMap      // of mkfs
	initial       conf.Keyring // of mkfs
	state         *State       // last committed; nil before the first quorum
	electionEpoch int
	joined        bool     // has been in a quorum
	madeBy        *release // mkfs
	lockedBy      *mon
}

// mon is a running monitor.
type mon struct {
	sim     *Sim
	p       *host.Process
	opts    *options
	release *release
	name    string
	key     string // of "mon."
	store   *monStore
	rand    *rand.Rand

	addrs    AddrVec // public
	monmap   *MonMap
	rank     int
	status   monStatus
	removed  bool // from the monmap: it ends by itself
	started  time.Time
	round    int // of bootstrap: what was sent before it no longer counts
	hints    []AddrVec
	outside  map[string]bool // out of quorum and reachable
	election election

	quorum      []int
	quorumSince time.Time
	leader      int // rank
	leaseUntil  time.Time
	acked       map[int]time.Time // by rank, at the leader
	lastCommit  time.Time

	sessions []*session
}

// port is what listens at one address of a monitor.
type port struct {
	mon   *mon
	proto string // "v1" or "v2"
}

// log writes a line of the daemon's log to stderr, as a container shows it.
func (m *mon) log(level int, format string, args ...any) {
	m.opts.logf(m.p, level, "mon.%s@%d(%s) e%d %s", m.name, m.rank, m.shown(), m.epoch(), fmt.Sprintf(format, args...))
}

func (m *mon) shown() string {
	if m.status == "" {
		return "???"
	}
	return string(m.status)
}

func (m *mon) epoch() int {
	if m.monmap == nil {
		return 0
	}
	return m.monmap.Epoch
}

// majority is how many monitors a quorum needs.
func (m *MonMap) majority() int { return len(m.Mons)/2 + 1 }

func (m *mon) quorumNames() []string {
	var names []string
	for _, r := range m.quorum {
		if r < len(m.monmap.Mons) {
			names = append(names, m.monmap.Mons[r].Name)
		}
	}
	return names
}

func (m *mon) inQuorum() bool { return m.status == stateLeader || m.status == statePeon }

// dead says whether the process has ended.
func (m *mon) dead() bool { return m.p.Group.Dead() }

// dial finds the monitor at one of the addresses, nil if none answers.
func (s *Sim) dial(from string, addrs AddrVec) *mon {
	for _, a := range addrs {
		if a.IP == "" {
			continue
		}
		server, err := s.net.Dial(from, a.IP, a.Port)
		if err != nil {
			continue
		}
		if p, ok := server.(*port); ok && (a.Type == p.proto || a.Type == "any") {
			return p.mon
		}
	}
	return nil
}

// reach finds a monitor of the map, nil if it does not answer.
func (m *mon) reach(rank int) *mon {
	if rank == m.rank {
		return m
	}
	if rank < 0 || rank >= len(m.monmap.Mons) {
		return nil
	}
	peer := m.sim.dial(m.p.Addr, m.monmap.Mons[rank].Addrs)
	if peer == nil || peer.store.fsid != m.store.fsid {
		return nil
	}
	return peer
}

// send hands something to the monitor at addrs a moment later, if it can be
// reached then.
func (m *mon) send(addrs AddrVec, what string, deliver func(peer *mon)) {
	delay := 500*time.Microsecond + time.Duration(m.rand.Int64N(int64(time.Millisecond)))
	m.p.Group.After(delay, what, func() {
		peer := m.sim.dial(m.p.Addr, addrs)
		if m.status != "" && peer != nil && peer != m && peer.store.fsid == m.store.fsid {
			deliver(peer)
		}
	})
}

// after is a timer that does not count once the monitor has begun anew.
func (m *mon) after(d time.Duration, what string, fn func()) {
	round := m.round
	m.p.Group.After(d, what, func() {
		if m.round == round {
			fn()
		}
	})
}

// bootstrap begins anew: find the others, then elect.
func (m *mon) bootstrap() {
	m.round++
	m.status, m.quorum, m.leader = stateProbing, nil, -1
	m.outside = map[string]bool{}
	m.adopt(m.newestMap())
	if m.rank < 0 && m.store.joined {
		m.log(0, " removed from monmap, suicide.")
		m.removed = true
		m.p.Terminate()
		return
	}
	if m.rank == 0 && len(m.monmap.Mons) == 1 && len(m.monmap.Mons[0].Addrs) > 0 {
		m.after(0, "standalone election", m.winAlone)
		return
	}
	if m.rank >= 0 && len(m.monmap.Mons[m.rank].Addrs) > 0 {
		m.outside[m.name] = true
	}
	m.after(probeTimeout, "probe timeout", m.bootstrap)
	for i, peer := range m.monmap.Mons {
		if i != m.rank {
			m.probe(peer.Addrs)
		}
	}
	for _, addrs := range m.hints {
		m.probe(addrs)
	}
}

// newestMap is the committed monmap, or what the monitor has learned while it
// was probing.
func (m *mon) newestMap() *MonMap {
	newest := m.store.seed
	if m.store.state != nil {
		newest = m.store.state.MonMap
	}
	if m.monmap != nil && m.monmap.Epoch > newest.Epoch {
		newest = m.monmap
	}
	if newest.Epoch == 0 && m.monmap != nil {
		return m.monmap
	}
	return newest
}

// rankIn is the monitor's rank by a map: its place there, if the map has one of
// its addresses.
func (m *mon) rankIn(mm *MonMap) int {
	if i := mm.Rank(m.name); i >= 0 && mm.Mons[i].Addrs.shares(m.addrs) {
		return i
	}
	return -1
}

// adopt takes over a monmap.
func (m *mon) adopt(mm *MonMap) {
	m.monmap = mm
	if r := m.rankIn(mm); r != m.rank {
		old := m.rank
		m.rank = r
		m.log(0, " my rank is now %d (was %d)", r, old)
	}
}

func (m *mon) probe(addrs AddrVec) {
	if len(addrs) == 0 {
		return
	}
	round := m.round
	m.send(addrs, "mon probe", func(peer *mon) {
		back := AddrVec(slices.Clone(m.addrs))
		peer.learn(m.name, back)
		peer.send(back, "mon probe reply", func(me *mon) {
			if me == m && m.round == round {
				m.heard(peer)
			}
		})
	})
}

// learn notes where a monitor is that an initial map names without address.
func (m *mon) learn(name string, addrs AddrVec) {
	if m.monmap.Epoch > 0 || m.inQuorum() {
		return
	}
	for i := range m.monmap.Mons {
		if mi := m.monmap.Mons[i]; mi.Name == name && len(mi.Addrs) == 0 || mi.Name != name && strings.HasPrefix(mi.Name, noName) && mi.Addrs.shares(addrs) {
			next := m.monmap.clone()
			next.Mons[i] = MonInfo{Name: name, Addrs: addrs}
			next.sortByAddr()
			m.adopt(next)
			return
		}
	}
}

// heard is the answer of a monitor to a probe.
func (m *mon) heard(peer *mon) {
	if m.status != stateProbing {
		return
	}
	if peer.monmap.Epoch > m.monmap.Epoch {
		m.log(0, " got newer/committed monmap epoch %d, mine was %d", peer.monmap.Epoch, m.monmap.Epoch)
		m.adopt(peer.monmap)
		m.bootstrap()
		return
	}
	m.learn(peer.name, peer.addrs)
	if peer.inQuorum() {
		m.joinQuorum(peer)
		return
	}
	if m.monmap.Rank(peer.name) < 0 {
		return
	}
	m.outside[peer.name] = true
	if len(m.outside) >= m.monmap.majority() && m.outside[m.name] {
		m.startElection()
	}
}

// joinQuorum goes to the quorum that peer is in: takes over what it missed
// first, asks to be put into the map if it is not there.
func (m *mon) joinQuorum(peer *mon) {
	switch {
	case peer.store.state == nil:
	case m.rank >= 0 && len(m.monmap.Mons[m.rank].Addrs) > 0:
		if m.behind(peer) {
			m.syncFrom(peer)
			return
		}
		m.startElection()
	default:
		m.log(0, "ready to join, but i'm not in the monmap/my addr is blank/location is wrong, trying to join")
		addrs := m.addrs
		m.send(peer.monmap.Mons[peer.leader].Addrs, "mon join", func(leader *mon) { leader.join(m.name, addrs) })
	}
}

// maxDrift is how many commits a monitor may be behind and still join an
// election (paxos_max_join_drift).
const maxDrift = 10

func (m *mon) behind(peer *mon) bool {
	return m.store.state == nil || peer.store.state.Version > m.store.state.Version+maxDrift
}

func (m *mon) syncFrom(peer *mon) {
	m.round++
	m.status = stateSynchronizing
	m.after(syncTime, "mon sync", func() {
		if m.sim.dial(m.p.Addr, peer.addrs) == peer && peer.store.state != nil {
			m.store.state = peer.store.state
			m.monmap = nil
		}
		m.bootstrap()
	})
}

// join is the leader's answer to a monitor that wants to be in the map.
func (m *mon) join(name string, addrs AddrVec) {
	if m.status != stateLeader {
		return
	}
	m.propose(func(t *change) {
		old := t.old.MonMap
		if i := old.Rank(name); i >= 0 && old.Mons[i].Addrs.equal(addrs) {
			return
		}
		if i := slices.IndexFunc(old.Mons, func(mi MonInfo) bool { return mi.Addrs.shares(addrs) }); i >= 0 && old.Mons[i].Name != name {
			return
		}
		m.log(0, "adding/updating %s at %s to monitor cluster", name, addrs)
		t.monmap().put(MonInfo{Name: name, Addrs: addrs}, m.release)
	})
}

// put adds or replaces a monitor. Up to mimic the ranks follow the addresses;
// from nautilus on a new monitor is the last.
func (mm *MonMap) put(info MonInfo, r *release) {
	if i := mm.Rank(info.Name); i >= 0 {
		mm.Mons[i] = info
	} else {
		mm.Mons = append(mm.Mons, info)
	}
	if !r.atLeast(nautilus) {
		mm.sortByAddr()
	}
}

func (mm *MonMap) sortByAddr() {
	slices.SortStableFunc(mm.Mons, func(a, b MonInfo) int {
		if unknown := len(a.Addrs) == 0; unknown != (len(b.Addrs) == 0) {
			if unknown {
				return 1
			}
			return -1
		}
		return a.Addrs.legacy().compare(b.Addrs.legacy())
	})
}
