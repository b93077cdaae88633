package kubelet

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestExpand(t *testing.T) {
	known := map[string]string{"A": "1", "EMPTY": "", "B": "$(A)"}
	for text, want := range map[string]string{
		"":                 "",
		"plain":            "plain",
		"$(A)":             "1",
		"--x=$(A),$(A)":    "--x=1,1",
		"[$(EMPTY)]":       "[]",
		"$(NONE)":          "$(NONE)",
		"$$(A)":            "$(A)",
		"$$$(A)":           "$1",
		"$A":               "$A",
		"cost: 5$":         "cost: 5$",
		"$(A":              "$(A",
		"$(B)":             "$(A)", // once only
		"$($(A))":          "$($(A))",
		"debug ":           "debug ",
		"$(A)$(NONE)-$(A)": "1$(NONE)-1",
	} {
		got := expand(text, func(name string) (string, bool) { v, ok := known[name]; return v, ok })
		if got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
}

// objects is a world for tests.
type objects struct {
	secrets    map[string]map[string][]byte
	configMaps map[string]map[string]string
	svcs       []*corev1.Service
}

func (o objects) secret(_, name string) (*corev1.Secret, bool) {
	d, ok := o.secrets[name]
	return &corev1.Secret{Data: d}, ok
}

func (o objects) configMap(_, name string) (*corev1.ConfigMap, bool) {
	d, ok := o.configMaps[name]
	return &corev1.ConfigMap{Data: d}, ok
}

func (o objects) services(_ string, links bool) []*corev1.Service {
	if !links {
		return nil
	}
	return o.svcs
}

func (o objects) allocatable() corev1.ResourceList {
	return corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("7500m"), corev1.ResourceMemory: resource.MustParse("16Gi")}
}

func testPod() *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "rook-ceph", Name: "mon-a-1", UID: "u-1",
			Labels: map[string]string{"app": "mon", "b": "x\"y"}, Annotations: map[string]string{"note": "n"},
		},
		Spec: corev1.PodSpec{NodeName: "master-node", Containers: []corev1.Container{{Name: "mon"}}},
	}
}

var here = place{podIP: "192.170.0.2", hostIP: "192.168.0.1"}

func TestFieldValue(t *testing.T) {
	for path, want := range map[string]string{
		"metadata.name": "mon-a-1", "metadata.namespace": "rook-ceph", "metadata.uid": "u-1",
		"metadata.labels['app']": "mon", "metadata.labels['none']": "", "metadata.annotations['note']": "n",
		"metadata.labels": "app=\"mon\"\nb=\"x\\\"y\"",
		"spec.nodeName":   "master-node", "spec.serviceAccountName": "default",
		"status.podIP": "192.170.0.2", "status.hostIP": "192.168.0.1",
	} {
		if got, err := fieldValue(testPod(), path, here); err != nil || got != want {
			t.Errorf("%s: %q, %v", path, got, err)
		}
	}
	for _, path := range []string{"spec.containers", "spec['x']", "status.phase"} {
		if got, err := fieldValue(testPod(), path, here); err == nil {
			t.Errorf("%s: %q", path, got)
		}
	}
}

// S121: limits default to the node's allocatable, divisors round up.
func TestResourceValue(t *testing.T) {
	c := &corev1.Container{Resources: corev1.ResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("300m")},
		Limits:   corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("1Gi")},
	}}
	for _, x := range []struct{ resource, divisor, want string }{
		{"limits.memory", "0", "1073741824"},
		{"limits.memory", "1Mi", "1024"},
		{"limits.memory", "1G", "2"},
		{"requests.memory", "0", "0"},
		{"limits.cpu", "1", "8"},
		{"limits.cpu", "1m", "7500"},
		{"requests.cpu", "0", "1"},
		{"requests.cpu", "1m", "300"},
	} {
		got, err := resourceValue(c, &corev1.ResourceFieldSelector{Resource: x.resource, Divisor: resource.MustParse(x.divisor)}, objects{}.allocatable())
		if err != nil || got != x.want {
			t.Errorf("%s / %s: %q, %v", x.resource, x.divisor, got, err)
		}
	}
	if _, err := resourceValue(c, &corev1.ResourceFieldSelector{Resource: "memory"}, nil); err == nil {
		t.Error("an unknown resource field has a value")
	}
}

func fromSecret(name, key string, optional bool) *corev1.EnvVarSource {
	return &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: name}, Key: key, Optional: &optional}}
}

func TestEnvironment(t *testing.T) {
	w := objects{
		secrets:    map[string]map[string][]byte{"s": {"host": []byte("10.0.0.1:6789"), "other": []byte("o")}},
		configMaps: map[string]map[string]string{"m": {"k": "v", "X": "from map"}},
		svcs: []*corev1.Service{{
			ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph-mon-a"},
			Spec:       corev1.ServiceSpec{ClusterIP: "10.0.0.9", Ports: []corev1.ServicePort{{Name: "msgr1", Port: 6789}}},
		}},
	}
	c := corev1.Container{
		EnvFrom: []corev1.EnvFromSource{{Prefix: "M_", ConfigMapRef: &corev1.ConfigMapEnvSource{LocalObjectReference: corev1.LocalObjectReference{Name: "m"}}}},
		Env: []corev1.EnvVar{
			{Name: "HOST", ValueFrom: fromSecret("s", "host", false)},
			{Name: "URL", Value: "v2:$(HOST)/$(LATER)/$(ROOK_CEPH_MON_A_SERVICE_HOST)"},
			{Name: "LATER", Value: "l"},
			{Name: "M_X", Value: "own"},
			{Name: "GONE", ValueFrom: fromSecret("none", "host", true)},
			{Name: "IP", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.podIP"}}},
		},
	}
	env, err := environment(testPod(), &c, here, w)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"HOST": "10.0.0.1:6789", "URL": "v2:10.0.0.1:6789/$(LATER)/10.0.0.9", "LATER": "l", "M_k": "v", "M_X": "own", "IP": "192.170.0.2",
		"ROOK_CEPH_MON_A_SERVICE_HOST": "10.0.0.9", "ROOK_CEPH_MON_A_SERVICE_PORT": "6789", "ROOK_CEPH_MON_A_SERVICE_PORT_MSGR1": "6789",
		"ROOK_CEPH_MON_A_PORT": "tcp://10.0.0.9:6789", "ROOK_CEPH_MON_A_PORT_6789_TCP": "tcp://10.0.0.9:6789",
		"ROOK_CEPH_MON_A_PORT_6789_TCP_PROTO": "tcp", "ROOK_CEPH_MON_A_PORT_6789_TCP_PORT": "6789", "ROOK_CEPH_MON_A_PORT_6789_TCP_ADDR": "10.0.0.9",
	}
	if d := cmp.Diff(want, env); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	for text, source := range map[string]*corev1.EnvVarSource{
		`secret "none" not found`:                         fromSecret("none", "host", false),
		"couldn't find key port in Secret rook-ceph/s":    fromSecret("s", "port", false),
		`configmap "none" not found`:                      {ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "none"}}},
		"couldn't find key none in ConfigMap rook-ceph/m": {ConfigMapKeyRef: &corev1.ConfigMapKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "m"}, Key: "none"}},
		"unsupported fieldPath: status.phase":             {FieldRef: &corev1.ObjectFieldSelector{FieldPath: "status.phase"}},
		"unsupported container resource : limits":         {ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: "limits"}},
		"container x not found":                           {ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: "x", Resource: "limits.cpu"}},
	} {
		_, err := environment(testPod(), &corev1.Container{Env: []corev1.EnvVar{{Name: "E", ValueFrom: source}}}, here, w)
		if err == nil || err.Error() != text {
			t.Errorf("%v, not %q", err, text)
		}
	}
}

// S127: default modes, items with modes of their own, and what is missing.
func TestVolumes(t *testing.T) {
	w := objects{
		secrets:    map[string]map[string][]byte{"keys": {"keyring": []byte("k"), "x": []byte("y")}},
		configMaps: map[string]map[string]string{"conf": {"ceph.conf": "[global]", "other": "o"}},
	}
	m := int32(0o400)
	all := int32(0o640)
	yes := true
	pod := testPod()
	made := func(v corev1.VolumeSource) (string, error) {
		l := loop.New(1)
		got, err := makeVolume(pod, &corev1.Volume{Name: "v", VolumeSource: v}, here, host.NewMachine(l, host.NewNetwork(), "n", ""), "/var/lib/kubelet/pods/u", w)
		if err != nil {
			return "", err
		}
		names, err := got.fs.ReadDir(got.dir)
		if err != nil {
			return "", err
		}
		var text []string
		for _, n := range names {
			i, _ := got.fs.Stat(got.dir + "/" + n)
			b, _ := got.fs.ReadFile(got.dir + "/" + n)
			text = append(text, fmt.Sprintf("%s:%o:%s", n, i.Mode, b))
		}
		return fmt.Sprintf("%s ro=%v", strings.Join(text, " "), got.readOnly), nil
	}
	conf := corev1.LocalObjectReference{Name: "conf"}
	for _, c := range []struct {
		name string
		v    corev1.VolumeSource
		want string
	}{
		{"config map", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: conf}}, "ceph.conf:644:[global] other:644:o ro=true"},
		{"items", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: conf, Items: []corev1.KeyToPath{{Key: "ceph.conf", Path: "c", Mode: &m}}}}, "c:400:[global] ro=true"},
		{"item that is not there", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: conf, Items: []corev1.KeyToPath{{Key: "no", Path: "c"}}}}, "configmap references non-existent config key: no"},
		{"optional item", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: conf, Optional: &yes, Items: []corev1.KeyToPath{{Key: "no", Path: "c"}}}}, " ro=true"},
		{"secret", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys", DefaultMode: &all}}, "keyring:640:k x:640:y ro=true"},
		{"secret that is not there", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none"}}, `secret "none" not found`},
		{"optional secret", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "none", Optional: &yes}}, " ro=true"},
		{"secret key that is not there", corev1.VolumeSource{Secret: &corev1.SecretVolumeSource{SecretName: "keys", Items: []corev1.KeyToPath{{Key: "no", Path: "c"}}}}, "references non-existent secret key: no"},
		{"empty", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}, " ro=false"},
		{"memory", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}, " ro=false"},
		{"downward", corev1.VolumeSource{DownwardAPI: &corev1.DownwardAPIVolumeSource{Items: []corev1.DownwardAPIVolumeFile{
			{Path: "name", FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.name"}},
			{Path: "mem", ResourceFieldRef: &corev1.ResourceFieldSelector{ContainerName: "mon", Resource: "limits.memory", Divisor: resource.MustParse("1Gi")}},
		}}}, "mem:644:16 name:644:mon-a-1 ro=true"},
		{"projected", corev1.VolumeSource{Projected: &corev1.ProjectedVolumeSource{DefaultMode: &m, Sources: []corev1.VolumeProjection{
			{ServiceAccountToken: &corev1.ServiceAccountTokenProjection{Path: "token"}},
			{Secret: &corev1.SecretProjection{LocalObjectReference: corev1.LocalObjectReference{Name: "keys"}, Items: []corev1.KeyToPath{{Key: "x", Path: "x"}}}},
		}}}, "token:400:system:serviceaccount:rook-ceph:default:u-1 x:400:y ro=true"},
		{"another kind", corev1.VolumeSource{NFS: &corev1.NFSVolumeSource{}}, "no volume plugin matched"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := made(c.v)
			if err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("%q, not %q", got, c.want)
			}
		})
	}
}

func TestHostPathTypes(t *testing.T) {
	for _, c := range []struct {
		kind corev1.HostPathType
		path string
		want string // the error, or what is there: "dir" or "file"
	}{
		{"", "/none", "dir"},
		{"", "/dir", "dir"},
		{"", "/file", "file"},
		{corev1.HostPathDirectory, "/dir", "dir"},
		{corev1.HostPathDirectory, "/none", "hostPath type check failed: /none is not a directory"},
		{corev1.HostPathDirectory, "/file", "hostPath type check failed: /file is not a directory"},
		{corev1.HostPathDirectoryOrCreate, "/none", "dir"},
		{corev1.HostPathDirectoryOrCreate, "/file", "hostPath type check failed: /file is not a directory"},
		{corev1.HostPathFile, "/file", "file"},
		{corev1.HostPathFile, "/dir", "hostPath type check failed: /dir is not a file"},
		{corev1.HostPathFile, "/none", "hostPath type check failed: /none is not a file"},
		{corev1.HostPathFileOrCreate, "/none", "file"},
		{corev1.HostPathFileOrCreate, "/dir", "hostPath type check failed: /dir is not a file"},
		{corev1.HostPathSocket, "/none", "hostPath type check failed: /none is not a Socket"},
	} {
		files := host.NewFS()
		if err := files.MkdirAll("/dir", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := files.WriteFile("/file", nil, 0o644); err != nil {
			t.Fatal(err)
		}
		_, err := hostPath(&corev1.HostPathVolumeSource{Path: c.path, Type: &c.kind}, files)
		got := ""
		if err != nil {
			got = err.Error()
		} else if i, err := files.Stat(c.path); err == nil {
			got = map[bool]string{true: "dir", false: "file"}[i.Dir]
		}
		if got != c.want {
			t.Errorf("%q %s: %q, not %q", c.kind, c.path, got, c.want)
		}
	}
}

// S126: mounts inside mounts, read-only where asked, and a root of its own.
func TestFileSystem(t *testing.T) {
	conf, keys, disk := host.NewFS(), host.NewFS(), host.NewFS()
	for _, err := range []error{
		conf.WriteFile("/ceph.conf", []byte("c"), 0o400), keys.WriteFile("/keyring", []byte("k"), 0o600),
		disk.MkdirAll("/srv/sub", 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	volumes := map[string]volume{
		"conf": {fs: conf, dir: "/", readOnly: true}, "keys": {fs: keys, dir: "/", readOnly: true}, "data": {fs: disk, dir: "/srv"},
	}
	c := corev1.Container{Name: "mon", VolumeMounts: []corev1.VolumeMount{
		{Name: "keys", MountPath: "/etc/ceph/keyring-store/"},
		{Name: "conf", MountPath: "/etc/ceph"},
		{Name: "data", MountPath: "/data"},
		{Name: "data", MountPath: "/ro", ReadOnly: true},
		{Name: "data", MountPath: "/made", SubPathExpr: "$(WHO)/x"},
		{Name: "conf", MountPath: "/one.conf", SubPath: "ceph.conf"},
	}}
	view, err := fileSystem(host.Image{Dirs: []string{"/var/lib/ceph/mon"}}, &c, volumes, map[string]string{"WHO": "me"})
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"/etc/ceph/ceph.conf": "c", "/etc/ceph/keyring-store/keyring": "k", "/one.conf": "c", "/dev/termination-log": ""} {
		if b, err := view.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	for name, writable := range map[string]bool{"/data/x": true, "/ro/x": false, "/etc/ceph/x": false, "/var/lib/ceph/mon/x": true, "/made/y": true} {
		if err := view.WriteFile(name, nil, 0o600); (err == nil) != writable {
			t.Errorf("write %s: %v", name, err)
		}
	}
	if names, _ := disk.ReadDir("/srv"); !slices.Equal(names, []string{"me", "sub", "x"}) {
		t.Errorf("on the disk are %v", names)
	}
	for _, m := range []corev1.VolumeMount{{Name: "none", MountPath: "/x"}, {Name: "data", MountPath: "/x", SubPath: "../etc"}} {
		if _, err := fileSystem(host.Image{}, &corev1.Container{VolumeMounts: []corev1.VolumeMount{m}}, volumes, nil); err == nil {
			t.Errorf("mount %+v works", m)
		}
	}
}

// S119: what a container's command line becomes.
func TestArgv(t *testing.T) {
	env := map[string]string{"HOST": "10.0.0.1:6789"}
	image := host.Image{Entrypoint: []string{"/entrypoint"}}
	for _, c := range []struct {
		command, args, want []string
	}{
		{[]string{"ceph-mon"}, []string{"--log-stderr-prefix=debug ", "--mon-host=$(HOST)"}, []string{"ceph-mon", "--log-stderr-prefix=debug ", "--mon-host=10.0.0.1:6789"}},
		{nil, []string{"$(HOST)"}, []string{"/entrypoint", "10.0.0.1:6789"}},
		{[]string{"$(HOST)"}, nil, []string{"10.0.0.1:6789"}},
	} {
		got := argv(&corev1.Container{Command: c.command, Args: c.args}, image, env)
		if !slices.Equal(got, c.want) {
			t.Errorf("%q, not %q", got, c.want)
		}
	}
}

func TestBackoff(t *testing.T) {
	var b backoff
	now := loop.Epoch
	for i, want := range []int{0, 10, 20, 40, 80, 160, 300, 300} {
		if got := b.next(now); got != time.Duration(want)*time.Second {
			t.Errorf("failure %d: %v", i, got)
		}
		now = now.Add(time.Minute)
	}
	now = now.Add(10 * time.Minute)
	if got := b.next(now); got != 0 {
		t.Errorf("after ten good minutes: %v", got)
	}
}

func TestPullPolicy(t *testing.T) {
	for image, want := range map[string]corev1.PullPolicy{
		"ceph/ceph:v14": corev1.PullIfNotPresent, "ceph/ceph": corev1.PullAlways, "ceph/ceph:latest": corev1.PullAlways,
		"host:5000/ceph": corev1.PullAlways, "host:5000/ceph:v1": corev1.PullIfNotPresent, "ceph@sha256:00": corev1.PullIfNotPresent,
	} {
		if got := pullPolicy(&corev1.Container{Image: image}); got != want {
			t.Errorf("%s: %s", image, got)
		}
	}
}

func TestPhase(t *testing.T) {
	running := corev1.ContainerStatus{State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}
	waiting := corev1.ContainerStatus{State: corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{}}}
	over := func(code int32) corev1.ContainerStatus {
		return corev1.ContainerStatus{State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code}}}
	}
	looping := waiting
	looping.LastTerminationState = over(1).State
	type list []corev1.ContainerStatus
	for _, c := range []struct {
		name         string
		policy       corev1.RestartPolicy
		inits, mains list
		want         corev1.PodPhase
	}{
		{"new", corev1.RestartPolicyAlways, nil, list{waiting}, corev1.PodPending},
		{"init runs", corev1.RestartPolicyAlways, list{running}, list{waiting}, corev1.PodPending},
		{"init failed, to be repeated", corev1.RestartPolicyOnFailure, list{over(1)}, list{waiting}, corev1.PodPending},
		{"init failed for good", corev1.RestartPolicyNever, list{over(1)}, list{waiting}, corev1.PodFailed},
		{"one runs, one starts", corev1.RestartPolicyAlways, list{over(0)}, list{running, waiting}, corev1.PodPending},
		{"runs", corev1.RestartPolicyAlways, list{over(0)}, list{running}, corev1.PodRunning},
		{"crashes", corev1.RestartPolicyAlways, nil, list{looping}, corev1.PodRunning},
		{"one is over, one runs", corev1.RestartPolicyNever, nil, list{over(0), running}, corev1.PodRunning},
		{"all well", corev1.RestartPolicyNever, nil, list{over(0), over(0)}, corev1.PodSucceeded},
		{"one failed", corev1.RestartPolicyNever, nil, list{over(0), over(2)}, corev1.PodFailed},
		{"failed, to be repeated", corev1.RestartPolicyOnFailure, nil, list{over(2)}, corev1.PodRunning},
		{"well, to be repeated", corev1.RestartPolicyAlways, nil, list{over(0)}, corev1.PodRunning},
	} {
		if got := phaseOf(c.policy, c.inits, c.mains); got != c.want {
			t.Errorf("%s: %s, not %s", c.name, got, c.want)
		}
	}
}

func TestOutputIsBounded(t *testing.T) {
	var o output
	for i := range 100_000 {
		o.line(fmt.Sprintf("line %d %s", i, strings.Repeat("x", 40)))
	}
	if len(o.text) > 2*outputMost {
		t.Errorf("%d bytes", len(o.text))
	}
	if !strings.HasPrefix(string(o.text), "line ") || !strings.Contains(string(o.text), "line 99999 ") {
		t.Errorf("it begins %q", o.text[:20])
	}
	tail := o.tail()
	if n := strings.Count(tail, "\n"); n > messageLines || len(tail) > messageBytes || !strings.Contains(tail, "line 99999 ") {
		t.Errorf("%d lines, %d bytes", n, len(tail))
	}
	var short output
	for i := range 200 {
		short.line(fmt.Sprint(i))
	}
	if lines := strings.Fields(short.tail()); len(lines) != messageLines || lines[0] != "120" {
		t.Errorf("%d lines from %s", len(lines), lines[0])
	}
}

func TestAddresses(t *testing.T) {
	a := NewAddresses(3)
	seen := map[string]bool{}
	for range 253 {
		seen[a.take()] = true
	}
	if len(seen) != 253 || !seen["192.170.3.2"] || !seen["192.170.3.254"] || a.take() != "" {
		t.Errorf("%d addresses", len(seen))
	}
	a.giveBack("192.170.3.7")
	if got := a.take(); got != "192.170.3.7" {
		t.Errorf("%s", got)
	}
	if got := NewAddresses(300).CIDR(); got != "192.171.44.0/24" {
		t.Errorf("%s", got)
	}
}

func TestSecurity(t *testing.T) {
	user, yes := int64(167), true
	pod := testPod()
	pod.Spec.SecurityContext = &corev1.PodSecurityContext{RunAsUser: &user}
	pod.Spec.Volumes = []corev1.Volume{{Name: "dev", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/dev/"}}}}
	c := corev1.Container{VolumeMounts: []corev1.VolumeMount{{Name: "dev", MountPath: "/dev"}}, SecurityContext: &corev1.SecurityContext{
		Privileged: &yes, Capabilities: &corev1.Capabilities{Add: []corev1.Capability{"SYS_ADMIN"}},
	}}
	want := &host.Container{Privileged: true, RunAsUser: 167, HostDev: true, Capabilities: []string{"SYS_ADMIN"}}
	if d := cmp.Diff(want, security(pod, &c)); d != "" {
		t.Errorf("(-want +got):\n%s", d)
	}
	if got := security(testPod(), &corev1.Container{}); got.Privileged || got.HostDev {
		t.Errorf("%+v", got)
	}
}
