package cluster

import (
	"context"

	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/crush"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/mgr"
	"github.com/tidepool-ceph/tidepool/prod/operator/mirror"
	"github.com/tidepool-ceph/tidepool/prod/operator/mon"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
	"github.com/tidepool-ceph/tidepool/prod/operator/version"
)

// step is a part of a pass. It returns nil when it has nothing left to do.
type step func(context.Context, *pass.Pass) error

// steps are those of a pass, in their order (S63).
func steps() []step {
	return []step{
		version.Reconcile,
		config.EnsureOverride,
		identity.Reconcile,
		mon.Reconcile,
		crush.Reconcile,
		mgr.Reconcile,
		osd.Reconcile,
		mirror.Reconcile,
		upgrade.Settle,
	}
}
