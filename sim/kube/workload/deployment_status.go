package workload

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// Reasons of a deployment's conditions.
const (
	reasonCreated   = "NewReplicaSetCreated"
	reasonUpdated   = "ReplicaSetUpdated"
	reasonAvailable = "NewReplicaSetAvailable"
	reasonTimedOut  = "ProgressDeadlineExceeded"
	reasonMinimum   = "MinimumReplicasAvailable"
	reasonTooFew    = "MinimumReplicasUnavailable"
	reasonPaused    = "DeploymentPaused"
	reasonResumed   = "DeploymentResumed"
)

func (c *deployments) writeStatus(d *appsv1.Deployment, current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, made string) error {
	// ensure may have numbered it since d was read.
	if latest, ok := viewed(c.api, d, client.ObjectKeyFromObject(d)); ok {
		d = latest
	}
	s := deploymentStatus(d, current, old, made, c.loop.Now())
	if progressing := conditionOf(s, appsv1.DeploymentProgressing); progressing != nil && hasDeadline(d) &&
		progressing.Status == corev1.ConditionTrue && progressing.Reason != reasonAvailable && !d.Spec.Paused {
		left := progressing.LastUpdateTime.Add(deadlineOf(d)).Sub(c.loop.Now())
		c.queue.AddAfter(client.ObjectKeyFromObject(d), max(left, 0)+time.Second)
	}
	if equal.Semantic(&d.Status, &s) {
		return nil
	}
	updated := *d // whose other fields are read only
	updated.Status = s
	if err := c.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of Deployment %s/%s: %w", d.Namespace, d.Name, err)
	}
	return nil
}

// deploymentStatus is the status of a deployment with these sets; made is the
// name of the set that was made just now.
func deploymentStatus(d *appsv1.Deployment, current *appsv1.ReplicaSet, old []*appsv1.ReplicaSet, made string, now time.Time) appsv1.DeploymentStatus {
	s := appsv1.DeploymentStatus{ObservedGeneration: d.Generation, CollisionCount: d.Status.CollisionCount}
	wanted := value(d.Spec.Replicas, 1)
	all := slices.Clone(old)
	if current != nil {
		s.UpdatedReplicas = current.Status.Replicas
		all = append(all, current)
	}
	asked := int32(0)
	for _, rs := range all {
		asked += value(rs.Spec.Replicas, 1)
		s.Replicas += rs.Status.Replicas
		s.ReadyReplicas += rs.Status.ReadyReplicas
		s.AvailableReplicas += rs.Status.AvailableReplicas
	}
	s.UnavailableReplicas = max(asked-s.AvailableReplicas, 0)

	enough := appsv1.DeploymentCondition{
		Type: appsv1.DeploymentAvailable, Status: corev1.ConditionFalse, Reason: reasonTooFew,
		Message: "Deployment does not have minimum availability.",
	}
	if s.AvailableReplicas >= wanted-int32(limitsOf(d).unavailable) {
		enough.Status, enough.Reason, enough.Message = corev1.ConditionTrue, reasonMinimum, "Deployment has minimum availability."
	}
	s.Conditions = d.Status.Conditions
	s.Conditions = withCondition(s.Conditions, enough, now)
	if p := progress(d, &s, current, made, now); p != nil {
		s.Conditions = withCondition(s.Conditions, *p, now)
	}
	return s
}

// progress is what is new about the rollout; nil if nothing is.
func progress(d *appsv1.Deployment, s *appsv1.DeploymentStatus, current *appsv1.ReplicaSet, made string, now time.Time) *appsv1.DeploymentCondition {
	if !hasDeadline(d) {
		return nil
	}
	was := conditionOf(d.Status, appsv1.DeploymentProgressing)
	say := func(status corev1.ConditionStatus, reason, message string) *appsv1.DeploymentCondition {
		return &appsv1.DeploymentCondition{Type: appsv1.DeploymentProgressing, Status: status, Reason: reason, Message: message}
	}
	switch {
	case d.Spec.Paused:
		return say(corev1.ConditionUnknown, reasonPaused, "Deployment is paused")
	case was != nil && was.Reason == reasonPaused:
		return say(corev1.ConditionUnknown, reasonResumed, "Deployment is resumed")
	case current == nil:
		if timedOut(d, was, now) {
			return say(corev1.ConditionFalse, reasonTimedOut, fmt.Sprintf("Deployment %q has timed out progressing.", d.Name))
		}
		return nil
	case made != "":
		return say(corev1.ConditionTrue, reasonCreated, fmt.Sprintf("Created new replica set %q", made))
	}
	wanted := value(d.Spec.Replicas, 1)
	complete := s.UpdatedReplicas == wanted && s.Replicas == wanted && s.AvailableReplicas == wanted
	moved := s.UpdatedReplicas > d.Status.UpdatedReplicas || s.ReadyReplicas > d.Status.ReadyReplicas ||
		s.AvailableReplicas > d.Status.AvailableReplicas ||
		s.Replicas-s.UpdatedReplicas < d.Status.Replicas-d.Status.UpdatedReplicas
	switch {
	case was != nil && was.Reason == reasonAvailable && s.Replicas == s.UpdatedReplicas:
		return nil // it was complete; pods that fail later do not make it progress
	case complete:
		return say(corev1.ConditionTrue, reasonAvailable, fmt.Sprintf("ReplicaSet %q has successfully progressed.", current.Name))
	case moved || was == nil:
		return say(corev1.ConditionTrue, reasonUpdated, fmt.Sprintf("ReplicaSet %q is progressing.", current.Name))
	case timedOut(d, was, now):
		return say(corev1.ConditionFalse, reasonTimedOut, fmt.Sprintf("ReplicaSet %q has timed out progressing.", current.Name))
	}
	return nil
}

func timedOut(d *appsv1.Deployment, was *appsv1.DeploymentCondition, now time.Time) bool {
	if was == nil || was.Reason == reasonAvailable {
		return false
	}
	return was.Reason == reasonTimedOut || now.Sub(was.LastUpdateTime.Time) >= deadlineOf(d)
}

func conditionOf(s appsv1.DeploymentStatus, kind appsv1.DeploymentConditionType) *appsv1.DeploymentCondition {
	i := slices.IndexFunc(s.Conditions, func(c appsv1.DeploymentCondition) bool { return c.Type == kind })
	if i < 0 {
		return nil
	}
	return &s.Conditions[i]
}

// withCondition is the list with c in it. Where c says what is there already and
// the rollout has not moved, nothing changes.
func withCondition(list []appsv1.DeploymentCondition, c appsv1.DeploymentCondition, now time.Time) []appsv1.DeploymentCondition {
	c.LastUpdateTime, c.LastTransitionTime = metav1.NewTime(now), metav1.NewTime(now)
	list = slices.Clone(list)
	for i, was := range list {
		if was.Type != c.Type {
			continue
		}
		if was.Status == c.Status {
			c.LastTransitionTime = was.LastTransitionTime
		}
		if was.Status == c.Status && was.Reason == c.Reason && c.Reason != reasonUpdated {
			c.LastUpdateTime = was.LastUpdateTime
		}
		list[i] = c
		return list
	}
	return append(list, c)
}
