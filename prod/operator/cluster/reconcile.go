package cluster

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// reconciler reconciles CephClusters.
type reconciler struct {
	door.Doors
	options Options
	steps   []step
	backOff backOff
}

// Reconcile is one pass over one CephCluster. What goes wrong stands in the
// CephCluster and in the log, and asks for another pass; so the error is always
// nil, and no back-off but ours applies (Settled 23).
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var cluster v1.CephCluster
	if err := r.Client.Get(ctx, req.NamespacedName, &cluster); err != nil {
		if client.IgnoreNotFound(err) == nil {
			r.backOff.next(req.NamespacedName, "", r.Clock.Now())
			return reconcile.Result{}, nil
		}
		r.Log.Errorf("failed to get CephCluster %s: %v", req, err)
		return reconcile.Result{RequeueAfter: firstRetry}, nil
	}
	w := &writer{client: r.Client, stored: &cluster}
	var after time.Duration
	var err error
	if cluster.DeletionTimestamp != nil {
		after, err = r.delete(ctx, w)
	} else {
		after, err = r.pass(ctx, w)
	}
	if err != nil {
		if object.Raced(err) {
			r.Log.Debugf("%v", err)
		} else {
			r.Log.Errorf("%v", err)
		}
		after = firstRetry
	}
	return reconcile.Result{RequeueAfter: after}, nil
}

// pass does the work and says when the next pass is due. The error is that of
// writing the CephCluster itself.
func (r *reconciler) pass(ctx context.Context, w *writer) (time.Duration, error) {
	before := w.stored.DeepCopy()
	p := &pass.Pass{Doors: r.Doors, Settings: r.options.Settings, Cluster: w.stored.DeepCopy()}
	p.SaveStatus = func(ctx context.Context) error { return w.status(ctx, p.Cluster.Status) }
	at := scene{namespace: before.Namespace, generation: before.Generation, now: r.Clock.Now()}

	var remarks []remark
	p.Cluster.Spec, remarks = effective(before.Spec)
	unserved := v1.UnservedFields(before.Spec)
	report(&p.Cluster.Status, at, p.Cluster.Spec, remarks, unserved)
	if before.Status.ObservedGeneration != before.Generation {
		r.announce(before, remarks, unserved)
	}

	err := r.carryOut(ctx, p, w, at)
	if failed := (&writeError{}); errors.As(err, &failed) {
		return 0, failed.cause
	}
	began := at.now
	at.now = r.Clock.Now()
	ended := outcome{err: err, held: p.Held(), pending: p.Pending()}
	conclude(&p.Cluster.Status, at, ended)
	r.logOutcome(before, p.Cluster, ended)
	r.logNodes(ctx, before, p.Cluster, ended.failed())
	// Before the status is written: after a crash in between an event is sent
	// again rather than never.
	r.tell(before, p.Cluster)
	if err := w.status(ctx, p.Cluster.Status); err != nil {
		return 0, err
	}
	if r.overtaken(ctx, before, ended.failed()) {
		return firstRetry, nil
	}
	_, what := ended.unfinished()
	backOff := r.backOff.next(client.ObjectKeyFromObject(before), what, at.now)
	return ended.again(p.Again(), backOff, at.now.Sub(began)), nil
}

// overtaken says whether the spec has changed during a pass that failed: the
// next one works on the new spec and may succeed (S61).
func (r *reconciler) overtaken(ctx context.Context, before *v1.CephCluster, err error) bool {
	if err == nil {
		return false
	}
	var latest v1.CephCluster
	if r.Client.Get(ctx, client.ObjectKeyFromObject(before), &latest) != nil || latest.Generation == before.Generation {
		return false
	}
	r.Log.Errorf("There was an orchestration error, but there is another orchestration pending; proceeding with next orchestration run (which may succeed). %v", err)
	return true
}

// writeError says that the CephCluster itself could not be written.
type writeError struct{ cause error }

func (e *writeError) Error() string { return e.cause.Error() }

// carryOut checks what the steps rely on, and runs them.
func (r *reconciler) carryOut(ctx context.Context, p *pass.Pass, w *writer, at scene) error {
	if refused := confirmed(p.Cluster); refused != nil {
		return refused
	}
	if refused := validate(p.Cluster.Spec); refused != nil {
		return refused
	}
	var all v1.CephClusterList
	if err := r.Client.List(ctx, &all); err != nil {
		return fmt.Errorf("failed to list the other CephClusters: %w", err)
	}
	if refused := besides(p.Cluster, all.Items); refused != nil {
		return refused
	}
	begin(&p.Cluster.Status, at)
	if err := w.status(ctx, p.Cluster.Status); err != nil {
		return &writeError{err}
	}
	// Before anything is made, so that no deletion passes unseen (S54).
	if err := w.finalizer(ctx, true); err != nil {
		return &writeError{err}
	}
	return r.runSteps(ctx, p)
}

// runSteps runs the steps of a pass. The first that is not done ends it (S63).
func (r *reconciler) runSteps(ctx context.Context, p *pass.Pass) error {
	for _, step := range r.steps {
		err := step(ctx, p)
		if object.Raced(err) {
			return pass.WaitFor(v1.ReasonWaiting, firstRetry, "the newest version of an object: %v", err)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// announce logs, once for a spec, what a person should know of it.
func (r *reconciler) announce(cluster *v1.CephCluster, remarks []remark, unserved []string) {
	for _, remark := range remarks {
		r.Log.Warningf("%s", remark.text)
		r.Events.Event(cluster, door.Warning, v1.ConditionSpecAdjusted, remark.text)
	}
	if len(unserved) > 0 {
		r.Log.Warningf("nothing is done with these fields of CephCluster %s/%s: %s", cluster.Namespace, cluster.Name, strings.Join(unserved, ", "))
	}
}

// logOutcome logs how a pass ended, a wait only when it is a new one.
func (r *reconciler) logOutcome(before, after *v1.CephCluster, ended outcome) {
	was, is := ready(before), ready(after)
	switch err := ended.failed(); {
	case err != nil && after.Status.State == v1.ClusterStateUpdating:
		r.Log.Errorf("failed to update cluster in namespace %s. %v", after.Namespace, err)
	case err != nil:
		r.Log.Errorf("failed to create cluster in namespace %s. %v", after.Namespace, err)
	case ended.refused() != nil: // logged below, when it is new
	case is.Message != was.Message:
		r.Log.Infof("cluster in namespace %s: %s", after.Namespace, is.Message)
	}
	if after.Status.State == v1.ClusterStateError && before.Status.Message != after.Status.Message {
		r.Log.Errorf("%s", after.Status.Message)
	}
}

// tell sends the events of what has changed for a person.
func (r *reconciler) tell(before, after *v1.CephCluster) {
	was, is := ready(before), ready(after)
	switch {
	case is.Status == metav1.ConditionTrue && was.Status != metav1.ConditionTrue:
		r.Events.Event(after, door.Normal, v1.ConditionReady, is.Message)
	case is.Status != metav1.ConditionTrue && is.Reason != v1.ReasonWaiting && (is.Message != was.Message || is.Reason != was.Reason):
		r.Events.Event(after, door.Warning, is.Reason, is.Message)
	}
}

// ready is the condition of that name, empty if there is none.
func ready(cluster *v1.CephCluster) metav1.Condition {
	for _, c := range cluster.Status.Conditions {
		if c.Type == v1.ConditionReady {
			return c
		}
	}
	return metav1.Condition{}
}
