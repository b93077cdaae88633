package legacy

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

// Name is the controller's name in logs and metrics.
const Name = "legacy-cluster"

// reason is that of the events.
const reason = "LegacyCluster"

// retry is when to try again to let go of a Cluster.
const retry = 10 * time.Second

// Kind is that of the legacy resource.
func Kind() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "cluster.rook.io", Version: "v1beta1", Kind: "Cluster"}
}

// New makes the controller.
func New(doors door.Doors) controller.Controller {
	r := &reconciler{Doors: doors}
	return controller.Controller{
		Name: Name, Reconciler: r,
		Watches: []controller.Watch{{Object: empty(), Requests: self, Matters: matters, IfServed: r.served}},
	}
}

type reconciler struct{ door.Doors }

func empty() *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(Kind())
	return o
}

func self(_ context.Context, o client.Object) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
}

// served says whether Clusters are watched.
func (r *reconciler) served(err error) {
	if err != nil {
		r.Log.Infof("skipping watching for legacy rook cluster events (legacy cluster CRD probably doesn't exist): %v", err)
		return
	}
	r.Log.Infof("start watching legacy rook clusters in all namespaces")
}

// matters: one has come, or its deletion has begun.
func matters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after != nil
	}
	return before.GetDeletionTimestamp() == nil && after.GetDeletionTimestamp() != nil
}

// Reconcile tells of a Cluster, or lets it go.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	cluster := empty()
	if err := r.Client.Get(ctx, req.NamespacedName, cluster); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	if cluster.GetDeletionTimestamp() == nil {
		text := fmt.Sprintf("Cluster %s is of %s, with which nothing is done: apply a CephCluster (%s) of the same name, namespace and dataDirHostPath in its place, then delete it",
			req, Kind().GroupVersion(), v1.SchemeGroupVersion())
		r.Log.Warningf("%s", text)
		r.Events.Event(cluster, door.Warning, reason, text)
		return reconcile.Result{}, nil
	}
	if err := r.letGo(ctx, cluster); err != nil {
		r.Log.Errorf("failed to remove the finalizer of legacy Cluster %s: %v", req, err)
		return reconcile.Result{RequeueAfter: retry}, nil
	}
	return reconcile.Result{}, nil
}

// letGo takes away the finalizers of former operators.
func (r *reconciler) letGo(ctx context.Context, cluster *unstructured.Unstructured) error {
	kept := slices.DeleteFunc(slices.Clone(cluster.GetFinalizers()), ofRook)
	if len(kept) == len(cluster.GetFinalizers()) {
		return nil
	}
	next := cluster.DeepCopy()
	next.SetFinalizers(kept)
	err := r.Client.Patch(ctx, next, client.MergeFromWithOptions(cluster, client.MergeFromWithOptimisticLock{}))
	if err == nil {
		r.Log.Infof("legacy Cluster %s/%s is being deleted: its finalizer is removed, and nothing that was made for it", cluster.GetNamespace(), cluster.GetName())
	}
	return client.IgnoreNotFound(err)
}

// ofRook says whether a finalizer is one of a former operator: cluster.rook.io or
// cluster.ceph.rook.io, by release.
func ofRook(finalizer string) bool {
	return finalizer == "rook.io" || strings.HasSuffix(finalizer, ".rook.io")
}
