package ceph

import (
	"fmt"
	"slices"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Delays of an MDS.
const (
	mdsStart   = 500 * time.Millisecond
	mdsWork    = 200 * time.Millisecond // of one state on the way to up:active
	mdsEmpty   = time.Second            // until a rank is empty that is given back
	mdsRespawn = 200 * time.Millisecond
	mdsWait    = time.Second // between two looks at placement groups that are not active
)

// mdsDaemon is a ceph-mds, running or not yet known to have ended.
type mdsDaemon struct {
	sim     *Sim
	p       *host.Process
	o       *options
	r       *release
	gid     uint64
	addrs   AddrVec
	session *session
	fsid    string
	known   bool      // it was in the map by this gid
	busy    bool      // with what its state asks for, or with starting anew
	done    bool      // it has ended
	lastSay time.Time // of a beacon that reached the monitors
}

// mdsMain is the program ceph-mds.
func mdsMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "mds", "admin")
	if err != nil {
		p.Errorf("global_init: error reading config file: %v\n", err)
		return 1
	}
	if id := o.who.ID; id == "" || id[0] >= '0' && id[0] <= '9' {
		o.logf(p, -1, "MDS id '%s' is invalid. MDS names may not start with a numeric digit.", o.who.Name())
		return 1
	}
	if word, bad := o.unknownWord(nil); bad {
		o.logf(p, -1, "Error: can't understand argument: %s\n", word)
		return 1
	}
	key, errno := o.keyOf(p, "/var/lib/ceph/mds/$cluster-$id/keyring")
	if errno != 0 || key == "" {
		return o.denied(p)
	}
	d := &mdsDaemon{sim: s, p: p, o: o, r: r}
	d.session, err = s.connect(p, o.monsOf(), o.who.Name(), key, 0)
	if err != nil {
		return o.denied(p)
	}
	return d.main()
}

func (d *mdsDaemon) log(level int, format string, args ...any) {
	d.o.logf(d.p, level, "mds."+d.o.who.ID+" "+format, args...)
}

// main serves until SIGTERM.
func (d *mdsDaemon) main() int {
	s := d.sim
	d.o.logf(d.p, 0, "%s, process ceph-mds, pid %d", d.r.long(), s.nextPID())
	d.p.Printf("starting mds.%s at \n", d.o.who.ID)
	d.p.Sleep(mdsStart)
	var ok bool
	if d.addrs, ok = s.bindDaemon(d.p, d.r, uint32(s.nextPID()), d); !ok {
		d.o.logf(d.p, -1, "unable to bind to %s on any port in range %d-%d", d.p.Addr, portMin, portMax)
		return 1
	}
	if err := d.join(); err != nil {
		return d.o.denied(d.p)
	}
	s.mdss = append(s.mdss, d)
	d.p.Group.OnKill(func() { d.done = true })
	d.session.onChange(func(_, now *State) { d.look(now) })
	d.lookNow()
	stop := s.openAdminSocket(d.p, d.o, d)
	d.p.Serve()
	d.log(-1, "*** got signal Terminated ***")
	d.log(1, "suicide! Wanted state %s", d.state())
	d.submit(func(c *call) reply {
		c.change().failMDS(d.gid)
		return reply{}
	})
	stop()
	d.done = true
	return 0
}

// join makes the MDS a standby. One of the same name that is in the map is gone:
// names are unique.
func (d *mdsDaemon) join() error {
	_, err := d.session.submit(true, func(c *call) reply {
		d.gid, d.fsid, d.lastSay, d.known = d.sim.gid(), c.state.FSID, c.now, false
		t := c.change()
		for _, i := range c.state.FSMap.all() {
			if i.Name == d.o.who.ID {
				t.clusterLog(c.mon, "[INF]", i.human()+" restarted")
				t.failMDS(i.GID)
			}
		}
		t.addStandby(MDSInfo{
			Metadata: metadataOf(d.p, d.r, d.addrs), GID: d.gid, Name: d.o.who.ID,
			JoinFS: d.joinFS(c.state), JoinID: -1,
		})
		return reply{}
	})
	if err == nil {
		d.sim.mdss = slices.DeleteFunc(d.sim.mdss, func(x *mdsDaemon) bool { return x.done && x.o.who.ID == d.o.who.ID && x.fsid == d.fsid })
		d.log(1, "Monitors have assigned me to become a standby.")
	}
	return err
}

// joinFS is mds_join_fs.
func (d *mdsDaemon) joinFS(st *State) string {
	if !d.r.atLeast(octopus) {
		return ""
	}
	if v, ok := d.o.get("mds_join_fs"); ok {
		return v
	}
	v, _ := st.Config.value("mds_join_fs", "mds."+d.o.who.ID, "mds", "global")
	return v
}

func (d *mdsDaemon) state() mdsState {
	if m := d.sim.leaderOf(d.fsid); m != nil {
		if i, _ := m.store.state.FSMap.mds(d.gid); i != nil {
			return i.State
		}
	}
	return mdsStandby
}

// submit sends the monitors something; a key that they do not accept any more
// is only said.
func (d *mdsDaemon) submit(fn func(c *call) reply) {
	if _, err := d.session.submit(true, fn); err != nil {
		d.log(-1, "the monitors do not accept the key any more")
	}
}

func (d *mdsDaemon) lookNow() {
	if m := d.sim.leaderOf(d.fsid); m != nil {
		d.look(m.store.state)
	}
}

// next are the states that a rank goes through until it is active.
func (d *mdsDaemon) next(i *MDSInfo, f *Filesystem) (mdsState, bool) {
	switch i.State {
	case mdsCreating, mdsStarting, mdsRejoin:
		return mdsActive, true
	case mdsReplay:
		if len(f.In) > 1 {
			return mdsResolve, true
		}
		return mdsReconnect, true
	case mdsResolve:
		return mdsReconnect, true
	case mdsReconnect:
		return mdsRejoin, true
	}
	return "", false
}

// look has the MDS do what the map says of it. One that is not in the map any
// more starts anew.
func (d *mdsDaemon) look(st *State) {
	if d.done || d.busy {
		return
	}
	i, f := st.FSMap.mds(d.gid)
	if i == nil {
		if d.known {
			d.respawn()
		}
		return
	}
	d.known = true
	switch _, moves := d.next(i, f); {
	case moves:
		d.work(*i)
	case i.State == mdsStopping:
		d.giveBack()
	}
}

func (d *mdsDaemon) respawn() {
	d.busy = true
	d.p.Group.Go("mds respawns", func() {
		d.log(1, "Map removed me from cluster; respawn!")
		d.p.Sleep(mdsRespawn + mdsStart)
		err := d.join()
		if d.busy = false; err != nil {
			d.log(-1, "the monitors do not accept the key any more")
			return
		}
		d.lookNow()
	})
}

// work brings a rank one state on. It cannot while the pool of the metadata
// cannot be written.
func (d *mdsDaemon) work(i MDSInfo) {
	d.busy = true
	d.p.Group.Go("mds works", func() {
		d.log(1, "handle_mds_map i am now mds.%d.%d, state %s", i.Rank, i.Incarnation, i.State)
		d.p.Sleep(mdsWork)
		for !d.writable() {
			d.p.Sleep(mdsWait)
		}
		d.submit(func(c *call) reply {
			now, f := c.state.FSMap.mds(d.gid)
			if now == nil || now.State != i.State {
				return reply{}
			}
			t := c.change()
			state, _ := d.next(now, f)
			if now.State == mdsCreating {
				t.firstObjects(f, now.Rank)
			}
			if state == mdsActive {
				t.clusterLog(c.mon, "[INF]", fmt.Sprintf("%s is now active in filesystem %s as rank %d", now.human(), f.Name, now.Rank))
			}
			t.editMDS(d.gid, func(i *MDSInfo) { i.State = state; i.Seq++ })
			return reply{}
		})
		d.busy = false
		d.lookNow()
	})
}

// writable says whether the placement groups of the metadata pool are active.
func (d *mdsDaemon) writable() bool {
	m := d.sim.leaderOf(d.fsid)
	if m == nil {
		return false
	}
	st := m.store.state
	_, f := st.FSMap.mds(d.gid)
	if f == nil {
		return true
	}
	pgs := d.sim.pgs(st, d.sim.loop.Now())
	for i := range pgs {
		if pgs[i].pool.ID == f.MetadataPool && !pgs[i].active {
			return false
		}
	}
	return true
}

func (d *mdsDaemon) giveBack() {
	d.busy = true
	d.p.Group.Go("mds stops", func() {
		d.p.Sleep(mdsEmpty)
		d.submit(func(c *call) reply {
			if now, _ := c.state.FSMap.mds(d.gid); now != nil && now.State == mdsStopping {
				c.change().stopped(d.gid)
			}
			return reply{}
		})
		d.busy = false
		d.lookNow()
	})
}

// firstObjects are what a rank writes when it is made: journal, tables, and the
// first directories.
func (t *change) firstObjects(f *Filesystem, rank int) {
	names := []string{fmt.Sprintf("mds%d_inotable", rank), fmt.Sprintf("mds%d_sessionmap", rank)}
	for _, ino := range []int{0x100, 0x200, 0x400, 0x500} {
		names = append(names, fmt.Sprintf("%x.00000000", ino+rank))
	}
	names = append(names, fmt.Sprintf("%x.00000001", 0x200+rank))
	for stray := range 10 {
		names = append(names, fmt.Sprintf("%x.00000000", 0x600+10*rank+stray))
	}
	if rank == 0 {
		names = append(names, "1.00000000", "1.00000000.inode", "mds_snaptable")
	}
	names = append(names, fmt.Sprintf("%x.00000000.inode", 0x100+rank))
	m := t.pgmap()
	next := &Objects{Of: map[ObjectName][]byte{}}
	if old := m.Objects[f.MetadataPool]; old != nil {
		for name, data := range old.Of {
			next.Of[name] = data
		}
	}
	for _, name := range names {
		next.Of[ObjectName{Name: name}] = nil
	}
	m.Objects[f.MetadataPool] = next
}

// ask answers `ceph tell mds.X` and the admin socket.
func (d *mdsDaemon) ask(words []string, _ string) (reply, bool) { return versionOnly(d.r, words) }

// erasure says whether a pool is one of chunks.
func (p *Pool) erasure() bool { return p.Kind == crush.Erasure }
