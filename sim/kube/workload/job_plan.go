package workload

import (
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// The back-off between a pod's failure and the next pod of a job (Kubernetes
// documentation, "Jobs", "Pod backoff failure policy").
const (
	jobBackoffFirst = 10 * time.Second
	jobBackoffMost  = 6 * time.Minute
)

// jobSeen is what a job controller knows of a job's pods.
type jobSeen struct {
	succeeded, failed int       // pods that are over, those that are gone by now included
	lastFailure       time.Time // when the latest of them failed
	active            []*corev1.Pod
}

// jobStep is what is to be done for a job.
type jobStep struct {
	create int           // pods
	again  time.Duration // look again after this; 0 for not
	stop   bool          // delete the active pods
	// outcome is the condition that ends the job, "" if it goes on.
	outcome batchv1.JobConditionType
	reason  string
	message string
}

// jobPlan decides what to do for a job that is not over.
func jobPlan(job *batchv1.Job, seen jobSeen, now time.Time) jobStep {
	limit := int(value(job.Spec.BackoffLimit, 6))
	restarted := 0
	for _, p := range seen.active {
		if job.Spec.Template.Spec.RestartPolicy == corev1.RestartPolicyOnFailure {
			restarted += restartsOf(p)
		}
	}
	if seen.failed > limit || restarted > 0 && restarted >= limit {
		return jobStep{
			stop: true, outcome: batchv1.JobFailed, reason: batchv1.JobReasonBackoffLimitExceeded,
			message: "Job has reached the specified backoff limit",
		}
	}
	var again time.Duration
	if s := job.Spec.ActiveDeadlineSeconds; s != nil && job.Status.StartTime != nil && !value(job.Spec.Suspend, false) {
		again = job.Status.StartTime.Add(time.Duration(*s) * time.Second).Sub(now)
		if again <= 0 {
			return jobStep{
				stop: true, outcome: batchv1.JobFailed, reason: batchv1.JobReasonDeadlineExceeded,
				message: "Job was active longer than specified deadline",
			}
		}
	}
	if value(job.Spec.Suspend, false) {
		return jobStep{stop: true}
	}
	wanted, done := wantedPods(job, seen)
	if done {
		return jobStep{stop: true, outcome: batchv1.JobComplete, reason: "CompletionsReached", message: "Reached expected number of succeeded pods"}
	}
	step := jobStep{create: max(wanted-len(seen.active), 0), again: again}
	if step.create > 0 && seen.failed > 0 {
		wait := jobBackoffMost
		if n := seen.failed - 1; n < 6 {
			wait = min(jobBackoffFirst<<n, jobBackoffMost)
		}
		if left := seen.lastFailure.Add(wait).Sub(now); left > 0 {
			step.create = 0
			if step.again == 0 || left < step.again {
				step.again = left
			}
		}
	}
	return step
}

// wantedPods is how many pods should be active, and whether the job is complete.
// A job without completions is complete when one pod has succeeded and none is
// left.
func wantedPods(job *batchv1.Job, seen jobSeen) (wanted int, done bool) {
	parallel := int(value(job.Spec.Parallelism, 1))
	if job.Spec.Completions == nil && job.Spec.Parallelism != nil {
		if seen.succeeded > 0 {
			return len(seen.active), len(seen.active) == 0
		}
		return parallel, false
	}
	left := int(value(job.Spec.Completions, 1)) - seen.succeeded
	return min(parallel, left), left <= 0
}

func restartsOf(pod *corev1.Pod) (sum int) {
	for _, list := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, c := range list {
			sum += int(c.RestartCount)
		}
	}
	return sum
}

// jobOver says whether a job has ended, and when.
func jobOver(job *batchv1.Job) (at time.Time, over bool) {
	for _, c := range job.Status.Conditions {
		if (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue {
			return c.LastTransitionTime.Time, true
		}
	}
	return time.Time{}, false
}

// jobLabels are what each pod of a job carries besides its template's labels.
func jobLabels(job *batchv1.Job) map[string]string {
	uid := string(job.UID)
	return map[string]string{
		batchv1.JobNameLabel: job.Name, batchv1.ControllerUidLabel: uid,
		"job-name": job.Name, "controller-uid": uid,
	}
}
