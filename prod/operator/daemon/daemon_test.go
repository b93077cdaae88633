package daemon_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// TestFlags: S117 in order, and what S118 inserts from 14.2.1 on.
func TestFlags(t *testing.T) {
	mimic := []string{
		"--fsid=f", "--keyring=/etc/ceph/keyring-store/keyring", "--log-to-stderr=true", "--err-to-stderr=true",
		"--mon-cluster-log-to-stderr=true", "--log-stderr-prefix=debug ",
		"--mon-host=$(ROOK_CEPH_MON_HOST)", "--mon-initial-members=$(ROOK_CEPH_MON_INITIAL_MEMBERS)", "--id=a",
	}
	later := append(append(append([]string{}, mimic[:6]...), "--default-log-to-file=false", "--default-mon-cluster-log-to-file=false"), mimic[6:]...)
	for version, want := range map[ceph.Version][]string{
		{Major: 13, Minor: 2, Patch: 3}: mimic, {Major: 14, Minor: 2, Patch: 0}: mimic,
		{Major: 14, Minor: 2, Patch: 1}: later, {Major: 20, Minor: 2, Patch: 0}: later,
	} {
		if diff := cmp.Diff(want, daemon.Flags("f", version, "a")); diff != "" {
			t.Errorf("%s (-want +got):\n%s", version, diff)
		}
	}
}

func TestKeyring(t *testing.T) {
	got := daemon.KeyringSecret("ns", "s", daemon.Keyring("mgr.a", secret.New("AQB="), "mon", "allow *", "osd", "allow *"))
	want := "[mgr.a]\n\tkey = AQB=\n\tcaps mon = \"allow *\"\n\tcaps osd = \"allow *\"\n"
	if string(got.Data["keyring"]) != want || got.Type != "kubernetes.io/rook" {
		t.Errorf("%s: %s", got.Type, got.Data["keyring"])
	}
}

func TestPodSpec(t *testing.T) {
	spec := &v1.ClusterSpec{}
	pod := daemon.PodSpec(spec, v1.Placement{})
	if pod.Affinity != nil || pod.DNSPolicy != corev1.DNSClusterFirst || pod.HostNetwork {
		t.Errorf("pod network: %+v", pod)
	}
	spec.Network.HostNetwork = true
	pod = daemon.PodSpec(spec, v1.Placement{PodAffinity: &corev1.PodAffinity{}, Tolerations: []corev1.Toleration{{Key: "k"}}})
	if pod.Affinity == nil || pod.DNSPolicy != corev1.DNSClusterFirstWithHostNet || !pod.HostNetwork || len(pod.Tolerations) != 1 {
		t.Errorf("host network: %+v", pod)
	}
}

func TestLastWords(t *testing.T) {
	long := strings.Repeat("x", 500)
	for log, want := range map[string]string{
		"":             "it wrote nothing",
		" \n":          "it wrote nothing",
		"one\n  two\n": "one | two",
		long + "\nend": "end",
		"key = AQB6ZxVdAAAAABAAQm4hZA6JVSjcEPLbo4BvSw==": "key = " + secret.Stripped,
	} {
		if got := daemon.LastWords(log); got != want {
			t.Errorf("%q: got %q, want %q", log, got, want)
		}
	}
	if got := daemon.LastWords(long); len(got) > 410 || !strings.HasPrefix(got, "…") {
		t.Errorf("%d bytes: %q", len(got), got)
	}
}

func deployment(generation int64, status appsv1.DeploymentStatus) *appsv1.Deployment {
	d := daemon.Deployment("ns", "d", map[string]string{"app": "x"}, nil, ceph.Version{Major: 14}, corev1.PodSpec{})
	d.Generation, d.Status = generation, status
	return d
}

func TestReady(t *testing.T) {
	for name, c := range map[string]struct {
		d    *appsv1.Deployment
		want bool
	}{
		"ready":                     {deployment(2, appsv1.DeploymentStatus{ObservedGeneration: 2, UpdatedReplicas: 1, ReadyReplicas: 1}), true},
		"new":                       {deployment(1, appsv1.DeploymentStatus{}), false},
		"the former pod is ready":   {deployment(2, appsv1.DeploymentStatus{ObservedGeneration: 1, UpdatedReplicas: 1, ReadyReplicas: 1}), false},
		"the former pod still runs": {deployment(2, appsv1.DeploymentStatus{ObservedGeneration: 2, UpdatedReplicas: 0, ReadyReplicas: 1}), false},
		"the pod is not ready":      {deployment(2, appsv1.DeploymentStatus{ObservedGeneration: 2, UpdatedReplicas: 1}), false},
	} {
		if got := daemon.Ready(c.d); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

func waiting(reason string) corev1.ContainerState {
	return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: "more"}}
}

func exited(code int32) corev1.ContainerState {
	return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}
}

func running() corev1.ContainerState {
	return corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
}

func TestRunningTellsOfTrouble(t *testing.T) {
	for name, c := range map[string]struct {
		status corev1.PodStatus
		want   string
	}{
		"on its way": {
			corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "c", State: waiting("ContainerCreating")}}},
			"deployment d to be ready",
		},
		"no place": {
			corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Message: "0/3 nodes are available"}}},
			"deployment d: pod p cannot be scheduled: 0/3 nodes are available",
		},
		"no image": {
			corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "c", State: waiting("ImagePullBackOff")}}},
			"deployment d: container c of pod p: ImagePullBackOff: more",
		},
		"a crash": {
			corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "c", State: waiting("CrashLoopBackOff"), LastTerminationState: exited(1)}}},
			"deployment d: container c of pod p exited with code 1: it was cold",
		},
		"the init container's crash": {
			corev1.PodStatus{
				InitContainerStatuses: []corev1.ContainerStatus{{Name: "i", State: exited(2)}},
				ContainerStatuses:     []corev1.ContainerStatus{{Name: "c", State: waiting("PodInitializing")}},
			},
			"deployment d: container i of pod p exited with code 2: it was cold",
		},
		"it runs again": {
			corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "c", State: running(), LastTerminationState: exited(1)}}},
			"deployment d to be ready",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, deployment(1, appsv1.DeploymentStatus{}), &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "p", Labels: map[string]string{"app": "x"}}, Status: c.status,
			})
			w.Logs["p"] = "it was cold\n"
			err := daemon.Running(context.Background(), w.Doors(), "ns", "d")
			if waits, ok := pass.IsWaiting(err); !ok || waits.For != c.want {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func TestRunning(t *testing.T) {
	ready := deployment(1, appsv1.DeploymentStatus{ObservedGeneration: 1, UpdatedReplicas: 1, ReadyReplicas: 1})
	w := doortest.New(t, ready)
	if err := daemon.Running(context.Background(), w.Doors(), "ns", "d"); err != nil {
		t.Error(err)
	}
	if err := daemon.Running(context.Background(), w.Doors(), "ns", "gone"); client.IgnoreNotFound(err) != nil || err == nil {
		t.Errorf("a Deployment that is not there: %v", err)
	}
}
