package version

import (
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// farthest is how many releases a daemon of Ceph may be ahead of what it finds:
// it does not start otherwise.
const farthest = 2

// effect is the image in effect; the zero value where there is none.
type effect struct {
	Image   string
	Version ceph.Version
}

// given is a daemon's Deployment: which version it was given.
type given struct {
	app     string
	image   string
	version ceph.Version
}

// inEffect is the image that the cluster runs or is on the way to. A status that
// was lost is made good by the mons' Deployments, the newest of them.
func inEffect(ctx context.Context, p *pass.Pass) (effect, error) {
	if kept := p.Cluster.Status.Version; kept != nil {
		if v, err := ceph.ParseVersion("ceph version " + kept.Version); err == nil {
			return effect{kept.Image, v}, nil
		}
	}
	all, err := givenVersions(ctx, p)
	if err != nil {
		return effect{}, err
	}
	var newest effect
	for _, g := range all {
		if g.app == identity.MonApp && newest.Version.Less(g.version) {
			newest = effect{g.image, g.version}
		}
	}
	return newest, nil
}

// givenVersions are the versions that the cluster's daemons were given, by the
// name of their Deployments.
func givenVersions(ctx context.Context, p *pass.Pass) ([]given, error) {
	var list appsv1.DeploymentList
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels{daemon.ClusterLabel: p.Cluster.Namespace}); err != nil {
		return nil, fmt.Errorf("failed to list the Deployments of the cluster: %w", err)
	}
	var all []given
	for i := range list.Items {
		d := &list.Items[i]
		v, err := ceph.ParseVersion("ceph version " + d.Labels[daemon.CephVersionLabel])
		if err != nil || len(d.Spec.Template.Spec.Containers) == 0 {
			continue
		}
		all = append(all, given{d.Labels[daemon.AppLabel], d.Spec.Template.Spec.Containers[0].Image, v})
	}
	return all, nil
}

// change says why the cluster may not go from the image in effect to another
// one, "" if it may.
//
// Ceph does not go back to an older version, once all mons run the newer one: a
// change may be taken back before the last mon was given the new image. And no
// daemon starts that is more than two releases ahead of what is there.
func change(before effect, spec v1.CephVersionSpec, found ceph.Version, daemons []given) (reason, why string) {
	if before.Image == "" {
		return "", ""
	}
	behind := slices.ContainsFunc(daemons, func(g given) bool { return g.app == identity.MonApp && !found.Less(g.version) })
	if found.Less(before.Version) && !behind && !spec.AllowDowngrade {
		return v1.ReasonDowngrade, fmt.Sprintf(
			"image %s has ceph %s, and ceph %s of image %s runs: Ceph does not go back to an older version. Go on with %s or a newer one; to try it nevertheless, set cephVersion.allowDowngrade to true",
			spec.Image, found, before.Version, before.Image, before.Version.Number())
	}
	oldest := before.Version
	for _, g := range daemons {
		if g.version.Less(oldest) {
			oldest = g.version
		}
	}
	if found.Major > oldest.Major+farthest {
		return v1.ReasonUpgradeTooFar, fmt.Sprintf(
			"image %s has ceph %s, and daemons run ceph %s: Ceph is upgraded by at most %d releases at a time. Upgrade to %s first",
			spec.Image, found, oldest, farthest, ceph.Release(oldest.Major+farthest))
	}
	return "", ""
}
