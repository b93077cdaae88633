package filesystem

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/upgrade"
)

// servers brings the MDS of the file system to what the spec asks for.
func (g *gang) servers(ctx context.Context, f *ceph.Filesystem) error {
	for _, id := range g.want.ids {
		if err := daemon.EnsureKey(ctx, g.p, keyringSecret(id), entity(id), caps()...); err != nil {
			return err
		}
	}
	all, surplus, err := g.deployments(ctx)
	if err != nil {
		return err
	}
	m := next(all, f)
	if err := g.ensureAll(ctx, m.ensure); err != nil {
		return err
	}
	if m.wait != "" {
		return g.waitFor(ctx, m.wait)
	}
	if m.ask != "" {
		return g.roll(ctx, f, m)
	}
	if rolling(all) {
		return pass.WaitFor(v1.ReasonWaiting, soon, "all MDS of the file system %s to run %s", f.Name, g.p.Version.Number())
	}
	if err := g.settle(ctx, f, g.want.ranks, g.want.follow); err != nil {
		return err
	}
	for _, id := range g.want.ids {
		if err := g.waitFor(ctx, id); err != nil {
			return err
		}
	}
	if still := unserved(f, g.want.ranks); still != "" {
		return pass.WaitFor(v1.ReasonWaiting, soon, "the file system %s to have %s", f.Name, still)
	}
	if len(surplus) > 0 {
		return g.dismiss(ctx, surplus[0])
	}
	return nil
}

// deployments are those of the wanted MDS, in the order of their names, and the
// names of MDS that are not wanted any more.
func (g *gang) deployments(ctx context.Context) (all []server, surplus []string, err error) {
	var list appsv1.DeploymentList
	if err := g.p.Client.List(ctx, &list, client.InNamespace(g.fs.Namespace), client.MatchingLabels(selector(g.fs))); err != nil {
		return nil, nil, fmt.Errorf("failed to list the Deployments of the MDS: %w", err)
	}
	there := map[string]*appsv1.Deployment{}
	for i := range list.Items {
		id := list.Items[i].Labels[daemon.IDLabel]
		there[id] = &list.Items[i]
		if !g.want.wanted(id) && id != "" && object.Owns(object.OwnedBy(g.p.Cluster), &list.Items[i]) {
			surplus = append(surplus, id)
		}
	}
	slices.Sort(surplus)
	for _, id := range g.want.ids {
		is := there[id]
		if is == nil {
			all = append(all, server{id: id})
			continue
		}
		should := Deployment(g.p, g.fs, id)
		should.OwnerReferences = []metav1.OwnerReference{object.OwnedBy(g.p.Cluster)}
		all = append(all, server{
			id: id, exists: true, ready: daemon.Ready(is), differs: !object.UpToDate(is, should), image: upgrade.OnTheWay(is, should),
		})
	}
	return all, surplus, nil
}

func (g *gang) ensureAll(ctx context.Context, ids []string) error {
	for _, id := range ids {
		if _, err := object.Ensure(ctx, g.p.Client, Deployment(g.p, g.fs, id), object.OwnedBy(g.p.Cluster)); err != nil {
			return fmt.Errorf("failed to start mds.%s: %w", id, err)
		}
	}
	return nil
}

// roll gives one MDS that runs another image, once the file system is prepared
// for it and Ceph lets it go.
func (g *gang) roll(ctx context.Context, f *ceph.Filesystem, m moves) error {
	if err := g.osdsFirst(ctx); err != nil {
		return err
	}
	if err := upgrade.MayStop(ctx, g.p, upgrade.MDS, m.ask); err != nil {
		return err
	}
	if m.quiesce {
		if err := g.settle(ctx, f, 1, false); err != nil {
			return err
		}
		return pass.WaitFor(v1.ReasonWaiting, soon, "the file system %s to have 1 active MDS, which none follows, before mds.%s gets image %s",
			f.Name, m.ask, g.p.Cluster.Spec.CephVersion.Image)
	}
	if still := unserved(f, 1); still != "" {
		return pass.WaitFor(v1.ReasonWaiting, soon, "the file system %s to have %s, before mds.%s gets image %s",
			f.Name, still, m.ask, g.p.Cluster.Spec.CephVersion.Image)
	}
	if err := g.ensureAll(ctx, []string{m.ask}); err != nil {
		return err
	}
	g.p.Log.Infof("mds.%s gets image %s", m.ask, g.p.Cluster.Spec.CephVersion.Image)
	return pass.WaitFor(v1.ReasonWaiting, soon, "mds.%s to run image %s", m.ask, g.p.Cluster.Spec.CephVersion.Image)
}

// osdsFirst is nil when all OSDs run the wanted version. Package upgrade looks for
// that too, but where a person wants no checks: what is replaced in which order is
// then still for the operator to know, which works on OSDs elsewhere.
func (g *gang) osdsFirst(ctx context.Context) error {
	if !g.p.Cluster.Spec.SkipUpgradeChecks {
		return nil
	}
	all, err := g.p.Ceph.Versions(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask which versions run: %w", err)
	}
	for _, text := range slices.Sorted(maps.Keys(all.OSD)) {
		if v, err := ceph.ParseVersion(text); err != nil || v != g.p.Version {
			return pass.WaitFor(v1.ReasonUpgradeBlocked, 0, "all OSDs to run %s before an MDS is replaced: %d run %s", g.p.Version.Number(), all.OSD[text], text)
		}
	}
	return nil
}

// waitFor is nil for an MDS whose Deployment is ready.
func (g *gang) waitFor(ctx context.Context, id string) error {
	return daemon.Running(ctx, g.p.Doors, g.fs.Namespace, deploymentName(id))
}

// dismiss takes an MDS away that is not wanted any more, when Ceph can do without
// it. Others follow one by one.
func (g *gang) dismiss(ctx context.Context, id string) error {
	answer, err := g.p.Ceph.MDSOkToStop(ctx, id)
	switch {
	case errors.Is(err, ceph.ErrUnsupported):
	case err != nil:
		return fmt.Errorf("failed to ask whether mds.%s may be stopped: %w", id, err)
	case !answer.OK:
		return upgrade.Refusal("mds."+id, answer)
	}
	if err := remove(ctx, g.p, id); err != nil {
		return err
	}
	return pass.WaitFor(v1.ReasonWaiting, soon, "mds.%s to be gone, which is not needed any more", id)
}

// remove takes an MDS away. Its Deployment goes last: as long as it is there, a
// run after a crash finds it and goes on.
func remove(ctx context.Context, p *pass.Pass, id string) error {
	if err := p.Ceph.AuthDel(ctx, entity(id)); err != nil {
		return fmt.Errorf("failed to delete the key of %s: %w", entity(id), err)
	}
	owner := object.OwnedBy(p.Cluster)
	meta := metav1.ObjectMeta{Namespace: p.Cluster.Namespace, Name: keyringSecret(id)}
	if _, err := object.Delete(ctx, p.Client, &corev1.Secret{ObjectMeta: meta}, owner); err != nil {
		return err
	}
	meta.Name = deploymentName(id)
	if _, err := object.Delete(ctx, p.Client, &appsv1.Deployment{ObjectMeta: meta}, owner); err != nil {
		return err
	}
	p.Log.Infof("removed mds.%s", id)
	return nil
}
