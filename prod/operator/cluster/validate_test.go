package cluster

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func goodSpec() v1.ClusterSpec {
	return v1.ClusterSpec{
		CephVersion:     v1.CephVersionSpec{Image: "ceph/ceph:v13.2.3-20190410"},
		DataDirHostPath: "/var/lib/rook",
		Mon:             v1.MonSpec{Count: 3},
	}
}

func TestValidate(t *testing.T) {
	memory := func(limit string) v1.Resources {
		return v1.Resources{v1.Mon: {Limits: corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}}}
	}
	for name, c := range map[string]struct {
		change func(*v1.ClusterSpec)
		says   string
	}{
		"good":            {func(*v1.ClusterSpec) {}, ""},
		"no image":        {func(s *v1.ClusterSpec) { s.CephVersion.Image = "" }, "spec.cephVersion.image is empty"},
		"no path":         {func(s *v1.ClusterSpec) { s.DataDirHostPath = "" }, `spec.dataDirHostPath is ""`},
		"a relative path": {func(s *v1.ClusterSpec) { s.DataDirHostPath = "var/lib/rook" }, `spec.dataDirHostPath is "var/lib/rook"`},
		"the root":        {func(s *v1.ClusterSpec) { s.DataDirHostPath = "//" }, `spec.dataDirHostPath is "//"`},
		"two mons on a node of the host network": {
			func(s *v1.ClusterSpec) {
				s.Network.HostNetwork = true
				s.Mon.AllowMultiplePerNode = ptr.To(true)
			}, "refusing to deploy 3 mons with spec.mon.allowMultiplePerNode and spec.network.hostNetwork",
		},
		"today's word for the host network": {
			func(s *v1.ClusterSpec) {
				s.Network.Provider = v1.NetworkProviderHost
				s.Mon.AllowMultiplePerNode = ptr.To(true)
			}, "refusing to deploy 3 mons",
		},
		"one mon on the host network": {
			func(s *v1.ClusterSpec) {
				s.Network.HostNetwork = true
				s.Mon = v1.MonSpec{Count: 1, AllowMultiplePerNode: ptr.To(true)}
			}, "",
		},
		"too little memory": {func(s *v1.ClusterSpec) { s.Resources = memory("1023Mi") }, "spec.resources.mon.limits.memory is 1023Mi: a mon needs at least 1024Mi"},
		"just enough":       {func(s *v1.ClusterSpec) { s.Resources = memory("1Gi") }, ""},
		"bad filter":        {func(s *v1.ClusterSpec) { s.Storage.DeviceFilter = "sd[" }, `spec.storage.deviceFilter is "sd["`},
		"bad path filter of a node": {
			func(s *v1.ClusterSpec) {
				s.Storage.Nodes = []v1.Node{{Name: "n1", Selection: v1.Selection{DevicePathFilter: "("}}}
			}, `spec.storage.nodes[n1].devicePathFilter is "("`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			spec := goodSpec()
			c.change(&spec)
			refused := validate(spec)
			switch {
			case c.says == "" && refused != nil:
				t.Errorf("refused: %v", refused)
			case c.says != "" && (refused == nil || !strings.HasPrefix(refused.Message, c.says) || refused.Reason != v1.ReasonInvalidSpec):
				t.Errorf("got %+v", refused)
			}
		})
	}
}

func TestBesides(t *testing.T) {
	at := func(second int) metav1.Time {
		return metav1.NewTime(time.Date(2019, 5, 23, 7, 0, second, 0, time.UTC))
	}
	cluster := func(namespace, name string, created int, allDevices bool) v1.CephCluster {
		c := v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: name, UID: types.UID(namespace + name), CreationTimestamp: at(created)}}
		c.Spec.Storage.UseAllDevices = ptr.To(allDevices)
		return c
	}
	onNode := cluster("ns3", "c", 1, false)
	onNode.Spec.Storage.Nodes = []v1.Node{{Selection: v1.Selection{UseAllDevices: ptr.To(true)}}}
	for name, c := range map[string]struct {
		cluster v1.CephCluster
		others  []v1.CephCluster
		says    string
	}{
		"alone":                    {cluster("ns1", "a", 1, true), nil, ""},
		"another namespace":        {cluster("ns1", "a", 2, true), []v1.CephCluster{cluster("ns2", "b", 1, false)}, ""},
		"second in the namespace":  {cluster("ns1", "b", 2, false), []v1.CephCluster{cluster("ns1", "a", 1, false)}, "namespace ns1 already has the CephCluster a"},
		"first in the namespace":   {cluster("ns1", "b", 1, false), []v1.CephCluster{cluster("ns1", "a", 2, false)}, ""},
		"at once, by name":         {cluster("ns1", "b", 1, false), []v1.CephCluster{cluster("ns1", "a", 1, false)}, "namespace ns1"},
		"all devices twice":        {cluster("ns1", "a", 2, true), []v1.CephCluster{cluster("ns2", "b", 1, true)}, "using all devices in more than one namespace not supported"},
		"all devices, but earlier": {cluster("ns1", "a", 1, true), []v1.CephCluster{cluster("ns2", "b", 2, true)}, ""},
		"all devices of a node":    {cluster("ns1", "a", 2, true), []v1.CephCluster{onNode}, "using all devices in more than one namespace not supported"},
		"all devices, at once":     {cluster("ns2", "a", 1, true), []v1.CephCluster{cluster("ns1", "a", 1, true)}, "using all devices"},
	} {
		t.Run(name, func(t *testing.T) {
			refused := besides(&c.cluster, append(c.others, c.cluster))
			switch {
			case c.says == "" && refused != nil:
				t.Errorf("refused: %v", refused)
			case c.says != "" && (refused == nil || !strings.HasPrefix(refused.Message, c.says) || refused.Reason != v1.ReasonSecondCluster):
				t.Errorf("got %+v", refused)
			}
		})
	}
}
