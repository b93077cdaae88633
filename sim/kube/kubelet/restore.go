package kubelet

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// exitLost is the exit code of a container that a reboot took with it.
const exitLost = 255

// restore takes over from the pod's status what was before this boot. Whatever
// ran then ended with the machine; the pod gets a new network, so its init
// containers run again, and each container that is to run does so once more.
func (p *pod) restore() {
	for _, c := range p.inits {
		c.restore(statusNamed(p.object.Status.InitContainerStatuses, c.spec.Name))
	}
	for _, c := range p.mains {
		c.restore(statusNamed(p.object.Status.ContainerStatuses, c.spec.Name))
	}
}

func statusNamed(all []corev1.ContainerStatus, name string) *corev1.ContainerStatus {
	for i := range all {
		if all[i].Name == name {
			return &all[i]
		}
	}
	return nil
}

func (c *container) restore(was *corev1.ContainerStatus) {
	if was == nil || was.ContainerID == "" {
		return
	}
	c.runs = int(was.RestartCount) + 1
	waiting := c.status.State
	c.status.RestartCount, c.status.ContainerID, c.status.ImageID = was.RestartCount, was.ContainerID, was.ImageID
	c.status.LastTerminationState = was.LastTerminationState
	ended := was.State
	if was.State.Running != nil {
		ended = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{
			ExitCode: exitLost, Reason: "Unknown", StartedAt: was.State.Running.StartedAt,
			FinishedAt: metav1.NewTime(c.pod.k.Loop.Now()), ContainerID: was.ContainerID,
		}}
	}
	if ended.Terminated == nil {
		return
	}
	c.status.State = ended
	if !c.init && !c.restarts() {
		return // it has done its work
	}
	c.change(waiting)
}
