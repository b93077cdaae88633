package cluster

import (
	"fmt"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
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
	if c != nil && c.ObservedGeneration == at.generation && (c.Status == metav1.ConditionTrue || s.State == v1.ClusterStateError) {
		return
	}
	atWork(s, at, "the operator has begun")
	s.State, s.Message = stateOf(work(s)), ""
	s.Phase = s.State.Phase()
}

// conclude says how a pass has ended.
func conclude(s *v1.ClusterStatus, at scene, o outcome) {
	defer func() { s.Phase = s.State.Phase() }()
	s.ObservedGeneration = at.generation
	o.tellUpgrade(s, at)
	reason, message := o.unfinished()
	if refused := o.refused(); refused != nil {
		s.State, s.Message = v1.ClusterStateError, refused.Message
		condition(s, at, v1.ConditionReady, metav1.ConditionFalse, refused.Reason, message)
		how := "nothing goes on until the cause is gone: "
		if o.held != nil {
			how = "the cluster lives on as it was until the cause is gone: "
		}
		condition(s, at, v1.ConditionProgressing, metav1.ConditionFalse, work(s), how+refused.Error())
		return
	}
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

func condition(s *v1.ClusterStatus, at scene, kind string, status metav1.ConditionStatus, reason, message string) {
	apimeta.SetStatusCondition(&s.Conditions, metav1.Condition{
		Type: kind, Status: status, Reason: reason, Message: message,
		ObservedGeneration: at.generation, LastTransitionTime: metav1.NewTime(at.now),
	})
}

// report puts into the status what is to say of the spec itself (S36-S38).
func report(s *v1.ClusterStatus, at scene, spec v1.ClusterSpec, remarks []remark, unserved []string) {
	if s.Mon == nil {
		s.Mon = &v1.MonStatus{}
	}
	// Between the two it depends on the nodes, which the mons' step knows.
	if most := max(spec.Mon.Count, spec.Mon.PreferredCount); s.Mon.Count < spec.Mon.Count || s.Mon.Count > most {
		s.Mon.Count = spec.Mon.Count
	}
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
