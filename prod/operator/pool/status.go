package pool

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// scene is what a status speaks of.
type scene struct {
	generation int64
	now        time.Time
}

// report puts into the status what the pool is and what is to say of the spec.
func report(s *v1.BlockPoolStatus, at scene, spec *v1.BlockPoolSpec, found findings) {
	if found.pool != nil {
		kind := "Replicated"
		if found.pool.Type == ceph.ErasurePool {
			kind = "Erasure Coded"
		}
		s.Info = map[string]string{v1.PoolInfoType: kind, v1.PoolInfoID: strconv.Itoa(found.pool.ID)}
		if found.domain != "" {
			s.Info[v1.PoolInfoFailureDomain] = found.domain
		}
		note(s, at, v1.ConditionSpecAdjusted, v1.ReasonCrushUpdatesDisabled, found.remark)
	}
	fields := ""
	if unserved := v1.UnservedPoolFields(*spec); len(unserved) > 0 {
		fields = "kept, but nothing is done with them: spec." + strings.Join(unserved, ", spec.")
	}
	note(s, at, v1.ConditionUnservedFields, v1.ReasonFieldsKept, fields)
}

// conclude says how a pass has ended: err is nil, a [*pass.Waiting], a
// [*pass.Refused] or another error.
func conclude(s *v1.BlockPoolStatus, at scene, err error) {
	s.ObservedGeneration = at.generation
	var refused *pass.Refused
	waiting, waits := pass.IsWaiting(err)
	switch {
	case err == nil:
		s.Phase = v1.PoolPhaseReady
		condition(s, at, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonAsExpected, "the pool is as the spec asks")
	case waits:
		s.Phase = v1.PoolPhaseProgressing
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, waiting.Reason, waiting.Error())
	case errors.As(err, &refused):
		s.Phase = v1.PoolPhaseFailure
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, refused.Reason, refused.Error())
	default:
		s.Phase = v1.PoolPhaseFailure
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonFailed, err.Error())
	}
}

// staysReady says whether there is nothing to tell: a pool that was as this spec
// asks still is while its cluster's mons, say, are elected anew.
func staysReady(s *v1.BlockPoolStatus, at scene, err error) bool {
	waiting, waits := pass.IsWaiting(err)
	return waits && waiting.Reason == v1.ReasonClusterNotReady &&
		s.ObservedGeneration == at.generation && apimeta.IsStatusConditionTrue(s.Conditions, v1.ConditionReady)
}

// concludeDeletion says why the pool is still there.
func concludeDeletion(s *v1.BlockPoolStatus, at scene, err error) {
	conclude(s, at, err)
	s.Phase = v1.PoolPhaseDeleting
	var b blocked
	message := ""
	if errors.As(err, &b) {
		message = b.Error()
	}
	note(s, at, v1.ConditionDeletionBlocked, v1.ReasonPoolNotEmpty, message)
}

func isBlocked(s *v1.BlockPoolStatus) bool {
	return apimeta.IsStatusConditionTrue(s.Conditions, v1.ConditionDeletionBlocked)
}

func condition(s *v1.BlockPoolStatus, at scene, kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: at.generation, LastTransitionTime: metav1.NewTime(at.now),
	})
}

// note sets a condition that is there only if it has something to say.
func note(s *v1.BlockPoolStatus, at scene, kind, reason, message string) {
	if message == "" {
		apimeta.RemoveStatusCondition(&s.Conditions, kind)
		return
	}
	condition(s, at, kind, metav1.ConditionTrue, reason, message)
}

// writer writes what belongs to the operator of one CephBlockPool: its status
// and the finalizer, and nothing at all if nothing changed.
type writer struct {
	client client.Client
	// stored is the object as it was last read or written.
	stored *v1.CephBlockPool
	// broken is what went wrong with the latest write.
	broken error
}

// failed says whether an error came from a write, so that there is no use in
// writing it down.
func (w *writer) failed(err error) bool { return w.broken != nil && errors.Is(err, w.broken) }

func (w *writer) status(ctx context.Context, status *v1.BlockPoolStatus) error {
	if equal.Semantic(&w.stored.Status, status) {
		return nil
	}
	next := w.stored.DeepCopy()
	next.Status = *status.DeepCopy()
	if err := w.client.Status().Patch(ctx, next, client.MergeFromWithOptions(w.stored, client.MergeFromWithOptimisticLock{})); err != nil {
		w.broken = fmt.Errorf("failed to update the status of CephBlockPool %s/%s: %w", w.stored.Namespace, w.stored.Name, err)
		return w.broken
	}
	w.stored = next
	return nil
}

// finalizer adds or removes the operator's finalizer.
func (w *writer) finalizer(ctx context.Context, present bool) error {
	next := w.stored.DeepCopy()
	change := controllerutil.RemoveFinalizer
	if present {
		change = controllerutil.AddFinalizer
	}
	if !change(next, v1.CephBlockPoolFinalizer) {
		return nil
	}
	if err := w.client.Patch(ctx, next, client.MergeFromWithOptions(w.stored, client.MergeFromWithOptimisticLock{})); err != nil {
		w.broken = fmt.Errorf("failed to update the finalizers of CephBlockPool %s/%s: %w", w.stored.Namespace, w.stored.Name, err)
		return w.broken
	}
	w.stored = next
	return nil
}
