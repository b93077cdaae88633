package ceph

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Delays of a manager.
const (
	mgrStart       = time.Second
	mgrLoad        = 1500 * time.Millisecond // until its modules are loaded
	mgrBeaconGrace = 30 * time.Second        // mon_mgr_beacon_grace
)

// mgrDaemon is a running ceph-mgr.
type mgrDaemon struct {
	sim     *Sim
	p       *host.Process
	o       *options
	r       *release
	gid     uint64
	session *session
	fsid    string
	loading bool
	lastSay time.Time // of a beacon that reached the monitors
}

// mgrMain is the program ceph-mgr.
func mgrMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "mgr", "")
	if err != nil {
		p.Errorf("global_init: error reading config file: %v\n", err)
		return 1
	}
	if o.who.ID == "" {
		p.Errorf("must specify '-i <ID>' where <ID> is the mgr's name\n")
		return 1
	}
	if word, bad := o.unknownWord(nil); bad {
		p.Errorf("unrecognized arg %s\n", word)
		return 1
	}
	key, errno := o.keyOf(p, "/var/lib/ceph/mgr/$cluster-$id/keyring")
	if errno != 0 || key == "" {
		return o.denied(p)
	}
	d := &mgrDaemon{sim: s, p: p, o: o, r: r, gid: s.gid()}
	d.session, err = s.connect(p, o.monsOf(), o.who.Name(), key, 0)
	if err != nil {
		return o.denied(p)
	}
	return d.main()
}

func (d *mgrDaemon) main() int {
	s := d.sim
	d.o.logf(d.p, 0, "%s, process ceph-mgr, pid %d", d.r.long(), s.nextPID())
	d.p.Sleep(mgrStart)
	addrs, ok := s.bindDaemon(d.p, d.r, uint32(d.gid), d)
	if !ok {
		d.o.logf(d.p, -1, "unable to bind to %s on any port in range %d-%d", d.p.Addr, portMin, portMax)
		return 1
	}
	_, err := d.session.submit(true, func(c *call) reply {
		d.fsid, d.lastSay = c.state.FSID, c.now
		t := c.change()
		for _, old := range c.state.MgrMap.all() {
			if old.Name == d.o.who.ID {
				t.dropMgr(old.GID)
			}
		}
		t.addMgr(&MgrInfo{
			Metadata: metadataOf(d.p, d.r, addrs), Name: d.o.who.ID, GID: d.gid, Addr: Addr{Type: "any", IP: d.p.Addr, Nonce: uint32(d.gid)},
			Disabled: words(d.o.or("mgr_disabled_modules", "")),
		})
		t.clusterLog(c.mon, "[INF]", fmt.Sprintf("Activating manager daemon %s", t.new.MgrMap.activeName()))
		return reply{}
	})
	if err != nil {
		return d.o.denied(d.p)
	}
	s.mgrs = append(s.mgrs, d)
	gone := func() { s.mgrs = slices.DeleteFunc(s.mgrs, func(x *mgrDaemon) bool { return x == d }) }
	d.p.Group.OnKill(gone)
	d.session.onChange(func(_, now *State) { d.look(now) })
	d.lookNow()
	stop := s.openAdminSocket(d.p, d.o, d)
	d.p.Serve()
	d.o.logf(d.p, -1, "mgr handle_mgr_signal  *** Got signal Terminated ***")
	stop()
	gone()
	return 0
}

func (d *mgrDaemon) lookNow() {
	if m := d.sim.leaderOf(d.fsid); m != nil {
		d.look(m.store.state)
	}
}

// look has the manager load its modules when the map says that it is active and
// not yet available.
func (d *mgrDaemon) look(st *State) {
	m := st.MgrMap
	if m.Active == nil || m.Active.GID != d.gid || m.Available || d.loading {
		return
	}
	d.loading = true
	d.p.Group.Go("mgr loads modules", func() {
		d.p.Sleep(mgrLoad)
		d.loading = false
		_, err := d.session.submit(true, func(c *call) reply {
			if a := c.state.MgrMap.Active; a == nil || a.GID != d.gid {
				return reply{}
			}
			t := c.change()
			n := t.mgrmap()
			n.Available = true
			n.Services = d.services(c)
			t.clusterLog(c.mon, "[INF]", fmt.Sprintf("Manager daemon %s is now available", d.o.who.ID))
			return reply{}
		})
		if err != nil {
			d.o.logf(d.p, -1, "mgr the monitors do not accept the key any more")
		}
	})
}

// services are the addresses at which the enabled modules serve.
func (d *mgrDaemon) services(c *call) map[string]string {
	out := map[string]string{}
	setting := func(name, fallback string) string {
		module, key, _ := strings.Cut(name, "/")
		if v, ok := c.state.Config.value(fmt.Sprintf("mgr/%s/%s/%s", module, d.o.who.ID, key), "mgr."+d.o.who.ID, "mgr", "global"); ok {
			return v
		}
		if v, ok := c.state.Config.value(fmt.Sprintf("mgr/%s/%s", module, key), "mgr."+d.o.who.ID, "mgr", "global"); ok {
			return v
		}
		for _, at := range []string{fmt.Sprintf("mgr/%s/%s/%s", module, d.o.who.ID, key), fmt.Sprintf("mgr/%s/%s", module, key)} {
			if v, ok := c.state.ConfigKey.Of[at]; ok { // luminous keeps them there
				return v
			}
		}
		return fallback
	}
	at := func(host string) string {
		if host == "::" || host == "0.0.0.0" || host == "" {
			return d.p.Addr
		}
		return host
	}
	if slices.Contains(c.state.MgrMap.Modules, "prometheus") {
		out["prometheus"] = fmt.Sprintf("http://%s:%s/", at(setting("prometheus/server_addr", "::")), setting("prometheus/server_port", "9283"))
	}
	if slices.Contains(c.state.MgrMap.Modules, "dashboard") {
		scheme, port := "http", setting("dashboard/server_port", "8080")
		ssl := d.r.atLeast(nautilus)
		if v := setting("dashboard/ssl", ""); v != "" {
			ssl, _ = truth(strings.ToLower(v))
		}
		_, cert := c.state.ConfigKey.Of["mgr/dashboard/crt"]
		if ssl {
			scheme, port = "https", setting("dashboard/ssl_server_port", setting("dashboard/server_port", "8443"))
		}
		if !ssl || cert {
			prefix := strings.Trim(setting("dashboard/url_prefix", ""), "/")
			if prefix != "" {
				prefix += "/"
			}
			out["dashboard"] = fmt.Sprintf("%s://%s:%s/%s", scheme, at(setting("dashboard/server_addr", "::")), port, prefix)
		}
	}
	return out
}

// ask answers `ceph tell mgr.X` and the admin socket.
func (d *mgrDaemon) ask(words []string, _ string) (reply, bool) { return versionOnly(d.r, words) }

// mgrOf finds a running manager; nil if there is none.
func (s *Sim) mgrOf(fsid string, gid uint64) *mgrDaemon {
	for _, d := range s.mgrs {
		if d.fsid == fsid && d.gid == gid {
			return d
		}
	}
	return nil
}

// mgrTick is what the leader does about managers at each tick: drop those that
// are silent; and what an active manager's modules do by themselves.
func mgrTick(m *mon, t *change) {
	grace := (&call{mon: m, state: t.old}).optionSeconds("mon_mgr_beacon_grace", mgrBeaconGrace)
	for _, i := range t.old.MgrMap.all() {
		d := m.sim.mgrOf(t.old.FSID, i.GID)
		if d != nil && m.sim.net.Reaches(d.p.Addr, m.p.Addr) {
			d.lastSay = t.now
			continue
		}
		since := m.sim.mgrSilent(i.GID, t.now)
		if d != nil {
			since = d.lastSay
		}
		if t.now.Sub(since) < grace {
			continue
		}
		delete(m.sim.mgrSilence, i.GID)
		active := t.old.MgrMap.Active == i
		t.dropMgr(i.GID)
		if active {
			text := fmt.Sprintf("Manager daemon %s is unresponsive. No standby daemons available.", i.Name)
			if n := t.new.MgrMap.Active; n != nil {
				text = fmt.Sprintf("Manager daemon %s is unresponsive, replacing it with standby daemon %s", i.Name, n.Name)
			}
			t.clusterLog(m, "[INF]", text)
		}
	}
	if a := t.new.MgrMap; a.Active != nil && a.Available {
		modulePools(m, t)
	}
}

// mgrSilent is since when a manager that has ended has not been heard of.
func (s *Sim) mgrSilent(gid uint64, now time.Time) time.Time {
	if s.mgrSilence == nil {
		s.mgrSilence = map[uint64]time.Time{}
	}
	if _, ok := s.mgrSilence[gid]; !ok {
		s.mgrSilence[gid] = now
	}
	return s.mgrSilence[gid]
}

// modulePools makes the pool that modules keep their data in: from octopus on
// device_health_metrics when there is an OSD, from quincy on .mgr when there are
// as many OSDs as a pool has copies.
func modulePools(m *mon, t *change) {
	r := t.new.MgrMap.Active.Release
	c := &call{sim: m.sim, mon: m, state: t.old, now: t.now, release: m.release}
	size := c.optionInt("osd_pool_default_size", 3)
	name, app, need := "device_health_metrics", "mgr_devicehealth", 1
	if r.atLeast(quincy) {
		name, app, need = ".mgr", "mgr", size
	}
	if v, ok := t.old.Config.value("mgr/devicehealth/enable_monitoring", "mgr."+t.new.MgrMap.Active.Name, "mgr", "global"); ok {
		if on, _ := truth(strings.ToLower(v)); !on && !r.atLeast(quincy) {
			return
		}
	}
	ready := 0
	for _, o := range t.old.OSDMap.existing() {
		ready += bit(o.Up && o.In())
	}
	if !r.atLeast(octopus) || ready < need || t.new.OSDMap.poolNamed(name) != nil || len(t.old.OSDMap.Crush.Rules) == 0 {
		return
	}
	next := t.osdmap()
	next.PoolMax++
	next.Pools = append(next.Pools, &Pool{
		ID: next.PoolMax, Name: name, Created: t.now, Kind: crush.Replicated, Size: size, MinSize: c.minSize(size),
		Rule: next.Crush.Rules[0].ID, PGNum: 1, PGPNum: 1, PGNumTarget: 1, LastChange: next.Epoch + 1, Autoscale: "on",
		Flags: []string{"hashpspool"}, Options: map[string]any{"pg_num_min": int64(1)}, SnapMode: "selfmanaged",
		Applications: map[string]map[string]string{app: {}},
	})
}
