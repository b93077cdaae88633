package mon

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
)

// peer is a mon as the plan over the membership sees it: one that is recorded,
// or one that only Ceph knows.
type peer struct {
	name     string
	recorded bool
	// inMap says that Ceph's monmap has it, in that it is in quorum.
	inMap, in bool
	// out is how long it has been seen out of quorum, or not recorded.
	out time.Duration
	// since is as in [member].
	since time.Duration
	// lost says that it cannot work, whatever the quorum still says of it: its node
	// is no longer there, or its pod is not ready. The others notice only later.
	lost bool
	// adoptable says that it runs from a Deployment of this cluster, although it
	// is not recorded.
	adoptable bool
	// gone, moved, unfit and shared say in words what is wrong with its place, ""
	// if nothing is: its node is no longer there; its address is another than the
	// recorded one; its node is not meant for mons; another mon is on its node.
	gone, moved, unfit, shared string
}

// membership is what the plan over the membership is made from.
type membership struct {
	peers  []peer // recorded ones in the order of their ids, then the others
	wanted int
	// timeout is how long a mon may be out of quorum, 0 for ever.
	timeout time.Duration
	// settled says that the quorum stands long enough for absences to count.
	settled bool
}

// step kinds of a plan over the membership.
type deed int

const (
	// keep: all is as it should be, or nothing may be done about it now.
	keep deed = iota
	// adopt: a mon that is in Ceph's monmap and runs is recorded.
	adopt
	// disown: a mon that is not recorded is taken out of the monmap.
	disown
	// remove: a recorded mon is removed with all that belongs to it.
	remove
	// replace: another mon is started in the place of one.
	replace
)

// decision is what is to be done about the membership now.
type decision struct {
	deed deed
	mon  string
	// why is a sentence about the mon.
	why string
	// others are further mons to be replaced, if there is no node for the first.
	others []decision
	// surplus says that more mons are recorded than are wanted and than are there
	// because one is being replaced.
	surplus bool
}

// fewestForFailover is how many mons a cluster must have for one to be replaced:
// of two none can be missed, and the way from two to one is never taken because
// of a fault.
const fewestForFailover = 3

// decide says what is to be done about the membership, at most one thing. It is
// asked only while there is a quorum.
func (m membership) decide() decision {
	if d := m.foreign(); d.deed != keep {
		return d
	}
	if extra := len(m.recorded()) - m.wanted; extra > 0 {
		return m.shrink(extra)
	}
	return m.renew()
}

func (m membership) recorded() []peer {
	return slices.DeleteFunc(slices.Clone(m.peers), func(p peer) bool { return !p.recorded })
}

// expired says whether a mon has been out of quorum for too long.
func (m membership) expired(p peer) bool {
	if !p.inMap && p.recorded { // one that has never joined is given up in any case
		return !p.in && p.out >= cmp.Or(m.timeout, outTimeout)
	}
	return !p.in && m.timeout > 0 && p.out >= m.timeout
}

// failed says whether a mon cannot be expected to come back: a reason in words.
func (m membership) failed(p peer) string {
	switch {
	case p.recorded && !p.inMap && p.since >= joinTime && m.expired(p):
		// Ceph's quorum is none of its business: it is not a part of it, or not any
		// more. One that was removed does not come back by itself.
		return "mon " + p.name + " is out of quorum"
	case p.in || !m.settled:
		return ""
	case m.timeout > 0 && p.gone != "":
		return p.gone
	case m.timeout > 0 && p.moved != "":
		return p.moved
	case m.expired(p):
		return "mon " + p.name + " is out of quorum"
	}
	return ""
}

// misplaced says in words why a mon that works should be elsewhere.
func (p peer) misplaced() string {
	if !p.in {
		return ""
	}
	return cmp.Or(p.moved, p.unfit, p.shared)
}

// foreign deals with mons that Ceph knows and that are not recorded (B04): one
// that runs from our Deployment is taken in again; any other is nobody's, and is
// taken out once it has been so for as long as a mon may be out. One that is in
// quorum goes only if the recorded ones are all there.
func (m membership) foreign() decision {
	for _, p := range m.peers {
		if !p.recorded && p.adoptable {
			return decision{deed: adopt, mon: p.name, why: "mon " + p.name + " is in Ceph's monmap and runs"}
		}
	}
	for _, p := range m.peers {
		if p.recorded || m.timeout == 0 || p.out < m.timeout {
			continue
		}
		if !p.in || m.allIn("") && len(m.recorded()) >= m.wanted {
			return decision{deed: disown, mon: p.name, why: "mon " + p.name + " is in Ceph's monmap and is none of this cluster's"}
		}
	}
	return decision{}
}

// allIn says whether all recorded mons but one are in quorum.
func (m membership) allIn(but string) bool {
	return !slices.ContainsFunc(m.peers, func(p peer) bool { return p.recorded && !p.in && p.name != but })
}

// shrink chooses which of more mons than wanted goes (B02): what is out of
// quorum first, then what is lost, what has a bad place, and the highest id.
func (m membership) shrink(extra int) decision {
	var failing []peer
	for _, p := range m.recorded() {
		if m.failed(p) != "" || p.misplaced() != "" {
			failing = append(failing, p)
		}
	}
	surplus := extra > len(failing)
	order := m.recorded()
	place := func(p peer) int { return slices.IndexFunc(m.peers, func(x peer) bool { return x.name == p.name }) }
	rank := func(p peer) int {
		switch {
		case !p.in && !p.inMap && m.failed(p) != "":
			return 0
		case m.failed(p) != "":
			return 1
		case !p.in:
			return 2
		case p.lost:
			return 3
		case p.misplaced() != "":
			return 4
		}
		return 5
	}
	slices.SortFunc(order, func(a, b peer) int {
		if rank(a) != rank(b) {
			return cmp.Compare(rank(a), rank(b))
		}
		if m.failed(a) != "" || a.misplaced() != "" {
			return cmp.Compare(place(a), place(b)) // as in renew, so that the one goes whose place was taken
		}
		return cmp.Compare(place(b), place(a))
	})
	for _, p := range order {
		if m.spare(p, surplus) {
			return decision{deed: remove, mon: p.name, why: m.whyRemoved(p), surplus: surplus}
		}
	}
	d := decision{surplus: surplus, why: "none is removed before all others are in quorum"}
	if !surplus {
		d.mon, d.why = failing[0].name, cmp.Or(m.failed(failing[0]), failing[0].misplaced())
	}
	return d
}

func (m membership) whyRemoved(p peer) string {
	if why := cmp.Or(m.failed(p), p.misplaced()); why != "" {
		return why
	}
	return fmt.Sprintf("%d mons are recorded and %d are wanted", len(m.recorded()), m.wanted)
}

// spare says whether a mon may be removed. One that is in quorum may if all
// others are, and work: the quorum misses one that has just died only when its
// lease is over, and by then there may be too few. One that is out may if as many others are in quorum as are wanted,
// those aside that are given up too; but one that may still join has its time.
func (m membership) spare(p peer, surplus bool) bool {
	if p.in {
		return m.allIn(p.name) && !slices.ContainsFunc(m.recorded(), func(other peer) bool { return other.lost && other.name != p.name })
	}
	failed := m.failed(p) != ""
	if !failed && (!surplus || p.since < joinTime) {
		return false
	}
	in, given := 0, 0
	for _, other := range m.recorded() {
		switch {
		case other.in:
			in++
		case other.name != p.name && m.failed(other) != "":
			given++
		}
	}
	return in >= m.wanted-given
}

// renew chooses which mon is to be replaced: one that has failed, else, if all
// are in quorum, one that is in a bad place. None is as long as a new mon may
// still join: several new ones at once might, while those that have the data are
// away for a moment, take themselves for a majority, and begin another cluster.
func (m membership) renew() decision {
	if slices.ContainsFunc(m.recorded(), func(p peer) bool { return !p.in && !p.inMap && m.failed(p) == "" }) {
		return decision{}
	}
	var all []decision
	for _, p := range m.recorded() {
		if why := m.failed(p); why != "" {
			all = append(all, decision{deed: replace, mon: p.name, why: why})
		}
	}
	if len(all) == 0 && m.settled && m.allIn("") && len(m.recorded()) >= m.wanted {
		for _, p := range m.recorded() {
			if why := p.misplaced(); why != "" {
				all = append(all, decision{deed: replace, mon: p.name, why: why})
			}
		}
	}
	if len(all) == 0 {
		return decision{}
	}
	first := all[0]
	first.others = all[1:]
	if len(m.recorded()) < fewestForFailover && m.member(first.mon) {
		first.deed, first.others = keep, nil
	}
	return first
}

// member says whether Ceph's monmap has a mon.
func (m membership) member(name string) bool {
	return slices.ContainsFunc(m.peers, func(p peer) bool { return p.name == name && p.inMap })
}

// absent are the recorded mons that are out of quorum, in words, "" if there are
// none.
func (m membership) absent() string {
	var names []string
	for _, p := range m.recorded() {
		if !p.in {
			names = append(names, p.name)
		}
	}
	switch len(names) {
	case 0:
		return ""
	case 1:
		return "mon " + names[0] + " is out of quorum"
	}
	return "mons " + strings.Join(names, ", ") + " are out of quorum"
}
