package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// defaultTimeout is how long an OSD that may not stop is waited for
// (spec.waitTimeoutForHealthyOSDInMinutes).
const defaultTimeout = 10 * time.Minute

// MayStop returns nil if the daemons of a kind may be stopped now, together, to
// run p.Version. Otherwise it returns a [*pass.Waiting] that says which of them
// wait and for what, or another error. kind is [Mon], [Mgr], [MDS] or [RBDMirror],
// ids are the daemons' names within it, as in "a". OSDs are asked for by package
// osd, many at once, after [InOrder].
//
// Of p it uses the doors, Cluster (namespace and spec), Version, NextImage and Ceph.
func MayStop(ctx context.Context, p *pass.Pass, kind string, ids ...string) error {
	if err := decided(p); err != nil || p.Cluster.Spec.SkipUpgradeChecks {
		return err
	}
	all, err := versions(ctx, p, kind)
	if err != nil || all == nil {
		return err
	}
	if err := inOrder(*all, p.Version, kind); err != nil {
		return err
	}
	if err := arrived(ctx, p, *all, kind); err != nil {
		return err
	}
	return ask(ctx, p, *all, kind, ids)
}

// InOrder says whether daemons of a kind may be given p.Version at all: all of the
// earlier kinds run it, and so do as many of the kind itself as were given it.
func InOrder(ctx context.Context, p *pass.Pass, kind string, given int) error {
	if err := decided(p); err != nil || p.Cluster.Spec.SkipUpgradeChecks {
		return err
	}
	all, err := versions(ctx, p, kind)
	if err != nil || all == nil {
		return err
	}
	if err := inOrder(*all, p.Version, kind); err != nil {
		return err
	}
	return seen(p, *all, kind, given)
}

// decided says whether it is known which image the daemons are to run.
func decided(p *pass.Pass) error {
	if p.NextImage == "" {
		return nil
	}
	return blocked("the version of image %s, which the spec asks for, before more daemons get image %s", p.NextImage, p.Cluster.Spec.CephVersion.Image)
}

// versions asks which versions run; nil where a change of mons that do not answer
// is asked for: nothing is lost by it, and it may be what mends them.
func versions(ctx context.Context, p *pass.Pass, kind string) (*ceph.DaemonVersions, error) {
	all, err := p.Ceph.Versions(ctx)
	switch {
	case errors.Is(err, ceph.ErrUnreachable) && kind == Mon:
		return nil, nil
	case errors.Is(err, ceph.ErrUnreachable):
		return nil, blocked("the mons to answer before another %s is stopped", kind)
	case err != nil:
		return nil, fmt.Errorf("failed to ask which versions run: %w", err)
	}
	return &all, nil
}

// OnTheWay says whether the Deployment of a daemon is to get another image.
func OnTheWay(existing, desired *appsv1.Deployment) bool {
	return Image(existing) != Image(desired)
}

// Overdue says whether a daemon that may not be stopped since that time is
// stopped nevertheless (spec.continueUpgradeAfterChecksEvenIfNotHealthy).
func Overdue(spec *v1.ClusterSpec, since, now time.Time) bool {
	timeout := time.Duration(spec.WaitTimeoutForHealthyOSDInMinutes) * time.Minute
	if timeout == 0 {
		timeout = defaultTimeout
	}
	return spec.ContinueUpgradeAfterChecksEvenIfNotHealthy && now.Sub(since) >= timeout
}

// arrived says whether the daemons of the kind that were given the image run it.
func arrived(ctx context.Context, p *pass.Pass, all ceph.DaemonVersions, kind string) error {
	var list appsv1.DeploymentList
	labels := daemon.AppLabels("rook-ceph-"+kind, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return fmt.Errorf("failed to list the Deployments of the %ss: %w", kind, err)
	}
	given := 0
	for i := range list.Items {
		if Image(&list.Items[i]) == p.Cluster.Spec.CephVersion.Image {
			given++
		}
	}
	return seen(p, all, kind, given)
}

// seen says whether as many daemons of a kind are seen to run the version as were
// given it.
func seen(p *pass.Pass, all ceph.DaemonVersions, kind string, given int) error {
	if runs := count(running(all, kind), p.Version); runs < given {
		return blocked("the %ss with image %s to run %s before another one is stopped: %d of %d do",
			kind, p.Cluster.Spec.CephVersion.Image, p.Version.Number(), runs, given)
	}
	return nil
}

// Image is what a Deployment's first container runs.
func Image(d *appsv1.Deployment) string {
	if len(d.Spec.Template.Spec.Containers) == 0 {
		return ""
	}
	return d.Spec.Template.Spec.Containers[0].Image
}

// named are daemons for people: "osd.1, osd.2".
func named(kind string, ids []string) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, kind+"."+id)
	}
	return strings.Join(names, ", ")
}
