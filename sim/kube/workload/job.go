package workload

import (
	"context"
	"fmt"
	"maps"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

type jobs struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	pods   *owned[*corev1.Pod]
	queue  *queue.Queue[client.ObjectKey]
	// finished are the pods of each job that are over. They count also when
	// they are gone.
	finished map[types.UID]map[types.UID]outcome
}

type outcome struct {
	succeeded bool
	at        time.Time
}

func newJobs(l *loop.Loop, api *kube.API, pods *owned[*corev1.Pod]) *jobs {
	const user = "system:serviceaccount:kube-system:job-controller"
	c := &jobs{
		loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, "job-controller", ""),
		pods: pods, finished: map[types.UID]map[types.UID]outcome{},
	}
	c.queue = queue.New(l, "job controller", c.sync)
	return c
}

func (c *jobs) forget(job types.UID) { delete(c.finished, job) }

// podEvent counts a pod that is over, or was taken away before it was.
func (c *jobs) podEvent(e kube.Event) {
	pod := either(e).(*corev1.Pod)
	if !ended(pod) && e.New != nil {
		return
	}
	key, _ := ownerKey(e, "Job")
	job, ok := viewed(c.api, &batchv1.Job{}, key)
	if !ok || !metav1.IsControlledBy(pod, job) {
		return
	}
	if _, over := jobOver(job); over || e.New == nil && value(job.Spec.Suspend, false) {
		return
	}
	c.count(job, pod)
}

func (c *jobs) count(job *batchv1.Job, pod *corev1.Pod) {
	of := c.finished[job.UID]
	if of == nil {
		of = map[types.UID]outcome{}
		c.finished[job.UID] = of
	}
	if _, counted := of[pod.UID]; !counted {
		of[pod.UID] = outcome{pod.Status.Phase == corev1.PodSucceeded, c.loop.Now()}
	}
}

// sync brings a job one step on.
func (c *jobs) sync(key client.ObjectKey) error {
	job, ok := viewed(c.api, &batchv1.Job{}, key)
	if !ok || job.DeletionTimestamp != nil {
		return nil
	}
	if at, over := jobOver(job); over {
		return c.expire(job, at)
	}
	seen := c.seen(job)
	if job.Status.StartTime == nil && !value(job.Spec.Suspend, false) {
		job = job.DeepCopy()
		now := metav1.NewTime(c.loop.Now())
		job.Status.StartTime = &now
	}
	step := jobPlan(job, seen, c.loop.Now())
	if step.again > 0 {
		c.queue.AddAfter(key, step.again)
	}
	if err := c.act(job, seen, step); err != nil {
		return err
	}
	return c.writeStatus(job, c.seen(job), step)
}

func (c *jobs) seen(job *batchv1.Job) jobSeen {
	var s jobSeen
	for _, p := range c.pods.of(job.UID) {
		if ended(p) {
			c.count(job, p)
		} else if p.DeletionTimestamp == nil {
			s.active = append(s.active, p)
		}
	}
	for _, o := range c.finished[job.UID] {
		if o.succeeded {
			s.succeeded++
			continue
		}
		s.failed++
		if o.at.After(s.lastFailure) {
			s.lastFailure = o.at
		}
	}
	return s
}

func (c *jobs) act(job *batchv1.Job, seen jobSeen, step jobStep) error {
	if step.stop {
		for _, p := range seen.active {
			if err := remove(c.client, p); err != nil {
				return fmt.Errorf("delete pod %s/%s: %w", p.Namespace, p.Name, err)
			}
			c.events.Event(job, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: "+p.Name)
		}
	}
	for range step.create {
		pod := podFrom(job, batchv1.SchemeGroupVersion.WithKind("Job"), &job.Spec.Template)
		if pod.Labels == nil {
			pod.Labels = map[string]string{}
		}
		maps.Copy(pod.Labels, jobLabels(job))
		if err := c.client.Create(context.Background(), pod); err != nil {
			c.events.Event(job, corev1.EventTypeWarning, "FailedCreate", fmt.Sprintf("Error creating: %v", err))
			return fmt.Errorf("create a pod of Job %s/%s: %w", job.Namespace, job.Name, err)
		}
		c.pods.add(pod)
		c.events.Event(job, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: "+pod.Name)
	}
	return nil
}

func (c *jobs) writeStatus(job *batchv1.Job, seen jobSeen, step jobStep) error {
	now := metav1.NewTime(c.loop.Now())
	s := *job.Status.DeepCopy()
	s.Active, s.Succeeded, s.Failed = int32(len(seen.active)), int32(seen.succeeded), int32(seen.failed)
	readyPods := int32(0)
	for _, p := range seen.active {
		if ready(p) {
			readyPods++
		}
	}
	s.Ready = &readyPods
	if step.outcome != "" {
		s.Active = 0
		*s.Ready = 0
		if step.outcome == batchv1.JobFailed {
			s.Failed += int32(len(seen.active)) // they were ended
		} else {
			s.CompletionTime = &now
		}
		s.Conditions = append(s.Conditions, batchv1.JobCondition{
			Type: step.outcome, Status: corev1.ConditionTrue, Reason: step.reason, Message: step.message,
			LastProbeTime: now, LastTransitionTime: now,
		})
	}
	stored, ok := viewed(c.api, job, client.ObjectKeyFromObject(job))
	if !ok || equal.Semantic(&stored.Status, &s) {
		return nil
	}
	updated := *stored // whose other fields are read only
	updated.Status = s
	if err := c.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of Job %s/%s: %w", job.Namespace, job.Name, err)
	}
	switch step.outcome {
	case batchv1.JobComplete:
		c.events.Event(job, corev1.EventTypeNormal, "Completed", "Job completed")
	case batchv1.JobFailed:
		c.events.Event(job, corev1.EventTypeWarning, step.reason, step.message)
	}
	return nil
}

// expire deletes a job when ttlSecondsAfterFinished is over.
func (c *jobs) expire(job *batchv1.Job, at time.Time) error {
	ttl := job.Spec.TTLSecondsAfterFinished
	if ttl == nil {
		return nil
	}
	if left := at.Add(time.Duration(*ttl) * time.Second).Sub(c.loop.Now()); left > 0 {
		c.queue.AddAfter(client.ObjectKeyFromObject(job), left)
		return nil
	}
	return remove(c.client, job)
}
