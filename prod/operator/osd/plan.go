package osd

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// Limits of what is waited for.
const (
	// jobLimit is how long a node's job is waited for. After it, the node is
	// reported as unfinished and the cluster is carried on without it (B17).
	jobLimit = 15 * time.Minute
	// retryAfter is when a job that failed for good is started again.
	retryAfter = 5 * time.Minute
	// resultGrace is how long a result may come after the job's end: the two
	// are seen through caches of their own.
	resultGrace = 10 * time.Second
)

// action is what is to be done about a node's job.
type action int

const (
	leave action = iota
	start
	remove
)

// step is what a node needs next.
type step struct {
	Do action
	// Done says that nothing is left to do on the node.
	Done bool
	// Reason and Problem tell a person why the node is not done.
	Reason, Problem string
	// Pending says that the cluster is not ready before the node is done;
	// without it the node is reported only.
	Pending bool
	// Again is when to look again; 0 if an event will come.
	Again time.Duration
}

// next decides about a node from what is known of it: the result that its job
// has reported, and the job, nil if there is none.
func next(t Target, hash string, result prepare.Result, job *batchv1.Job, now time.Time) step {
	switch {
	case result.Phase == prepare.Completed && result.Hash == hash:
		return step{Done: true}
	case t.Missing:
		return step{Reason: v1.ReasonInvalidSpec, Problem: fmt.Sprintf("storage node %s %s", t.Name, t.Why)}
	case t.Why != "" && job == nil:
		return step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("storage node %s %s", t.Name, t.Why)}
	case job == nil:
		return step{Do: start, Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("node %s to be prepared", t.Name), Pending: true}
	case job.DeletionTimestamp != nil:
		return step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("the former job of node %s to go away", t.Name), Pending: true}
	case job.Annotations[HashAnnotation] != hash:
		return step{Do: remove, Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("the former job of node %s to go away", t.Name), Pending: true}
	}
	if failed, at := ended(job, batchv1.JobFailed); failed {
		s := step{Reason: v1.ReasonFailed, Problem: fmt.Sprintf("node %s could not be prepared: %s", t.Name, failure(result))}
		if s.Again = at.Add(retryAfter).Sub(now); s.Again <= 0 {
			s.Do, s.Again = remove, 0
		}
		return s
	}
	if done, at := ended(job, batchv1.JobComplete); done {
		s := step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("the result of node %s", t.Name), Pending: true}
		if s.Again = at.Add(resultGrace).Sub(now); s.Again <= 0 {
			s.Do, s.Again = remove, 0 // the result is lost: prepare again, which finds what is there
		}
		return s
	}
	return running(t, result, job, now)
}

// running is about a node whose job is not done.
func running(t Target, result prepare.Result, job *batchv1.Job, now time.Time) step {
	left := job.CreationTimestamp.Add(jobLimit).Sub(now)
	s := step{Reason: v1.ReasonWaiting, Problem: fmt.Sprintf("node %s to be prepared", t.Name), Pending: true, Again: left}
	if left <= 0 {
		s = step{Reason: v1.ReasonTimedOut, Problem: fmt.Sprintf("node %s has not been prepared for more than %s", t.Name, jobLimit)}
	}
	if result.Phase == prepare.Failed && result.Message != "" {
		s.Reason, s.Problem = v1.ReasonFailed, fmt.Sprintf("%s: %s", s.Problem, result.Message)
	}
	if t.Why != "" {
		s.Problem += ", which " + t.Why
		s.Pending = false
	}
	return s
}

// failure is why a job failed, as far as it has said so.
func failure(result prepare.Result) string {
	if result.Message == "" {
		return "its job failed; see the logs of the job's pods"
	}
	return result.Message
}

// ended says whether and when a job ended in that way.
func ended(job *batchv1.Job, how batchv1.JobConditionType) (bool, time.Time) {
	for _, c := range job.Status.Conditions {
		if c.Type == how && c.Status == corev1.ConditionTrue {
			return true, c.LastTransitionTime.Time
		}
	}
	return false, time.Time{}
}
