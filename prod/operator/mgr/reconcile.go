package mgr

import (
	"context"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

// Reconcile brings the mgr to what the spec asks for. Modules and options are
// kept by the mons, so they are set whether or not a mgr runs; only the
// dashboard's login waits for it. OSDs do not need a mgr to start, so a mgr that
// is still to come does not end the pass.
func Reconcile(ctx context.Context, p *pass.Pass) error {
	allow := "allow *"
	if err := daemon.EnsureKey(ctx, p, keyringSecret(), "mgr."+id,
		ceph.Cap{Type: "mon", Allow: allow}, ceph.Cap{Type: "mds", Allow: allow}, ceph.Cap{Type: "osd", Allow: allow}); err != nil {
		return err
	}
	if err := later(p, upgrade.Ensure(ctx, p, upgrade.Mgr, id, Deployment(p))); err != nil {
		return err
	}
	if err := ensureServices(ctx, p); err != nil {
		return err
	}
	if err := ensureModules(ctx, p); err != nil {
		return err
	}
	if p.Cluster.Spec.Dashboard.Enabled {
		if err := later(p, ensureLogin(ctx, p)); err != nil {
			return err
		}
	}
	return later(p, daemon.Running(ctx, p.Doors, p.Cluster.Namespace, App+"-"+id))
}

// later notes what is waited for, and passes on any other error.
func later(p *pass.Pass, err error) error {
	if waiting, ok := pass.IsWaiting(err); ok {
		p.Later(waiting)
		return nil
	}
	return err
}

func ensureServices(ctx context.Context, p *pass.Pass) error {
	owner := object.OwnedBy(p.Cluster)
	if _, err := object.Ensure(ctx, p.Client, MetricsService(p.Cluster.Namespace), owner); err != nil {
		return err
	}
	service := DashboardService(p.Cluster.Namespace, p.Cluster.Spec.Dashboard)
	if p.Cluster.Spec.Dashboard.Enabled {
		_, err := object.Ensure(ctx, p.Client, service, owner)
		return err
	}
	_, err := object.Delete(ctx, p.Client, service, owner)
	return err
}
