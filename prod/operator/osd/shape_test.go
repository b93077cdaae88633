package osd_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

const fsid = "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"

// newPass is a pass over a nautilus cluster that uses everything.
func newPass() *pass.Pass {
	yes := true
	return &pass.Pass{
		Settings: pass.Settings{OperatorImage: "tidepool/tidepool-operator:v0.1.0"},
		Cluster: &v1.CephCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph", UID: "uid-1", Generation: 1},
			Spec: v1.ClusterSpec{
				CephVersion:     v1.CephVersionSpec{Image: "ceph/ceph:v14.2.0-20190410"},
				DataDirHostPath: "/var/lib/rook",
				Storage:         v1.StorageSpec{UseAllNodes: true, Selection: v1.Selection{UseAllDevices: &yes}},
			},
		},
		Version:  ceph.Version{Major: 14, Minor: 2, Patch: 0},
		Identity: pass.Identity{FSID: fsid},
	}
}

func limits(cpu string) corev1.ResourceRequirements {
	return corev1.ResourceRequirements{Limits: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse(cpu)}}
}

// decorated has placement, annotations, resources and the host's network.
func decorated() *pass.Pass {
	p := newPass()
	p.Version = ceph.Version{Major: 16, Minor: 2, Patch: 15}
	spec := &p.Cluster.Spec
	spec.CephVersion.Image = "ceph/ceph:v16.2.15"
	spec.Network.HostNetwork = true
	spec.Placement = v1.Placements{
		v1.All: {Tolerations: []corev1.Toleration{{Key: "storage-node", Operator: corev1.TolerationOpExists}}},
		v1.OSD: {NodeAffinity: &corev1.NodeAffinity{RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{
			NodeSelectorTerms: []corev1.NodeSelectorTerm{{MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: "role", Operator: corev1.NodeSelectorOpIn, Values: []string{"storage-node"}},
			}}},
		}}},
	}
	spec.Annotations = v1.Annotations{v1.All: {"team": "storage"}, v1.OSD: {"disk": "yes"}}
	spec.Resources = v1.Resources{v1.OSD: limits("2"), v1.PrepareOSD: limits("500m")}
	spec.Storage.UseAllNodes = false
	spec.Storage.Location = "rack=r1"
	spec.Storage.Nodes = []v1.Node{{Name: "n1.example.org", Resources: limits("4")}, {Name: "n2"}}
	return p
}

func TestDeployments(t *testing.T) {
	device := prepare.OSD{ID: 3, UUID: "11111111-2222-3333-4444-555555555555", Store: v1.Bluestore, Device: "sdb"}
	directory := prepare.OSD{ID: 0, UUID: "11111111-2222-3333-4444-555555555555", Store: v1.Filestore, Directory: "/var/lib/rook"}
	doortest.Golden(t, "deployment-device", osd.Deployment(newPass(), "n1", device))
	doortest.Golden(t, "deployment-directory", osd.Deployment(newPass(), "n1", directory))
	doortest.Golden(t, "deployment-decorated", osd.Deployment(decorated(), "n1.example.org", device))
}

func TestTheNodesResourcesWin(t *testing.T) {
	for node, want := range map[string]string{"n1.example.org": "4", "n2": "2", "no-longer-named": "2"} {
		d := osd.Deployment(decorated(), node, prepare.OSD{ID: 1, Device: "sdb"})
		if got := d.Spec.Template.Spec.Containers[0].Resources.Limits.Cpu().String(); got != want {
			t.Errorf("node %s: limit %s, want %s", node, got, want)
		}
	}
}

func TestJobs(t *testing.T) {
	for name, p := range map[string]*pass.Pass{"job": newPass(), "job-decorated": decorated()} {
		storage, ok := p.Cluster.Spec.Storage.Node("n2")
		if !ok {
			t.Fatal("n2 is no storage node")
		}
		storage.Directories = []v1.Directory{{Path: "/data/one/"}, {Path: "/data/two"}}
		doortest.Golden(t, name, osd.Job(p, prepare.Request{Node: "n2", FSID: fsid, Version: p.Version, Storage: storage}))
	}
}

func TestLocation(t *testing.T) {
	for written, want := range map[string]string{
		"":                          "root=default host=n1-example-org",
		"rack=r1":                   "root=default host=n1-example-org rack=r1",
		"root=fast, host=h, zone=z": "root=fast host=h zone=z",
	} {
		if got := osd.Location("n1.example.org", written); got != want {
			t.Errorf("%q: got %q, want %q", written, got, want)
		}
	}
}
