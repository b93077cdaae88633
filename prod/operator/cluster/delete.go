package cluster

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/cleanup"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// How often it is looked whether what blocks a deletion is gone: every 2 s for
// the first 30 s (S58), then every 30 s.
const (
	blockedSoon  = 2 * time.Second
	blockedFor   = 30 * time.Second
	blockedLater = 30 * time.Second
)

// delete takes a CephCluster down and lets go of it when nothing needs it any
// more. What was made for it goes by garbage collection, as it is owned by it.
func (r *reconciler) delete(ctx context.Context, w *writer) (time.Duration, error) {
	if !controllerutil.ContainsFinalizer(w.stored, v1.CephClusterFinalizer) {
		return 0, nil
	}
	before := w.stored.DeepCopy()
	p := &pass.Pass{Doors: r.Doors, Settings: r.options.Settings, Cluster: w.stored.DeepCopy()}
	p.Cluster.Spec, _ = effective(before.Spec)
	p.SaveStatus = func(ctx context.Context) error { return w.status(ctx, p.Cluster.Status) }
	status := &p.Cluster.Status
	status.State, status.Message, status.Phase = v1.ClusterStateDeleting, "", v1.ClusterStateDeleting.Phase()
	began := r.Clock.Now()

	blockers, err := r.takeDown(ctx, p)
	if err == nil && len(blockers) == 0 {
		return 0, r.letGo(ctx, w, p)
	}
	at := scene{namespace: before.Namespace, generation: before.Generation, now: r.Clock.Now()}
	ended := outcome{err: err, held: p.Held(), pending: p.Pending()}
	concludeDeletion(status, at, blockers, ended)
	r.tellDeletion(before, p.Cluster, ended)
	if err := w.status(ctx, *status); err != nil {
		return 0, err
	}
	asked := p.Again()
	if len(blockers) > 0 {
		asked = soonest(asked, blockedAgain(status, at.now))
	}
	_, what := ended.unfinished()
	return ended.again(asked, r.backOff.next(client.ObjectKeyFromObject(before), what, at.now), at.now.Sub(began)), nil
}

// takeDown takes down what must go before the CephCluster does. It returns what
// blocks that, in words; the error is that of the work, or a wait for it.
func (r *reconciler) takeDown(ctx context.Context, p *pass.Pass) (blockers []string, err error) {
	if second, err := r.second(ctx, p.Cluster); second || err != nil {
		return nil, err // all that is in the namespace is another cluster's
	}
	ends, err := dependent.NamespaceEnds(ctx, p.Client, p.Cluster.Namespace)
	if err != nil {
		return nil, unread(err)
	}
	if ends {
		r.tellNamespaceEnds(p)
		return nil, nil
	}
	if p.Cluster.Spec.CleanupPolicy.Destroys() {
		if err := cleanup.Remember(ctx, p); err != nil {
			return nil, err
		}
	}
	blockers, err = dependent.Blockers(ctx, p.Client, p.Cluster)
	switch {
	case err != nil:
		return nil, unread(err)
	case len(blockers) > 0:
		return blockers, r.keep(ctx, p)
	case p.Cluster.Spec.CleanupPolicy.Destroys():
		return nil, cleanup.Reconcile(ctx, p)
	}
	return nil, nil
}

// unreadError says that it is not known whether something blocks the deletion.
type unreadError struct{ cause error }

func unread(err error) error           { return &unreadError{err} }
func (e *unreadError) Error() string   { return e.cause.Error() }
func (e *unreadError) Unwrap() []error { return []error{e.cause} }

// second says whether another CephCluster came before in the namespace. Nothing
// was made for this one then (S18).
func (r *reconciler) second(ctx context.Context, cluster *v1.CephCluster) (bool, error) {
	var all v1.CephClusterList
	if err := r.Client.List(ctx, &all, client.InNamespace(cluster.Namespace)); err != nil {
		return false, fmt.Errorf("failed to list the CephClusters of namespace %s: %w", cluster.Namespace, err)
	}
	return slices.ContainsFunc(all.Items, func(other v1.CephCluster) bool { return dependent.Before(&other, cluster) }), nil
}

// keep looks after a cluster whose deletion is blocked as before, since what
// blocks it still uses it and may need it to go. One whose data is given up is not
// configured any more. Deletion in the foreground takes away all that is owned
// whatever blocks, so that nothing is made again.
func (r *reconciler) keep(ctx context.Context, p *pass.Pass) error {
	if p.Cluster.Spec.CleanupPolicy.Destroys() || slices.Contains(p.Cluster.Finalizers, metav1.FinalizerDeleteDependents) {
		return nil
	}
	fsid, err := identity.FSID(ctx, p)
	if err != nil || fsid == "" { // a cluster that never was is not made now
		return err
	}
	return r.runSteps(ctx, p)
}

// letGo forgets the cluster and takes the finalizer away.
func (r *reconciler) letGo(ctx context.Context, w *writer, p *pass.Pass) error {
	concludeLettingGo(&p.Cluster.Status, scene{generation: w.stored.Generation, now: r.Clock.Now()})
	if err := w.status(ctx, p.Cluster.Status); err != nil {
		return client.IgnoreNotFound(err)
	}
	if second, err := r.second(ctx, p.Cluster); err != nil {
		return err
	} else if !second {
		if err := config.Forget(p); err != nil {
			return err
		}
	}
	r.Log.Infof("deleting cluster in namespace %s", w.stored.Namespace)
	return client.IgnoreNotFound(w.finalizer(ctx, false))
}

// confirmed refuses to configure a cluster whose data is to be destroyed.
func confirmed(cluster *v1.CephCluster) *pass.Refused {
	if !cluster.Spec.CleanupPolicy.Destroys() {
		return nil
	}
	return pass.Refuse(v1.ReasonCleanupConfirmed,
		"spec.cleanupPolicy.confirmation is %s: nothing is configured any more; delete CephCluster %s/%s to destroy its data on the hosts, or take the confirmation away to go on with it",
		v1.DestroyData, cluster.Namespace, cluster.Name)
}

// blockedAgain is when to look again for what blocks a deletion.
func blockedAgain(s *v1.ClusterStatus, now time.Time) time.Duration {
	for _, c := range s.Conditions {
		if c.Type == v1.ConditionDeletionBlocked && now.Sub(c.LastTransitionTime.Time) >= blockedFor {
			return blockedLater
		}
	}
	return blockedSoon
}

func soonest(a, b time.Duration) time.Duration {
	if a == 0 {
		return b
	}
	return min(a, b)
}

// concludeDeletion says how far a deletion is.
func concludeDeletion(s *v1.ClusterStatus, at scene, blockers []string, o outcome) {
	s.ObservedGeneration = at.generation
	reason, message := o.unfinished()
	unknown := &unreadError{}
	switch {
	case errors.As(o.err, &unknown):
		condition(s, at, v1.ConditionDeletionBlocked, metav1.ConditionUnknown, v1.ReasonFailed, "it is not known whether something needs the cluster: "+message)
	case len(blockers) > 0:
		blocked := "these need the cluster and must be deleted first: " + strings.Join(blockers, "; ")
		condition(s, at, v1.ConditionDeletionBlocked, metav1.ConditionTrue, v1.ReasonDependentsLeft, blocked)
		s.Message = blocked
		condition(s, at, v1.ConditionProgressing, metav1.ConditionFalse, v1.ReasonDeleting, "the deletion is blocked")
		if message == "" {
			reason, message = v1.ReasonDeleting, blocked
		}
	default:
		note(s, at, v1.ConditionDeletionBlocked, "", "")
		condition(s, at, v1.ConditionProgressing, metav1.ConditionTrue, v1.ReasonDeleting, message)
	}
	if s.Message == "" {
		s.Message = message
	}
	condition(s, at, v1.ConditionReady, metav1.ConditionFalse, reason, message)
}

// concludeLettingGo says that nothing holds the cluster any more.
func concludeLettingGo(s *v1.ClusterStatus, at scene) {
	s.ObservedGeneration = at.generation
	note(s, at, v1.ConditionDeletionBlocked, "", "")
	condition(s, at, v1.ConditionProgressing, metav1.ConditionFalse, v1.ReasonDeleting, "nothing is left to do")
	condition(s, at, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonDeleting, "the cluster is gone")
}

// tellDeletion logs what is new of a deletion, and sends the events of what a
// person has to do.
func (r *reconciler) tellDeletion(before, after *v1.CephCluster, o outcome) {
	was, is := ready(before), ready(after)
	if err := o.failed(); err != nil {
		r.Log.Errorf("failed to delete cluster in namespace %s. %v", after.Namespace, err)
	} else if was.Message != is.Message {
		r.Log.Infof("deletion of cluster in namespace %s: %s", after.Namespace, is.Message)
	}
	if after.Status.Message == before.Status.Message {
		return
	}
	for _, c := range after.Status.Conditions {
		if c.Type == v1.ConditionDeletionBlocked && c.Status == metav1.ConditionTrue {
			r.Events.Event(after, door.Warning, v1.ConditionDeletionBlocked, c.Message)
			return
		}
	}
	if is.Reason != v1.ReasonDeleting && is.Reason != v1.ReasonWaiting {
		r.Events.Event(after, door.Warning, is.Reason, is.Message)
	}
}

// tellNamespaceEnds says what a person may not expect of a namespace that is
// deleted around a cluster.
func (r *reconciler) tellNamespaceEnds(p *pass.Pass) {
	text := fmt.Sprintf("namespace %s is being deleted, and CephCluster %s goes with it, whatever needs it", p.Cluster.Namespace, p.Cluster.Name)
	if p.Cluster.Spec.CleanupPolicy.Destroys() {
		text += "; its data on the hosts is not destroyed, since no Job can be made in the namespace any more: delete the CephCluster first and the namespace afterwards"
	}
	r.Log.Warningf("%s", text)
}
