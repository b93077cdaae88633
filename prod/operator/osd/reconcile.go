package osd

import (
	"context"
	"fmt"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// nodeKey is the data key of a result's ConfigMap that names the node.
const nodeKey = "node"

// Reconcile brings the OSDs nearer to what the spec asks for. What is still to
// come is noted with [pass.Pass.Later] and in the condition OSDsReady, and does
// not end the pass; only as long as there is no OSD at all does the pass wait
// for the first one, without which nothing that follows could work (S63).
func Reconcile(ctx context.Context, p *pass.Pass) error {
	targets, err := targets(ctx, p)
	if err != nil {
		return err
	}
	results, err := results(ctx, p, targets)
	if err != nil {
		return err
	}
	var missing []step
	if len(targets) > 0 {
		if err := ensureAccess(ctx, p); err != nil {
			return err
		}
	}
	for _, t := range targets {
		s, err := reconcileNode(ctx, p, t, results[t.Name])
		if err != nil {
			return err
		}
		if !s.Done {
			missing = append(missing, s)
		}
	}
	placed, twice := placedOSDs(results)
	late, err := reconcileDaemons(ctx, p, placed)
	if err != nil {
		return err
	}
	missing = append(append(missing, twice...), late...)
	if len(targets) == 0 && len(results) == 0 {
		missing = append(missing, step{Reason: v1.ReasonInvalidSpec, Problem: "the spec selects no storage nodes: there are no OSDs"})
	}
	p.Cluster.Status.Storage = storageStatus(results)
	setCondition(p, len(placed), missing)
	return wait(p, missing, len(placed) > 0)
}

// wait notes what is still to come.
func wait(p *pass.Pass, missing []step, some bool) error {
	for _, s := range missing {
		waiting := pass.WaitFor(s.Reason, s.Again, "%s", s.Problem)
		switch {
		case s.Pending && !some:
			return waiting
		case s.Pending:
			p.Later(waiting)
		case s.Again > 0:
			p.LookAgain(s.Again)
		}
	}
	return nil
}

// targets are the storage nodes of the spec.
func targets(ctx context.Context, p *pass.Pass) ([]Target, error) {
	if !p.Cluster.Spec.Storage.UseAllNodes && len(p.Cluster.Spec.Storage.Nodes) == 0 {
		return nil, nil
	}
	var nodes corev1.NodeList
	if err := p.Client.List(ctx, &nodes); err != nil {
		return nil, fmt.Errorf("failed to list the nodes: %w", err)
	}
	return Targets(&p.Cluster.Spec, nodes.Items), nil
}

// results are what the jobs have reported, by node, also of nodes that are no
// longer storage nodes.
func results(ctx context.Context, p *pass.Pass, targets []Target) (map[string]prepare.Result, error) {
	var list corev1.ConfigMapList
	labels := daemon.AppLabels(App, p.Cluster.Namespace)
	if err := p.Client.List(ctx, &list, client.InNamespace(p.Cluster.Namespace), client.MatchingLabels(labels)); err != nil {
		return nil, fmt.Errorf("failed to list the results of the OSD jobs: %w", err)
	}
	results := map[string]prepare.Result{}
	for i := range list.Items {
		name := nodeOf(&list.Items[i], targets)
		if name == "" {
			continue
		}
		result, err := prepare.DecodeResult(&list.Items[i])
		if err != nil {
			// The node is prepared again, which finds the OSDs that are there.
			p.Log.Warningf("%v", err)
		}
		results[name] = result
	}
	return results, nil
}

// nodeOf is the node that a result's ConfigMap is of, "" if it is no result. The
// ConfigMap's name decides, by which the jobs find it; what it says of the node
// is needed only where the name has the hash of a node that is no target.
func nodeOf(cm *corev1.ConfigMap, targets []Target) string {
	candidates := []string{cm.Data[nodeKey]}
	for _, t := range targets {
		candidates = append(candidates, t.Name)
	}
	for _, name := range append(candidates, prepare.ResultNode(cm.Name)) {
		if name != "" && prepare.ResultName(name) == cm.Name {
			return name
		}
	}
	return ""
}

// reconcileNode starts or removes the node's job as [next] decides.
func reconcileNode(ctx context.Context, p *pass.Pass, t Target, result prepare.Result) (step, error) {
	r := request(p, t)
	hash := r.Hash()
	if result.Phase == prepare.Completed && result.Hash == hash {
		return step{Done: true}, nil // no need to look at the job
	}
	var job *batchv1.Job
	found := &batchv1.Job{}
	key := client.ObjectKey{Namespace: p.Cluster.Namespace, Name: JobName(t.Name)}
	switch err := p.Client.Get(ctx, key, found); {
	case err == nil:
		job = found
	case client.IgnoreNotFound(err) != nil:
		return step{}, fmt.Errorf("failed to get Job %s: %w", key, err)
	}
	s := next(t, hash, result, job, p.Clock.Now())
	owner := object.OwnedBy(p.Cluster)
	switch s.Do {
	case start:
		if _, err := object.EnsureOnce(ctx, p.Client, resultMap(p, t.Name), owner); err != nil {
			return step{}, err
		}
		if _, err := object.EnsureOnce(ctx, p.Client, Job(p, r), owner); err != nil {
			return step{}, fmt.Errorf("failed to start the OSD job of node %s: %w", t.Name, err)
		}
		p.Log.Infof("preparing the OSDs of node %s", t.Name)
	case remove:
		if _, err := object.Delete(ctx, p.Client, found, owner); err != nil {
			return step{}, fmt.Errorf("failed to remove the former OSD job of node %s: %w", t.Name, err)
		}
	case leave:
		if s.Pending && job != nil {
			trouble, err := daemon.Trouble(ctx, p.Doors, p.Cluster.Namespace, jobLabels(p.Cluster.Namespace, t.Name))
			if err != nil {
				return step{}, err
			}
			if trouble != "" {
				s.Problem += ": " + trouble
			}
		}
	}
	return s, nil
}

// resultMap is a node's ConfigMap before its job has written to it.
func resultMap(p *pass.Pass, node string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Cluster.Namespace, Name: prepare.ResultName(node),
			Labels: daemon.AppLabels(App, p.Cluster.Namespace),
		},
		Data: map[string]string{nodeKey: node},
	}
}
