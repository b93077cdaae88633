package cluster

import (
	"errors"
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// scene is what a status speaks of.
type scene struct {
	namespace  string
	generation int64
	now        time.Time
}

// begin says that the operator is at work on the spec (S49), if it does not
// stand there yet. The status of a cluster that is as the same spec asks stays.
func begin(s *v1.ClusterStatus, at scene) {
	if s.State == v1.ClusterStateCreated && s.ObservedGeneration == at.generation {
		return
	}
	c := apimeta.FindStatusCondition(s.Conditions, v1.ConditionProgressing)
	if c != nil && c.Status == metav1.ConditionTrue && c.ObservedGeneration == at.generation {
		return
	}
	atWork(s, at, "the operator has begun")
	s.State, s.Message = stateOf(work(s)), ""
	s.Phase = s.State.Phase()
}

// conclude says how a pass has ended. err is nil, a [*pass.Waiting], a
// [*pass.Refused] or another error; pending is what it waits for besides.
func conclude(s *v1.ClusterStatus, at scene, err error, pending []*pass.Waiting) {
	defer func() { s.Phase = s.State.Phase() }()
	s.ObservedGeneration = at.generation
	var refused *pass.Refused
	if errors.As(err, &refused) {
		refuse(s, at, refused)
		return
	}
	reason, message := unfinished(err, pending)
	if message == "" {
		s.State, s.Message = v1.ClusterStateCreated, ""
		condition(s, at, v1.ConditionReady, metav1.ConditionTrue, v1.ReasonAsExpected, "the cluster is as the spec asks")
		condition(s, at, v1.ConditionProgressing, metav1.ConditionFalse, v1.ReasonAsExpected, "nothing is left to do")
		return
	}
	atWork(s, at, message)
	s.State, s.Message = stateOf(work(s)), ""
	if givenUp(s, at) {
		doing := map[string]string{v1.ReasonCreating: "creating", v1.ReasonUpdating: "updating"}[work(s)]
		s.State, s.Message = v1.ClusterStateError, fmt.Sprintf("giving up %s cluster in namespace %s after %s", doing, at.namespace, GiveUpAfter)
		reason, message = v1.ReasonTimedOut, s.Message+", though still trying: "+message
	}
	condition(s, at, v1.ConditionReady, metav1.ConditionFalse, reason, message)
}

// refuse says that nothing goes on until a person changes something.
func refuse(s *v1.ClusterStatus, at scene, r *pass.Refused) {
	s.State, s.Message = v1.ClusterStateError, r.Message
	condition(s, at, v1.ConditionReady, metav1.ConditionFalse, r.Reason, r.Error())
	condition(s, at, v1.ConditionProgressing, metav1.ConditionFalse, work(s), "nothing goes on until the cause is gone: "+r.Error())
}

// unfinished is why a pass is not done, "" if it is.
func unfinished(err error, pending []*pass.Waiting) (reason, message string) {
	if w, ok := pass.IsWaiting(err); ok {
		return w.Reason, w.Error()
	}
	if err != nil {
		return v1.ReasonFailed, err.Error()
	}
	var texts []string
	for _, w := range pending {
		reason = w.Reason
		texts = append(texts, w.Error())
	}
	return reason, strings.Join(texts, "; ")
}

// work is what the operator is at: creating a cluster until it is as a spec
// asks for the first time, afterwards updating it. The condition Progressing
// knows.
func work(s *v1.ClusterStatus) string {
	c := apimeta.FindStatusCondition(s.Conditions, v1.ConditionProgressing)
	switch {
	case c == nil || c.Reason == v1.ReasonCreating:
		return v1.ReasonCreating
	default:
		return v1.ReasonUpdating
	}
}

func stateOf(work string) v1.ClusterState {
	if work == v1.ReasonCreating {
		return v1.ClusterStateCreating
	}
	return v1.ClusterStateUpdating
}

// atWork sets the condition Progressing. Its transition time is when the work on
// this generation of the spec began: what is worked towards changes with the
// spec, so that the time does as well.
func atWork(s *v1.ClusterStatus, at scene, message string) {
	reason := work(s)
	if c := apimeta.FindStatusCondition(s.Conditions, v1.ConditionProgressing); c != nil && c.ObservedGeneration != at.generation {
		apimeta.RemoveStatusCondition(&s.Conditions, v1.ConditionProgressing)
	}
	condition(s, at, v1.ConditionProgressing, metav1.ConditionTrue, reason, message)
}

// since is when the work on the spec began; now if it has not.
func since(s *v1.ClusterStatus, at scene) time.Time {
	c := apimeta.FindStatusCondition(s.Conditions, v1.ConditionProgressing)
	if c == nil || c.Status != metav1.ConditionTrue || c.ObservedGeneration != at.generation {
		return at.now
	}
	return c.LastTransitionTime.Time
}

// givenUp says whether the work on the spec has taken too long (S51).
func givenUp(s *v1.ClusterStatus, at scene) bool {
	return at.now.Sub(since(s, at)) >= GiveUpAfter
}

// again is when the next pass is due, 0 for when an event comes. backOff is the
// time for what does not say one itself.
func again(err error, pending []*pass.Waiting, asked, backOff time.Duration) time.Duration {
	var refused *pass.Refused
	if errors.As(err, &refused) {
		return 0
	}
	next := asked
	wants := func(after time.Duration) {
		if after == 0 {
			after = backOff
		}
		if next == 0 || after < next {
			next = after
		}
	}
	if w, ok := pass.IsWaiting(err); ok {
		wants(w.Again)
	} else if err != nil {
		wants(backOff)
	}
	for _, w := range pending {
		wants(w.Again)
	}
	return next
}

func condition(s *v1.ClusterStatus, at scene, kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: at.generation, LastTransitionTime: metav1.NewTime(at.now),
	})
}

// report puts into the status what is to say of the spec itself (S36-S38).
func report(s *v1.ClusterStatus, at scene, spec v1.ClusterSpec, remarks []remark, unserved []string) {
	s.Mon = &v1.MonStatus{Count: spec.Mon.Count}
	note(s, at, v1.ConditionSpecAdjusted, v1.ReasonAsExpected, strings.Join(adjustments(remarks), "; "))
	fields := ""
	if len(unserved) > 0 {
		fields = "kept, but nothing is done with them: spec." + strings.Join(unserved, ", spec.")
	}
	note(s, at, v1.ConditionUnservedFields, v1.ReasonFieldsKept, fields)
}

// note sets a condition that is there only if it has something to say.
func note(s *v1.ClusterStatus, at scene, kind, reason, message string) {
	if message == "" {
		apimeta.RemoveStatusCondition(&s.Conditions, kind)
		return
	}
	condition(s, at, kind, metav1.ConditionTrue, reason, message)
}
