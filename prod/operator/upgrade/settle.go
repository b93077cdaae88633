package upgrade

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// settleTime is how long after the last daemon's start Ceph is waited for to see
// its version: it takes a daemon that ended unseen for running for so long.
const settleTime = 30 * time.Second

// Settle is the step that ends an update: it waits until Ceph sees all daemons run
// the version that they were given. One that Ceph still sees with another version
// a while after the last start is no reason to wait.
func Settle(ctx context.Context, p *pass.Pass) error {
	if p.Cluster.Status.State != v1.ClusterStateUpdating || len(p.Pending()) > 0 {
		return nil
	}
	all, err := p.Ceph.Versions(ctx)
	switch {
	case errors.Is(err, ceph.ErrUnreachable):
		return nil
	case err != nil:
		return fmt.Errorf("failed to ask which versions run: %w", err)
	}
	// An rbd-mirror that has ended is seen for a minute.
	for _, kind := range []string{Mon, Mgr, OSD, MDS} {
		if others := others(running(all, kind), p.Version); others != "" {
			recent, err := startedLately(ctx, p)
			if err != nil || !recent {
				return err
			}
			p.Later(pass.WaitFor(v1.ReasonWaiting, 0, "all daemons of kind %s to run %s: %s", kind, p.Version.Number(), others))
			return nil
		}
	}
	return nil
}

// startedLately says whether a daemon of the cluster became available a short
// while ago.
func startedLately(ctx context.Context, p *pass.Pass) (bool, error) {
	var list appsv1.DeploymentList
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels{daemon.ClusterLabel: p.Cluster.Namespace}); err != nil {
		return false, fmt.Errorf("failed to list the Deployments of the cluster: %w", err)
	}
	for i := range list.Items {
		for _, c := range list.Items[i].Status.Conditions {
			if c.Type == appsv1.DeploymentAvailable && p.Clock.Since(c.LastTransitionTime.Time) < settleTime {
				return true, nil
			}
		}
	}
	return false, nil
}
