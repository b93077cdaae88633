package filesystem

import (
	"context"
	"errors"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Name is the controller's name in logs and metrics.
const Name = "cephfilesystem"

const (
	// retry is when to try again what failed.
	retry = 10 * time.Second
	// soon is when to look again at what Ceph is about to do.
	soon = 5 * time.Second
	// emptied is when to look again whether pools have become empty.
	emptied = time.Minute
	// rest is how long events gather after a pass.
	rest = time.Second
)

// New makes the controller of CephFilesystems.
func New(doors door.Doors, settings pass.Settings) controller.Controller {
	r := &reconciler{Doors: doors, settings: settings}
	return controller.Controller{
		Name: Name, Reconciler: r, Parallel: controller.Clusters, Rest: rest,
		Watches: []controller.Watch{
			{Object: &v1.CephFilesystem{}, Requests: self, Matters: filesystemMatters},
			{Object: &v1.CephCluster{}, Requests: r.filesystemsBeside, Matters: clusterMatters},
			{Object: &appsv1.Deployment{}, Requests: filesystemOf, Matters: deploymentMatters},
		},
	}
}

// writer writes the status and the finalizer of one CephFilesystem.
type writer = dependent.Writer[*v1.CephFilesystem]

type reconciler struct {
	door.Doors
	settings pass.Settings
}

func self(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// filesystemsBeside are the file systems of a cluster's namespace.
func (r *reconciler) filesystemsBeside(ctx context.Context, cluster client.Object) []reconcile.Request {
	var list v1.CephFilesystemList
	if err := r.Client.List(ctx, &list, client.InNamespace(cluster.GetNamespace())); err != nil {
		r.Log.Errorf("failed to list the CephFilesystems of namespace %s: %v", cluster.GetNamespace(), err)
		return nil
	}
	var requests []reconcile.Request
	for i := range list.Items {
		requests = append(requests, self(ctx, &list.Items[i])...)
	}
	return requests
}

// filesystemOf is the file system of an MDS's Deployment.
func filesystemOf(_ context.Context, deployment client.Object) []reconcile.Request {
	labels := deployment.GetLabels()
	if labels[FilesystemLabel] == "" {
		return nil
	}
	return []reconcile.Request{{NamespacedName: types.NamespacedName{Namespace: deployment.GetNamespace(), Name: labels[FilesystemLabel]}}}
}

// filesystemMatters: what a person can change has changed. The status has not: it
// is written here.
func filesystemMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	return before.GetGeneration() != after.GetGeneration() || dependent.Forced(before) != dependent.Forced(after) ||
		(before.GetDeletionTimestamp() == nil) != (after.GetDeletionTimestamp() == nil)
}

// clusterMatters: file systems can be looked after now, or no longer; or what
// their MDS run from has changed.
func clusterMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	b, a := before.(*v1.CephCluster), after.(*v1.CephCluster)
	return dependent.InQuorum(b) != dependent.InQuorum(a) || b.Status.State != a.Status.State || b.Generation != a.Generation ||
		version(b) != version(a) || (b.DeletionTimestamp == nil) != (a.DeletionTimestamp == nil)
}

func version(cluster *v1.CephCluster) v1.VersionStatus {
	if cluster.Status.Version == nil {
		return v1.VersionStatus{}
	}
	return *cluster.Status.Version
}

// deploymentMatters: an MDS runs now, or no longer; or somebody has changed its
// Deployment.
func deploymentMatters(before, after client.Object) bool {
	if before == nil {
		return false // made here
	}
	if after == nil {
		return true
	}
	b, a := before.(*appsv1.Deployment), after.(*appsv1.Deployment)
	return daemon.Ready(b) != daemon.Ready(a) || b.Generation != a.Generation
}

// Reconcile brings one file system to what its CephFilesystem asks for, or
// removes it with its CephFilesystem.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var stored v1.CephFilesystem
	if err := r.Client.Get(ctx, req.NamespacedName, &stored); err != nil {
		if client.IgnoreNotFound(err) == nil {
			return reconcile.Result{}, nil
		}
		return reconcile.Result{}, fmt.Errorf("failed to get CephFilesystem %s: %w", req, err)
	}
	w := &writer{Client: r.Client, Stored: &stored, Kind: v1.CephFilesystemKind, Finalizer: v1.CephFilesystemFinalizer}
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
		r.Log.Debugf("CephFilesystem %s: %v", req, err)
	}
	if dependent.StaysReady(status, at, err) {
		return reconcile.Result{RequeueAfter: again(err)}, nil
	}
	report(status, at, &stored.Spec, found)
	dependent.Conclude(status, at, "the file system is as the spec asks, and is served", err)
	return reconcile.Result{RequeueAfter: again(err)}, w.Status(ctx, status)
}

// ensure makes the file system what the spec asks for and returns what is to be
// told of it.
func (r *reconciler) ensure(ctx context.Context, w *writer) (findings, error) {
	wanted, err := wants(w.Stored)
	if err != nil {
		return findings{}, err
	}
	p, err := r.pass(ctx, w.Stored)
	if err != nil {
		return findings{}, err
	}
	if p.Cluster.DeletionTimestamp != nil {
		return findings{}, pass.WaitFor(v1.ReasonClusterNotReady, 0, "another CephCluster: %s/%s is being deleted", p.Cluster.Namespace, p.Cluster.Name)
	}
	if err := w.Finalize(ctx, true); err != nil {
		return findings{}, err
	}
	g := &gang{p: p, fs: w.Stored, want: wanted.on(p.Version)}
	g.remark(g.want.remark)
	err = g.bring(ctx)
	return g.found, err
}

// again is when the next pass is due, 0 for when an event comes.
func again(err error) time.Duration {
	var refused *pass.Refused
	waiting, waits := pass.IsWaiting(err)
	switch {
	case waits && waiting.Again == 0 && waiting.Reason != v1.ReasonNoCluster && waiting.Reason != v1.ReasonClusterNotReady:
		return retry // for a daemon, say, of another controller
	case waits:
		return waiting.Again
	case err == nil || errors.As(err, &refused):
		return 0
	}
	return retry
}
