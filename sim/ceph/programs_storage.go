package ceph

import (
	"github.com/tidepool-ceph/tidepool/sim/ceph/volume"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// storagePrograms are those of OSDs, managers and clients, and what an image has
// besides.
func storagePrograms() map[string]program {
	plain := func(main func(p *host.Process) int) program {
		return func(_ *Sim, _ *release, p *host.Process) int { return main(p) }
	}
	return map[string]program{
		"ceph-osd":   osdMain,
		"ceph-mgr":   mgrMain,
		"ceph-mds":   mdsMain,
		"rbd-mirror": rbdMirrorMain,
		"rados":      radosMain,
		"crushtool":  crushtoolMain,
		"monmaptool": monmaptoolMain,
		"ceph-volume": func(_ *Sim, r *release, p *host.Process) int {
			return volume.Main(r.major, p)
		},
		"lsblk": plain(volume.Lsblk),
		"blkid": plain(volume.Blkid),
		"shred": plain(volume.Shred),
	}
}
