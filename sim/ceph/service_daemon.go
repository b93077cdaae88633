package ceph

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// serviceBeaconGrace is mgr_service_beacon_grace: after that time the manager
// forgets a daemon that it has not heard of.
const serviceBeaconGrace = 60 * time.Second

// serviceDaemon is a running daemon that is a client of the cluster and reports
// to the manager.
type serviceDaemon struct {
	p       *host.Process
	kind    string
	fsid    string
	gid     uint64
	session *session
	silent  time.Time
	done    bool
}

// rbdMirrorMain is the program rbd-mirror.
func rbdMirrorMain(s *Sim, r *release, p *host.Process) int {
	if slices.Contains(p.Args, "--version") || slices.Contains(p.Args, "-v") {
		p.Printf("%s\n", r.long())
		return 0
	}
	o, err := readOptions(p, r, "client", "admin")
	if err != nil {
		p.Errorf("global_init: error reading config file: %v\n", err)
		return 1
	}
	if word, bad := o.unknownWord(nil); bad {
		p.Errorf("unrecognized arg %s\n", word)
		return 1
	}
	key, errno := o.keyOf(p, "/etc/ceph/$cluster.$name.keyring,/etc/ceph/$cluster.keyring,/etc/ceph/keyring")
	if errno != 0 || key == "" {
		return o.denied(p)
	}
	c, err := s.connect(p, o.monsOf(), o.who.Name(), key, 0)
	if err != nil {
		return o.denied(p)
	}
	d := &serviceDaemon{p: p, kind: "rbd-mirror", gid: s.gid(), session: c}
	o.logf(p, 0, "%s, process rbd-mirror, pid %d", r.long(), s.nextPID())
	_, err = c.submit(true, func(call *call) reply {
		d.fsid = call.state.FSID
		m := call.change().services()
		m.Services[d.kind] = append(slices.Clone(m.Services[d.kind]), ServiceDaemon{
			ID: strconv.FormatUint(d.gid, 10), GID: d.gid, Addr: Addr{Type: "any", IP: p.Addr, Nonce: uint32(d.gid)}, StartEpoch: m.Epoch + 1, Start: call.now,
			Metadata: serviceMetadata(p, r, o, d.gid),
		})
		return reply{}
	})
	if err != nil {
		return o.denied(p)
	}
	s.services = append(s.services, d)
	p.Group.OnKill(func() { d.done, d.silent = true, s.loop.Now() })
	p.Serve()
	o.logf(p, -1, "received  signal: Terminated")
	d.done, d.silent = true, s.loop.Now()
	return 0
}

func serviceMetadata(p *host.Process, r *release, o *options, gid uint64) map[string]string {
	m := metadataOf(p, r, nil).values()
	delete(m, "addrs")
	m["id"], _ = strings.CutPrefix(o.who.ID, "rbd-mirror.")
	m["instance_id"] = strconv.FormatUint(gid, 10)
	return m
}

// serviceTick forgets the daemons of the service map that have been silent for
// long.
func serviceTick(m *mon, t *change) {
	s := m.sim
	for kind, list := range t.old.Services.Services {
		keep := slices.DeleteFunc(slices.Clone(list), func(e ServiceDaemon) bool {
			i := slices.IndexFunc(s.services, func(d *serviceDaemon) bool { return d.fsid == t.old.FSID && d.gid == e.GID })
			return i < 0 || s.services[i].done && t.now.Sub(s.services[i].silent) >= serviceBeaconGrace
		})
		if len(keep) == len(list) {
			continue
		}
		next := t.services()
		if len(keep) == 0 {
			delete(next.Services, kind)
		} else {
			next.Services[kind] = keep
		}
	}
	s.services = slices.DeleteFunc(s.services, func(d *serviceDaemon) bool {
		return d.done && d.fsid == t.old.FSID && t.now.Sub(d.silent) >= serviceBeaconGrace
	})
}
