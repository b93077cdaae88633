package cluster

import (
	"context"
	"fmt"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// writer writes what belongs to the operator of one CephCluster: its status and
// the finalizer. It sends nothing else, so that it cannot change anything else
// (S55), and nothing at all if nothing changed.
type writer struct {
	client client.Client
	// stored is the object as it was last read or written.
	stored *v1.CephCluster
}

// status writes a status. A write of somebody else in between is kept: of the
// status only the health is another's.
func (w *writer) status(ctx context.Context, status v1.ClusterStatus) error {
	for attempt := 0; ; attempt++ {
		if equal.Semantic(&w.stored.Status, &status) {
			return nil
		}
		next := statusAlone(w.stored, *status.DeepCopy())
		before := statusAlone(w.stored, w.stored.Status)
		err := w.client.Status().Patch(ctx, next, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{}))
		if err == nil {
			w.stored = next
			return nil
		}
		if !apierrors.IsConflict(err) || attempt > 0 {
			return fmt.Errorf("failed to update cluster status in namespace %s: %w", w.stored.Namespace, err)
		}
		var latest v1.CephCluster
		if err := w.client.Get(ctx, client.ObjectKeyFromObject(w.stored), &latest); err != nil {
			return fmt.Errorf("failed to update cluster status in namespace %s: %w", w.stored.Namespace, err)
		}
		w.stored = &latest
		status.Ceph = latest.Status.Ceph
	}
}

// statusAlone is what of a CephCluster a patch of its status is made from: the
// rest is left as it is, and need not be compared. The answer to the patch fills
// it in.
func statusAlone(cluster *v1.CephCluster, status v1.ClusterStatus) *v1.CephCluster {
	alone := &v1.CephCluster{Status: status}
	alone.Namespace, alone.Name = cluster.Namespace, cluster.Name
	alone.UID, alone.ResourceVersion = cluster.UID, cluster.ResourceVersion
	return alone
}

// finalizer adds or removes the operator's finalizer (S54).
func (w *writer) finalizer(ctx context.Context, present bool) error {
	next := w.stored.DeepCopy()
	change := controllerutil.RemoveFinalizer
	if present {
		change = controllerutil.AddFinalizer
	}
	if !change(next, v1.CephClusterFinalizer) {
		return nil
	}
	if err := w.client.Patch(ctx, next, client.MergeFromWithOptions(w.stored, client.MergeFromWithOptimisticLock{})); err != nil {
		return fmt.Errorf("failed to update the finalizers of CephCluster %s/%s: %w", w.stored.Namespace, w.stored.Name, err)
	}
	w.stored = next
	return nil
}
