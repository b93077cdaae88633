package cluster

import (
	"context"

	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/crush"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/mgr"
	"github.com/tidepool-ceph/tidepool/prod/operator/mon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/version"
)

// run runs the steps of a pass in their order, up to the first that is not done
// (S63).
func run(ctx context.Context, p *pass.Pass) error {
	for _, step := range []func(context.Context, *pass.Pass) error{
		version.Reconcile,
		config.EnsureOverride,
		identity.Reconcile,
		mon.Reconcile,
		crush.Reconcile,
		mgr.Reconcile,
	} {
		if err := step(ctx, p); err != nil {
			return err
		}
	}
	return nil
}
