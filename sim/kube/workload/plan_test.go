package workload

import (
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestLimits(t *testing.T) {
	at := func(s string) *intstr.IntOrString { v := intstr.Parse(s); return &v }
	for _, c := range []struct {
		replicas           int32
		surge, unavailable *intstr.IntOrString
		want               limits
	}{
		{1, nil, nil, limits{1, 0}},
		{4, nil, nil, limits{1, 1}},
		{10, nil, nil, limits{3, 2}},
		{3, at("0"), at("0"), limits{0, 1}},
		{3, at("2"), at("0"), limits{2, 0}},
		{10, at("0"), at("100%"), limits{0, 10}},
		{2, at("0"), at("5"), limits{0, 2}},
	} {
		d := &appsv1.Deployment{Spec: appsv1.DeploymentSpec{Replicas: &c.replicas, Strategy: appsv1.DeploymentStrategy{
			RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: c.surge, MaxUnavailable: c.unavailable},
		}}}
		if got := limitsOf(d); got != c.want {
			t.Errorf("%d replicas, %v, %v: %+v", c.replicas, c.surge, c.unavailable, got)
		}
	}
}

func TestRollingStep(t *testing.T) {
	set := func(replicas, available int) revisionSet {
		return revisionSet{replicas: replicas, available: available}
	}
	for _, c := range []struct {
		name    string
		wanted  int
		by      limits
		current revisionSet
		old     []revisionSet
		n       int
		rest    []int
	}{
		{"a new deployment", 3, limits{1, 0}, set(0, 0), nil, 3, nil},
		{"surge first", 3, limits{1, 0}, set(0, 0), []revisionSet{set(3, 3)}, 1, []int{3}},
		{"wait for it", 3, limits{1, 0}, set(1, 0), []revisionSet{set(3, 3)}, 1, []int{3}},
		{"then one less", 3, limits{1, 0}, set(1, 1), []revisionSet{set(3, 3)}, 1, []int{2}},
		{"without surge one less first", 3, limits{0, 1}, set(0, 0), []revisionSet{set(3, 3)}, 0, []int{2}},
		{"the broken ones first", 3, limits{1, 1}, set(1, 0), []revisionSet{set(2, 0), set(1, 1)}, 1, []int{1, 1}},
		{"one thing at a time", 4, limits{1, 1}, set(0, 0), []revisionSet{set(4, 4)}, 1, []int{4}},
		{"a status that is behind", 3, limits{1, 0}, set(1, 3), []revisionSet{set(3, 3)}, 1, []int{2}},
		{"never below the minimum", 3, limits{1, 1}, set(1, 0), []revisionSet{set(3, 2)}, 1, []int{2}},
		{"scaled down", 2, limits{1, 0}, set(5, 5), nil, 2, nil},
		{"done", 2, limits{1, 0}, set(2, 2), []revisionSet{set(1, 1)}, 2, []int{0}},
		{"to nothing", 0, limits{0, 0}, set(0, 0), []revisionSet{set(2, 2)}, 0, []int{0}},
	} {
		n, rest := rollingStep(c.wanted, c.by, c.current, c.old)
		if n != c.n || !cmp.Equal(rest, c.rest) && len(rest)+len(c.rest) > 0 {
			t.Errorf("%s: %d %v, not %d %v", c.name, n, rest, c.n, c.rest)
		}
	}
}

func TestTemplateHashIsOfTheTemplate(t *testing.T) {
	a := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"a": "1", "b": "2"}}}
	b := *a.DeepCopy()
	if templateHash(&a, nil) != templateHash(&b, nil) {
		t.Error("one template, two hashes")
	}
	b.Labels["a"] = "2"
	if templateHash(&a, nil) == templateHash(&b, nil) {
		t.Error("two templates, one hash")
	}
	n := int32(1)
	if templateHash(&a, nil) == templateHash(&a, &n) {
		t.Error("a collision changes nothing")
	}
}

func podWith(name string, change func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(loop.Epoch)}}
	p.Spec.NodeName, p.Status.Phase = "n", corev1.PodRunning
	p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	if change != nil {
		change(p)
	}
	return p
}

func TestSurplus(t *testing.T) {
	pods := []*corev1.Pod{
		podWith("old", func(p *corev1.Pod) { p.CreationTimestamp = metav1.NewTime(loop.Epoch.Add(-time.Hour)) }),
		podWith("b", nil), podWith("a", nil),
		podWith("restarted", func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: 3}} }),
		podWith("unready", func(p *corev1.Pod) { p.Status.Conditions = nil }),
		podWith("pending", func(p *corev1.Pod) { p.Status.Phase = corev1.PodPending; p.Status.Conditions = nil }),
		podWith("nowhere", func(p *corev1.Pod) { p.Spec.NodeName = ""; p.Status.Phase = corev1.PodPending }),
	}
	var names []string
	for _, p := range surplus(pods, 9) {
		names = append(names, p.Name)
	}
	if d := cmp.Diff([]string{"nowhere", "pending", "unready", "restarted", "a", "b", "old"}, names); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := surplus(pods, -1); len(got) != 0 {
		t.Errorf("%d pods too many", len(got))
	}
}

func TestAvailability(t *testing.T) {
	p := podWith("p", func(p *corev1.Pod) { p.Status.Conditions[0].LastTransitionTime = metav1.NewTime(loop.Epoch) })
	now := loop.Epoch.Add(4 * time.Second)
	if left, ok := availableIn(p, 10, now); left != 6*time.Second || !ok || available(p, 10, now) {
		t.Errorf("%v, %v", left, ok)
	}
	if !available(p, 0, now) || !available(p, 4, now) || available(podWith("q", func(p *corev1.Pod) { p.Status.Conditions = nil }), 0, now) {
		t.Error("availability is not what it says")
	}
}

func TestJobPlan(t *testing.T) {
	now := loop.Epoch.Add(time.Hour)
	ago := func(d time.Duration) time.Time { return now.Add(-d) }
	restarted := func(n int32) []*corev1.Pod {
		return []*corev1.Pod{podWith("p", func(p *corev1.Pod) { p.Status.ContainerStatuses = []corev1.ContainerStatus{{RestartCount: n}} })}
	}
	one := []*corev1.Pod{podWith("p", nil)}
	for _, c := range []struct {
		name   string
		change func(*batchv1.JobSpec)
		seen   jobSeen
		want   string
	}{
		{"new", nil, jobSeen{}, "create 1"},
		{"runs", nil, jobSeen{active: one}, "create 0"},
		{"complete", nil, jobSeen{succeeded: 1}, "Complete"},
		{"failed once just now", nil, jobSeen{failed: 1, lastFailure: ago(3 * time.Second)}, "create 0 again 7s"},
		{"failed once a while ago", nil, jobSeen{failed: 1, lastFailure: ago(10 * time.Second)}, "create 1"},
		{"failed three times", nil, jobSeen{failed: 3, lastFailure: now}, "create 0 again 40s"},
		{"failed as often as it may", func(s *batchv1.JobSpec) { s.BackoffLimit = number(9) }, jobSeen{failed: 9, lastFailure: now}, "create 0 again 6m0s"},
		{"failed too often", func(s *batchv1.JobSpec) { s.BackoffLimit = number(1) }, jobSeen{failed: 2}, "Failed BackoffLimitExceeded"},
		{"must not fail", func(s *batchv1.JobSpec) { s.BackoffLimit = number(0) }, jobSeen{failed: 1}, "Failed BackoffLimitExceeded"},
		{"restarted", func(s *batchv1.JobSpec) { s.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure }, jobSeen{active: restarted(5)}, "create 0"},
		{"restarted too often", func(s *batchv1.JobSpec) { s.Template.Spec.RestartPolicy = corev1.RestartPolicyOnFailure }, jobSeen{active: restarted(6)}, "Failed BackoffLimitExceeded"},
		{"in parallel", func(s *batchv1.JobSpec) { s.Completions, s.Parallelism = number(5), number(3) }, jobSeen{active: one, succeeded: 1}, "create 2"},
		{"the rest", func(s *batchv1.JobSpec) { s.Completions, s.Parallelism = number(5), number(3) }, jobSeen{active: one, succeeded: 4}, "create 0"},
		{"a work queue", func(s *batchv1.JobSpec) { s.Parallelism = number(3) }, jobSeen{active: one, succeeded: 1}, "create 0"},
		{"a work queue that is done", func(s *batchv1.JobSpec) { s.Parallelism = number(3) }, jobSeen{succeeded: 1}, "Complete"},
		{"suspended", func(s *batchv1.JobSpec) { s.Suspend = new(true) }, jobSeen{active: one}, "stop"},
		{"in time", func(s *batchv1.JobSpec) { s.ActiveDeadlineSeconds = new(int64(100)) }, jobSeen{active: one}, "create 0 again 40s"},
		{"late", func(s *batchv1.JobSpec) { s.ActiveDeadlineSeconds = new(int64(60)) }, jobSeen{active: one}, "Failed DeadlineExceeded"},
	} {
		job := &batchv1.Job{}
		started := metav1.NewTime(ago(time.Minute))
		job.Status.StartTime = &started
		job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
		if c.change != nil {
			c.change(&job.Spec)
		}
		step := jobPlan(job, c.seen, now)
		got := fmt.Sprintf("create %d", step.create)
		switch {
		case step.outcome == batchv1.JobComplete:
			got = "Complete"
		case step.outcome != "":
			got = fmt.Sprintf("%s %s", step.outcome, step.reason)
		case step.stop:
			got = "stop"
		case step.again > 0:
			got += fmt.Sprintf(" again %v", step.again)
		}
		if got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
		if step.outcome != "" && !step.stop {
			t.Errorf("%s: its pods go on", c.name)
		}
	}
}

func number(n int32) *int32 { return &n }

func TestDaemonPlan(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "agent", Generation: 2}}
	ds.Spec.Template.Spec.NodeSelector = map[string]string{"role": "storage"}
	node := func(name string, change func(*corev1.Node)) *corev1.Node {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"role": "storage"}}}
		if change != nil {
			change(n)
		}
		return n
	}
	taint := func(key string, effect corev1.TaintEffect) func(*corev1.Node) {
		return func(n *corev1.Node) { n.Spec.Taints = []corev1.Taint{{Key: key, Effect: effect}} }
	}
	on := func(name, node, hash string, change func(*corev1.Pod)) *corev1.Pod {
		return podWith(name, func(p *corev1.Pod) {
			p.Spec.NodeName = node
			p.Labels = map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: hash}
			if change != nil {
				change(p)
			}
		})
	}
	now := metav1.NewTime(loop.Epoch)
	nodes := []*corev1.Node{
		node("cordoned", func(n *corev1.Node) {
			n.Spec.Unschedulable = true
			taint(corev1.TaintNodeUnschedulable, corev1.TaintEffectNoSchedule)(n)
		}),
		node("down", taint(corev1.TaintNodeUnreachable, corev1.TaintEffectNoExecute)),
		node("elsewhere", func(n *corev1.Node) { n.Labels = nil }),
		node("evicting", taint("k", corev1.TaintEffectNoExecute)),
		node("failed", nil),
		node("full", nil),
		node("leaving", nil),
		node("outdated", nil),
		node("tainted", taint("k", corev1.TaintEffectNoSchedule)),
		node("tainted-with", taint("k", corev1.TaintEffectNoSchedule)),
		node("twice", nil),
	}
	pods := []*corev1.Pod{
		on("p-elsewhere", "elsewhere", "h", nil), on("p-evicting", "evicting", "h", nil),
		on("p-failed", "failed", "h", func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }),
		on("p-full", "full", "h", nil),
		on("p-gone", "gone", "h", nil),
		on("p-leaving", "leaving", "h", func(p *corev1.Pod) { p.DeletionTimestamp = &now }),
		on("p-outdated", "outdated", "old", func(p *corev1.Pod) { p.Status.Conditions = nil }),
		on("p-tainted", "tainted-with", "h", nil),
		on("p-twice", "twice", "h", nil), on("p-twice2", "twice", "h", nil),
	}
	step := daemonPlan(ds, "h", nodes, pods, ready)
	if d := cmp.Diff([]string{"cordoned", "down"}, step.create); d != "" {
		t.Errorf("create (-want +got):\n%s", d)
	}
	var removed []string
	for _, p := range step.remove {
		removed = append(removed, p.Name)
	}
	if d := cmp.Diff([]string{"p-elsewhere", "p-evicting", "p-failed", "p-twice2", "p-gone", "p-outdated"}, removed); d != "" {
		t.Errorf("remove (-want +got):\n%s", d)
	}
	want := appsv1.DaemonSetStatus{
		ObservedGeneration: 2, DesiredNumberScheduled: 7, CurrentNumberScheduled: 3, NumberReady: 2, NumberAvailable: 2,
		NumberUnavailable: 5, UpdatedNumberScheduled: 2, NumberMisscheduled: 3,
	}
	if d := cmp.Diff(want, step.status); d != "" {
		t.Errorf("status (-want +got):\n%s", d)
	}
}

func TestDaemonPodKeepsTheAffinityOfItsTemplate(t *testing.T) {
	ds := &appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent"}}
	ds.Spec.Template.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "role", Operator: corev1.NodeSelectorOpExists}},
		}}},
	}}
	pod := daemonPod(ds, "n1", "h")
	if daemonNode(pod) != "n1" || pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey] != "h" {
		t.Errorf("%+v", pod)
	}
	term := pod.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0]
	if len(term.MatchExpressions) != 1 || len(term.MatchFields) != 1 {
		t.Errorf("%+v", term)
	}
	if len(ds.Spec.Template.Spec.Affinity.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution.NodeSelectorTerms[0].MatchFields) != 0 {
		t.Error("the template has changed")
	}
}

func TestBudgetStatus(t *testing.T) {
	now := loop.Epoch
	pod := func(name string, ready, goes bool) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name}}
		if ready {
			p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
		}
		if goes {
			p.DeletionTimestamp = &metav1.Time{Time: now}
		}
		return p
	}
	at := func(n int) *intstr.IntOrString { v := intstr.FromInt32(int32(n)); return &v }
	half := intstr.FromString("50%")
	three := []*corev1.Pod{pod("a", true, false), pod("b", true, false), pod("c", true, false)}
	for name, c := range map[string]struct {
		spec      policyv1.PodDisruptionBudgetSpec
		disrupted map[string]metav1.Time
		pods      []*corev1.Pod
		want      [3]int32 // healthy, desired, allowed
		again     time.Duration
	}{
		"one may go":              {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(1)}, nil, three, [3]int32{3, 2, 1}, 0},
		"none may go":             {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(0)}, nil, three, [3]int32{3, 3, 0}, 0},
		"half, rounded up":        {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: &half}, nil, three, [3]int32{3, 1, 2}, 0},
		"two have to stay":        {policyv1.PodDisruptionBudgetSpec{MinAvailable: at(2)}, nil, three, [3]int32{3, 2, 1}, 0},
		"one is not ready":        {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(1)}, nil, append([]*corev1.Pod{pod("d", false, false)}, three[:2]...), [3]int32{2, 2, 0}, 0},
		"one goes":                {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(1)}, nil, append([]*corev1.Pod{pod("d", true, true)}, three[:2]...), [3]int32{2, 2, 0}, 0},
		"an eviction is on":       {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(1)}, map[string]metav1.Time{"a": metav1.NewTime(now.Add(-time.Minute))}, three, [3]int32{2, 2, 0}, time.Minute},
		"an eviction that lapsed": {policyv1.PodDisruptionBudgetSpec{MaxUnavailable: at(1)}, map[string]metav1.Time{"a": metav1.NewTime(now.Add(-2 * time.Minute))}, three, [3]int32{3, 2, 1}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			pdb := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Generation: 2}, Spec: c.spec}
			pdb.Status.DisruptedPods = c.disrupted
			s, again := budgetStatus(pdb, c.pods, len(c.pods), now)
			if got := [3]int32{s.CurrentHealthy, s.DesiredHealthy, s.DisruptionsAllowed}; got != c.want || again != c.again {
				t.Errorf("healthy, desired, allowed %v, again %v", got, again)
			}
			if s.ExpectedPods != 3 || s.ObservedGeneration != 2 || (s.Conditions[0].Status == metav1.ConditionTrue) != (c.want[2] > 0) {
				t.Errorf("status %+v", s)
			}
		})
	}
}
