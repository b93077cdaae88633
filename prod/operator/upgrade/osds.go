package upgrade

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// requireRetry is when to look again at OSDs that do not all run the new release.
const requireRetry = 10 * time.Second

// RequireRelease tells Ceph to take no OSDs older than those that run, once all
// of them run a newer release than it requires: `osd require-osd-release`. It
// only ever goes up, and given, the oldest version that an OSD was given, bounds
// it. That it does not work yet holds nothing up.
func RequireRelease(ctx context.Context, p *pass.Pass, dump ceph.OSDMap, given ceph.Version) error {
	required, known := ceph.ReleaseNamed(dump.RequireOSDRelease)
	if !known || given.Release() <= required {
		return nil
	}
	all, err := p.Ceph.Versions(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask which versions the OSDs run: %w", err)
	}
	oldest := given.Release()
	for text := range all.OSD {
		v, err := ceph.ParseVersion(text)
		if err != nil {
			return nil // Ceph does not say what it runs
		}
		oldest = min(oldest, v.Release())
	}
	if len(all.OSD) == 0 || oldest <= required || !oldest.Known() {
		p.LookAgain(requireRetry)
		return nil
	}
	switch err := p.Ceph.OSDRequireRelease(ctx, oldest); {
	case errors.Is(err, ceph.ErrNotPermitted):
		p.Log.Warningf("failed to have OSDs be of release %s at least: %v", oldest, err)
		p.LookAgain(requireRetry)
		return nil
	case err != nil:
		return fmt.Errorf("failed to have OSDs be of release %s at least: %w", oldest, err)
	}
	message := fmt.Sprintf("all OSDs run %s: Ceph takes no older ones from now on", oldest)
	p.Log.Infof("cluster in namespace %s: %s", p.Cluster.Namespace, message)
	p.Events.Event(p.Cluster, door.Normal, "OSDReleaseRequired", message)
	return nil
}

// CleanPGs says whether all placement groups are active and clean
// (spec.upgradeOSDRequiresHealthyPGs); the error is a [*pass.Waiting] that tells
// which states there are.
func CleanPGs(ctx context.Context, p *pass.Pass) error {
	status, err := p.Ceph.Status(ctx)
	if err != nil {
		return fmt.Errorf("failed to ask for the state of the placement groups: %w", err)
	}
	if status.PGs.Clean() {
		return nil
	}
	var states []string
	for _, s := range status.PGs.ByState {
		states = append(states, fmt.Sprintf("%d %s", s.Count, s.Name))
	}
	return blocked("all PGs to be active+clean before an OSD is stopped, as upgradeOSDRequiresHealthyPGs asks: %s", strings.Join(states, ", "))
}
