package workload

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

type daemonSets struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	pods   *owned[*corev1.Pod]
	queue  *queue.Queue[client.ObjectKey]
}

func newDaemonSets(l *loop.Loop, api *kube.API, pods *owned[*corev1.Pod]) *daemonSets {
	const user = "system:serviceaccount:kube-system:daemon-set-controller"
	c := &daemonSets{loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, "daemonset-controller", ""), pods: pods}
	c.queue = queue.New(l, "daemonset controller", c.sync)
	return c
}

// nodeEvent wakes all DaemonSets when a node comes, goes, or becomes another
// place to run at.
func (c *daemonSets) nodeEvent(e kube.Event) {
	if e.Old != nil && e.New != nil {
		was, is := e.Old.(*corev1.Node), e.New.(*corev1.Node)
		if equal.Semantic(&was.Spec, &is.Spec) && equal.Semantic(was.Labels, is.Labels) {
			return
		}
	}
	c.api.Each(&appsv1.DaemonSet{}, "", func(o client.Object) { c.queue.Add(client.ObjectKeyFromObject(o)) })
}

// sync brings a DaemonSet one step on.
func (c *daemonSets) sync(key client.ObjectKey) error {
	ds, ok := viewed(c.api, &appsv1.DaemonSet{}, key)
	if !ok || ds.DeletionTimestamp != nil {
		return nil
	}
	hash := templateHash(&ds.Spec.Template, ds.Status.CollisionCount)
	var nodes []*corev1.Node
	c.api.Each(&corev1.Node{}, "", func(o client.Object) { nodes = append(nodes, o.(*corev1.Node)) })
	step := daemonPlan(ds, hash, nodes, c.pods.of(ds.UID), func(p *corev1.Pod) bool {
		return available(p, ds.Spec.MinReadySeconds, c.loop.Now())
	})
	for _, pod := range step.remove {
		if err := remove(c.client, pod); err != nil {
			return fmt.Errorf("delete pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		c.events.Event(ds, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: "+pod.Name)
	}
	for _, node := range step.create {
		pod := daemonPod(ds, node, hash)
		if err := c.client.Create(context.Background(), pod); err != nil {
			c.events.Event(ds, corev1.EventTypeWarning, "FailedCreate", fmt.Sprintf("Error creating: %v", err))
			return fmt.Errorf("create a pod of DaemonSet %s/%s: %w", ds.Namespace, ds.Name, err)
		}
		c.pods.add(pod)
		c.events.Event(ds, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: "+pod.Name)
	}
	return c.writeStatus(ds, step.status)
}

func (c *daemonSets) writeStatus(ds *appsv1.DaemonSet, s appsv1.DaemonSetStatus) error {
	if equal.Semantic(&ds.Status, &s) {
		return nil
	}
	updated := *ds // whose other fields are read only
	updated.Status = s
	if err := c.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of DaemonSet %s/%s: %w", ds.Namespace, ds.Name, err)
	}
	return nil
}
