package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/crush"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Name is the controller's name in logs and metrics.
const Name = "cephblockpool"

const (
	// retry is when to try again what failed.
	retry = 10 * time.Second
	// emptied is when to look again whether a pool has become empty.
	emptied = time.Minute
	// soon is when to look again for what the cluster's own pass is about to do.
	soon = 5 * time.Second
)

// New makes the controller of CephBlockPools.
func New(doors door.Doors, settings pass.Settings) controller.Controller {
	r := &reconciler{Doors: doors, settings: settings}
	return controller.Controller{
		Name: Name, Reconciler: r, Parallel: controller.Clusters,
		Watches: []controller.Watch{
			{Object: &v1.CephBlockPool{}, Requests: self, Matters: poolMatters},
			{Object: &v1.CephCluster{}, Requests: r.poolsBeside, Matters: clusterMatters},
		},
	}
}

type reconciler struct {
	door.Doors
	settings pass.Settings
}

func self(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// poolsBeside are the pools of a cluster's namespace.
func (r *reconciler) poolsBeside(ctx context.Context, cluster client.Object) []reconcile.Request {
	var pools v1.CephBlockPoolList
	if err := r.Client.List(ctx, &pools, client.InNamespace(cluster.GetNamespace())); err != nil {
		r.Log.Errorf("failed to list the CephBlockPools of namespace %s: %v", cluster.GetNamespace(), err)
		return nil
	}
	var requests []reconcile.Request
	for i := range pools.Items {
		requests = append(requests, self(ctx, &pools.Items[i])...)
	}
	return requests
}

// poolMatters: what a person can change has changed. The status has not: it is
// written here.
func poolMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	return before.GetGeneration() != after.GetGeneration() ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil) ||
		forced(before) != forced(after)
}

// clusterMatters: pools can be looked after now, or no longer.
func clusterMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	b, a := before.(*v1.CephCluster), after.(*v1.CephCluster)
	return InQuorum(b) != InQuorum(a) || b.Status.State != a.Status.State ||
		(b.DeletionTimestamp == nil) != (a.DeletionTimestamp == nil) ||
		b.Spec.CleanupPolicy.Destroys() != a.Spec.CleanupPolicy.Destroys()
}

// InQuorum says whether the mons of a cluster are in quorum, as its status has it.
func InQuorum(cluster *v1.CephCluster) bool {
	return apimeta.IsStatusConditionTrue(cluster.Status.Conditions, v1.ConditionMonsInQuorum)
}

// Reconcile brings one pool to what its CephBlockPool asks for, or removes it
// with its CephBlockPool.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var stored v1.CephBlockPool
	if err := r.Client.Get(ctx, req.NamespacedName, &stored); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("failed to get CephBlockPool %s: %w", req, err)
	}
	w := &writer{client: r.Client, stored: &stored}
	status := stored.Status.DeepCopy()
	at := scene{generation: stored.Generation, now: r.Clock.Now()}
	if stored.DeletionTimestamp != nil {
		done, err := r.remove(ctx, w, status)
		if done || err != nil && w.failed(err) {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		r.tellBlocked(&stored, err)
		concludeDeletion(status, at, err)
		return reconcile.Result{RequeueAfter: again(err)}, w.status(ctx, status)
	}
	found, err := r.ensure(ctx, w)
	if err != nil && w.failed(err) {
		return reconcile.Result{}, err
	}
	if err != nil {
		r.Log.Debugf("CephBlockPool %s: %v", req, err)
	}
	if staysReady(status, at, err) {
		return reconcile.Result{RequeueAfter: again(err)}, nil
	}
	report(status, at, &stored.Spec, found)
	conclude(status, at, err)
	return reconcile.Result{RequeueAfter: again(err)}, w.status(ctx, status)
}

// ensure makes the pool what the spec asks for and returns what it is then.
func (r *reconciler) ensure(ctx context.Context, w *writer) (findings, error) {
	wanted, err := wants(w.stored)
	if err != nil {
		return findings{}, pass.Refuse(v1.ReasonInvalidSpec, "%v", err)
	}
	cluster, err := ClusterOf(ctx, r.Client, w.stored.Namespace)
	if err != nil {
		return findings{}, err
	}
	admin, err := Admin(ctx, r.Doors, r.settings, cluster, w.stored.Namespace)
	if err != nil {
		return findings{}, err
	}
	if cluster.DeletionTimestamp != nil {
		return findings{}, pass.WaitFor(v1.ReasonClusterNotReady, 0, "another CephCluster: %s/%s is being deleted", cluster.Namespace, cluster.Name)
	}
	if err := w.finalizer(ctx, true); err != nil {
		return findings{}, err
	}
	seen, created, err := bring(ctx, admin, wanted)
	if created {
		r.Log.Infof("created pool %s for CephBlockPool %s/%s", wanted.name, w.stored.Namespace, w.stored.Name)
		r.Events.Event(w.stored, door.Normal, "PoolCreated", fmt.Sprintf("The pool %s was created", wanted.name))
	}
	return r.findings(wanted, seen), err
}

// findings are what the status tells of a pool.
type findings struct {
	pool   *ceph.Pool
	domain string
	// remark is what the spec asks for and was not done on purpose, "" for nothing.
	remark string
}

func (r *reconciler) findings(wanted want, seen seen) findings {
	if seen.pool == nil {
		return findings{}
	}
	_, remark, _ := plan(wanted, seen)
	place, _ := seen.placement()
	return findings{pool: seen.pool, domain: place.domain, remark: remark}
}

// ClusterOf is the CephCluster of a namespace, nil if there is none. Of two, it is
// the one that came first; the other is refused (S18).
func ClusterOf(ctx context.Context, c client.Client, namespace string) (*v1.CephCluster, error) {
	var clusters v1.CephClusterList
	if err := c.List(ctx, &clusters, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("failed to list the CephClusters of namespace %s: %w", namespace, err)
	}
	var first *v1.CephCluster
	for i := range clusters.Items {
		one := &clusters.Items[i]
		if first == nil || one.CreationTimestamp.Before(&first.CreationTimestamp) ||
			one.CreationTimestamp.Equal(&first.CreationTimestamp) && one.Name < first.Name {
			first = one
		}
	}
	return first, nil
}

// Admin administers the cluster as soon as pools may be made in it; until then
// the error is a [*pass.Waiting].
func Admin(ctx context.Context, doors door.Doors, settings pass.Settings, cluster *v1.CephCluster, namespace string) (*ceph.Admin, error) {
	if cluster == nil {
		return nil, pass.WaitFor(v1.ReasonNoCluster, 0, "a CephCluster in namespace %s", namespace)
	}
	if !InQuorum(cluster) {
		return nil, pass.WaitFor(v1.ReasonClusterNotReady, 0, "the mons of CephCluster %s/%s to form a quorum", namespace, cluster.Name)
	}
	admin, err := config.Admin(doors, settings, cluster)
	if err != nil {
		return nil, err
	}
	settled, err := crush.Settled(ctx, doors.Client, namespace, admin.Version())
	if err == nil && !settled {
		err = pass.WaitFor(v1.ReasonClusterNotReady, soon, "the crush map of CephCluster %s/%s", namespace, cluster.Name)
	}
	return admin, err
}

// again is when the next pass is due, 0 for when an event comes.
func again(err error) time.Duration {
	var refused *pass.Refused
	if waiting, ok := pass.IsWaiting(err); ok {
		return waiting.Again
	}
	if err == nil || errors.As(err, &refused) {
		return 0
	}
	return retry
}
