package scheduler

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Name is the schedulerName of the pods that are scheduled here, and the
// component in Events.
const Name = "default-scheduler"

const user = "system:kube-scheduler"

// again is how long pods without a node wait after an event that may help.
const again = 50 * time.Millisecond

// Scheduler is the running scheduler of a cluster.
type Scheduler struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	events *record.Recorder
	queue  *queue.Queue[client.ObjectKey]

	nodes   []*Node              // by name
	where   map[types.UID]*Node  // the node on which a pod is counted
	early   map[string][]*placed // pods whose node has not been heard of
	guards  map[types.UID]bool   // counted pods that keep others away
	unfit   map[client.ObjectKey]bool
	pending bool // a wake-up of the unfit is under way
}

// Start starts a scheduler on the API's loop.
func Start(l *loop.Loop, api *kube.API) *Scheduler {
	s := &Scheduler{
		loop: l, api: api, client: api.Client(user), events: record.New(l, api, user, Name, ""),
		where: map[types.UID]*Node{}, early: map[string][]*placed{}, guards: map[types.UID]bool{},
		unfit: map[client.ObjectKey]bool{},
	}
	s.queue = queue.New(l, "scheduler", s.schedule)
	api.Subscribe(user, &corev1.Node{}, s.nodeEvent)
	api.Subscribe(user, &corev1.Pod{}, s.podEvent)
	return s
}

func (s *Scheduler) find(name string) (int, bool) {
	return slices.BinarySearchFunc(s.nodes, name, func(n *Node, name string) int { return strings.Compare(n.Object.Name, name) })
}

func (s *Scheduler) nodeEvent(e kube.Event) {
	if e.New == nil {
		if i, ok := s.find(e.Old.GetName()); ok {
			for uid, p := range s.nodes[i].pods {
				delete(s.where, uid)
				s.early[e.Old.GetName()] = append(s.early[e.Old.GetName()], p)
			}
			s.nodes = slices.Delete(s.nodes, i, i+1)
		}
		return
	}
	node := e.New.(*corev1.Node)
	if i, ok := s.find(node.Name); ok {
		s.nodes[i].set(node)
	} else {
		n := NewNode(node)
		s.nodes = slices.Insert(s.nodes, i, n)
		for _, p := range s.early[node.Name] {
			n.add(p)
			s.where[p.pod.UID] = n
		}
		delete(s.early, node.Name)
	}
	if e.Old != nil {
		old := e.Old.(*corev1.Node)
		if equal.Semantic(&old.Spec, &node.Spec) && equal.Semantic(old.Labels, node.Labels) &&
			equal.Semantic(old.Status.Allocatable, node.Status.Allocatable) {
			return
		}
	}
	s.wake()
}

func (s *Scheduler) podEvent(e kube.Event) {
	if e.New == nil {
		pod := e.Old.(*corev1.Pod)
		delete(s.unfit, client.ObjectKeyFromObject(pod))
		s.forget(pod)
		s.wake()
		return
	}
	pod := e.New.(*corev1.Pod)
	key := client.ObjectKeyFromObject(pod)
	switch {
	case pod.Spec.NodeName != "":
		if done := pod.Status.Phase == corev1.PodSucceeded || pod.Status.Phase == corev1.PodFailed; done {
			s.forget(pod)
			s.wake()
		} else if s.count(pod) {
			s.wake()
		}
	case s.unfit[key] && e.Old != nil && sameAsk(e.Old.(*corev1.Pod), pod):
		// Only its condition changed: what the scheduler itself wrote.
	case ours(pod):
		s.queue.Add(key)
	}
}

func ours(pod *corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && (pod.Spec.SchedulerName == "" || pod.Spec.SchedulerName == Name)
}

func sameAsk(a, b *corev1.Pod) bool {
	return equal.Semantic(&a.Spec, &b.Spec) && equal.Semantic(a.Labels, b.Labels)
}

// count puts the pod on its node; true if it was not there, or has other
// labels now.
func (s *Scheduler) count(pod *corev1.Pod) bool {
	if n, ok := s.where[pod.UID]; ok {
		was := n.pods[pod.UID]
		changed := !equal.Semantic(was.pod.Labels, pod.Labels)
		was.pod = pod
		return changed
	}
	p := place(pod)
	if len(requiredAntiAffinity(pod)) > 0 {
		s.guards[pod.UID] = true
	}
	i, ok := s.find(pod.Spec.NodeName)
	if !ok {
		waiting := slices.DeleteFunc(s.early[pod.Spec.NodeName], func(p *placed) bool { return p.pod.UID == pod.UID })
		s.early[pod.Spec.NodeName] = append(waiting, p)
		return false
	}
	s.nodes[i].add(p)
	s.where[pod.UID] = s.nodes[i]
	return true
}

func (s *Scheduler) forget(pod *corev1.Pod) {
	if n, ok := s.where[pod.UID]; ok {
		n.remove(pod.UID)
		delete(s.where, pod.UID)
	}
	delete(s.guards, pod.UID)
	if name := pod.Spec.NodeName; name != "" {
		if waiting, ok := s.early[name]; ok {
			s.early[name] = slices.DeleteFunc(waiting, func(p *placed) bool { return p.pod.UID == pod.UID })
		}
	}
}

// wake tries the pods that have no node again.
func (s *Scheduler) wake() {
	if s.pending || len(s.unfit) == 0 {
		return
	}
	s.pending = true
	s.loop.After(again, "scheduler: try again", func() {
		s.pending = false
		keys := make([]client.ObjectKey, 0, len(s.unfit))
		for key := range s.unfit {
			keys = append(keys, key)
		}
		slices.SortFunc(keys, func(a, b client.ObjectKey) int { return strings.Compare(a.String(), b.String()) })
		for _, key := range keys {
			s.queue.Add(key)
		}
	})
}

func (s *Scheduler) namespaceLabels(name string) labels.Set {
	if ns, ok := s.api.View(&corev1.Namespace{}, client.ObjectKey{Name: name}); ok {
		return ns.GetLabels()
	}
	return nil
}

// schedule gives one pod its node, or the reason why it has none.
func (s *Scheduler) schedule(key client.ObjectKey) error {
	object, ok := s.api.View(&corev1.Pod{}, key)
	if !ok {
		delete(s.unfit, key)
		return nil
	}
	pod := object.(*corev1.Pod)
	if pod.Spec.NodeName != "" || !ours(pod) || len(pod.Spec.SchedulingGates) > 0 {
		delete(s.unfit, key)
		return nil
	}
	node, err := choose(place(pod), s.nodes, len(s.guards) > 0, s.namespaceLabels)
	if err != nil {
		s.unfit[key] = true
		return s.refuse(pod, err.Error())
	}
	delete(s.unfit, key)
	return s.bind(pod, node.Object.Name)
}

func (s *Scheduler) bind(pod *corev1.Pod, node string) error {
	binding := &corev1.Binding{
		ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Target:     corev1.ObjectReference{Kind: "Node", Name: node},
	}
	err := s.client.SubResource("binding").Create(context.Background(), pod.DeepCopy(), binding)
	if err != nil {
		if apierrors.IsNotFound(err) {
			return nil
		}
		return fmt.Errorf("bind pod %s/%s to node %s: %w", pod.Namespace, pod.Name, node, err)
	}
	if bound, ok := s.api.View(pod, client.ObjectKeyFromObject(pod)); ok && bound.GetUID() == pod.UID {
		s.count(bound.(*corev1.Pod)) // the next pod must see it before the event is here
	}
	s.events.Event(pod, corev1.EventTypeNormal, "Scheduled",
		fmt.Sprintf("Successfully assigned %s/%s to %s", pod.Namespace, pod.Name, node))
	return nil
}

// refuse writes the condition that says why the pod has no node, if it says
// something new.
func (s *Scheduler) refuse(pod *corev1.Pod, message string) error {
	want := corev1.PodCondition{
		Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable, Message: message,
		LastTransitionTime: metav1.NewTime(s.loop.Now()),
	}
	at := slices.IndexFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool { return c.Type == corev1.PodScheduled })
	pod = pod.DeepCopy()
	if at >= 0 {
		was := pod.Status.Conditions[at]
		if was.Status == want.Status && was.Reason == want.Reason && was.Message == want.Message {
			return nil
		}
		if was.Status == want.Status {
			want.LastTransitionTime = was.LastTransitionTime
		}
		pod.Status.Conditions[at] = want
	} else {
		pod.Status.Conditions = append(pod.Status.Conditions, want)
	}
	if err := s.client.Status().Update(context.Background(), pod); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("say why pod %s/%s has no node: %w", pod.Namespace, pod.Name, err)
	}
	s.events.Event(pod, corev1.EventTypeWarning, "FailedScheduling", message)
	return nil
}
