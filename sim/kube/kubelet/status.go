package kubelet

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// writeStatus writes a pod's status to the API, if it says something new.
func (k *Kubelet) writeStatus(uid types.UID) error {
	p, ok := k.pods[uid]
	if !ok || k.group.Dead() {
		return nil
	}
	o, ok := k.API.View(p.object, p.key)
	if !ok || o.GetUID() != uid {
		return nil
	}
	current := o.(*corev1.Pod)
	status := p.status(&current.Status)
	if equal.Semantic(&current.Status, &status) {
		return nil
	}
	updated := *current // whose other fields are read only
	updated.Status = status
	if err := k.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of pod %s: %w", p.key, err)
	}
	return nil
}

// status is the pod's status; was is the one that the API has.
func (p *pod) status(was *corev1.PodStatus) corev1.PodStatus {
	s := *was.DeepCopy()
	if p.over {
		return s
	}
	s.StartTime = &p.started
	s.HostIP = p.k.Machine.Addr
	s.HostIPs = []corev1.HostIP{{IP: s.HostIP}}
	if p.addr != "" {
		s.PodIP = p.addr
		s.PodIPs = []corev1.PodIP{{IP: s.PodIP}}
	}
	s.InitContainerStatuses = statusesOf(p.inits)
	s.ContainerStatuses = statusesOf(p.mains)
	s.Phase = phaseOf(p.object.Spec.RestartPolicy, s.InitContainerStatuses, s.ContainerStatuses)
	s.Reason, s.Message = "", ""
	if p.failed != nil {
		s.Phase, s.Reason, s.Message = corev1.PodFailed, p.failed.reason, p.failed.message
	} else if p.ending && p.done {
		s.Phase = endPhase(s.ContainerStatuses)
	}
	s.Conditions = conditionsOf(s, metav1.NewTime(p.k.Loop.Now()))
	return s
}

func statusesOf(containers []*container) []corev1.ContainerStatus {
	all := make([]corev1.ContainerStatus, 0, len(containers))
	for _, c := range containers {
		s := c.status
		running := s.State.Running != nil
		s.Ready = running && c.begun && c.ready
		if c.init {
			s.Ready = s.State.Terminated != nil && s.State.Terminated.ExitCode == 0
		}
		started := running && c.begun
		s.Started = &started
		all = append(all, s)
	}
	if len(all) == 0 {
		return nil
	}
	return all
}

// phaseOf is the phase that follows from the states of a pod's containers.
func phaseOf(policy corev1.RestartPolicy, inits, mains []corev1.ContainerStatus) corev1.PodPhase {
	for _, s := range inits {
		t := s.State.Terminated
		switch {
		case t != nil && t.ExitCode == 0:
			continue
		case t != nil && policy == corev1.RestartPolicyNever:
			return corev1.PodFailed
		}
		return corev1.PodPending
	}
	var running, succeeded, failed int
	for _, s := range mains {
		t := s.State.Terminated
		if t == nil && s.State.Waiting != nil {
			t = s.LastTerminationState.Terminated
		}
		switch {
		case s.State.Running != nil:
			running++
		case t == nil:
			return corev1.PodPending // it has never run
		case t.ExitCode == 0:
			succeeded++
		default:
			failed++
		}
	}
	switch {
	case running > 0 || policy == corev1.RestartPolicyAlways || policy == "":
		return corev1.PodRunning
	case failed == 0:
		return corev1.PodSucceeded
	case policy == corev1.RestartPolicyNever:
		return corev1.PodFailed
	}
	return corev1.PodRunning
}

// endPhase is the phase of a pod that was asked to end and did.
func endPhase(mains []corev1.ContainerStatus) corev1.PodPhase {
	bad := func(s corev1.ContainerStatus) bool {
		return s.State.Terminated == nil || s.State.Terminated.ExitCode != 0
	}
	if slices.ContainsFunc(mains, bad) {
		return corev1.PodFailed
	}
	return corev1.PodSucceeded
}

// conditionsOf are the pod's conditions in the order in which a kubelet lists
// them (S131 has the order in which they are reached): those of others stay.
func conditionsOf(s corev1.PodStatus, now metav1.Time) []corev1.PodCondition {
	var conditions []corev1.PodCondition
	set := func(c corev1.PodCondition) {
		c.LastTransitionTime = now
		for _, was := range s.Conditions {
			if was.Type == c.Type && was.Status == c.Status {
				c.LastTransitionTime = was.LastTransitionTime
			}
		}
		conditions = append(conditions, c)
	}
	set(condition(corev1.PodInitialized, s.Phase, "ContainersNotInitialized", "containers with incomplete status", s.InitContainerStatuses))
	set(condition(corev1.PodReady, s.Phase, "ContainersNotReady", "containers with unready status", s.ContainerStatuses))
	set(condition(corev1.ContainersReady, s.Phase, "ContainersNotReady", "containers with unready status", s.ContainerStatuses))
	set(corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue})
	for _, was := range s.Conditions {
		if !slices.ContainsFunc(conditions, func(c corev1.PodCondition) bool { return c.Type == was.Type }) {
			conditions = append(conditions, was)
		}
	}
	return conditions
}

// condition is one that asks for all of some containers to be ready.
func condition(kind corev1.PodConditionType, phase corev1.PodPhase, reason, message string, of []corev1.ContainerStatus) corev1.PodCondition {
	c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue}
	if phase == corev1.PodSucceeded {
		c.Reason = "PodCompleted"
		if kind != corev1.PodInitialized {
			c.Status = corev1.ConditionFalse
		}
		return c
	}
	var unready []string
	for _, s := range of {
		if !s.Ready {
			unready = append(unready, s.Name)
		}
	}
	if phase == corev1.PodFailed && kind != corev1.PodInitialized {
		c.Status, c.Reason = corev1.ConditionFalse, "PodFailed"
	} else if len(unready) > 0 {
		c.Status, c.Reason = corev1.ConditionFalse, reason
		c.Message = fmt.Sprintf("%s: [%s]", message, strings.Join(unready, " "))
	}
	return c
}
