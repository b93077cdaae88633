package disruption

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Name is the controller's name in logs and metrics.
const Name = "cephcluster-disruption"

// retry is when to try again what failed.
const retry = 10 * time.Second

// New makes the controller.
func New(doors door.Doors, settings pass.Settings) controller.Controller {
	r := &reconciler{Doors: doors, settings: settings}
	return controller.Controller{Name: Name, Reconciler: r, Parallel: controller.Clusters, Watches: []controller.Watch{
		{Object: &v1.CephCluster{}, Requests: self, Matters: clusterMatters},
		{Object: &appsv1.Deployment{}, Requests: owner, Matters: daemonMatters},
		{Object: &policyv1.PodDisruptionBudget{}, Requests: owner, Matters: budgetMatters},
		{Object: &corev1.Node{}, Requests: r.managed, Matters: nodeMatters},
	}}
}

type reconciler struct {
	door.Doors
	settings pass.Settings
}

func self(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// owner asks for the cluster that owns an object.
func owner(_ context.Context, o client.Object) []reconcile.Request {
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == v1.CephClusterKind {
			return []reconcile.Request{{NamespacedName: client.ObjectKey{Namespace: o.GetNamespace(), Name: ref.Name}}}
		}
	}
	return nil
}

// managed asks for the clusters whose budgets are kept.
func (r *reconciler) managed(ctx context.Context, _ client.Object) []reconcile.Request {
	var all v1.CephClusterList
	if err := r.Client.List(ctx, &all); err != nil {
		r.Log.Warningf("failed to list CephClusters for an event of a node: %v", err)
		return nil
	}
	var requests []reconcile.Request
	for i := range all.Items {
		if all.Items[i].Spec.DisruptionManagement.ManagePodBudgets {
			requests = append(requests, self(ctx, &all.Items[i])...)
		}
	}
	return requests
}

// clusterMatters: one came, or has another spec.
func clusterMatters(before, after client.Object) bool {
	return after != nil && (before == nil || before.GetGeneration() != after.GetGeneration())
}

// daemonMatters: an OSD came or went, or its pod did.
func daemonMatters(before, after client.Object) bool {
	for _, o := range []client.Object{before, after} {
		if o != nil && o.GetLabels()[daemon.AppLabel] != osd.App {
			return false
		}
	}
	if before == nil || after == nil {
		return true
	}
	return before.(*appsv1.Deployment).Status.ReadyReplicas != after.(*appsv1.Deployment).Status.ReadyReplicas
}

// budgetMatters: somebody changed one of the budgets, or took it away.
func budgetMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil
	}
	return before.GetGeneration() != after.GetGeneration()
}

// nodeMatters: one was cordoned or uncordoned.
func nodeMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return false
	}
	return node.Schedulable(before.(*corev1.Node)) != node.Schedulable(after.(*corev1.Node))
}

// Reconcile keeps the budgets of one cluster. What goes wrong is logged and tried
// again; the budgets that there are stay meanwhile.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var cluster v1.CephCluster
	if err := r.Client.Get(ctx, req.NamespacedName, &cluster); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(fmt.Errorf("failed to get CephCluster %s: %w", req, err))
	}
	if cluster.DeletionTimestamp != nil {
		return reconcile.Result{}, nil // the garbage collector takes all
	}
	again, err := r.keep(ctx, &cluster)
	if waiting, ok := pass.IsWaiting(err); ok {
		return reconcile.Result{RequeueAfter: max(waiting.Again, time.Second)}, nil
	}
	if err != nil {
		if !object.Raced(err) {
			r.Log.Warningf("failed to keep the PodDisruptionBudgets of the OSDs of cluster %s: %v", req, err)
			return reconcile.Result{RequeueAfter: retry}, nil
		}
		return reconcile.Result{RequeueAfter: time.Second}, nil
	}
	return reconcile.Result{RequeueAfter: again}, nil
}

func (r *reconciler) keep(ctx context.Context, cluster *v1.CephCluster) (time.Duration, error) {
	now := r.Clock.Now()
	was, err := load(ctx, r.Client, cluster.Namespace, now)
	if err != nil {
		return 0, err
	}
	admin := func() (*ceph.Admin, error) { return config.Admin(r.Doors, r.settings, cluster) }
	s, err := observe(ctx, r.Client, cluster, was, admin)
	if err != nil {
		return 0, err
	}
	d := plan(s, was, now)
	if reason, message := explain(was, d, s.Hold); reason != "" {
		r.Log.Infof("cluster in namespace %s: %s", cluster.Namespace, message)
		r.Events.Event(cluster, door.Normal, reason, message)
	}
	return d.Again, carryOut(ctx, r.Client, cluster, was, d, s, admin)
}
