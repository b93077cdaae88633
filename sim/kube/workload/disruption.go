package workload

import (
	"context"
	"fmt"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// disruptionTimeout is how long an eviction counts whose pod does not go.
const disruptionTimeout = 2 * time.Minute

// disruptions is the disruption controller: it keeps in the status of each
// PodDisruptionBudget how many more of its pods may go
// (https://kubernetes.io/docs/tasks/run-application/configure-pdb/).
type disruptions struct {
	loop   *loop.Loop
	api    *kube.API
	client client.Client
	queue  *queue.Queue[client.ObjectKey]
	// budgets is how many there are, so that a cluster without any pays nothing.
	budgets int
}

func startDisruptions(l *loop.Loop, api *kube.API) {
	const user = "system:serviceaccount:kube-system:disruption-controller"
	c := &disruptions{loop: l, api: api, client: api.Client(user)}
	c.queue = queue.New(l, "disruption controller", c.sync)
	api.Subscribe(user, &policyv1.PodDisruptionBudget{}, func(e kube.Event) {
		switch {
		case e.Old == nil:
			c.budgets++
		case e.New == nil:
			c.budgets--
		}
		c.queue.Add(keyOf(e))
	})
	api.Subscribe(user, &corev1.Pod{}, func(e kube.Event) {
		if c.budgets > 0 && counts(e) {
			c.wake(either(e))
		}
	})
}

// counts says whether an event of a pod can change what its budget allows.
func counts(e kube.Event) bool {
	if e.Old == nil || e.New == nil {
		return true
	}
	was, is := e.Old.(*corev1.Pod), e.New.(*corev1.Pod)
	return ready(was) != ready(is) || ended(was) != ended(is) ||
		(was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) || !equal.Semantic(was.Labels, is.Labels)
}

// wake asks for a turn for the budgets that cover the pod.
func (c *disruptions) wake(pod client.Object) {
	c.api.Each(&policyv1.PodDisruptionBudget{}, pod.GetNamespace(), func(o client.Object) {
		if covers(o.(*policyv1.PodDisruptionBudget)).Matches(labels.Set(pod.GetLabels())) {
			c.queue.Add(client.ObjectKeyFromObject(o))
		}
	})
}

// covers selects the pods of a budget; one that cannot be read selects none.
func covers(pdb *policyv1.PodDisruptionBudget) labels.Selector {
	selector, err := metav1.LabelSelectorAsSelector(pdb.Spec.Selector)
	if err != nil {
		return labels.Nothing()
	}
	return selector
}

// sync brings the status of one budget up to date.
func (c *disruptions) sync(key client.ObjectKey) error {
	pdb, ok := viewed(c.api, &policyv1.PodDisruptionBudget{}, key)
	if !ok || pdb.DeletionTimestamp != nil {
		return nil
	}
	selector := covers(pdb)
	var pods []*corev1.Pod
	c.api.Each(&corev1.Pod{}, key.Namespace, func(o client.Object) {
		if pod := o.(*corev1.Pod); !ended(pod) && selector.Matches(labels.Set(pod.Labels)) {
			pods = append(pods, pod)
		}
	})
	status, again := budgetStatus(pdb, pods, c.expected(pods), c.loop.Now())
	if again > 0 {
		c.queue.AddAfter(key, again)
	}
	if equal.Semantic(&pdb.Status, &status) {
		return nil
	}
	updated := *pdb // whose other fields are read only
	updated.Status = status
	if err := c.client.Status().Update(context.Background(), &updated); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("write status of PodDisruptionBudget %s: %w", key, err)
	}
	return nil
}

// expected is how many pods the controllers of these want to have.
func (c *disruptions) expected(pods []*corev1.Pod) int {
	seen := map[types.UID]bool{}
	n := 0
	for _, pod := range pods {
		owner := metav1.GetControllerOfNoCopy(pod)
		if owner == nil {
			n++
			continue
		}
		if seen[owner.UID] {
			continue
		}
		seen[owner.UID] = true
		if rs, ok := viewed(c.api, &appsv1.ReplicaSet{}, client.ObjectKey{Namespace: pod.Namespace, Name: owner.Name}); ok && owner.Kind == "ReplicaSet" {
			n += int(value(rs.Spec.Replicas, 1))
		} else {
			n++
		}
	}
	return n
}

// budgetStatus is what the budget allows, and after how long an eviction that it
// still counts lapses; 0 for none.
func budgetStatus(pdb *policyv1.PodDisruptionBudget, pods []*corev1.Pod, expected int, now time.Time) (policyv1.PodDisruptionBudgetStatus, time.Duration) {
	s := *pdb.Status.DeepCopy()
	s.ObservedGeneration, s.ExpectedPods, s.CurrentHealthy = pdb.Generation, int32(expected), 0
	s.DisruptedPods = nil
	var again time.Duration
	for _, pod := range pods {
		at, disrupted := pdb.Status.DisruptedPods[pod.Name]
		if left := at.Add(disruptionTimeout).Sub(now); disrupted && left > 0 && pod.DeletionTimestamp == nil {
			if s.DisruptedPods == nil {
				s.DisruptedPods = map[string]metav1.Time{}
			}
			s.DisruptedPods[pod.Name] = at
			if again == 0 || left < again {
				again = left
			}
			continue
		}
		if ready(pod) && pod.DeletionTimestamp == nil {
			s.CurrentHealthy++
		}
	}
	s.DesiredHealthy = int32(desired(&pdb.Spec, expected))
	s.DisruptionsAllowed = max(s.CurrentHealthy-s.DesiredHealthy, 0)
	if expected == 0 {
		s.DisruptionsAllowed = 0
	}
	condition := metav1.Condition{
		Type: policyv1.DisruptionAllowedCondition, Status: metav1.ConditionFalse,
		Reason: policyv1.InsufficientPodsReason, ObservedGeneration: pdb.Generation, LastTransitionTime: metav1.NewTime(now),
	}
	if s.DisruptionsAllowed > 0 {
		condition.Status, condition.Reason = metav1.ConditionTrue, policyv1.SufficientPodsReason
	}
	for _, had := range s.Conditions {
		if had.Type == condition.Type && had.Status == condition.Status {
			condition.LastTransitionTime = had.LastTransitionTime
		}
	}
	s.Conditions = []metav1.Condition{condition}
	return s, again
}

// desired is how many pods have to stay healthy.
func desired(spec *policyv1.PodDisruptionBudgetSpec, expected int) int {
	switch {
	case spec.MaxUnavailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MaxUnavailable, expected, true)
		if err != nil {
			return expected
		}
		return max(expected-n, 0)
	case spec.MinAvailable != nil:
		n, err := intstr.GetScaledValueFromIntOrPercent(spec.MinAvailable, expected, true)
		if err != nil {
			return expected
		}
		return n
	}
	return 1
}
