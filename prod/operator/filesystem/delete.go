package filesystem

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/pool"
)

// remove removes the file system of a CephFilesystem that is being deleted, with
// its pools and its MDS, as far as the spec does not keep them, and lets the
// CephFilesystem go. done says that it has.
func (r *reconciler) remove(ctx context.Context, w *writer, status *v1.DependentStatus) (done bool, err error) {
	if !controllerutil.ContainsFinalizer(w.Stored, v1.CephFilesystemFinalizer) {
		return true, nil
	}
	wanted, err := wants(w.Stored)
	if err != nil { // it never was a file system
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
	if given {
		r.Log.Infof("CephFilesystem %s/%s goes without its file system", w.Stored.Namespace, w.Stored.Name)
		return true, w.Finalize(ctx, false)
	}
	p, err := r.pass(ctx, w.Stored)
	if err != nil {
		return false, dependent.WithoutCeph(err, v1.CephFilesystemKind, cluster)
	}
	g := &gang{p: p, fs: w.Stored, want: wanted}
	if err := g.destroy(ctx, w, status); err != nil {
		return false, err
	}
	if err := g.dismissAll(ctx); err != nil {
		return false, err
	}
	return true, w.Finalize(ctx, false)
}

// destroy removes file system and pools.
func (g *gang) destroy(ctx context.Context, w *writer, status *v1.DependentStatus) error {
	if g.fs.Spec.PreserveFilesystemOnDelete {
		return nil
	}
	seen, err := g.observe(ctx)
	if err != nil {
		return err
	}
	if fits(g.want, seen) != nil { // it is somebody else's
		return nil
	}
	pools, err := g.ours(ctx)
	if err != nil {
		return err
	}
	if err := g.holdsNothing(ctx, pools); err != nil {
		return err
	}
	if f := seen.filesystem(g.want.name); f != nil {
		if len(f.MDS) > 0 || f.Joinable {
			if err := g.p.Ceph.FSFail(ctx, *f); err != nil {
				return fmt.Errorf("failed to take the file system %s out of service: %w", f.Name, err)
			}
		}
		if err := g.p.Ceph.FSRemove(ctx, f.Name); err != nil {
			return fmt.Errorf("failed to remove the file system %s: %w", f.Name, err)
		}
		g.p.Log.Infof("removed file system %s of CephFilesystem %s/%s", f.Name, g.fs.Namespace, g.fs.Name)
	}
	if g.fs.Spec.PreservePoolsOnDelete {
		return nil
	}
	return g.destroyPools(ctx, w, status, pools)
}

// ours are the wanted pools that are there and are for this file system.
func (g *gang) ours(ctx context.Context) ([]ceph.Pool, error) {
	all, err := g.p.Ceph.Pools(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to get the pools: %w", err)
	}
	return slices.DeleteFunc(all, func(p ceph.Pool) bool {
		if !slices.ContainsFunc(g.want.pools, func(a pool.Asked) bool { return a.Name == p.Name }) {
			return true
		}
		uses, cephfs := p.ApplicationMetadata[application]
		for _, fs := range uses {
			if fs != g.want.name {
				return true
			}
		}
		return !cephfs && len(p.ApplicationMetadata) > 0
	}), nil
}

// holdsNothing is nil for a file system that may go: there are no files in its
// data pools, or they stay, or a person wants them gone.
func (g *gang) holdsNothing(ctx context.Context, pools []ceph.Pool) error {
	if dependent.Forced(g.fs) || g.fs.Spec.PreservePoolsOnDelete || len(pools) == 0 {
		return nil
	}
	uses, err := g.p.Ceph.PoolUses(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask what the pools of the file system %s hold: %w", g.want.name, err)
	}
	for _, p := range pools {
		if !slices.Contains(g.want.dataPools(), p.Name) {
			continue
		}
		i := slices.IndexFunc(uses, func(u ceph.PoolUse) bool { return u.ID == p.ID })
		if i < 0 {
			return pass.WaitFor(v1.ReasonWaiting, retry, "Ceph to say what the pool %s holds", p.Name)
		}
		if n := uses[i].Objects; n > 0 {
			return dependent.Blocked{Waiting: pass.WaitFor(v1.ReasonPoolNotEmpty, emptied,
				"the file system %s to be emptied: there are files of %d objects in its pool %s; remove them, or annotate the CephFilesystem with %s=true to lose them with it",
				g.want.name, n, p.Name, v1.ForceDeletionAnnotation)}
		}
	}
	return nil
}

func (g *gang) destroyPools(ctx context.Context, w *writer, status *v1.DependentStatus, pools []ceph.Pool) error {
	var names []string
	for _, p := range pools {
		names = append(names, p.Name)
	}
	err := pool.Destroy(ctx, g.p.Ceph, pool.GateOf(ctx, status, w.Status, func(name string) {
		g.p.Log.Infof("removed pool %s of CephFilesystem %s/%s", name, g.fs.Namespace, g.fs.Name)
	}), names...)
	if err != nil {
		return err
	}
	for _, asked := range g.want.pools {
		if err := asked.Tidy(ctx, g.p.Ceph); err != nil {
			return err
		}
	}
	return nil
}

// dismissAll takes all MDS of the file system away.
func (g *gang) dismissAll(ctx context.Context) error {
	var list appsv1.DeploymentList
	if err := g.p.Client.List(ctx, &list, client.InNamespace(g.fs.Namespace), client.MatchingLabels(selector(g.fs))); err != nil {
		return fmt.Errorf("failed to list the Deployments of the MDS: %w", err)
	}
	ids := slices.Clone(g.want.ids) // a key may be there without a Deployment
	for i := range list.Items {
		if id := list.Items[i].Labels[daemon.IDLabel]; id != "" && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	for _, id := range ids {
		if err := remove(ctx, g.p, id); err != nil {
			return err
		}
	}
	return nil
}
