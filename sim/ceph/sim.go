package ceph

import (
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Sim is the simulated Ceph of one world: any number of clusters, each made by
// the monitors that run.
type Sim struct {
	loop     *loop.Loop
	net      *host.Network
	handlers map[string]handler
	mons     []*mon // running, in the order of their start
	pids     int
	skews    map[string]time.Duration // of clocks, by machine
	layouts  []*layout                // of the OSD maps that were asked for last

	osds     []*osdDaemon     // running, in the order of their start
	silent   []*osdDaemon     // ended without a word, and still up in the map
	mgrs     []*mgrDaemon     // running
	mdss     []*mdsDaemon     // running, or not yet known to have ended
	services []*serviceDaemon // that are in the service map
	// mgrSilence says since when a manager that has ended is not heard of.
	mgrSilence map[uint64]time.Time
}

// New makes a world without any cluster. net is where the daemons listen.
func New(l *loop.Loop, net *host.Network) *Sim {
	s := &Sim{loop: l, net: net, handlers: map[string]handler{}}
	for _, table := range commandTables() {
		for prefix, h := range table {
			if _, twice := s.handlers[prefix]; twice {
				panic("ceph: two handlers for the command " + prefix)
			}
			s.handlers[prefix] = h
		}
	}
	return s
}

// Image is what an image of that Ceph version, such as "14.2.0", has installed.
func (s *Sim) Image(version string) host.Image {
	r := releaseOf(version)
	img := host.Image{Version: version, Programs: map[string]host.Program{}}
	for name, main := range programs() {
		img.Programs[name] = func(p *host.Process) int { return main(s, r, p) }
	}
	return img
}

// program is the main function of a program of a release.
type program func(s *Sim, r *release, p *host.Process) int

// Cluster is what steps and tests may see of a cluster: what its monitors have
// committed, and who is in quorum. All of it is read-only.
type Cluster struct {
	FSID  string
	State *State
	// Quorum holds the names of the monitors in quorum, by rank; empty if there
	// is no quorum.
	Quorum []string
	Leader string // empty if there is no quorum
}

// Clusters shows each cluster that has a monitor running, in the order in which
// they appeared.
func (s *Sim) Clusters() []Cluster {
	var all []Cluster
	for _, m := range s.mons {
		st := m.store.state
		if st == nil {
			continue
		}
		i := slices.IndexFunc(all, func(c Cluster) bool { return c.FSID == st.FSID })
		if i < 0 {
			all = append(all, Cluster{FSID: st.FSID})
			i = len(all) - 1
		}
		if all[i].State == nil || all[i].State.Version < st.Version {
			all[i].State = st
		}
		if m.canCommit() {
			all[i].Leader, all[i].Quorum = m.name, m.quorumNames()
		}
	}
	return all
}
