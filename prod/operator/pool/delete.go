package pool

import (
	"context"
	"errors"
	"fmt"

	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// allowDelete is the option with which the mons remove pools at all.
const allowDelete = "mon_allow_pool_delete"

// remove removes the pool of a CephBlockPool that is being deleted, and lets the
// CephBlockPool go. done says that it has. A pool of Ceph's own stays, and so
// does one that is for something else.
func (r *reconciler) remove(ctx context.Context, w *writer, status *v1.DependentStatus) (done bool, err error) {
	if !controllerutil.ContainsFinalizer(w.Stored, v1.CephBlockPoolFinalizer) {
		return true, nil
	}
	wanted, err := wants(w.Stored)
	if err != nil { // it never was a pool
		return true, w.Finalize(ctx, false)
	}
	cluster, err := dependent.ClusterOf(ctx, r.Client, w.Stored.Namespace)
	if err != nil {
		return false, err
	}
	given, err := dependent.GivenUp(ctx, r.Client, w.Stored, cluster)
	if err != nil {
		return false, err
	}
	if given || w.Stored.Spec.Name != "" {
		r.Log.Infof("CephBlockPool %s/%s goes without its pool %s", w.Stored.Namespace, w.Stored.Name, wanted.name)
		return true, w.Finalize(ctx, false)
	}
	admin, err := dependent.Admin(ctx, r.Doors, r.settings, cluster, w.Stored.Namespace)
	if err != nil {
		return false, dependent.WithoutCeph(err, v1.CephBlockPoolKind, cluster)
	}
	pool, err := find(ctx, admin, wanted.name)
	if err != nil {
		return false, err
	}
	if pool != nil {
		if _, ours := pool.ApplicationMetadata[wanted.application]; !ours && len(pool.ApplicationMetadata) > 0 {
			return true, w.Finalize(ctx, false)
		}
		if err := r.holdsNothing(ctx, admin, w.Stored, pool); err != nil {
			return false, err
		}
	}
	if err := r.destroy(ctx, admin, w, status, pool); err != nil {
		return false, err
	}
	if err := tidy(ctx, admin, wanted); err != nil {
		return false, err
	}
	return true, w.Finalize(ctx, false)
}

// holdsNothing is nil for a pool that may be removed.
func (r *reconciler) holdsNothing(ctx context.Context, admin *ceph.Admin, resource *v1.CephBlockPool, pool *ceph.Pool) error {
	if dependent.Forced(resource) {
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
			return dependent.Blocked{Waiting: pass.WaitFor(v1.ReasonPoolNotEmpty, emptied,
				"the pool %s to be emptied: it holds %d objects; remove them, or annotate the CephBlockPool with %s=true to lose them with it",
				pool.Name, use.Objects, v1.ForceDeletionAnnotation)}
		}
	}
	return pass.WaitFor(v1.ReasonWaiting, retry, "Ceph to say what the pool %s holds", pool.Name)
}

// destroy removes the pool if it is there.
func (r *reconciler) destroy(ctx context.Context, admin *ceph.Admin, w *writer, status *v1.DependentStatus, pool *ceph.Pool) error {
	var names []string
	if pool != nil {
		names = append(names, pool.Name)
	}
	return Destroy(ctx, admin, GateOf(ctx, status, w.Status, func(name string) {
		r.Log.Infof("removed pool %s of CephBlockPool %s/%s", name, w.Stored.Namespace, w.Stored.Name)
	}), names...)
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
