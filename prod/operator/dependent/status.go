package dependent

import (
	"errors"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Scene is what a status speaks of.
type Scene struct {
	Generation int64
	Now        time.Time
}

// Blocked says that something is not removed because of what it holds.
type Blocked struct{ *pass.Waiting }

func (b Blocked) Unwrap() error { return b.Waiting }

// Conclude says how a pass has ended: err is nil, a [*pass.Waiting], a
// [*pass.Refused] or another error. ready is the sentence for nil.
func Conclude(s *v1.DependentStatus, at Scene, ready string, err error) {
	s.ObservedGeneration = at.Generation
	var refused *pass.Refused
	waiting, waits := pass.IsWaiting(err)
	switch {
	case err == nil:
		s.Phase = v1.DependentPhaseReady
		condition(s, at, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonAsExpected, ready)
	case waits:
		s.Phase = v1.DependentPhaseProgressing
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, waiting.Reason, waiting.Error())
	case errors.As(err, &refused):
		s.Phase = v1.DependentPhaseFailure
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, refused.Reason, err.Error())
	default:
		s.Phase = v1.DependentPhaseFailure
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, v1.ReasonFailed, err.Error())
	}
}

// StaysReady says whether there is nothing to tell: what was as this spec asks
// still is while its cluster's mons, say, are elected anew.
func StaysReady(s *v1.DependentStatus, at Scene, err error) bool {
	waiting, waits := pass.IsWaiting(err)
	return waits && waiting.Reason == v1.ReasonClusterNotReady &&
		s.ObservedGeneration == at.Generation && apimeta.IsStatusConditionTrue(s.Conditions, v1.ConditionReady)
}

// ConcludeDeletion says why what is deleted is still there; err is not nil.
func ConcludeDeletion(s *v1.DependentStatus, at Scene, err error) {
	Conclude(s, at, "", err)
	s.Phase = v1.DependentPhaseDeleting
	var b Blocked
	message := ""
	if errors.As(err, &b) {
		message = b.Error()
	}
	Note(s, at, v1.ConditionDeletionBlocked, v1.ReasonPoolNotEmpty, message)
}

// NewlyBlocked is what blocks a deletion, if the status does not say so yet.
func NewlyBlocked(s *v1.DependentStatus, err error) (Blocked, bool) {
	var b Blocked
	return b, errors.As(err, &b) && !apimeta.IsStatusConditionTrue(s.Conditions, v1.ConditionDeletionBlocked)
}

// Note sets a condition that is there only if it has something to say.
func Note(s *v1.DependentStatus, at Scene, kind, reason, message string) {
	if message == "" {
		apimeta.RemoveStatusCondition(&s.Conditions, kind)
		return
	}
	condition(s, at, kind, metav1.ConditionTrue, reason, message)
}

// NoteUnserved tells of the fields of a spec that nothing is done with.
func NoteUnserved(s *v1.DependentStatus, at Scene, unserved []string) {
	message := ""
	if len(unserved) > 0 {
		message = "kept, but nothing is done with them: spec." + strings.Join(unserved, ", spec.")
	}
	Note(s, at, v1.ConditionUnservedFields, v1.ReasonFieldsKept, message)
}

func condition(s *v1.DependentStatus, at Scene, kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: at.Generation, LastTransitionTime: metav1.NewTime(at.Now),
	})
}
