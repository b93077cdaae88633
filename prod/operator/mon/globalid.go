package mon

import (
	"context"
	"fmt"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// The option by which old clients may take over another's global id
// (CVE-2021-20288), and the health checks about it: that it is on, and that
// clients use it.
const (
	reclaimOption  = "auth_allow_insecure_global_id_reclaim"
	reclaimAllowed = "AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED"
	reclaimUsed    = "AUTH_INSECURE_GLOBAL_ID_RECLAIM"
)

// CanForbidReclaim says whether Ceph warns that insecure reclaiming of global ids
// is allowed, and nobody uses it: a new cluster of a release that knows the
// option does so.
func CanForbidReclaim(status *v1.CephStatus) bool {
	if status == nil {
		return false
	}
	_, allowed := status.Details[reclaimAllowed]
	_, used := status.Details[reclaimUsed]
	return allowed && !used
}

// forbidReclaim does so, unless a person has set the option to anything.
func forbidReclaim(ctx context.Context, p *pass.Pass) error {
	if !CanForbidReclaim(p.Cluster.Status.Ceph) {
		return nil
	}
	options, err := p.Ceph.ConfigDump(ctx)
	if err != nil {
		return fmt.Errorf("failed to see whether insecure clients are allowed. %w", err)
	}
	for _, o := range options {
		if o.Name == reclaimOption {
			return nil
		}
	}
	if err := p.Ceph.ConfigSet(ctx, "mon", reclaimOption, "false"); err != nil {
		return fmt.Errorf("failed to forbid insecure clients. %w", err)
	}
	message := fmt.Sprintf("set %s to false: no client needs it; to let clients in that lack the fix of CVE-2021-20288, set it to true", reclaimOption)
	p.Log.Infof("cluster in namespace %s: %s", p.Cluster.Namespace, message)
	p.Events.Event(p.Cluster, door.Normal, "InsecureReclaimForbidden", message)
	return nil
}
