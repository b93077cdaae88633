package osd

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// placed is an OSD on its node.
type placed struct {
	Node string
	prepare.OSD
}

// placedOSDs are the OSDs that are to run, by id: those that stand in the
// ConfigMaps of the nodes and, where Ceph's map is known, in that. One that two
// nodes report is run on the first and told of.
func placedOSDs(written []entry, m osdMap) (osds []placed, twice []step) {
	at := map[int]string{}
	for _, e := range written {
		if _, exists := m.find(e.OSD); m != nil && !exists {
			continue
		}
		if first, known := at[e.ID]; known {
			twice = append(twice, step{Reason: v1.ReasonFailed, Problem: fmt.Sprintf(
				"osd.%d is reported by nodes %s and %s: delete the ConfigMap %s of the one that it is not on",
				e.ID, first, e.Node, prepare.ResultName(e.Node))})
			continue
		}
		at[e.ID] = e.Node
		osds = append(osds, e.placed)
	}
	slices.SortFunc(osds, func(a, b placed) int { return cmp.Compare(a.ID, b.ID) })
	return osds, twice
}

// reconcileDaemons runs a Deployment for each OSD. New ones start at once; those
// that run are changed when Ceph lets them be stopped (update.go).
func reconcileDaemons(ctx context.Context, p *pass.Pass, osds []placed, running map[string]*appsv1.Deployment) ([]step, error) {
	owner := object.OwnedBy(p.Cluster)
	var changing []outdated
	var missing []step
	for _, osd := range osds {
		desired := Deployment(p, osd.Node, osd.OSD)
		existing := running[desired.Name]
		if existing != nil && existing.DeletionTimestamp == nil && object.Owns(owner, existing) {
			if !object.UpToDate(existing, desired) {
				changing = append(changing, outdated{osd.ID, osd.Node, existing, desired})
			}
			continue
		}
		if _, err := object.Ensure(ctx, p.Client, desired, owner); err != nil {
			return nil, fmt.Errorf("failed to start osd.%d: %w", osd.ID, err)
		}
		p.Log.Infof("started osd.%d on node %s (%s)", osd.ID, osd.Node, osd.On())
		missing = append(missing, step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("osd.%d to start", osd.ID), Pending: true})
	}
	if len(changing) > 0 {
		left, err := updateDaemons(ctx, p, running, changing)
		if err != nil {
			return nil, err
		}
		missing = append(missing, left)
	}
	return missing, nil
}

// updateDaemons takes a turn at the OSDs that are to be changed, and tells what is
// left.
func updateDaemons(ctx context.Context, p *pass.Pass, running map[string]*appsv1.Deployment, changing []outdated) (step, error) {
	dump, err := p.Ceph.OSDDump(ctx)
	if err != nil {
		return step{}, fmt.Errorf("failed to ask which OSDs are up: %w", err)
	}
	u := turn{Pass: p, all: running, osds: changing, dump: dump}
	changed, err := u.run(ctx)
	left := step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("%d OSDs to be updated, %d in this turn", len(changing), changed), Pending: true}
	if waiting, ok := pass.IsWaiting(err); ok {
		left.Reason, left.Again = waiting.Reason, waiting.Again
		left.Problem = fmt.Sprintf("%s; %d OSDs are to be updated", waiting.For, len(changing))
		return left, nil
	}
	return left, err
}

// deployments are the OSDs' Deployments by name.
func deployments(ctx context.Context, p *pass.Pass) (map[string]*appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	labels := daemon.AppLabels(App, p.Cluster.Namespace)
	// They are only looked at, and may be a thousand.
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("failed to list the Deployments of the OSDs: %w", err)
	}
	all := make(map[string]*appsv1.Deployment, len(list.Items))
	for i := range list.Items {
		all[list.Items[i].Name] = &list.Items[i]
	}
	return all, nil
}
