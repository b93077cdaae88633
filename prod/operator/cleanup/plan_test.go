package cleanup

import (
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestDecide(t *testing.T) {
	began := time.Date(2019, time.May, 23, 6, 0, 0, 0, time.UTC)
	node := func(ready corev1.ConditionStatus, since time.Time) *corev1.Node {
		return &corev1.Node{Status: corev1.NodeStatus{Conditions: []corev1.NodeCondition{
			{Type: corev1.NodeReady, Status: ready, LastTransitionTime: metav1.NewTime(since)},
		}}}
	}
	job := func(ended ...batchv1.JobConditionType) *batchv1.Job {
		j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j"}}
		for _, how := range ended {
			j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: how, Status: corev1.ConditionTrue})
		}
		return j
	}
	ready, lost := node(corev1.ConditionTrue, began), node(corev1.ConditionUnknown, began.Add(-time.Hour))
	for name, c := range map[string]struct {
		seen seen
		at   time.Duration // after the work began
		do   deed
		why  string
	}{
		"free":                        {seen{node: ready}, 0, start, ""},
		"pods":                        {seen{node: ready, pods: []string{"p2", "p1"}}, 0, wait, "pod p1 to end on node n1"},
		"a job":                       {seen{node: ready, job: job()}, 0, wait, "Job j to wipe node n1"},
		"a job, whatever pods":        {seen{node: ready, job: job(), pods: []string{"p"}}, 0, wait, "Job j to wipe node n1"},
		"a job that is done":          {seen{node: ready, job: job(batchv1.JobComplete)}, 0, done, ""},
		"done, and the node is gone":  {seen{job: job(batchv1.JobComplete)}, 0, done, ""},
		"done, and the node is lost":  {seen{node: lost, job: job(batchv1.JobComplete)}, time.Hour, done, ""},
		"a job that failed":           {seen{node: ready, job: job(batchv1.JobFailed)}, 0, failed, "Job j has failed"},
		"no node":                     {seen{}, 0, leave, "node n1 is not in Kubernetes any more"},
		"no node, a job":              {seen{job: job()}, 0, leave, "node n1 is not in Kubernetes any more"},
		"lost long before":            {seen{node: lost}, Patience - time.Second, wait, "node n1, which is not ready: it is left as it is if that lasts for 10m0s"},
		"lost for too long":           {seen{node: lost, pods: []string{"p"}}, Patience, leave, "node n1 has not been ready for 10m0s"},
		"lost while its job ran":      {seen{node: node(corev1.ConditionFalse, began.Add(time.Hour)), job: job()}, time.Hour + time.Minute, wait, "node n1, which is not ready: it is left as it is if that lasts for 10m0s"},
		"lost for good while it ran":  {seen{node: node(corev1.ConditionFalse, began.Add(time.Hour)), job: job()}, time.Hour + Patience, leave, "node n1 has not been ready for 10m0s"},
		"lost after its job failed":   {seen{node: lost, job: job(batchv1.JobFailed)}, Patience, leave, "node n1 has not been ready for 10m0s"},
		"a node that says nothing":    {seen{node: &corev1.Node{}}, 0, wait, "node n1, which is not ready: it is left as it is if that lasts for 10m0s"},
		"a node that never was ready": {seen{node: &corev1.Node{}}, Patience, leave, "node n1 has not been ready for 10m0s"},
	} {
		t.Run(name, func(t *testing.T) {
			c.seen.hostname, c.seen.since = "n1", began
			if got := decide(c.seen, began.Add(c.at)); got.do != c.do || got.why != c.why || (got.do == wait) != (got.again > 0) && got.do != failed {
				t.Errorf("%+v, want %v %q", got, c.do, c.why)
			}
		})
	}
}
