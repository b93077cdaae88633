package cluster

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// heldUp asks for the clusters of an object's namespace that are being deleted:
// the object may be what blocks them.
func (r *reconciler) heldUp(ctx context.Context, o client.Object) []reconcile.Request {
	return r.find(ctx, func(cluster *v1.CephCluster) bool { return cluster.DeletionTimestamp != nil }, client.InNamespace(o.GetNamespace()))
}

// dependentMatters: one came or went.
func dependentMatters(before, after client.Object) bool { return before == nil || after == nil }
