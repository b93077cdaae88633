package kubelet

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// deleteRetry is how long the kubelet waits before it asks again to take a pod
// out of the API.
const deleteRetry = time.Second

// end ends the pod: SIGTERM for each container that runs, SIGKILL when grace is
// over, and then it is taken out of the API. Called again with less grace, it is
// over sooner.
func (p *pod) end(grace time.Duration) {
	first := !p.ending
	p.ending = true
	if first {
		for _, c := range p.all() {
			c.stop()
		}
	}
	if p.ended() {
		return
	}
	p.killer.Stop()
	p.killer = p.group.After(grace, "grace period is over", func() {
		for _, c := range p.all() {
			c.attempt.Kill()
		}
	})
}

// ended takes the pod out of the API if nothing of it runs any more, and says
// whether that is so.
func (p *pod) ended() bool {
	if slices.ContainsFunc(p.all(), func(c *container) bool { return c.process != nil }) {
		return false
	}
	if !p.done {
		p.done = true
		p.group.Kill()
		p.releaseAddr()
	}
	if p.removed {
		p.forget()
		return true
	}
	p.takeOut()
	return true
}

// takeOut writes the last status and deletes the pod for good. What keeps the
// object there afterwards is a finalizer.
func (p *pod) takeOut() {
	if p.removed {
		p.forget()
		return
	}
	err := p.k.writeStatus(p.uid)
	if err == nil {
		err = p.k.client.Delete(context.Background(),
			&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: p.key.Namespace, Name: p.key.Name}},
			client.GracePeriodSeconds(0), client.Preconditions{UID: &p.uid})
	}
	if client.IgnoreNotFound(err) != nil {
		p.k.Loop.Trace("kubelet "+p.k.Node, "%v", fmt.Errorf("take pod %s out: %w", p.key, err))
		p.k.group.After(deleteRetry, "delete pod again", p.takeOut)
	}
}
