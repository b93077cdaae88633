package ceph

import (
	"context"
	"slices"
)

// OSDGroup is a part of the OSDs that flags can be set on: a bucket of the crush
// hierarchy, with the OSDs that stand in it.
type OSDGroup struct {
	// Bucket is its name, such as "node1", or "osd.3".
	Bucket string
	OSDs   []int
}

// OSDGroupSet sets a flag such as "noout" on a part of the OSDs. Releases that
// cannot flag a bucket have it on each of its OSDs.
func (a *Admin) OSDGroupSet(ctx context.Context, flag string, g OSDGroup) error {
	if a.version.Has(CrushNodeFlags) {
		return a.do(ctx, "osd", "set-group", flag, g.Bucket)
	}
	return a.do(ctx, append([]string{"osd", "add-" + flag}, names(g.OSDs)...)...)
}

// OSDGroupUnset takes it away again. That it is not set is fine; a bucket that
// is not there is [ErrInvalid].
func (a *Admin) OSDGroupUnset(ctx context.Context, flag string, g OSDGroup) error {
	if a.version.Has(CrushNodeFlags) {
		return a.do(ctx, "osd", "unset-group", flag, g.Bucket)
	}
	return a.do(ctx, append([]string{"osd", "rm-" + flag}, names(g.OSDs)...)...)
}

// GroupHasFlag says whether a flag is set on a part of the OSDs: on the bucket,
// or on each of its OSDs.
func (m OSDMap) GroupHasFlag(flag string, g OSDGroup) bool {
	if slices.Contains(m.CrushNodeFlags[g.Bucket], flag) {
		return true
	}
	flagged := 0
	for _, osd := range m.OSDs {
		if slices.Contains(g.OSDs, osd.ID) && slices.Contains(osd.State, flag) {
			flagged++
		}
	}
	return len(g.OSDs) > 0 && flagged == len(g.OSDs)
}
