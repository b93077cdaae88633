package cleanup

import (
	"fmt"
	"slices"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/prod/operator/node"
)

// Patience is how long a node that is not ready is waited for before the cluster
// goes without it.
const Patience = 10 * time.Minute

// deed is what is to be done about a node.
type deed int

const (
	wait   deed = iota // for pods to end, or for the job
	start              // the job
	done               // the node is wiped
	leave              // the node cannot be wiped, and is not waited for any longer
	failed             // the job failed: a person has to look
)

// decision is what is decided about a node, with why in words, and when to look
// again if no event comes before.
type decision struct {
	do    deed
	why   string
	again time.Duration
}

// When to look again: for pods that end, of which nothing is heard; for nodes; and
// for jobs, which send an event.
const (
	againForPods = 2 * time.Second
	againForNode = 30 * time.Second
	againForJob  = 5 * time.Minute
)

// seen is what is known of a node's part of the work.
type seen struct {
	hostname string
	node     *corev1.Node // nil if Kubernetes has none of that name
	job      *batchv1.Job // nil if it was not started
	pods     []string     // of the cluster that have not ended on the node
	since    time.Time    // when the work began
}

// decide says what to do about a node.
func decide(s seen, now time.Time) decision {
	switch {
	case s.job != nil && ended(s.job, batchv1.JobComplete):
		return decision{do: done}
	case s.node == nil:
		return decision{do: leave, why: fmt.Sprintf("node %s is not in Kubernetes any more", s.hostname)}
	case !node.Ready(s.node):
		if now.Sub(notReadySince(s.node, s.since)) >= Patience {
			return decision{do: leave, why: fmt.Sprintf("node %s has not been ready for %s", s.hostname, Patience)}
		}
		return decision{wait, fmt.Sprintf("node %s, which is not ready: it is left as it is if that lasts for %s", s.hostname, Patience), againForNode}
	case s.job != nil && ended(s.job, batchv1.JobFailed):
		return decision{failed, fmt.Sprintf("Job %s has failed", s.job.Name), againForJob}
	case s.job != nil:
		return decision{wait, fmt.Sprintf("Job %s to wipe node %s", s.job.Name, s.hostname), againForJob}
	case len(s.pods) > 0:
		return decision{wait, fmt.Sprintf("pod %s to end on node %s", slices.Min(s.pods), s.hostname), againForPods}
	}
	return decision{do: start}
}

func ended(job *batchv1.Job, how batchv1.JobConditionType) bool {
	return slices.ContainsFunc(job.Status.Conditions, func(c batchv1.JobCondition) bool {
		return c.Type == how && c.Status == corev1.ConditionTrue
	})
}

// notReadySince is when the wait for a node began: when it was last seen ready,
// or with the work.
func notReadySince(n *corev1.Node, began time.Time) time.Time {
	for _, c := range n.Status.Conditions {
		if c.Type == corev1.NodeReady && c.LastTransitionTime.After(began) {
			return c.LastTransitionTime.Time
		}
	}
	return began
}
