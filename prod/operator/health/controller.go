package health

import (
	"context"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Name is the controller's name in logs and metrics.
const Name = "cephcluster-health"

// Interval is the time between two checks where the spec does not say it (S53).
const Interval = 60 * time.Second

// New makes the controller. observed, which may be nil, is told each health that
// was found, and "" for a cluster that is gone.
func New(doors door.Doors, settings pass.Settings, observed func(cluster client.ObjectKey, health string)) controller.Controller {
	if observed == nil {
		observed = func(client.ObjectKey, string) {}
	}
	return controller.Controller{
		Name:       Name,
		Reconciler: &checker{Doors: doors, settings: settings, observed: observed},
		Watches: []controller.Watch{{
			Object: &v1.CephCluster{},
			Requests: func(_ context.Context, o client.Object) []reconcile.Request {
				return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
			},
			Matters: matters,
		}},
		Parallel: controller.Clusters,
	}
}

// matters: a cluster came, went, entered another state, or is to be checked
// otherwise.
func matters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	was, is := before.(*v1.CephCluster), after.(*v1.CephCluster)
	return was.Status.State != is.Status.State || was.Spec.HealthCheck.DaemonHealth.Status != is.Spec.HealthCheck.DaemonHealth.Status
}

// interval is the time between two checks of a cluster. One that is no time, or
// none at all, is the usual one.
func interval(spec *v1.ClusterSpec) time.Duration {
	every, err := spec.HealthCheck.DaemonHealth.Status.Interval.Or(Interval)
	if err != nil || every <= 0 {
		return Interval
	}
	return every
}

type checker struct {
	door.Doors
	settings pass.Settings
	observed func(client.ObjectKey, string)
}

// Reconcile checks one cluster and asks to be called again when the next check is
// due. A check that the spec disables is not made; what the last one found stays.
func (c *checker) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var cluster v1.CephCluster
	if err := c.Client.Get(ctx, req.NamespacedName, &cluster); err != nil {
		if client.IgnoreNotFound(err) == nil {
			c.observed(req.NamespacedName, "")
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("failed to get CephCluster %s: %w", req, err)
	}
	if cluster.DeletionTimestamp != nil || !begun(&cluster) || cluster.Spec.HealthCheck.DaemonHealth.Status.Disabled {
		return reconcile.Result{}, nil
	}
	if err := c.check(ctx, &cluster); err != nil {
		c.Log.Warningf("failed to check the health of cluster %s: %v", req, err)
	}
	return reconcile.Result{RequeueAfter: interval(&cluster.Spec)}, nil
}

// begun says whether checks have begun: they do when the cluster has been
// created, and then go on in every state (S56).
func begun(cluster *v1.CephCluster) bool {
	return cluster.Status.State == v1.ClusterStateCreated || cluster.Status.Ceph != nil
}

func (c *checker) check(ctx context.Context, cluster *v1.CephCluster) error {
	admin, err := config.Admin(c.Doors, c.settings, cluster)
	if err != nil {
		return err
	}
	report, err := admin.Status(ctx)
	if err != nil {
		return err
	}
	c.observed(client.ObjectKeyFromObject(cluster), report.Health.Status)
	next := cluster.DeepCopy()
	next.Status.Ceph = Next(cluster.Status.Ceph, report.Health, c.Clock.Now())
	if err := c.Client.Status().Patch(ctx, next, client.MergeFrom(cluster)); err != nil {
		return client.IgnoreNotFound(fmt.Errorf("failed to write it: %w", err))
	}
	if before := cluster.Status.Ceph; before != nil && before.Health != next.Status.Ceph.Health {
		c.tell(next)
	}
	return nil
}

// tell sends the event of a change.
func (c *checker) tell(cluster *v1.CephCluster) {
	status := cluster.Status.Ceph
	kind := door.Normal
	if status.Health != "HEALTH_OK" {
		kind = door.Warning
	}
	c.Events.Event(cluster, kind, "HealthChanged", fmt.Sprintf("Ceph is %s, and was %s", status.Health, status.PreviousHealth))
}
