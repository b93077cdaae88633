package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Delays of a manager.
const (
	mgrStart       = time.Second
	mgrLoad        = 1500 * time.Millisecond // until its modules are loaded
	mgrBeaconGrace = 30 * time.Second        // mon_mgr_beacon_grace
	dashboardPoll  = 5 * time.Second         // until a dashboard without certificate looks again
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
	addrs   AddrVec
	loading bool
	joining bool      // the map again
	polling bool      // the dashboard was found to have what it waited for
	modules []string  // that it has loaded
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
	if err := d.join(addrs); err != nil {
		return d.o.denied(d.p)
	}
	d.addrs = addrs
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

// join puts the manager into the map, in place of one of its name.
func (d *mgrDaemon) join(addrs AddrVec) error {
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
	return err
}

// joinAgain is what a manager does that runs and is not in the map any more, the
// monitors having taken it for dead: it starts anew, as a standby or as the active
// one.
func (d *mgrDaemon) joinAgain() {
	if d.joining {
		return
	}
	d.joining = true
	d.p.Group.Go("mgr respawns", func() {
		d.o.logf(d.p, 1, "mgr handle_mgr_map I was active but no longer am")
		d.p.Sleep(mgrStart)
		d.gid, d.modules = d.sim.gid(), nil
		err := d.join(d.addrs)
		if d.joining = false; err != nil {
			d.o.logf(d.p, -1, "mgr the monitors do not accept the key any more")
			return
		}
		d.lookNow()
	})
}

func (d *mgrDaemon) lookNow() {
	if m := d.sim.leaderOf(d.fsid); m != nil {
		d.look(m.store.state)
	}
}

// look has the manager load its modules when the map says that it is active,
// and start anew when others are enabled than it has loaded.
func (d *mgrDaemon) look(st *State) {
	m := st.MgrMap
	if m.Active == nil || m.Active.GID != d.gid || d.loading {
		return
	}
	if m.Available && slices.Equal(m.Modules, d.modules) {
		d.serveDashboard(st)
		return
	}
	d.loading = true
	respawn := m.Available
	d.p.Group.Go("mgr loads modules", func() {
		if respawn {
			d.o.logf(d.p, 1, "mgr respawn: set of enabled modules changed")
			d.update(func(c *call, n *MgrMap) { n.Available, n.Services = false, map[string]string{} })
			d.p.Sleep(mgrStart)
		}
		d.p.Sleep(mgrLoad)
		d.update(func(c *call, n *MgrMap) {
			d.modules = n.Modules
			n.Available, n.Services = true, d.services(c.state)
			c.change().clusterLog(c.mon, "[INF]", fmt.Sprintf("Manager daemon %s is now available", d.o.who.ID))
		})
		d.loading = false
		d.lookNow()
	})
}

// serveDashboard has a dashboard that was loaded without a certificate serve
// once it has one: the module polls its configuration until it can. One that
// serves keeps to what it started with.
func (d *mgrDaemon) serveDashboard(st *State) {
	const module = "dashboard"
	if d.polling || st.MgrMap.Services[module] != "" || d.services(st)[module] == "" {
		return
	}
	d.polling = true
	d.p.Group.Go("dashboard polls", func() {
		d.p.Sleep(dashboardPoll)
		d.polling = false
		d.update(func(c *call, n *MgrMap) {
			if url := d.services(c.state)[module]; url != "" && n.Available && n.Services[module] == "" {
				n.Services = maps.Clone(n.Services)
				n.Services[module] = url
			}
		})
	})
}

// update changes the map as long as this manager is the active one.
func (d *mgrDaemon) update(fn func(c *call, n *MgrMap)) {
	_, err := d.session.submit(true, func(c *call) reply {
		if a := c.state.MgrMap.Active; a != nil && a.GID == d.gid {
			fn(c, c.change().mgrmap())
		}
		return reply{}
	})
	if err != nil {
		d.o.logf(d.p, -1, "mgr the monitors do not accept the key any more")
	}
}

// services are the addresses at which the enabled modules serve.
func (d *mgrDaemon) services(st *State) map[string]string {
	out := map[string]string{}
	setting := func(name, fallback string) string {
		module, key, _ := strings.Cut(name, "/")
		if v, ok := st.Config.value(fmt.Sprintf("mgr/%s/%s/%s", module, d.o.who.ID, key), "mgr."+d.o.who.ID, "mgr", "global"); ok {
			return v
		}
		if v, ok := st.Config.value(fmt.Sprintf("mgr/%s/%s", module, key), "mgr."+d.o.who.ID, "mgr", "global"); ok {
			return v
		}
		for _, at := range []string{fmt.Sprintf("mgr/%s/%s/%s", module, d.o.who.ID, key), fmt.Sprintf("mgr/%s/%s", module, key)} {
			if v, ok := st.ConfigKey.Of[at]; ok { // luminous keeps them there
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
	if slices.Contains(st.MgrMap.Modules, "prometheus") {
		out["prometheus"] = fmt.Sprintf("http://%s:%s/", at(setting("prometheus/server_addr", "::")), setting("prometheus/server_port", "9283"))
	}
	if slices.Contains(st.MgrMap.Modules, "dashboard") {
		usual := "8080"
		if !d.r.atLeast(mimic) {
			usual = "7000"
		}
		scheme, port := "http", setting("dashboard/server_port", usual)
		ssl := d.r.atLeast(mimic)
		if v := setting("dashboard/ssl", ""); v != "" {
			ssl, _ = truth(strings.ToLower(v))
		}
		_, cert := st.ConfigKey.Of["mgr/dashboard/crt"]
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
