package cluster_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func nodeReady(w *world, name string) corev1.ConditionStatus {
	o, ok := w.api.View(&corev1.Node{}, client.ObjectKey{Name: name})
	if !ok {
		return ""
	}
	for _, c := range o.(*corev1.Node).Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return ""
}

func taintKeys(w *world, name string) string {
	o, _ := w.api.View(&corev1.Node{}, client.ObjectKey{Name: name})
	var all []string
	for _, t := range o.(*corev1.Node).Spec.Taints {
		all = append(all, strings.TrimPrefix(t.Key, "node.kubernetes.io/")+":"+string(t.Effect))
	}
	return strings.Join(all, " ")
}

// S129: a reboot keeps the disk and the pod; containers start once more, init
// containers included.
func TestReboot(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("serve", "80")
	spec.InitContainers = []corev1.Container{{Name: "init", Image: "box:1", Command: []string{"touch", "/data/file"}}}
	spec.Volumes = []corev1.Volume{
		{Name: "data", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/srv"}}},
		{Name: "scratch", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}
	mounts := []corev1.VolumeMount{{Name: "data", MountPath: "/data"}, {Name: "scratch", MountPath: "/scratch"}}
	spec.InitContainers[0].VolumeMounts, spec.Containers[0].VolumeMounts = mounts, mounts
	w.create(newPod("p", spec))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
	before := w.pod("p")
	if err := w.Process("default", "p", "main").Files.WriteFile("/scratch/kept", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	w.Reboot("n1")
	if _, err := w.network.Dial("", before.Status.PodIP, 80); err == nil {
		t.Error("the port is open on a machine that is down")
	}
	if _, err := w.Log("default", "p", "main"); err == nil {
		t.Error("a machine that is down tells logs")
	}
	w.until("the containers have been restarted", 2*time.Minute, func() bool {
		return status(w, "p").RestartCount == 1 && w.readyPods("p") == 1
	})
	w.loop.RunFor(time.Minute)
	after := w.pod("p")
	if after.UID != before.UID {
		t.Error("it is another pod")
	}
	if got := after.Status.InitContainerStatuses[0]; got.RestartCount != 1 || got.State.Terminated == nil {
		t.Errorf("init container: %+v", got)
	}
	last := status(w, "p").LastTerminationState.Terminated
	if last == nil || last.ExitCode != 255 || last.Reason != "Unknown" {
		t.Errorf("last state %+v", last)
	}
	if nodeReady(w, "n1") != corev1.ConditionTrue || taintKeys(w, "n1") != "" {
		t.Errorf("node is %s, taints %s", nodeReady(w, "n1"), taintKeys(w, "n1"))
	}
	if b, err := w.Machine("n1").Files.ReadFile("/srv/file"); err != nil || string(b) != "touched" {
		t.Errorf("file: %q, %v", b, err)
	}
	if _, err := w.Process("default", "p", "main").Files.ReadFile("/scratch/kept"); err != nil {
		t.Errorf("emptyDir: %v", err)
	}
	if text, err := w.PreviousLog("default", "p", "main"); err != nil || !strings.HasPrefix(text, "serving on") {
		t.Errorf("previous log %q, %v", text, err)
	}
}

func TestNodeLoss(t *testing.T) {
	w := newWorld(t, "n1", "n2")
	w.create(newDeployment("web", 1, podSpec("serve", "80")))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("web") == 1 })
	first := w.pod("web")
	start := w.loop.Elapsed()
	w.PowerOff(first.Spec.NodeName)
	w.loop.RunFor(39 * time.Second)
	if got := nodeReady(w, first.Spec.NodeName); got != corev1.ConditionTrue {
		t.Errorf("after 39 s the node is %s", got)
	}
	w.loop.RunFor(2 * time.Second)
	if got := nodeReady(w, first.Spec.NodeName); got != corev1.ConditionUnknown {
		t.Errorf("after 41 s the node is %s", got)
	}
	if got := taintKeys(w, first.Spec.NodeName); got != "unreachable:NoSchedule unreachable:NoExecute" {
		t.Errorf("taints %s", got)
	}
	if isReady(w.pod("web")) {
		t.Error("its pod is ready")
	}
	w.until("another pod is ready on the other node", 10*time.Minute, func() bool { return w.readyPods("web") == 1 })
	if took := w.loop.Elapsed() - start; took < 340*time.Second || took > 360*time.Second {
		t.Errorf("after %v", took)
	}
	if second := w.pod("web"); second.Spec.NodeName == first.Spec.NodeName {
		t.Errorf("on %s again", second.Spec.NodeName)
	}
	old := get(w, &corev1.Pod{}, first.Name)
	if old.DeletionTimestamp == nil {
		t.Error("the first pod is not on its way out")
	}
	w.loop.RunFor(time.Hour)
	get(w, &corev1.Pod{}, first.Name) // it stays: nobody can say that it has ended
	w.PowerOn(first.Spec.NodeName)
	w.until("the node is ready and the pod gone", time.Minute, func() bool {
		_, there := w.api.View(old, client.ObjectKeyFromObject(old))
		return !there && nodeReady(w, first.Spec.NodeName) == corev1.ConditionTrue && taintKeys(w, first.Spec.NodeName) == ""
	})
}

func TestShortOutageEvictsNobody(t *testing.T) {
	w := newWorld(t, "n1", "n2")
	w.create(newDeployment("web", 1, podSpec("serve", "80")))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("web") == 1 })
	pod := w.pod("web")
	w.PowerOff(pod.Spec.NodeName)
	w.loop.RunFor(4 * time.Minute)
	w.PowerOn(pod.Spec.NodeName)
	w.until("it is ready again", time.Minute, func() bool { return w.readyPods("web") == 1 })
	w.loop.RunFor(10 * time.Minute)
	if w.pod("web").UID != pod.UID {
		t.Error("it is another pod")
	}
}

func TestRemovedNode(t *testing.T) {
	w := newWorld(t, "n1", "n2")
	w.create(newDeployment("web", 1, podSpec("serve", "80")))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("web") == 1 })
	pod := w.pod("web")
	if err := w.RemoveNode(pod.Spec.NodeName); err != nil {
		t.Fatal(err)
	}
	w.until("a pod is ready on the other", 2*time.Minute, func() bool {
		_, there := w.api.View(pod, client.ObjectKeyFromObject(pod))
		return !there && w.readyPods("web") == 1
	})
}

func TestCordonAndTaint(t *testing.T) {
	w := newWorld(t, "n1", "n2", "n3")
	cordon := func(name string, on bool) {
		n := &corev1.Node{}
		if err := w.client.Get(context.Background(), client.ObjectKey{Name: name}, n); err != nil {
			t.Fatal(err)
		}
		n.Spec.Unschedulable = on
		if err := w.client.Update(context.Background(), n); err != nil {
			t.Fatal(err)
		}
	}
	cordon("n1", true)
	n2 := &corev1.Node{}
	if err := w.client.Get(context.Background(), client.ObjectKey{Name: "n2"}, n2); err != nil {
		t.Fatal(err)
	}
	n2.Spec.Taints = []corev1.Taint{{Key: "role", Value: "storage", Effect: corev1.TaintEffectNoSchedule}}
	if err := w.client.Update(context.Background(), n2); err != nil {
		t.Fatal(err)
	}
	w.loop.RunFor(time.Second)
	if got := taintKeys(w, "n1"); got != "unschedulable:NoSchedule" {
		t.Errorf("taints of a cordoned node: %s", got)
	}
	spec := podSpec("serve", "80")
	spec.NodeSelector = map[string]string{"kubernetes.io/hostname": "n3", "disk": "ssd"}
	w.create(newPod("p", spec))
	w.loop.RunFor(time.Hour)
	want := "0/3 nodes are available: 1 node(s) didn't match Pod's node affinity/selector, 1 node(s) had untolerated taint {role: storage}, 1 node(s) were unschedulable."
	c := w.pod("p").Status.Conditions[0]
	if c.Type != corev1.PodScheduled || c.Status != corev1.ConditionFalse || c.Reason != "Unschedulable" || c.Message != want {
		t.Errorf("condition %+v", c)
	}
	if got := w.event("p", "FailedScheduling"); got != want {
		t.Errorf("event %q", got)
	}
	n3 := &corev1.Node{}
	if err := w.client.Get(context.Background(), client.ObjectKey{Name: "n3"}, n3); err != nil {
		t.Fatal(err)
	}
	n3.Labels["disk"] = "ssd"
	if err := w.client.Update(context.Background(), n3); err != nil {
		t.Fatal(err)
	}
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
	cordon("n1", false)
	w.loop.RunFor(time.Second)
	if got := taintKeys(w, "n1"); got != "" {
		t.Errorf("taints after the cordon: %s", got)
	}
}

func TestNoExecuteTaintEvicts(t *testing.T) {
	w := newWorld(t, "n1")
	long := podSpec("serve", "80")
	s := int64(60)
	long.Tolerations = []corev1.Toleration{{Key: "k", Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &s}}
	forever := podSpec("serve", "81")
	forever.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}}
	w.create(newPod("none", podSpec("serve", "82")), newPod("long", long), newPod("forever", forever))
	w.until("all run", time.Minute, func() bool { return w.readyPods("none")+w.readyPods("long")+w.readyPods("forever") == 3 })
	n := &corev1.Node{}
	if err := w.client.Get(context.Background(), client.ObjectKey{Name: "n1"}, n); err != nil {
		t.Fatal(err)
	}
	n.Spec.Taints = []corev1.Taint{{Key: "k", Effect: corev1.TaintEffectNoExecute}}
	if err := w.client.Update(context.Background(), n); err != nil {
		t.Fatal(err)
	}
	names := func() string { return fmt.Sprint(len(w.pods("none")), len(w.pods("long")), len(w.pods("forever"))) }
	w.loop.RunFor(55 * time.Second)
	if got := names(); got != "0 1 1" {
		t.Errorf("after 55 s there are %s", got)
	}
	w.loop.RunFor(10 * time.Second)
	if got := names(); got != "0 0 1" {
		t.Errorf("after 65 s there are %s", got)
	}
}

// Two pods that come at once do not get the same room.
func TestPodsAtOnceForOneRoom(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		w := newSeeded(t, seed, "n1")
		for _, name := range []string{"a", "b"} {
			spec := podSpec("serve", "80")
			spec.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: quantity("20Gi")}
			w.create(newPod(name, spec))
		}
		w.loop.RunFor(time.Minute)
		a, b := w.pod("a").Status.Phase, w.pod("b").Status.Phase
		if a == b || a == corev1.PodFailed || b == corev1.PodFailed {
			t.Errorf("seed %d: they are %s and %s", seed, a, b)
		}
	}
}

func TestPodForFullNodeWaits(t *testing.T) {
	w := newWorld(t, "n1")
	spec := func() corev1.PodSpec {
		s := podSpec("serve", "80")
		s.Containers[0].Resources.Requests = corev1.ResourceList{corev1.ResourceMemory: quantity("20Gi")}
		return s
	}
	w.create(newPod("a", spec()))
	w.until("the first is ready", time.Minute, func() bool { return w.readyPods("a") == 1 })
	w.create(newPod("b", spec()))
	w.loop.RunFor(time.Minute)
	if c := w.pod("b").Status.Conditions[0]; c.Message != "0/1 nodes are available: 1 Insufficient memory." {
		t.Errorf("condition %+v", c)
	}
	bound := newPod("c", spec())
	bound.Spec.NodeName = "n1"
	w.create(bound)
	w.until("a pod bound by hand is refused by the kubelet", time.Minute, func() bool {
		p := w.pod("c")
		return p.Status.Phase == corev1.PodFailed && p.Status.Reason == "OutOfmemory"
	})
	w.loop.RunFor(time.Second) // its event wakes the scheduler too
	if err := w.client.Delete(context.Background(), &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "a"}}, client.GracePeriodSeconds(0)); err != nil {
		t.Fatal(err)
	}
	w.until("the second is ready", time.Minute, func() bool { return w.readyPods("b") == 1 })
}
