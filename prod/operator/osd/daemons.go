package osd

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/equality"
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

// placedOSDs are all OSDs that the jobs have reported, by id. One that two nodes
// report, as after its disk was moved, is run on the first and told of.
func placedOSDs(results map[string]prepare.Result) (osds []placed, twice []step) {
	at := map[int]string{}
	for _, node := range slices.Sorted(maps.Keys(results)) {
		for _, osd := range results[node].OSDs {
			if first, known := at[osd.ID]; known {
				twice = append(twice, step{Reason: v1.ReasonFailed, Problem: fmt.Sprintf(
					"osd.%d is reported by nodes %s and %s: delete the ConfigMap %s of the one that it is not on",
					osd.ID, first, node, prepare.ResultName(node))})
				continue
			}
			at[osd.ID] = node
			osds = append(osds, placed{Node: node, OSD: osd})
		}
	}
	slices.SortFunc(osds, func(a, b placed) int { return cmp.Compare(a.ID, b.ID) })
	return osds, twice
}

// reconcileDaemons runs a Deployment for each OSD. New ones start at once.
// Of those that run, one at a time is changed, and only while all others are
// ready, so that an update never takes away a second copy of the data; one that
// is not ready itself may always be changed.
func reconcileDaemons(ctx context.Context, p *pass.Pass, osds []placed) ([]step, error) {
	if len(osds) == 0 {
		return nil, nil
	}
	running, err := deployments(ctx, p)
	if err != nil {
		return nil, err
	}
	owner := object.OwnedBy(p.Cluster)
	var outdated []*appsv1.Deployment
	var missing []step
	for _, osd := range osds {
		desired := Deployment(p, osd.Node, osd.OSD)
		existing := running[desired.Name]
		if existing != nil && existing.DeletionTimestamp == nil && object.Owns(owner, existing) {
			if !equality.Semantic.DeepEqual(existing, object.Merge(existing, desired)) {
				outdated = append(outdated, desired)
			}
			continue
		}
		if _, err := object.Ensure(ctx, p.Client, desired, owner); err != nil {
			return nil, fmt.Errorf("failed to start osd.%d: %w", osd.ID, err)
		}
		p.Log.Infof("started osd.%d on node %s (%s)", osd.ID, osd.Node, osd.On())
		missing = append(missing, step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("osd.%d to start", osd.ID), Pending: true})
	}
	updated, err := update(ctx, p, running, outdated)
	if err != nil {
		return nil, err
	}
	if len(outdated) > 0 {
		missing = append(missing, step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("%d OSDs to be updated, %d in this turn", len(outdated), updated), Pending: true})
	}
	late, err := unready(ctx, p, running)
	if err != nil || len(missing)+len(late) > 0 {
		return append(missing, late...), err
	}
	return down(ctx, p, osds)
}

// down tells of the OSDs whose pods run and which Ceph does not see up yet.
func down(ctx context.Context, p *pass.Pass, osds []placed) ([]step, error) {
	dump, err := p.Ceph.OSDDump(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to ask which OSDs are up: %w", err)
	}
	up := map[int]bool{}
	for _, known := range dump.OSDs {
		up[known.ID] = known.Up == 1
	}
	var names []string
	for _, osd := range osds {
		if !up[osd.ID] {
			names = append(names, fmt.Sprintf("osd.%d", osd.ID))
		}
	}
	switch len(names) {
	case 0:
		return nil, nil
	case 1:
		return []step{{Reason: v1.ReasonWaiting, Problem: names[0] + " to be up in Ceph", Pending: true}}, nil
	}
	return []step{{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("%s and %d more OSDs to be up in Ceph", names[0], len(names)-1), Pending: true}}, nil
}

// update changes the Deployments that may be changed now, and returns how many.
func update(ctx context.Context, p *pass.Pass, running map[string]*appsv1.Deployment, outdated []*appsv1.Deployment) (int, error) {
	down := map[string]bool{}
	for name, d := range running {
		if !daemon.Ready(d) {
			down[name] = true
		}
	}
	updated := 0
	for _, desired := range outdated {
		othersDown := len(down)
		if down[desired.Name] {
			othersDown = 0 // it cannot get worse
		}
		if othersDown > 0 {
			continue
		}
		if _, err := object.Ensure(ctx, p.Client, desired, object.OwnedBy(p.Cluster)); err != nil {
			return updated, fmt.Errorf("failed to update Deployment %s: %w", desired.Name, err)
		}
		down[desired.Name] = true
		updated++
	}
	return updated, nil
}

// unready tells of the OSDs that run and are not ready.
func unready(ctx context.Context, p *pass.Pass, running map[string]*appsv1.Deployment) ([]step, error) {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(running)) {
		if !daemon.Ready(running[name]) {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, nil
	}
	trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, daemon.AppLabels(App, p.Cluster.Namespace))
	if err != nil {
		return nil, err
	}
	s := step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("%s to be ready", names[0]), Pending: true}
	if len(names) > 1 {
		s.Problem = fmt.Sprintf("%s and %d more OSDs to be ready", names[0], len(names)-1)
	}
	if trouble != "" {
		s.Reason, s.Problem = v1.ReasonFailed, s.Problem+": "+trouble
	}
	return []step{s}, nil
}

// deployments are the OSDs' Deployments by name.
func deployments(ctx context.Context, p *pass.Pass) (map[string]*appsv1.Deployment, error) {
	var list appsv1.DeploymentList
	labels := daemon.AppLabels(App, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return nil, fmt.Errorf("failed to list the Deployments of the OSDs: %w", err)
	}
	all := make(map[string]*appsv1.Deployment, len(list.Items))
	for i := range list.Items {
		all[list.Items[i].Name] = &list.Items[i]
	}
	return all, nil
}
