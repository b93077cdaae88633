package mon

import (
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// joinTime is how long a mon that was started is given to join the quorum before
// the rest of the cluster goes on without it: 20 tries, 5 s apart (S98).
const joinTime = 100 * time.Second

// member is a mon of the cluster, as it is observed.
type member struct {
	name string
	// ready says that its pod is the one wanted last, and ready.
	ready bool
	// since is how long it is as it is: since its Deployment was made, or its pod
	// became available or ceased to be; 0 if there is no Deployment.
	since time.Duration
}

// view is what is known of all mons.
type view struct {
	members []member // in the order of their ids
	// wanted is how many mons are worked towards; 0 stands for as many as there
	// are.
	wanted int
	// quorum is nil if the mons do not answer.
	quorum *ceph.Quorum
}

// in says whether a mon is in quorum.
func (v view) in(name string) bool { return v.quorum != nil && v.quorum.Has(name) }

// out are the names of the mons that are not in quorum.
func (v view) out() []string {
	var names []string
	for _, m := range v.members {
		if !v.in(m.name) {
			names = append(names, m.name)
		}
	}
	return names
}

// mayChange says whether the pod of a mon may be replaced by another now.
//
// One that does not work has nothing to lose. One that works may go if the rest
// still is a majority, or all the rest there is. If
// the mons run and yet do not answer, the change may be what mends them, so that
// it is made to one after the other, but not before they had time to answer.
func (v view) mayChange(name string) bool {
	i := slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
	if i < 0 || !v.members[i].ready {
		return true
	}
	if v.quorum == nil {
		return len(v.members) == 1 || !slices.ContainsFunc(v.members, func(m member) bool {
			return !m.ready || m.since < joinTime
		})
	}
	if !v.in(name) {
		return true
	}
	all := len(v.quorum.MonMap.Mons)
	left := 0
	for _, other := range v.quorum.Names() {
		if other != name && !v.stale(other) {
			left++
		}
	}
	return 2*left > all || left == all-1
}

// leaseTime is how long the quorum has a mon in it that has ended, at most:
// mon_lease_ack_timeout.
const leaseTime = 10 * time.Second

// stale says whether the quorum may not have missed a mon yet: its pod does not
// run, or began to a moment ago.
func (v view) stale(name string) bool {
	i := slices.IndexFunc(v.members, func(m member) bool { return m.name == name })
	return i >= 0 && (!v.members[i].ready || v.members[i].since < leaseTime)
}

// spares says whether the other mons hold the cluster's data without this one: a
// majority of the mon map is in quorum beside it.
func (v view) spares(name string) bool {
	if v.quorum == nil {
		return false
	}
	others := len(v.quorum.Ranks)
	if v.in(name) {
		others--
	}
	return 2*others > len(v.quorum.MonMap.Mons)
}

// settleTime is when to look again at mons that are [view.unsettled].
const settleTime = 15 * time.Second

// unsettled says whether a mon's pod and the quorum do not tell the same of it:
// a mon that has ended stays in quorum until its lease is over, and one that has
// started joins later. No event of Kubernetes tells when.
func (v view) unsettled() bool {
	return slices.ContainsFunc(v.members, func(m member) bool { return m.ready != v.in(m.name) })
}

// verdict is how the quorum stands.
type verdict int

const (
	// noMajority: there is no quorum; or no more than half of the mons that Ceph
	// knows, or that are wanted, are recorded ones in it.
	noMajority verdict = iota
	// joining: a mon that was started has not joined yet, and still may.
	joining
	// partial: there is a majority; a mon is out that has had its time.
	partial
	// complete: all are in quorum.
	complete
)

// judge says how the quorum stands (Settled 23).
func (v view) judge() verdict {
	out := v.out()
	if len(v.members) > 0 && len(out) == 0 {
		return complete
	}
	// One that is there to replace another is not missed while it joins.
	needed := len(v.members)
	if v.wanted > 0 {
		needed = min(needed, v.wanted)
	}
	if in := len(v.members) - len(out); v.quorum == nil || 2*in <= len(v.quorum.MonMap.Mons) || 2*in <= needed {
		return noMajority
	}
	for _, m := range v.members {
		if !v.in(m.name) && m.since < joinTime {
			return joining
		}
	}
	return partial
}

// patient says whether all mons have had their time to join (S98).
func (v view) patient() bool {
	return !slices.ContainsFunc(v.members, func(m member) bool { return m.since < joinTime })
}
