package workload

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

type replicaSets struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	pods   *owned[*corev1.Pod]
	queue  *queue.Queue[client.ObjectKey]
}

func newReplicaSets(l *loop.Loop, api *kube.API, pods *owned[*corev1.Pod]) *replicaSets {
	const user = "system:serviceaccount:kube-system:replicaset-controller"
	c := &replicaSets{loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, "replicaset-controller", ""), pods: pods}
	c.queue = queue.New(l, "replicaset controller", c.sync)
	return c
}

// sync makes or deletes pods until there are as many as the set asks for.
func (c *replicaSets) sync(key client.ObjectKey) error {
	rs, ok := viewed(c.api, &appsv1.ReplicaSet{}, key)
	if !ok {
		return nil
	}
	var failure error
	if rs.DeletionTimestamp == nil {
		failure = c.scale(rs)
	}
	if err := c.writeStatus(rs, failure); err != nil {
		return err
	}
	return failure
}

func (c *replicaSets) scale(rs *appsv1.ReplicaSet) error {
	have := c.activePods(rs)
	want := int(value(rs.Spec.Replicas, 1))
	for range want - len(have) {
		pod := podFrom(rs, appsv1.SchemeGroupVersion.WithKind("ReplicaSet"), &rs.Spec.Template)
		if err := c.client.Create(context.Background(), pod); err != nil {
			c.events.Event(rs, corev1.EventTypeWarning, "FailedCreate", fmt.Sprintf("Error creating: %v", err))
			return fmt.Errorf("create a pod of ReplicaSet %s/%s: %w", rs.Namespace, rs.Name, err)
		}
		c.pods.add(pod)
		c.events.Event(rs, corev1.EventTypeNormal, "SuccessfulCreate", "Created pod: "+pod.Name)
	}
	for _, pod := range surplus(have, len(have)-want) {
		if err := remove(c.client, pod); err != nil {
			return fmt.Errorf("delete pod %s/%s: %w", pod.Namespace, pod.Name, err)
		}
		c.events.Event(rs, corev1.EventTypeNormal, "SuccessfulDelete", "Deleted pod: "+pod.Name)
	}
	return nil
}

func (c *replicaSets) activePods(rs *appsv1.ReplicaSet) []*corev1.Pod {
	var have []*corev1.Pod
	for _, p := range c.pods.of(rs.UID) {
		if active(p) {
			have = append(have, p)
		}
	}
	return have
}

func (c *replicaSets) writeStatus(rs *appsv1.ReplicaSet, failure error) error {
	now := c.loop.Now()
	s := appsv1.ReplicaSetStatus{ObservedGeneration: rs.Generation}
	labelled := labels.SelectorFromSet(rs.Spec.Template.Labels)
	soon := time.Duration(0)
	for _, p := range c.activePods(rs) {
		s.Replicas++
		if labelled.Matches(labels.Set(p.Labels)) {
			s.FullyLabeledReplicas++
		}
		left, isReady := availableIn(p, rs.Spec.MinReadySeconds, now)
		if isReady {
			s.ReadyReplicas++
		}
		if available(p, rs.Spec.MinReadySeconds, now) {
			s.AvailableReplicas++
		} else if isReady && (soon == 0 || left < soon) {
			soon = left
		}
	}
	if soon > 0 {
		c.queue.AddAfter(client.ObjectKeyFromObject(rs), soon)
	}
	if failure != nil {
		s.Conditions = []appsv1.ReplicaSetCondition{{
			Type: appsv1.ReplicaSetReplicaFailure, Status: corev1.ConditionTrue, Reason: "FailedCreate",
			Message: failure.Error(), LastTransitionTime: metav1.NewTime(now),
		}}
		if was := rs.Status.Conditions; len(was) == 1 && was[0].Message == s.Conditions[0].Message {
			s.Conditions = was
		}
	}
	if equal.Semantic(&rs.Status, &s) {
		return nil
	}
	updated := *rs // whose other fields are read only
	updated.Status = s
	if err := c.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of ReplicaSet %s/%s: %w", rs.Namespace, rs.Name, err)
	}
	return nil
}
