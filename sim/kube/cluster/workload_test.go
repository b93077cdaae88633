package cluster_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func quantity(s string) resource.Quantity { return resource.MustParse(s) }

func deploymentCondition(w *world, name string, kind appsv1.DeploymentConditionType) appsv1.DeploymentCondition {
	for _, c := range get(w, &appsv1.Deployment{}, name).Status.Conditions {
		if c.Type == kind {
			return c
		}
	}
	return appsv1.DeploymentCondition{}
}

func rolledOut(w *world, name string) func() bool {
	return func() bool {
		d := get(w, &appsv1.Deployment{}, name)
		s := d.Status
		n := *d.Spec.Replicas
		return s.ObservedGeneration == d.Generation && s.UpdatedReplicas == n && s.Replicas == n && s.AvailableReplicas == n
	}
}

// S112: a Recreate deployment never has pods of two templates at once.
func TestRecreateNeverOverlaps(t *testing.T) {
	w := newWorld(t, "n1")
	d := newDeployment("mon", 2, podSpec("sleep", "1000000")) // takes its whole grace period to end
	d.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
	w.create(d)
	w.until("it is rolled out", time.Minute, rolledOut(w, "mon"))
	overlap := false
	w.api.Subscribe("test", &corev1.Pod{}, eachNew(func(*corev1.Pod) {
		images := map[string]bool{}
		w.api.Each(&corev1.Pod{}, "default", func(o client.Object) { images[o.(*corev1.Pod).Spec.Containers[0].Image] = true })
		overlap = overlap || len(images) > 1
	}))
	edit(w, &appsv1.Deployment{}, "mon", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "box:2" })
	w.until("the new template is rolled out", time.Minute, rolledOut(w, "mon"))
	if overlap {
		t.Error("there were pods of both templates")
	}
	if got := w.pods("mon")[0].Spec.Containers[0].Image; got != "box:2" {
		t.Errorf("image %s", got)
	}
	if got := get(w, &appsv1.Deployment{}, "mon").Annotations["deployment.kubernetes.io/revision"]; got != "2" {
		t.Errorf("revision %s", got)
	}
	if c := deploymentCondition(w, "mon", appsv1.DeploymentProgressing); c.Reason != "NewReplicaSetAvailable" {
		t.Errorf("condition %+v", c)
	}
}

// A controller sees its own writes: it never makes a pod too many to take it away
// again.
func TestNoPodTooMany(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		w := newSeeded(t, seed, "n1", "n2")
		made := map[string]int{}
		w.api.Subscribe("test", &corev1.Pod{}, func(e kubeEvent) {
			if e.Old == nil {
				made[e.New.GetLabels()["app"]]++
			}
		})
		job, three := newJob("job", podSpec("true")), int32(3)
		job.Spec.Completions, job.Spec.Parallelism = &three, &three
		label := map[string]string{"app": "agent"}
		w.create(newDeployment("web", 5, podSpec("serve", "80")), job, &appsv1.DaemonSet{
			ObjectMeta: metav1.ObjectMeta{Name: "agent"},
			Spec: appsv1.DaemonSetSpec{
				Selector: &metav1.LabelSelector{MatchLabels: label},
				Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: label}, Spec: podSpec("serve", "80")},
			},
		})
		w.loop.RunFor(time.Minute)
		if d := cmp.Diff(map[string]int{"web": 5, "job": 3, "agent": 2}, made); d != "" {
			t.Errorf("seed %d: pods made (-want +got):\n%s", seed, d)
		}
	}
}

func TestRollingUpdateKeepsItsLimits(t *testing.T) {
	w := newWorld(t, "n1", "n2")
	d := newDeployment("web", 4, podSpec("serve", "80"))
	one, none := intstr.FromInt32(1), intstr.FromInt32(0)
	d.Spec.Strategy.RollingUpdate = &appsv1.RollingUpdateDeployment{MaxSurge: &one, MaxUnavailable: &none}
	w.create(d)
	w.until("it is rolled out", time.Minute, rolledOut(w, "web"))
	on := map[string]int{}
	for _, p := range w.pods("web") {
		on[p.Spec.NodeName]++
	}
	if on["n1"] != 2 || on["n2"] != 2 {
		t.Errorf("pods are spread as %v", on)
	}
	fewest, most := 4, 4
	w.api.Subscribe("test", &corev1.Pod{}, eachNew(func(*corev1.Pod) {
		fewest, most = min(fewest, w.readyPods("web")), max(most, len(w.pods("web")))
	}))
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "box:2" })
	w.until("the new template is rolled out", 5*time.Minute, rolledOut(w, "web"))
	if fewest < 4 || most > 5 {
		t.Errorf("between %d ready and %d pods", fewest, most)
	}

	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "box:1" })
	w.until("the first template is back", 5*time.Minute, rolledOut(w, "web"))
	if got := get(w, &appsv1.Deployment{}, "web").Annotations["deployment.kubernetes.io/revision"]; got != "3" {
		t.Errorf("revision %s", got)
	}
	sets := 0
	w.api.Each(&appsv1.ReplicaSet{}, "default", func(client.Object) { sets++ })
	if sets != 2 {
		t.Errorf("%d ReplicaSets", sets)
	}
}

func TestRolloutThatGetsStuck(t *testing.T) {
	w := newWorld(t, "n1")
	d := newDeployment("web", 2, podSpec("serve", "80"))
	w.create(d)
	w.until("it is rolled out", time.Minute, rolledOut(w, "web"))
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) {
		deadline := int32(60)
		d.Spec.ProgressDeadlineSeconds = &deadline
		d.Spec.Template.Spec.Containers[0].Command = []string{"false"}
	})
	w.until("its deadline is exceeded", 2*time.Minute, func() bool {
		c := deploymentCondition(w, "web", appsv1.DeploymentProgressing)
		return c.Status == corev1.ConditionFalse && c.Reason == "ProgressDeadlineExceeded"
	})
	if c := deploymentCondition(w, "web", appsv1.DeploymentAvailable); c.Status != corev1.ConditionTrue {
		t.Errorf("condition %+v", c)
	}
	if got := w.readyPods("web"); got != 2 {
		t.Errorf("%d pods are ready", got)
	}
}

func TestScaleAndPause(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(newDeployment("web", 3, podSpec("serve", "80")))
	w.until("it is rolled out", time.Minute, rolledOut(w, "web"))
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) {
		n := int32(1)
		d.Spec.Replicas, d.Spec.Paused = &n, true
		d.Spec.Template.Spec.Containers[0].Image = "box:2"
	})
	w.loop.RunFor(time.Minute)
	if pods := w.pods("web"); len(pods) != 1 || pods[0].Spec.Containers[0].Image != "box:1" {
		t.Errorf("%d pods, image %s", len(pods), pods[0].Spec.Containers[0].Image)
	}
	if c := deploymentCondition(w, "web", appsv1.DeploymentProgressing); c.Reason != "DeploymentPaused" {
		t.Errorf("condition %+v", c)
	}
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Paused = false })
	w.until("it goes on", time.Minute, func() bool {
		pods := w.pods("web")
		return len(pods) == 1 && pods[0].Spec.Containers[0].Image == "box:2" && isReady(pods[0])
	})
}

func TestDeletedPodIsReplacedAndDeletedDeploymentTakesAllWithIt(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(newDeployment("web", 1, podSpec("serve", "80")))
	w.until("it is rolled out", time.Minute, rolledOut(w, "web"))
	first := w.pod("web")
	if err := w.client.Delete(context.Background(), first.DeepCopy(), client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.until("there is another", time.Minute, func() bool { return w.readyPods("web") == 1 && w.pod("web").UID != first.UID })
	if _, err := w.network.Dial("", first.Status.PodIP, 80); err == nil {
		t.Error("the first one still listens")
	}
	if err := w.client.Delete(context.Background(), get(w, &appsv1.Deployment{}, "web")); err != nil {
		t.Fatal(err)
	}
	w.until("nothing is left", 2*time.Minute, func() bool {
		left := 0
		w.api.Each(&appsv1.ReplicaSet{}, "default", func(client.Object) { left++ })
		w.api.Each(&corev1.Pod{}, "default", func(client.Object) { left++ })
		return left == 0
	})
}

func TestJobBacksOffAndFails(t *testing.T) {
	w := newWorld(t, "n1")
	job := newJob("bad", podSpec("false"))
	limit := int32(3)
	job.Spec.BackoffLimit = &limit
	w.create(job)
	w.until("it has failed", 10*time.Minute, func() bool {
		c := get(w, &batchv1.Job{}, "bad").Status.Conditions
		return len(c) > 0 && c[len(c)-1].Type == batchv1.JobFailed
	})
	s := get(w, &batchv1.Job{}, "bad").Status
	if s.Failed != 4 || s.Active != 0 || s.Succeeded != 0 || s.Conditions[len(s.Conditions)-1].Reason != "BackoffLimitExceeded" {
		t.Errorf("status %+v", s)
	}
	var made []time.Time
	for _, p := range w.pods("bad") {
		made = append(made, p.CreationTimestamp.Time)
	}
	first, last := made[0], made[0]
	for _, at := range made {
		if at.Before(first) {
			first = at
		}
		if at.After(last) {
			last = at
		}
	}
	if took := last.Sub(first); took < 70*time.Second || took > 90*time.Second { // 10 + 20 + 40 s
		t.Errorf("the last pod came %v after the first", took)
	}
}

func TestJobKinds(t *testing.T) {
	w := newWorld(t, "n1")
	three, two, ttl, deadline := int32(3), int32(2), int32(100), int64(30)
	many := newJob("many", podSpec("sleep", "5"))
	many.Spec.Completions, many.Spec.Parallelism, many.Spec.TTLSecondsAfterFinished = &three, &two, &ttl
	slow := newJob("slow", podSpec("sleep", "100000"))
	slow.Spec.ActiveDeadlineSeconds = &deadline
	again := newJob("again", podSpec("false"))
	again.Spec.Template.Spec.RestartPolicy, again.Spec.BackoffLimit = corev1.RestartPolicyOnFailure, &two
	w.create(many, slow, again)
	most := int32(0)
	w.api.Subscribe("test", &batchv1.Job{}, func(e kubeEvent) {
		if e.New != nil && e.New.GetName() == "many" {
			most = max(most, e.New.(*batchv1.Job).Status.Active)
		}
	})
	w.until("three pods have succeeded", time.Minute, func() bool {
		s := get(w, &batchv1.Job{}, "many").Status
		return s.Succeeded == 3 && s.CompletionTime != nil
	})
	if most != 2 {
		t.Errorf("%d at once", most)
	}
	w.until("the others have failed", 5*time.Minute, func() bool {
		a, b := get(w, &batchv1.Job{}, "slow").Status.Conditions, get(w, &batchv1.Job{}, "again").Status.Conditions
		return len(a) == 1 && a[0].Reason == "DeadlineExceeded" && len(b) == 1 && b[0].Reason == "BackoffLimitExceeded"
	})
	w.until("the first is cleared away", 2*time.Minute, func() bool {
		_, there := w.api.View(&batchv1.Job{}, client.ObjectKey{Namespace: "default", Name: "many"})
		return !there && len(w.pods("many")) == 0
	})
}

func TestDaemonSet(t *testing.T) {
	w := newWorld(t, "n1", "n2")
	label := map[string]string{"app": "agent"}
	w.create(&appsv1.DaemonSet{
		ObjectMeta: metav1.ObjectMeta{Name: "agent"},
		Spec: appsv1.DaemonSetSpec{
			Selector: &metav1.LabelSelector{MatchLabels: label},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: label}, Spec: podSpec("serve", "80")},
		},
	})
	on := func() map[string]int {
		m := map[string]int{}
		for _, p := range w.pods("agent") {
			if isReady(p) {
				m[p.Spec.NodeName]++
			}
		}
		return m
	}
	w.until("one on each node", time.Minute, func() bool { return cmp.Equal(on(), map[string]int{"n1": 1, "n2": 1}) })
	w.AddNode(nodeOf("n3"))
	w.until("one on the new node", time.Minute, func() bool { return cmp.Equal(on(), map[string]int{"n1": 1, "n2": 1, "n3": 1}) })
	w.until("its status says so", time.Second, func() bool {
		s := get(w, &appsv1.DaemonSet{}, "agent").Status
		return s.DesiredNumberScheduled == 3 && s.NumberAvailable == 3 && s.UpdatedNumberScheduled == 3 && s.NumberUnavailable == 0
	})
	fewest := 3
	w.api.Subscribe("test", &corev1.Pod{}, eachNew(func(*corev1.Pod) { fewest = min(fewest, w.readyPods("agent")) }))
	edit(w, &appsv1.DaemonSet{}, "agent", func(d *appsv1.DaemonSet) { d.Spec.Template.Spec.Containers[0].Image = "box:2" })
	w.until("all are of the new template", 5*time.Minute, func() bool {
		n := 0
		for _, p := range w.pods("agent") {
			if isReady(p) && p.Spec.Containers[0].Image == "box:2" {
				n++
			}
		}
		return n == 3
	})
	if fewest < 2 {
		t.Errorf("only %d were ready meanwhile", fewest)
	}
}

func TestServiceReachesReadyPods(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "web"},
			Ports:    []corev1.ServicePort{{Port: 80, TargetPort: intstr.FromString("http")}},
		}},
		&corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: "early"}, Spec: corev1.ServiceSpec{
			Selector: map[string]string{"app": "web"}, PublishNotReadyAddresses: true,
			Ports: []corev1.ServicePort{{Port: 81, TargetPort: intstr.FromInt32(8080)}},
		}},
	)
	ip := get(w, &corev1.Service{}, "web").Spec.ClusterIP
	early := get(w, &corev1.Service{}, "early").Spec.ClusterIP
	w.loop.RunFor(time.Second)
	if _, err := w.network.Dial("", ip, 80); err == nil {
		t.Error("a service without endpoints answers")
	}
	spec := podSpec("serve", "8080")
	spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: 8080}}
	spec.Containers[0].ReadinessProbe = &corev1.Probe{
		InitialDelaySeconds: 20, ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("http")}},
	}
	w.create(newDeployment("web", 2, spec))
	w.until("the early one answers", time.Minute, func() bool {
		_, err := w.network.Dial("", early, 81)
		return err == nil
	})
	if _, err := w.network.Dial("", ip, 80); !errors.Is(err, syscall.EHOSTUNREACH) {
		t.Errorf("the other one has somewhere to send to: %v", err)
	}
	w.until("the pods are ready", time.Minute, func() bool { return w.readyPods("web") == 2 })
	w.loop.RunFor(time.Second)
	seen := map[any]bool{}
	for range 50 {
		name, err := w.network.Dial("", ip, 80)
		if err != nil {
			t.Fatal(err)
		}
		seen[name] = true
	}
	if len(seen) != 2 {
		t.Errorf("answers of %v", seen)
	}
	if _, err := w.network.Dial("", ip, 79); err == nil {
		t.Error("a port that the service does not have answers")
	}
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32) })
	w.until("nobody answers", time.Minute, func() bool {
		_, err := w.network.Dial("", ip, 80)
		return err != nil
	})
}
