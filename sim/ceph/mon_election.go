package ceph

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// election is what a monitor remembers of the election that is on.
type election struct {
	candidate bool            // it wants to lead
	acks      map[string]bool // who defers to it, by name, itself too
	deferred  int             // rank to which it defers, -1 for none
}

// startElection proposes this monitor as leader: the rank decides, a lower one
// wins. The epoch is odd while an election is on.
func (m *mon) startElection() {
	m.round++
	m.status, m.quorum, m.leader = stateElecting, nil, -1
	m.log(0, "calling monitor election")
	if m.store.electionEpoch%2 == 0 {
		m.store.electionEpoch++
	}
	m.election = election{candidate: true, acks: map[string]bool{m.name: true}, deferred: -1}
	epoch := m.store.electionEpoch
	for i, peer := range m.monmap.Mons {
		if i != m.rank {
			m.send(peer.Addrs, "mon election propose", func(p *mon) { p.proposed(m, m.rank, epoch) })
		}
	}
	m.after(electionTimeout, "election timeout", m.electionExpired)
}

// bump moves on to a later epoch that another monitor knows.
func (m *mon) bump(epoch int) {
	m.store.electionEpoch = epoch
	m.election = election{deferred: -1}
}

// proposed is another monitor's wish to lead.
func (m *mon) proposed(from *mon, rank, epoch int) {
	if m.rank < 0 || m.status == stateSynchronizing || m.monmap.Epoch != from.monmap.Epoch {
		if from.monmap.Epoch > m.monmap.Epoch {
			m.adopt(from.monmap)
			m.bootstrap()
		}
		return
	}
	switch {
	case epoch > m.store.electionEpoch:
		m.bump(epoch)
	case epoch < m.store.electionEpoch:
		if m.store.electionEpoch%2 == 0 { // it does not know of the quorum: give it a new election
			m.startElection()
		}
		return
	}
	if m.rank < rank {
		if m.election.deferred < 0 && !m.election.candidate {
			m.startElection()
		}
		return
	}
	if m.election.deferred >= 0 && m.election.deferred < rank {
		return
	}
	m.deferTo(from, rank)
}

func (m *mon) deferTo(from *mon, rank int) {
	m.round++
	m.status, m.quorum, m.leader = stateElecting, nil, -1
	m.election = election{deferred: rank}
	epoch := m.store.electionEpoch
	m.send(from.addrs, "mon election ack", func(p *mon) { p.ack(m, epoch) })
	m.after(electionTimeout+leaseInterval, "election timeout", m.electionExpired)
}

// ack is another monitor's consent.
func (m *mon) ack(from *mon, epoch int) {
	if epoch > m.store.electionEpoch {
		m.bump(epoch)
		m.startElection()
		return
	}
	if epoch < m.store.electionEpoch || !m.election.candidate || from.monmap.Epoch != m.monmap.Epoch {
		return
	}
	m.election.acks[from.name] = true
	if len(m.election.acks) == len(m.monmap.Mons) {
		m.win()
	}
}

func (m *mon) electionExpired() {
	if m.election.candidate && len(m.election.acks) >= m.monmap.majority() {
		m.win()
		return
	}
	m.bootstrap()
}

// winAlone is the election of a cluster with one monitor.
func (m *mon) winAlone() {
	m.log(1, "win_standalone_election")
	switch {
	case m.store.electionEpoch == 0:
		m.store.electionEpoch = 2
	case m.store.electionEpoch%2 == 1: // it stopped, or the map changed, while it led
		m.store.electionEpoch += 2
	default:
		m.store.electionEpoch++
	}
	m.election = election{acks: map[string]bool{m.name: true}, deferred: -1}
	m.lead()
}

// win ends the election with this monitor as leader.
func (m *mon) win() {
	m.store.electionEpoch++
	m.lead()
	epoch, quorum := m.store.electionEpoch, m.quorum
	for _, r := range quorum {
		if r != m.rank {
			m.send(m.monmap.Mons[r].Addrs, "mon election victory", func(p *mon) { p.lost(m, epoch, quorum) })
		}
	}
}

func (m *mon) lead() {
	m.round++
	m.status, m.leader = stateLeader, m.rank
	m.quorum = nil
	for r, info := range m.monmap.Mons {
		if m.election.acks[info.Name] {
			m.quorum = append(m.quorum, r)
		}
	}
	m.election = election{deferred: -1}
	m.quorumSince = m.sim.loop.Now()
	m.store.joined = true
	m.opts.logf(m.p, 0, "log_channel(cluster) log [INF] : %s", m.leaderText())
	m.collect()
	m.takeOver()
}

func (m *mon) leaderText() string {
	return fmt.Sprintf("mon.%s is new leader, mons %s in quorum (ranks %s)", m.name, strings.Join(m.quorumNames(), ","),
		strings.Trim(strings.ReplaceAll(fmt.Sprint(m.quorum), " ", ","), "[]"))
}

// lost is the news that another monitor leads.
func (m *mon) lost(leader *mon, epoch int, quorum []int) {
	if epoch < m.store.electionEpoch || leader.status != stateLeader || !slices.Contains(quorum, leader.monmap.Rank(m.name)) {
		return
	}
	m.round++
	m.store.electionEpoch = epoch
	m.status, m.leader, m.quorum = statePeon, leader.rank, quorum
	m.election = election{deferred: -1}
	m.quorumSince = m.sim.loop.Now()
	m.store.joined = true
	if leader.store.state != nil {
		m.store.state = leader.store.state
		m.adopt(m.store.state.MonMap)
	}
	m.leaseUntil = time.Time{} // what watched the lease of the last leader ended with its round
	m.leased()
}
