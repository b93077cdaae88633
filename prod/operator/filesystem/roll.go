package filesystem

import (
	"slices"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// server is one MDS's Deployment.
type server struct {
	id string
	// exists: there is a Deployment.
	exists bool
	// ready: its pod is the one that the Deployment asks for, and runs.
	ready bool
	// differs: the Deployment is to change. image: because of another image.
	differs, image bool
}

// order is that in which Deployments are made and changed: those that do not run
// first, since a change may be what they need; then the standbys, then the MDS
// that serve.
func order(servers []server, f *ceph.Filesystem) []server {
	sorted := slices.Clone(servers)
	rank := func(s server) int {
		switch {
		case !s.ready:
			return 0
		case f == nil || !slices.ContainsFunc(f.MDS, func(m ceph.MDS) bool { return m.Name == s.id && m.State != ceph.MDSStandbyReplay }):
			return 1
		}
		return 2
	}
	slices.SortStableFunc(sorted, func(a, b server) int { return rank(a) - rank(b) })
	return sorted
}

// moves are what may be done to the Deployments now.
type moves struct {
	// ensure are the MDS whose Deployments are made or changed, in that order.
	ensure []string
	// ask is the MDS that must not be stopped for another image before package
	// upgrade lets it; "" for none.
	ask string
	// quiesce: before ask is replaced, one rank must be left, which none follows.
	quiesce bool
	// wait is the MDS that has to be ready before another is stopped; "" for none.
	wait string
}

// next decides about the Deployments. At most one MDS that runs is stopped, and
// only while all that were changed before it run again. A new one, and one that
// does not run, can be made or changed at once.
func next(servers []server, f *ceph.Filesystem) moves {
	var m moves
	waits := ""
	for _, s := range order(servers, f) {
		switch {
		case !s.exists, s.differs && !s.ready:
			m.ensure = append(m.ensure, s.id)
			waits = s.id
		case !s.differs && !s.ready:
			waits = s.id
		case !s.differs:
		case waits != "":
			m.wait = waits
			return m
		case s.image:
			m.ask = s.id
			m.quiesce = f != nil && (f.MaxMDS > 1 || len(f.In) > 1 || f.StandbyReplay)
			return m
		default:
			m.ensure = append(m.ensure, s.id)
			return m
		}
	}
	return m
}

// rolling says whether some MDS still run another image than they should: then
// one rank is left, which none follows.
func rolling(servers []server) bool {
	return slices.ContainsFunc(servers, func(s server) bool { return s.exists && s.image })
}
