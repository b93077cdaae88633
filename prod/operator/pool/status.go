package pool

import (
	"strconv"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
)

// report puts into the status what the pool is and what is to say of the spec.
func report(s *v1.DependentStatus, at dependent.Scene, spec *v1.BlockPoolSpec, found findings) {
	if found.pool != nil {
		kind := "Replicated"
		if found.pool.Type == ceph.ErasurePool {
			kind = "Erasure Coded"
		}
		s.Info = map[string]string{v1.PoolInfoType: kind, v1.PoolInfoID: strconv.Itoa(found.pool.ID)}
		if found.domain != "" {
			s.Info[v1.PoolInfoFailureDomain] = found.domain
		}
		dependent.Note(s, at, v1.ConditionSpecAdjusted, v1.ReasonCrushUpdatesDisabled, found.remark)
	}
	dependent.NoteUnserved(s, at, v1.UnservedPoolFields(*spec))
}
