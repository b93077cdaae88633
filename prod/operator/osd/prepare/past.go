package prepare

import (
	"context"
	"fmt"
	"slices"
)

// past is what earlier runs on the node and Ceph know of its OSDs.
type past struct {
	// found are the OSDs that earlier runs reported.
	found []OSD
	// lost are those of them which Ceph has and no volume carries any more.
	lost []OSD
	// removed are the uuids of OSDs of this cluster on the node's volumes which
	// Ceph does not have any more.
	removed map[string]bool
	looked  bool
}

// look compares what stands on the node with what Ceph has, once in a run: what
// the run itself makes is there. A node without OSDs, before and now, needs no
// answer of Ceph.
func (r *run) look(ctx context.Context, volumes []Volume) error {
	if r.past.looked {
		return nil
	}
	ours := slices.DeleteFunc(slices.Clone(volumes), func(v Volume) bool { return v.FSID != r.env.Request.FSID })
	if len(ours)+len(r.past.found) > 0 {
		dump, err := r.admin.OSDDump(ctx)
		if err != nil {
			return fmt.Errorf("failed to ask which OSDs the cluster has: %w", err)
		}
		has := map[OSD]bool{}
		for _, o := range dump.OSDs {
			has[OSD{ID: o.ID, UUID: o.UUID}] = true
		}
		r.past.removed = map[string]bool{}
		for _, v := range ours {
			if !has[OSD{ID: v.OSD.ID, UUID: v.OSD.UUID}] {
				r.past.removed[v.OSD.UUID] = true
			}
		}
		for _, o := range r.past.found {
			carried := slices.ContainsFunc(ours, func(v Volume) bool { return v.OSD.UUID == o.UUID })
			if has[OSD{ID: o.ID, UUID: o.UUID}] && !carried {
				r.past.lost = append(r.past.lost, o)
			}
		}
	}
	r.past.looked = true
	return nil
}

// remember marks volumes whose OSD was removed, and devices that an OSD has lost:
// such a device is kept for a person to decide, since another OSD on it would
// make nobody look for the data that is gone.
func (p past) remember(devices []Device, volumes []Volume) {
	for i, v := range volumes {
		volumes[i].Removed = p.removed[v.OSD.UUID]
	}
	for i, d := range devices {
		for _, o := range p.lost {
			if o.Device != "" && o.Device == d.Name {
				devices[i].Kept = fmt.Sprintf("it carried osd.%d, whose data is gone: it is used again once osd.%d is removed "+
					"(spec.removeOSDsIfOutAndSafeToRemove, or `ceph osd purge`)", o.ID, o.ID)
			}
		}
	}
}

// still are the OSDs of the past that are not among those that were found now.
func (p past) still(osds []OSD) []OSD {
	return slices.DeleteFunc(slices.Clone(p.lost), func(o OSD) bool {
		return slices.ContainsFunc(osds, func(now OSD) bool { return now.UUID == o.UUID })
	})
}
