package cluster

import (
	"fmt"
	"maps"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// NodeSpec says what a node is like. What it leaves out is filled in.
type NodeSpec struct {
	Name string
	// Hostname is what the machine calls itself and the label
	// kubernetes.io/hostname says; the name by default.
	Hostname string
	// Addr is the machine's IP address; 192.168.74.57 for the first by default,
	// and counted up.
	Addr   string
	Labels map[string]string
	Taints []corev1.Taint
	// CPU and Memory are what the node has for pods: "8" and "32Gi" by default.
	CPU, Memory string
	// Pods is how many pods it takes at most: 110 by default.
	Pods    int
	Devices []*host.Device
}

func (s *NodeSpec) complete(index int) {
	orElse := func(at *string, value string) {
		if *at == "" {
			*at = value
		}
	}
	orElse(&s.Hostname, s.Name)
	orElse(&s.Addr, fmt.Sprintf("192.168.%d.%d", 74+(index+57)/256, (index+57)%256))
	orElse(&s.CPU, "8")
	orElse(&s.Memory, "32Gi")
	if s.Pods == 0 {
		s.Pods = 110
	}
}

// object is the Node object, its status included.
func (s *NodeSpec) object(podCIDR string) *corev1.Node {
	labels := map[string]string{
		corev1.LabelHostname: s.Hostname, corev1.LabelOSStable: "linux", corev1.LabelArchStable: "amd64",
		"beta.kubernetes.io/os": "linux", "beta.kubernetes.io/arch": "amd64",
	}
	maps.Copy(labels, s.Labels)
	has := corev1.ResourceList{
		corev1.ResourceCPU: resource.MustParse(s.CPU), corev1.ResourceMemory: resource.MustParse(s.Memory),
		corev1.ResourcePods: *resource.NewQuantity(int64(s.Pods), resource.DecimalSI),
	}
	return &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: s.Name, Labels: labels},
		Spec:       corev1.NodeSpec{PodCIDR: podCIDR, PodCIDRs: []string{podCIDR}, Taints: s.Taints},
		Status: corev1.NodeStatus{
			Capacity: has, Allocatable: has.DeepCopy(),
			Addresses: []corev1.NodeAddress{
				{Type: corev1.NodeInternalIP, Address: s.Addr},
				{Type: corev1.NodeHostName, Address: s.Hostname},
			},
			NodeInfo: corev1.NodeSystemInfo{
				OperatingSystem: "linux", Architecture: "amd64", OSImage: "Ubuntu 22.04.4 LTS",
				KernelVersion: "5.15.0-105-generic", ContainerRuntimeVersion: "docker://24.0.7",
				KubeletVersion: "v1.30.0",
			},
		},
	}
}

// furnish puts onto a machine's disk what every Linux has.
func furnish(m *host.Machine) {
	for _, dir := range []string{"/dev", "/etc", "/proc", "/run/udev", "/sys", "/tmp", "/var/lib/kubelet", "/var/log"} {
		if err := m.Files.MkdirAll(dir, 0o755); err != nil {
			panic(fmt.Sprintf("cluster: an empty disk takes directories: %v", err))
		}
	}
	var nodes func([]*host.Device)
	nodes = func(devices []*host.Device) {
		for _, d := range devices {
			if err := m.Files.WriteFile("/dev/"+d.Name, nil, 0o660); err != nil {
				panic(fmt.Sprintf("cluster: device %q: %v", d.Name, err))
			}
			nodes(d.Partitions)
		}
	}
	nodes(m.Devices)
}
