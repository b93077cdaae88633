package pool

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// allowDelete is the option with which the mons remove pools at all.
const allowDelete = "mon_allow_pool_delete"

// forced says whether a person wants the pool gone with all that it holds.
func forced(pool client.Object) bool {
	return pool.GetAnnotations()[v1.ForceDeletionAnnotation] == "true"
}

// blocked says that a pool is not removed because of what it holds.
type blocked struct{ *pass.Waiting }

func (b blocked) Unwrap() error { return b.Waiting }

// remove removes the pool of a CephBlockPool that is being deleted, and lets the
// CephBlockPool go. done says that it has. A pool of Ceph's own stays, and so
// does one that is for something else.
func (r *reconciler) remove(ctx context.Context, w *writer, status *v1.BlockPoolStatus) (done bool, err error) {
	if !controllerutil.ContainsFinalizer(w.stored, v1.CephBlockPoolFinalizer) {
		return true, nil
	}
	wanted, err := wants(w.stored)
	if err != nil { // it never was a pool
		return true, w.finalizer(ctx, false)
	}
	cluster, err := ClusterOf(ctx, r.Client, w.stored.Namespace)
	if err != nil {
		return false, err
	}
	given, err := r.givenUp(ctx, w.stored, cluster)
	if err != nil {
		return false, err
	}
	if given || w.stored.Spec.Name != "" {
		r.Log.Infof("CephBlockPool %s/%s goes without its pool %s", w.stored.Namespace, w.stored.Name, wanted.name)
		return true, w.finalizer(ctx, false)
	}
	admin, err := Admin(ctx, r.Doors, r.settings, cluster, w.stored.Namespace)
	if err != nil {
		return false, withoutCeph(err, cluster)
	}
	pool, err := find(ctx, admin, wanted.name)
	if err != nil {
		return false, err
	}
	if pool != nil {
		if _, ours := pool.ApplicationMetadata[wanted.application]; !ours && len(pool.ApplicationMetadata) > 0 {
			return true, w.finalizer(ctx, false)
		}
		if err := r.holdsNothing(ctx, admin, w.stored, pool); err != nil {
			return false, err
		}
	}
	if err := r.destroy(ctx, admin, w, status, pool); err != nil {
		return false, err
	}
	if err := tidy(ctx, admin, wanted); err != nil {
		return false, err
	}
	return true, w.finalizer(ctx, false)
}

// givenUp says whether the pool need not be removed from Ceph: Ceph goes with all
// that it holds, or it is deleted as well, has no quorum, and a person has said
// that the pool may be lost.
func (r *reconciler) givenUp(ctx context.Context, pool client.Object, cluster *v1.CephCluster) (bool, error) {
	if cluster != nil && cluster.DeletionTimestamp != nil && forced(pool) && !InQuorum(cluster) {
		return true, nil
	}
	return dependent.Abandoned(ctx, r.Client, cluster)
}

// withoutCeph adds to a wait for a cluster that is being deleted, and that may
// never come back, how the pool can go all the same.
func withoutCeph(err error, cluster *v1.CephCluster) error {
	waiting, ok := pass.IsWaiting(err)
	if !ok || cluster.DeletionTimestamp == nil {
		return err
	}
	return pass.WaitFor(waiting.Reason, waiting.Again,
		"%s; the cluster is being deleted: if it does not come back, annotate the CephBlockPool with %s=true to give the pool up with it, or set spec.cleanupPolicy.confirmation of the CephCluster to %s to give up all its data",
		waiting.For, v1.ForceDeletionAnnotation, v1.DestroyData)
}

// holdsNothing is nil for a pool that may be removed.
func (r *reconciler) holdsNothing(ctx context.Context, admin *ceph.Admin, resource *v1.CephBlockPool, pool *ceph.Pool) error {
	if forced(resource) {
		return nil
	}
	uses, err := admin.PoolUses(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask what pool %s holds: %w", pool.Name, err)
	}
	for _, use := range uses {
		switch {
		case use.ID != pool.ID:
		case use.Objects == 0:
			return nil
		default:
			return blocked{pass.WaitFor(v1.ReasonPoolNotEmpty, emptied,
				"the pool %s to be emptied: it holds %d objects; remove them, or annotate the CephBlockPool with %s=true to lose them with it",
				pool.Name, use.Objects, v1.ForceDeletionAnnotation)}
		}
	}
	return pass.WaitFor(v1.ReasonWaiting, retry, "Ceph to say what the pool %s holds", pool.Name)
}

// destroy removes the pool if it is there.
func (r *reconciler) destroy(ctx context.Context, admin *ceph.Admin, w *writer, status *v1.BlockPoolStatus, pool *ceph.Pool) error {
	var names []string
	if pool != nil {
		names = append(names, pool.Name)
	}
	return Destroy(ctx, admin, Gate{
		Open: status.Info[v1.PoolInfoDeletionOpened] == "true",
		Note: func(open bool) error {
			if !open {
				delete(status.Info, v1.PoolInfoDeletionOpened)
				return nil
			}
			if status.Info == nil {
				status.Info = map[string]string{}
			}
			status.Info[v1.PoolInfoDeletionOpened] = "true"
			return w.status(ctx, status)
		},
		Removed: func(name string) {
			r.Log.Infof("removed pool %s of CephBlockPool %s/%s", name, w.stored.Namespace, w.stored.Name)
		},
	}, names...)
}

// tidy removes what was made for the pool beside it, unless another pool has
// come to use it.
func tidy(ctx context.Context, admin *ceph.Admin, w want) error {
	rule := w.place.initial().rule(w.name)
	if w.erasureCoded() {
		rule = w.name // Ceph makes it with the pool
	}
	err := admin.CrushRuleRemove(ctx, rule)
	if (err == nil || errors.Is(err, ceph.ErrBusy)) && w.erasureCoded() {
		err = admin.ErasureProfileRemove(ctx, w.profileName())
	}
	if err != nil && !errors.Is(err, ceph.ErrBusy) {
		return fmt.Errorf("failed to tidy up after pool %s: %w", w.name, err)
	}
	return nil
}

// tellBlocked sends an Event the first time that a deletion is blocked.
func (r *reconciler) tellBlocked(pool *v1.CephBlockPool, err error) {
	var b blocked
	if errors.As(err, &b) && !isBlocked(&pool.Status) {
		r.Events.Event(pool, door.Warning, v1.ConditionDeletionBlocked, b.Error())
	}
}
