package mon

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// seedPass is the state in which the seed's pod was made.
func seedPass() *pass.Pass {
	return &pass.Pass{
		Cluster: &v1.CephCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph", UID: "u"},
			Spec: v1.ClusterSpec{
				CephVersion:     v1.CephVersionSpec{Image: "ceph/ceph:v13.2.3-20190410"},
				DataDirHostPath: "/var/lib/rook",
				Mon:             v1.MonSpec{Count: 1},
			},
		},
		Version:  ceph.Version{Major: 13, Minor: 2, Patch: 3},
		Identity: pass.Identity{FSID: "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b", Mons: map[string]pass.Mon{"a": seedMon()}},
	}
}

func seedMon() pass.Mon {
	return pass.Mon{
		Name: "a", Endpoint: "10.200.63.69:6789",
		Node: &pass.MonNode{Name: "master-node", Hostname: "master-node", Address: "192.168.72.106"},
	}
}

// seedPod is the seed's pod without what Kubernetes itself has put into it.
func seedPod(t *testing.T) corev1.Pod {
	t.Helper()
	text, err := os.ReadFile("testdata/seed-pod.yaml")
	if err != nil {
		t.Fatal(err)
	}
	var pod corev1.Pod
	if err := yaml.UnmarshalStrict(text, &pod); err != nil {
		t.Fatal(err)
	}
	pod.Spec.NodeName = ""
	pod.Spec.DeprecatedServiceAccount = ""
	pod.Spec.SchedulerName = ""
	pod.Spec.SecurityContext = nil
	pod.Spec.TerminationGracePeriodSeconds = nil
	pod.Spec.EnableServiceLinks = nil
	token := func(name string) bool { return strings.HasPrefix(name, "default-token-") }
	pod.Spec.Volumes = slices.DeleteFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return token(v.Name) })
	for _, c := range []*corev1.Container{&pod.Spec.InitContainers[0], &pod.Spec.Containers[0]} {
		c.TerminationMessagePath, c.TerminationMessagePolicy = "", ""
		c.SecurityContext.ProcMount = nil
		c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool { return token(m.Name) })
	}
	return pod
}

// The pod is the seed's, field by field and in its order (S111-S130).
func TestThePodIsTheSeeds(t *testing.T) {
	want := seedPod(t)
	template := deployment(seedPass(), seedMon()).Spec.Template
	if diff := cmp.Diff(want.Spec, template.Spec); diff != "" {
		t.Errorf("spec (-seed +got):\n%s", diff)
	}
	delete(want.Labels, "pod-template-hash")
	if diff := cmp.Diff(want.Labels, template.Labels); diff != "" {
		t.Errorf("labels (-seed +got):\n%s", diff)
	}
}

func TestTheDeploymentAroundThePod(t *testing.T) {
	p := seedPass()
	p.Cluster.Spec.Annotations = v1.Annotations{v1.Mon: {"a": "1"}}
	d := deployment(p, seedMon())
	if d.Name != "rook-ceph-mon-a" || d.Namespace != "rook-ceph" || *d.Spec.Replicas != 1 || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType {
		t.Errorf("%+v", d)
	}
	if d.Labels["ceph-version"] != "13.2.3" || d.Labels["rook-version"] == "" || d.Labels["mon"] != "a" {
		t.Errorf("labels %v", d.Labels)
	}
	if d.Annotations["a"] != "1" || d.Spec.Template.Annotations["a"] != "1" {
		t.Error("annotations are missing")
	}
}

func TestWhatMakesAPodDiffer(t *testing.T) {
	terms := &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{}}}}
	args := func(c corev1.Container) string { return strings.Join(c.Args, " ") }
	for name, c := range map[string]struct {
		change func(p *pass.Pass, m *pass.Mon)
		check  func(corev1.PodSpec) bool
	}{
		"14.2.1 has two flags more": {
			func(p *pass.Pass, _ *pass.Mon) { p.Version = ceph.Version{Major: 14, Minor: 2, Patch: 1} },
			func(s corev1.PodSpec) bool {
				return s.Containers[0].Args[6] == "--default-log-to-file=false" && s.InitContainers[0].Args[7] == "--default-mon-cluster-log-to-file=false"
			},
		},
		"a recorded port stands on both sides": {
			func(_ *pass.Pass, m *pass.Mon) { m.Endpoint = "10.200.63.69:6790" },
			func(s corev1.PodSpec) bool {
				return strings.HasSuffix(args(s.Containers[0]), " --public-addr=10.200.63.69:6790 --public-bind-addr=$(ROOK_POD_IP):6790") &&
					strings.Contains(args(s.InitContainers[0]), " --public-addr=10.200.63.69:6790 ") && s.Containers[0].Ports[0].ContainerPort == 6790
			},
		},
		"where there are two protocols the port's is named": {
			func(p *pass.Pass, m *pass.Mon) {
				p.Version, m.Endpoint = ceph.Version{Major: 14, Minor: 2}, "10.200.63.69:6790"
			},
			func(s corev1.PodSpec) bool {
				return strings.HasSuffix(args(s.Containers[0]), " --public-addr=v1:10.200.63.69:6790 --public-bind-addr=v1:$(ROOK_POD_IP):6790") &&
					strings.Contains(args(s.InitContainers[0]), " --public-addr=v1:10.200.63.69:6790 ") && s.Containers[0].Ports[0].ContainerPort == 6790
			},
		},
		"an IPv6 address": {
			func(_ *pass.Pass, m *pass.Mon) { m.Endpoint = "[fd00::1]:6789" },
			func(s corev1.PodSpec) bool { return strings.Contains(args(s.Containers[0]), "--public-addr=fd00::1 ") },
		},
		"a mon on the host network": {
			func(p *pass.Pass, m *pass.Mon) {
				p.Cluster.Spec.Network.HostNetwork = true
				m.Endpoint = "192.168.72.106:6789"
			},
			func(s corev1.PodSpec) bool {
				return s.HostNetwork && s.DNSPolicy == corev1.DNSClusterFirstWithHostNet
			},
		},
		"affinity to pods is left out": {
			func(p *pass.Pass, _ *pass.Mon) {
				p.Cluster.Spec.Placement = v1.Placements{v1.Mon: {NodeAffinity: terms, PodAffinity: &corev1.PodAffinity{}, PodAntiAffinity: &corev1.PodAntiAffinity{}, Tolerations: []corev1.Toleration{{Key: "t"}}}}
			},
			func(s corev1.PodSpec) bool {
				return cmp.Equal(s.Affinity, &corev1.Affinity{NodeAffinity: terms}) && len(s.Tolerations) == 1
			},
		},
		"resources hold for both containers": {
			func(p *pass.Pass, _ *pass.Mon) {
				p.Cluster.Spec.Resources = v1.Resources{v1.Mon: {Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse("2Gi")}}}
			},
			func(s corev1.PodSpec) bool {
				return len(s.Containers[0].Resources.Limits) == 1 && len(s.InitContainers[0].Resources.Limits) == 1
			},
		},
		"privileged where host paths need it": {
			func(p *pass.Pass, _ *pass.Mon) { p.Privileged = true },
			func(s corev1.PodSpec) bool {
				return *s.Containers[0].SecurityContext.Privileged && *s.InitContainers[0].SecurityContext.Privileged
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			p, m := seedPass(), seedMon()
			if c.check(deployment(p, m).Spec.Template.Spec) {
				t.Fatal("holds without the change")
			}
			c.change(p, &m)
			if spec := deployment(p, m).Spec.Template.Spec; !c.check(spec) {
				t.Errorf("%+v", spec)
			}
		})
	}
}

// A mon's address cannot change, so neither can its network (B10's kind).
func TestARecordedMonKeepsItsNetwork(t *testing.T) {
	p, m := seedPass(), seedMon()
	p.Cluster.Spec.Network.HostNetwork = true
	if deployment(p, m).Spec.Template.Spec.HostNetwork {
		t.Error("a mon with a service went to the host network")
	}
	p.Cluster.Spec.Network.HostNetwork = false
	m.Endpoint = "192.168.72.106:6789"
	if !deployment(p, m).Spec.Template.Spec.HostNetwork {
		t.Error("a mon of the host network left it")
	}
}

func TestTheService(t *testing.T) {
	p, m := seedPass(), seedMon()
	ports := func() (all []string) {
		for _, port := range service(p, m, "").Spec.Ports {
			all = append(all, port.Name, port.TargetPort.String())
		}
		return all
	}
	if diff := cmp.Diff([]string{"msgr1", "6789"}, ports()); diff != "" {
		t.Error(diff)
	}
	p.Version, m.Endpoint = ceph.Version{Major: 14}, "10.200.63.69:6790"
	if diff := cmp.Diff([]string{"msgr1", "6790", "msgr2", "3300"}, ports()); diff != "" {
		t.Error(diff)
	}
	s := service(p, m, "10.200.63.69")
	if s.Name != "rook-ceph-mon-a" || s.Spec.ClusterIP != "10.200.63.69" || !cmp.Equal(s.Spec.Selector, deployment(p, m).Spec.Template.Labels) {
		t.Errorf("%+v", s)
	}
}
