package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Times of the node controller (flags of kube-controller-manager).
const (
	monitorGrace  = 40 * time.Second // without a word of the kubelet
	orphanedAfter = 40 * time.Second // pods of a node that is deleted
)

// lifecycle is the node controller: it marks nodes that are down, keeps the
// taints that follow from a node's state, evicts pods that do not tolerate them,
// and clears up after nodes that are gone.
type lifecycle struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	queue  *queue.Queue[string]
	// since is when a taint that says nothing about it was first seen.
	since map[string]map[corev1.Taint]time.Time
}

func startLifecycle(l *loop.Loop, api *kube.API) *lifecycle {
	const user = "system:serviceaccount:kube-system:node-controller"
	c := &lifecycle{
		loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, "node-controller", ""),
		since: map[string]map[corev1.Taint]time.Time{},
	}
	c.queue = queue.New(l, "node controller", c.sync)
	api.Subscribe(user, &corev1.Node{}, func(e kube.Event) {
		if e.New == nil {
			delete(c.since, e.Old.GetName())
			l.After(orphanedAfter, "collect orphaned pods", func() { c.orphans(e.Old.GetName()) })
			return
		}
		c.queue.Add(e.New.GetName())
	})
	return c
}

// lost is called when a machine has gone down. If its kubelet is not back in
// time, the node's state is unknown.
func (c *lifecycle) lost(name string, back func() bool) {
	c.loop.After(monitorGrace, "node grace period", func() {
		if !back() {
			c.unknown(name)
		}
	})
}

// unknown writes that nothing is known of a node any more, and that its pods are
// not ready.
func (c *lifecycle) unknown(name string) {
	node, ok := c.view(name)
	if !ok {
		return
	}
	now := metav1.NewTime(c.loop.Now())
	node = node.DeepCopy()
	for i := range node.Status.Conditions {
		cond := &node.Status.Conditions[i]
		if cond.Status != corev1.ConditionUnknown {
			cond.Status, cond.LastTransitionTime = corev1.ConditionUnknown, now
			cond.Reason, cond.Message = "NodeStatusUnknown", "Kubelet stopped posting node status."
		}
	}
	if err := c.client.Status().Update(context.Background(), node); client.IgnoreNotFound(err) != nil {
		c.loop.Trace("node controller", "node %s is down: %v", name, err)
		c.loop.After(queue.RetryFirst, "node is down", func() { c.unknown(name) })
		return
	}
	c.events.Event(node, corev1.EventTypeNormal, "NodeNotReady", fmt.Sprintf("Node %s status is now: NodeNotReady", name))
	for _, pod := range c.podsOn(name) {
		c.notReady(pod, now)
	}
}

func (c *lifecycle) notReady(pod *corev1.Pod, now metav1.Time) {
	i := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodReady })
	if i < 0 || pod.Status.Conditions[i].Status == corev1.ConditionFalse {
		return
	}
	pod = pod.DeepCopy()
	pod.Status.Conditions[i].Status, pod.Status.Conditions[i].LastTransitionTime = corev1.ConditionFalse, now
	if err := c.client.Status().Update(context.Background(), pod); client.IgnoreNotFound(err) != nil {
		c.loop.Trace("node controller", "pod %s/%s is not ready: %v", pod.Namespace, pod.Name, err)
		return
	}
	c.events.Event(pod, corev1.EventTypeWarning, "NodeNotReady", "Node is not ready")
}

func (c *lifecycle) view(name string) (*corev1.Node, bool) {
	o, ok := c.api.View(&corev1.Node{}, client.ObjectKey{Name: name})
	if !ok {
		return nil, false
	}
	return o.(*corev1.Node), true
}

func (c *lifecycle) podsOn(name string) []*corev1.Pod {
	var all []*corev1.Pod
	c.api.Each(&corev1.Pod{}, "", func(o client.Object) {
		if p := o.(*corev1.Pod); p.Spec.NodeName == name {
			all = append(all, p)
		}
	})
	return all
}

// sync keeps a node's taints and evicts who does not tolerate them.
func (c *lifecycle) sync(name string) error {
	node, ok := c.view(name)
	if !ok {
		return nil
	}
	if taints := taintsOf(node, metav1.NewTime(c.loop.Now())); !equal.Semantic(taints, node.Spec.Taints) {
		updated := node.DeepCopy()
		updated.Spec.Taints = taints
		if err := c.client.Update(context.Background(), updated); client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("taint node %s: %w", name, err)
		}
		node = updated
	}
	executes := slices.DeleteFunc(slices.Clone(node.Spec.Taints), func(t corev1.Taint) bool { return t.Effect != corev1.TaintEffectNoExecute })
	if len(executes) == 0 {
		delete(c.since, name)
		return nil
	}
	return c.evict(name, executes)
}

func (c *lifecycle) evict(name string, taints []corev1.Taint) error {
	now := c.loop.Now()
	for _, pod := range c.podsOn(name) {
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed {
			continue
		}
		at, ends := evictionTime(pod, taints, func(t corev1.Taint) time.Time { return c.addedAt(name, t) })
		switch {
		case !ends:
		case at.After(now):
			c.queue.AddAfter(name, at.Sub(now))
		default:
			uid := pod.UID
			if err := c.client.Delete(context.Background(), pod.DeepCopy(), client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
				return fmt.Errorf("evict pod %s/%s: %w", pod.Namespace, pod.Name, err)
			}
			c.events.Event(pod, corev1.EventTypeNormal, "TaintManagerEviction", fmt.Sprintf("Marking for deletion Pod %s/%s", pod.Namespace, pod.Name))
		}
	}
	return nil
}

// addedAt is when a taint came to a node.
func (c *lifecycle) addedAt(name string, t corev1.Taint) time.Time {
	if t.TimeAdded != nil {
		return t.TimeAdded.Time
	}
	if c.since[name] == nil {
		c.since[name] = map[corev1.Taint]time.Time{}
	}
	if _, seen := c.since[name][t]; !seen {
		c.since[name][t] = c.loop.Now()
	}
	return c.since[name][t]
}

// orphans takes away the pods of a node that has been deleted.
func (c *lifecycle) orphans(name string) {
	if _, back := c.view(name); back {
		return
	}
	for _, pod := range c.podsOn(name) {
		uid := pod.UID
		err := c.client.Delete(context.Background(), pod.DeepCopy(), client.GracePeriodSeconds(0), client.Preconditions{UID: &uid})
		if client.IgnoreNotFound(err) != nil {
			c.loop.Trace("node controller", "delete orphaned pod %s/%s: %v", pod.Namespace, pod.Name, err)
			c.loop.After(queue.RetryMost, "collect orphaned pods", func() { c.orphans(name) })
			return
		}
	}
}
