package version

import (
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// retryAfter is how long a Job that failed for good stays before another is
// made of it (S43).
const retryAfter = 15 * time.Minute

// action is what is to be done next.
type action int

const (
	useAnswer action = iota // the version is known
	start                   // make the Job
	replace                 // the Job is of another image, or has failed long ago: delete it
	wait                    // the Job is on its way, or on its way out
	report                  // the Job failed
	read                    // the Job is done: read its log
)

// decision is an action with what belongs to it.
type decision struct {
	do      action
	version ceph.Version // of useAnswer
	why     string       // of wait and report
}

// known is the kept answer of an image, nil if there is none.
func known(cluster *v1.CephCluster, image string) *v1.VersionStatus {
	for _, kept := range []*v1.VersionStatus{cluster.Status.Version, cluster.Status.NextVersion} {
		if kept != nil && kept.Image == image {
			return kept
		}
	}
	return nil
}

// plan decides by the kept answer and the Job, which is nil if there is none.
func plan(image string, kept *v1.VersionStatus, job *batchv1.Job, now time.Time) decision {
	if kept != nil && kept.Image == image {
		if v, err := ceph.ParseVersion("ceph version " + kept.Version); err == nil {
			return decision{do: useAnswer, version: v}
		}
	}
	switch {
	case job == nil:
		return decision{do: start}
	case job.DeletionTimestamp != nil:
		return decision{do: wait, why: formerJob}
	case imageOf(job) != image:
		return decision{do: replace}
	}
	for _, c := range job.Status.Conditions {
		if c.Type != batchv1.JobFailed || c.Status != corev1.ConditionTrue {
			continue
		}
		if now.Sub(c.LastTransitionTime.Time) >= retryAfter {
			return decision{do: replace}
		}
		return decision{do: report, why: fmt.Sprintf("%s: %s", c.Reason, c.Message)}
	}
	if job.Status.Succeeded > 0 {
		return decision{do: read}
	}
	return decision{do: wait, why: running(image)}
}

// formerJob is what is waited for before a Job can be made.
const formerJob = "the former version job " + JobName + " to be gone"

// running is what is waited for while the Job runs.
func running(image string) string {
	return fmt.Sprintf("version job %s of image %s to finish", JobName, image)
}

func imageOf(job *batchv1.Job) string {
	if len(job.Spec.Template.Spec.Containers) == 0 {
		return ""
	}
	return job.Spec.Template.Spec.Containers[0].Image
}
