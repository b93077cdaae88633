package pool

import (
	"context"
	"errors"
	"fmt"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
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

// writer writes the status and the finalizer of one CephBlockPool.
type writer = dependent.Writer[*v1.CephBlockPool]

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
		dependent.Forced(before) != dependent.Forced(after)
}

// clusterMatters: pools can be looked after now, or no longer.
func clusterMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	b, a := before.(*v1.CephCluster), after.(*v1.CephCluster)
	return dependent.InQuorum(b) != dependent.InQuorum(a) || b.Status.State != a.Status.State ||
		(b.DeletionTimestamp == nil) != (a.DeletionTimestamp == nil) ||
		b.Spec.CleanupPolicy.Destroys() != a.Spec.CleanupPolicy.Destroys()
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
	w := &writer{Client: r.Client, Stored: &stored, Kind: v1.CephBlockPoolKind, Finalizer: v1.CephBlockPoolFinalizer}
	status := stored.Status.DeepCopy()
	at := dependent.Scene{Generation: stored.Generation, Now: r.Clock.Now()}
	if stored.DeletionTimestamp != nil {
		done, err := r.remove(ctx, w, status)
		if done || err != nil && w.Failed(err) {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if b, is := dependent.NewlyBlocked(&stored.Status, err); is {
			r.Events.Event(&stored, door.Warning, v1.ConditionDeletionBlocked, b.Error())
		}
		dependent.ConcludeDeletion(status, at, err)
		return reconcile.Result{RequeueAfter: again(err)}, w.Status(ctx, status)
	}
	found, err := r.ensure(ctx, w)
	if err != nil && w.Failed(err) {
		return reconcile.Result{}, err
	}
	if err != nil {
		r.Log.Debugf("CephBlockPool %s: %v", req, err)
	}
	if dependent.StaysReady(status, at, err) {
		return reconcile.Result{RequeueAfter: again(err)}, nil
	}
	report(status, at, &stored.Spec, found)
	dependent.Conclude(status, at, "the pool is as the spec asks", err)
	return reconcile.Result{RequeueAfter: again(err)}, w.Status(ctx, status)
}

// ensure makes the pool what the spec asks for and returns what it is then.
func (r *reconciler) ensure(ctx context.Context, w *writer) (findings, error) {
	wanted, err := wants(w.Stored)
	if err != nil {
		return findings{}, pass.Refuse(v1.ReasonInvalidSpec, "%v", err)
	}
	cluster, err := dependent.ClusterOf(ctx, r.Client, w.Stored.Namespace)
	if err != nil {
		return findings{}, err
	}
	admin, err := dependent.Admin(ctx, r.Doors, r.settings, cluster, w.Stored.Namespace)
	if err != nil {
		return findings{}, err
	}
	if cluster.DeletionTimestamp != nil {
		return findings{}, pass.WaitFor(v1.ReasonClusterNotReady, 0, "another CephCluster: %s/%s is being deleted", cluster.Namespace, cluster.Name)
	}
	if err := w.Finalize(ctx, true); err != nil {
		return findings{}, err
	}
	seen, created, err := bring(ctx, admin, wanted)
	if created {
		r.Log.Infof("created pool %s for CephBlockPool %s/%s", wanted.name, w.Stored.Namespace, w.Stored.Name)
		r.Events.Event(w.Stored, door.Normal, "PoolCreated", fmt.Sprintf("The pool %s was created", wanted.name))
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
