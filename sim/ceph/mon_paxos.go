package ceph

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// collect gives the quorum the newest state that one of its members has.
func (m *mon) collect() {
	for _, r := range m.quorum {
		peer := m.reach(r)
		if peer == nil || peer.store.state == nil {
			continue
		}
		if m.store.state == nil || peer.store.state.Version > m.store.state.Version {
			m.store.state = peer.store.state
		}
	}
}

// takeOver is what a new leader does first: make the cluster if there is none
// yet, tell everybody, look after leases.
func (m *mon) takeOver() {
	now := m.sim.loop.Now()
	m.acked = map[int]time.Time{}
	for _, r := range m.quorum {
		m.acked[r] = now
	}
	m.lastCommit = time.Time{}
	if m.store.state == nil {
		m.store.state = m.firstState()
		m.monmap = nil
		m.adopt(m.store.state.MonMap)
		m.sim.loop.Trace("ceph", "cluster %s is made by mon.%s", m.store.fsid, m.name)
		if len(m.monmap.Mons) == 1 {
			m.winAlone() // the first committed map begins a new election
			return
		}
	}
	m.sim.loop.Trace("ceph", "%s %s", m.store.fsid, m.leaderText())
	m.propose(func(t *change) { m.atTakeOver(t) })
	m.renewLeases()
	m.after(tickInterval, "mon tick", m.tick)
}

// atTakeOver is the first commit of a new leader: log, metadata of the quorum,
// and features that all of its members have.
func (m *mon) atTakeOver(t *change) {
	t.clusterLog(m, "[INF]", m.leaderText())
	meta := t.monMeta()
	lowest := m.release
	for _, r := range m.quorum {
		peer := m.reach(r)
		if peer == nil {
			continue
		}
		meta.Of[peer.name] = peer.metadata()
		if !peer.release.atLeast(lowest.major) {
			lowest = peer.release
		}
	}
	if len(m.quorum) == len(m.monmap.Mons) {
		t.raiseFeatures(lowest)
	}
}

// raiseFeatures makes the features of a release persistent, once every monitor
// has it.
func (t *change) raiseFeatures(r *release) {
	mm := t.old.MonMap
	want := r.monFeatures()
	release := 0
	if r.atLeast(nautilus) {
		release = r.major
	}
	if len(want) <= len(mm.Features) && release <= mm.MinRelease {
		return
	}
	next := t.monmap()
	next.Features, next.MinRelease = want, max(release, mm.MinRelease)
}

// monFeatures are the persistent features of the monmap.
func (r *release) monFeatures() []string {
	all := []string{"kraken", "luminous", "mimic", "osdmap-prune", "nautilus", "octopus", "pacific", "elector-pinging", "quincy", "reef", "squid", "tentacle"}
	end := r.name
	switch r.major {
	case mimic:
		end = "osdmap-prune"
	case pacific:
		end = "elector-pinging"
	}
	i := slices.Index(all, end)
	if i < 0 {
		i = len(all) - 1
	}
	return all[: i+1 : i+1]
}

// metadata is what the monitor tells about itself.
func (m *mon) metadata() Metadata {
	return metadataOf(m.p, m.release, m.addrs)
}

// metadataOf is what every daemon tells about itself.
func metadataOf(p *host.Process, r *release, addrs AddrVec) Metadata {
	meta := Metadata{Addrs: addrs, Release: r, Hostname: p.Machine.Name, Image: p.Env["CONTAINER_IMAGE"], PodName: p.Env["POD_NAME"], PodNamespace: p.Env["POD_NAMESPACE"]}
	if node := p.Env["NODE_NAME"]; node != "" {
		meta.Hostname = node
	}
	if meta.Image != "" {
		meta.ContainerHostname = meta.PodName
	}
	return meta
}

// renewLeases lets the peons answer for another while. A peon that has not been
// reached for long makes the leader call an election.
func (m *mon) renewLeases() {
	now := m.sim.loop.Now()
	for _, r := range m.quorum {
		peer := m.reach(r)
		if peer != nil && peer != m && peer.status == statePeon && peer.leader == m.rank {
			peer.leased()
		}
		if peer == m || peer != nil && (peer.status == statePeon || now.Sub(m.quorumSince) < probeTimeout) {
			m.acked[r] = now
		}
		if now.Sub(m.acked[r]) >= leaseAckTimeout {
			m.log(1, "lease_ack_timeout -- calling new election")
			m.bootstrap()
			return
		}
	}
	m.after(leaseRenew, "mon lease", m.renewLeases)
}

// leased is a lease that a peon gets.
func (m *mon) leased() {
	if m.inQuorum() && m.leaseUntil.IsZero() || m.leaseUntil.Before(m.sim.loop.Now()) {
		m.watchLease()
	}
	m.leaseUntil = m.sim.loop.Now().Add(leaseInterval)
}

// watchLease calls an election when the leader has been silent for too long.
func (m *mon) watchLease() {
	m.after(leaseAckTimeout, "mon lease timeout", m.checkLease)
}

func (m *mon) checkLease() {
	silent := m.sim.loop.Now().Sub(m.leaseUntil.Add(-leaseInterval))
	if silent >= leaseAckTimeout {
		m.log(1, "lease_timeout -- calling new election")
		m.leaseUntil = time.Time{}
		m.bootstrap()
		return
	}
	m.after(leaseAckTimeout-silent, "mon lease timeout", m.checkLease)
}

// acceptors are the members of the quorum if all of them can be reached, else
// nil: paxos waits for each.
func (m *mon) acceptors() []*mon {
	if m.status != stateLeader {
		return nil
	}
	var all []*mon
	for _, r := range m.quorum {
		peer := m.reach(r)
		if peer == nil || peer != m && peer.status != statePeon && m.sim.loop.Since(m.quorumSince) > probeTimeout {
			return nil
		}
		all = append(all, peer)
	}
	return all
}

// propose makes a change and commits it at once; a change of nothing is no
// commit. It must be called at the leader, and says whether it was committed.
func (m *mon) propose(fn func(t *change)) bool {
	if m.acceptors() == nil {
		return false
	}
	t := begin(m.store.state, m.sim.loop.Now())
	fn(t)
	return m.commit(t)
}

// commit makes a change the quorum's state.
func (m *mon) commit(t *change) bool {
	if !t.dirty() {
		return true
	}
	acceptors := m.acceptors()
	if acceptors == nil || t.old != m.store.state {
		return false
	}
	next := t.finish()
	m.lastCommit = m.sim.loop.Now()
	for _, peer := range acceptors {
		peer.committed(next)
	}
	if next.FSMap != t.old.FSMap {
		m.after(m.proposeDelay(), "fsmap", func() { m.propose(func(t *change) { mdsTick(m, t) }) })
	}
	return true
}

// committed is a new state that the quorum has agreed on.
func (m *mon) committed(next *State) {
	old := m.store.state
	m.store.state = next
	for _, s := range slices.Clone(m.sessions) {
		s.notify(old, next)
	}
	m.printLog(old, next)
	if m.monmap == next.MonMap {
		return
	}
	before := m.monmap
	m.monmap = next.MonMap
	if before.Epoch > 0 && len(next.MonMap.Mons) != len(before.Mons) || m.rankIn(next.MonMap) != m.rank {
		m.after(0, "monmap has changed", m.bootstrap)
	}
}

// printLog writes new lines of the cluster log to stderr if the options want
// them there.
func (m *mon) printLog(old, next *State) {
	if !m.opts.on("mon_cluster_log_to_stderr", false) {
		return
	}
	last := 0
	if old != nil {
		last = old.Log.Seq
	}
	for _, e := range next.Log.Entries {
		if e.Seq > last {
			m.p.Errorf("%scluster %s\n", m.opts.or("log_stderr_prefix", ""), e.text(m.release))
		}
	}
}

// tick looks after what time changes.
func (m *mon) tick() {
	m.propose(func(t *change) {
		for _, fn := range tickers() {
			fn(m, t)
		}
	})
	m.after(tickInterval, "mon tick", m.tick)
}

// clusterLog adds a line to the cluster log.
func (t *change) clusterLog(m *mon, priority, text string) {
	l := t.log()
	l.Seq++
	l.Entries = append(l.Entries, LogEntry{
		Name: "mon." + m.name, Rank: fmt.Sprintf("mon.%d", m.rank), Addrs: m.addrs, Stamp: t.now, Seq: l.Seq,
		Channel: "cluster", Priority: priority, Message: text,
	})
}

// firstState is the state of a cluster that has just been made.
func (m *mon) firstState() *State {
	now, r := m.sim.loop.Now(), m.lowestInQuorum()
	mm := m.monmap.clone()
	mm.Epoch, mm.FSID, mm.Modified = 1, m.store.fsid, mm.Created
	mm.Features = r.monFeatures()
	if r.atLeast(nautilus) {
		mm.MinRelease = r.major
	}
	s := &State{
		Version: 1, FSID: m.store.fsid, MonMap: mm,
		MonMeta: &MonMeta{map[string]Metadata{}}, OSDMap: newOSDMap(r, now, m.opts.chooseleafType()), PGMap: newPGMap(), MgrMap: newMgrMap(r, m.opts), FSMap: newFSMap(r),
		Auth: m.firstAuth(), Config: &ConfigDB{History: []ConfigChange{{Version: 1, Time: now}}},
		ConfigKey: &KeyStore{map[string]string{}}, Log: &ClusterLog{}, Health: &HealthDB{Since: map[string]time.Time{}},
		Services: &ServiceMap{Epoch: 1, Modified: now, Services: map[string][]ServiceDaemon{}},
		Created:  now,
	}
	t := begin(s, now)
	t.clusterLog(m, "[INF]", "mkfs "+s.FSID)
	s = t.new
	return s
}

func (m *mon) lowestInQuorum() *release {
	lowest := m.release
	for _, r := range m.quorum {
		if peer := m.reach(r); peer != nil && peer.release.major < lowest.major {
			lowest = peer.release
		}
	}
	return lowest
}

// canCommit says whether a change would be committed now.
func (m *mon) canCommit() bool { return m.acceptors() != nil }
