package cluster_test

import (
	"context"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

func status(w *world, pod string) corev1.ContainerStatus {
	w.t.Helper()
	all := get(w, &corev1.Pod{}, pod).Status.ContainerStatuses
	if len(all) == 0 {
		return corev1.ContainerStatus{}
	}
	return all[0]
}

func waitingFor(w *world, pod, reason string) func() bool {
	return func() bool {
		s := status(w, pod).State.Waiting
		return s != nil && s.Reason == reason
	}
}

// S131: PodScheduled first, then Initialized, then the containers.
func TestConditionsComeInOrder(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("serve", "80")
	spec.InitContainers = []corev1.Container{{Name: "init", Image: "box:1", Command: []string{"sleep", "5"}}}
	w.create(newPod("p", spec))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
	at := map[corev1.PodConditionType]time.Time{}
	var order []corev1.PodConditionType
	for _, c := range w.pod("p").Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			t.Errorf("%s is %s", c.Type, c.Status)
		}
		at[c.Type] = c.LastTransitionTime.Time
		order = append(order, c.Type)
	}
	want := []corev1.PodConditionType{corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled}
	if d := cmp.Diff(want, order); d != "" {
		t.Errorf("order in the list (-want +got):\n%s", d)
	}
	if !at[corev1.PodInitialized].After(at[corev1.PodScheduled]) || at[corev1.ContainersReady].Before(at[corev1.PodInitialized]) ||
		!at[corev1.PodReady].Equal(at[corev1.ContainersReady]) {
		t.Errorf("times: %v", at)
	}
}

func TestCrashLoopBackOff(t *testing.T) {
	w := newWorld(t, "n1")
	var starts []time.Duration
	runs := 0
	w.api.Subscribe("test", &corev1.Pod{}, eachNew(func(p *corev1.Pod) {
		if len(p.Status.ContainerStatuses) > 0 && int(p.Status.ContainerStatuses[0].RestartCount) >= runs && p.Status.ContainerStatuses[0].ContainerID != "" {
			runs++
			starts = append(starts, w.loop.Elapsed())
		}
	}))
	w.create(newPod("p", podSpec("false")))
	w.until("the container is in back-off", time.Minute, waitingFor(w, "p", "CrashLoopBackOff"))
	s := status(w, "p")
	last := s.LastTerminationState.Terminated
	if last == nil || last.ExitCode != 1 || last.Reason != "Error" {
		t.Errorf("last state %+v", last)
	}
	if want := "back-off 10s restarting failed container=main pod=p_default("; !strings.HasPrefix(s.State.Waiting.Message, want) {
		t.Errorf("message %q", s.State.Waiting.Message)
	}
	if got := w.pod("p").Status.Phase; got != corev1.PodRunning {
		t.Errorf("phase %s", got)
	}
	w.loop.RunFor(30 * time.Minute)
	var gaps []int
	for i := 1; i < len(starts); i++ {
		gaps = append(gaps, int((starts[i] - starts[i-1]).Round(time.Second).Seconds()))
	}
	if d := cmp.Diff([]int{0, 10, 20, 40, 80, 160, 300, 300, 300}, gaps[:9]); d != "" {
		t.Errorf("seconds between runs (-want +got):\n%s", d)
	}
	if text, err := w.PreviousLog("default", "p", "main"); err != nil || text != "it is false\n" {
		t.Errorf("previous log %q, %v", text, err)
	}
}

func TestRestartPolicies(t *testing.T) {
	for _, c := range []struct {
		policy  corev1.RestartPolicy
		command string
		phase   corev1.PodPhase
		again   bool
	}{
		{corev1.RestartPolicyAlways, "true", corev1.PodRunning, true},
		{corev1.RestartPolicyAlways, "false", corev1.PodRunning, true},
		{corev1.RestartPolicyOnFailure, "true", corev1.PodSucceeded, false},
		{corev1.RestartPolicyOnFailure, "false", corev1.PodRunning, true},
		{corev1.RestartPolicyNever, "true", corev1.PodSucceeded, false},
		{corev1.RestartPolicyNever, "false", corev1.PodFailed, false},
	} {
		t.Run(string(c.policy)+" "+c.command, func(t *testing.T) {
			w := newWorld(t, "n1")
			spec := podSpec(c.command)
			spec.RestartPolicy = c.policy
			w.create(newPod("p", spec))
			w.loop.RunFor(2 * time.Minute)
			if got := w.pod("p").Status.Phase; got != c.phase {
				t.Errorf("phase %s, not %s", got, c.phase)
			}
			if got := status(w, "p").RestartCount > 0; got != c.again {
				t.Errorf("restarts %d", status(w, "p").RestartCount)
			}
		})
	}
}

func TestInitContainersRunInOrderAndFailThePod(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("serve", "80")
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.InitContainers = []corev1.Container{
		{Name: "a", Image: "box:1", Command: []string{"true"}},
		{Name: "b", Image: "box:1", Command: []string{"false"}},
		{Name: "c", Image: "box:1", Command: []string{"true"}},
	}
	w.create(newPod("p", spec))
	w.until("the pod has failed", time.Minute, func() bool { return w.pod("p").Status.Phase == corev1.PodFailed })
	inits := w.pod("p").Status.InitContainerStatuses
	if !inits[0].Ready || inits[1].State.Terminated == nil || inits[2].State.Waiting == nil || inits[2].State.Waiting.Reason != "PodInitializing" {
		t.Errorf("init containers: %+v", inits)
	}
	if s := status(w, "p").State.Waiting; s == nil || s.Reason != "PodInitializing" {
		t.Errorf("container: %+v", s)
	}
}

func TestMissingSecretHoldsThePodUntilItComes(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("cat", "/etc/keys/keyring")
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.Volumes = []corev1.Volume{{Name: "keys", VolumeSource: corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys"}}}}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "keys", MountPath: "/etc/keys"}}
	w.create(newPod("p", spec))
	w.loop.RunFor(10 * time.Minute)
	if !waitingFor(w, "p", "ContainerCreating")() || w.pod("p").Status.Phase != corev1.PodPending {
		t.Errorf("state %+v", status(w, "p").State)
	}
	if got, want := w.event("p", "FailedMount"), `MountVolume.SetUp failed for volume "keys" : secret "keys" not found`; got != want {
		t.Errorf("event %q, not %q", got, want)
	}
	if _, err := w.Log("default", "p", "main"); err == nil || !strings.Contains(err.Error(), "is waiting to start: ContainerCreating") {
		t.Errorf("log: %v", err)
	}
	w.create(&corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "keys"}, Data: map[string][]byte{"keyring": []byte("key")}})
	w.until("the pod has run", 10*time.Second, func() bool { return w.pod("p").Status.Phase == corev1.PodSucceeded })
	if text, _ := w.Log("default", "p", "main"); text != "key\n" {
		t.Errorf("log %q", text)
	}
}

func TestMissingKeyIsAConfigError(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("env", "HOST")
	spec.RestartPolicy = corev1.RestartPolicyNever
	spec.Containers[0].Env = []corev1.EnvVar{{Name: "HOST", ValueFrom: &corev1.EnvVarSource{
		SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "s"}, Key: "host"},
	}}}
	w.create(newPod("p", spec))
	w.until("it is a config error", time.Minute, waitingFor(w, "p", "CreateContainerConfigError"))
	if got := status(w, "p").State.Waiting.Message; got != `secret "s" not found` {
		t.Errorf("message %q", got)
	}
	s := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}, Data: map[string][]byte{"other": nil}}
	w.create(s)
	w.loop.RunFor(time.Second)
	if got := status(w, "p").State.Waiting; got == nil || got.Message != "couldn't find key host in Secret default/s" {
		t.Errorf("waiting %+v", got)
	}
	edit(w, &corev1.Secret{}, "s", func(s *corev1.Secret) { s.Data["host"] = []byte("here") })
	w.until("the pod has run", 10*time.Second, func() bool { return w.pod("p").Status.Phase == corev1.PodSucceeded })
	if text, _ := w.Log("default", "p", "main"); text != "HOST=here\n" {
		t.Errorf("log %q", text)
	}
}

func TestMissingImage(t *testing.T) {
	w := newWorld(t, "n1")
	w.broken["box:1"] = true
	w.create(newPod("p", podSpec("serve", "80")))
	w.until("the pull has failed", time.Minute, waitingFor(w, "p", "ErrImagePull"))
	w.until("it backs off", time.Minute, waitingFor(w, "p", "ImagePullBackOff"))
	w.broken = nil
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
}

func TestCommandThatIsNotThere(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("nonesuch", "-x")
	spec.RestartPolicy = corev1.RestartPolicyNever
	w.create(newPod("p", spec))
	w.until("the pod has failed", time.Minute, func() bool { return w.pod("p").Status.Phase == corev1.PodFailed })
	got := status(w, "p").State.Terminated
	if got.ExitCode != 127 || got.Reason != "ContainerCannotRun" || !strings.Contains(got.Message, `nonesuch`) {
		t.Errorf("terminated %+v", got)
	}
}

func TestTerminationMessages(t *testing.T) {
	for _, c := range []struct {
		name    string
		policy  corev1.TerminationMessagePolicy
		command []string
		want    string
	}{
		{"file", corev1.TerminationMessageReadFile, []string{"touch", "/dev/termination-log"}, "touched"},
		{"no file, no fallback", corev1.TerminationMessageReadFile, []string{"false"}, ""},
		{"fallback", corev1.TerminationMessageFallbackToLogsOnError, []string{"false"}, "it is false\n"},
		{"no fallback on success", corev1.TerminationMessageFallbackToLogsOnError, []string{"echo", "x"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t, "n1")
			spec := podSpec(c.command...)
			spec.RestartPolicy = corev1.RestartPolicyNever
			spec.Containers[0].TerminationMessagePolicy = c.policy
			w.create(newPod("p", spec))
			w.until("it has ended", time.Minute, func() bool { return status(w, "p").State.Terminated != nil })
			if got := status(w, "p").State.Terminated.Message; got != c.want {
				t.Errorf("message %q, not %q", got, c.want)
			}
		})
	}
}

func TestGracefulEnd(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(newPod("soft", podSpec("serve", "80")), newPod("hard", podSpec("sleep", "100000")))
	w.until("both are ready", time.Minute, func() bool { return w.readyPods("soft")+w.readyPods("hard") == 2 })
	soft := w.pod("soft")
	for _, name := range []string{"soft", "hard"} {
		if err := w.client.Delete(context.Background(), newPodIn("default", name)); err != nil {
			t.Fatal(err)
		}
	}
	there := func(name string) bool {
		_, ok := w.api.View(&corev1.Pod{}, client.ObjectKey{Namespace: "default", Name: name})
		return ok
	}
	w.until("the one that listens to SIGTERM is gone", time.Second, func() bool { return !there("soft") })
	if _, err := w.network.Dial("", soft.Status.PodIP, 80); err == nil {
		t.Error("its port is still open")
	}
	if !there("hard") {
		t.Error("the other one is gone before its grace period is over")
	}
	w.until("the other one is gone too", 31*time.Second, func() bool { return !there("hard") })
	if left := w.loop.Elapsed(); left < 30*time.Second {
		t.Errorf("after %v", left)
	}
}

func newPodIn(namespace, name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name}}
}

func TestKilledContainer(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(newPod("p", podSpec("serve", "80")))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
	if err := w.OOMKillContainer("default", "p", "main"); err != nil {
		t.Fatal(err)
	}
	w.until("it runs again", time.Minute, func() bool { return status(w, "p").RestartCount == 1 && w.readyPods("p") == 1 })
	last := status(w, "p").LastTerminationState.Terminated
	if last == nil || last.ExitCode != 137 || last.Reason != "OOMKilled" {
		t.Errorf("last state %+v", last)
	}
	if err := w.KillContainer("default", "p", "other"); err == nil {
		t.Error("a container that is not there can be killed")
	}
}

func TestProbes(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("serve", "80")
	spec.Containers[0].ReadinessProbe = &corev1.Probe{
		ProbeHandler:  corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: []string{"cat", "/data/ready"}}},
		PeriodSeconds: 5,
	}
	spec.Containers[0].LivenessProbe = &corev1.Probe{
		ProbeHandler:     corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(80)}},
		FailureThreshold: 2,
	}
	spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/srv"}}}}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "data", MountPath: "/data"}}
	w.create(newPod("p", spec))
	w.loop.RunFor(time.Minute)
	if w.readyPods("p") != 0 || status(w, "p").State.Running == nil {
		t.Errorf("ready %d, state %+v", w.readyPods("p"), status(w, "p").State)
	}
	if got := w.event("p", "Unhealthy"); !strings.HasPrefix(got, "Readiness probe failed: cat: open /data/ready") {
		t.Errorf("event %q", got)
	}
	files := w.Machine("n1").Files
	if err := files.WriteFile("/srv/ready", nil, 0o644); err != nil {
		t.Fatal(err)
	}
	w.until("the pod is ready", 6*time.Second, func() bool { return w.readyPods("p") == 1 })
	if err := files.Remove("/srv/ready"); err != nil {
		t.Fatal(err)
	}
	w.until("it is not ready any more", 16*time.Second, func() bool { return w.readyPods("p") == 0 })
	if got := status(w, "p").RestartCount; got != 0 {
		t.Errorf("readiness has restarted it %d times", got)
	}
}

func TestLivenessRestartsAndStartupHoldsItOff(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("sleep", "100000") // listens nowhere
	dead := corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(81)}}
	spec.TerminationGracePeriodSeconds = new(int64)
	spec.Containers[0].LivenessProbe = &corev1.Probe{ProbeHandler: dead, PeriodSeconds: 1, FailureThreshold: 1}
	spec.Containers[0].StartupProbe = &corev1.Probe{ProbeHandler: dead, PeriodSeconds: 10, FailureThreshold: 6}
	w.create(newPod("p", spec))
	w.until("it runs", time.Minute, func() bool { return status(w, "p").State.Running != nil })
	w.loop.RunFor(45 * time.Second)
	if s := status(w, "p"); s.RestartCount != 0 || *s.Started || s.Ready {
		t.Errorf("status %+v", s)
	}
	w.until("the startup probe gives up", 20*time.Second, func() bool { return status(w, "p").RestartCount == 1 })
}

func TestHTTPProbe(t *testing.T) {
	w := newWorld(t, "n1")
	healthy := false
	handler := http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/healthz" || !healthy {
			rw.WriteHeader(http.StatusServiceUnavailable)
		}
	})
	spec := podSpec("sleep", "100000")
	spec.HostNetwork = true
	spec.Containers[0].Ports = []corev1.ContainerPort{{Name: "health", ContainerPort: 8080}}
	spec.Containers[0].ReadinessProbe = &corev1.Probe{ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: "healthz", Port: intstr.FromString("health")},
	}}
	if _, err := w.network.Listen(w.Machine("n1").Addr, 8080, handler); err != nil {
		t.Fatal(err)
	}
	w.create(newPod("p", spec))
	w.loop.RunFor(time.Minute)
	if w.readyPods("p") != 0 || !strings.Contains(w.event("p", "Unhealthy"), "statuscode: 503") {
		t.Errorf("ready %d, event %q", w.readyPods("p"), w.event("p", "Unhealthy"))
	}
	healthy = true
	w.until("it is ready", 11*time.Second, func() bool { return w.readyPods("p") == 1 })
}

func TestMountedConfigMapIsRefreshed(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "conf"}, Data: map[string]string{"a": "1", "old": "x"}})
	spec := podSpec("serve", "80")
	spec.Volumes = []corev1.Volume{{Name: "conf", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: "conf"},
	}}}}
	spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "conf", MountPath: "/conf"}}
	w.create(newPod("p", spec))
	w.until("the pod is ready", time.Minute, func() bool { return w.readyPods("p") == 1 })
	edit(w, &corev1.ConfigMap{}, "conf", func(m *corev1.ConfigMap) { m.Data = map[string]string{"a": "2", "b": "3"} })
	files := w.Process("default", "p", "main").Files
	w.until("the container sees it", 90*time.Second, func() bool {
		b, err := files.ReadFile("/conf/a")
		return err == nil && string(b) == "2"
	})
	if names, _ := files.ReadDir("/conf"); !cmp.Equal(names, []string{"a", "b"}) {
		t.Errorf("files %v", names)
	}
}

func TestPrivilegedContainersSeeDevices(t *testing.T) {
	w := newWorld(t, "n1")
	w.Machine("n1").Devices = []*host.Device{{Name: "sdb"}}
	privileged := true
	for name, c := range map[string]struct{ privileged, dev bool }{"neither": {}, "privileged": {privileged: true}, "dev": {dev: true}, "both": {true, true}} {
		spec := podSpec("serve", "80")
		if c.privileged {
			spec.Containers[0].SecurityContext = &corev1.SecurityContext{Privileged: &privileged}
		}
		if c.dev {
			spec.Volumes = []corev1.Volume{{Name: "dev", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/dev"}}}}
			spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "dev", MountPath: "/dev"}}
		}
		w.create(newPod(name, spec))
		w.until(name+" runs", time.Minute, func() bool { return w.readyPods(name) == 1 })
		if got := len(w.Process("default", name, "main").Devices()); (got == 1) != (name == "both") {
			t.Errorf("%s: %d devices", name, got)
		}
	}
}
