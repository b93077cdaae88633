package mgr_test

import (
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/mgr"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestShapes(t *testing.T) {
	p := &pass.Pass{
		Cluster: &v1.CephCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph", UID: "uid-1"},
			Spec: v1.ClusterSpec{
				CephVersion: v1.CephVersionSpec{Image: "ceph/ceph:v13.2.3-20190410"}, DataDirHostPath: "/var/lib/rook",
			},
		},
		Version:  ceph.Version{Major: 13, Minor: 2, Patch: 3},
		Identity: pass.Identity{FSID: "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"},
	}
	doortest.Golden(t, "deployment", mgr.Deployment(p))
	doortest.Golden(t, "service-metrics", mgr.MetricsService("rook-ceph"))
	doortest.Golden(t, "service-dashboard", mgr.DashboardService("rook-ceph", v1.DashboardSpec{Enabled: true}))

	p.Cluster.Spec.Dashboard = v1.DashboardSpec{Enabled: true, Port: 8080}
	p.Version = ceph.Version{Major: 14, Minor: 2, Patch: 1}
	for name, c := range map[string]struct {
		written v1.Annotations
		want    map[string]string
	}{
		"by default":   {nil, map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9283"}},
		"the mgr's":    {v1.Annotations{v1.Mgr: {"a": "b"}}, map[string]string{"a": "b"}},
		"those of all": {v1.Annotations{v1.All: {"a": "b"}}, map[string]string{"a": "b"}},
	} {
		p.Cluster.Spec.Annotations = c.written
		d := mgr.Deployment(p)
		for _, got := range []map[string]string{d.Annotations, d.Spec.Template.Annotations} {
			if len(got) != len(c.want) {
				t.Errorf("%s: annotations %v, want %v", name, got, c.want)
			}
			for key, value := range c.want {
				if got[key] != value {
					t.Errorf("%s: annotations %v, want %v", name, got, c.want)
				}
			}
		}
	}
	ports := mgr.Deployment(p).Spec.Template.Spec.Containers[0].Ports
	if last := ports[len(ports)-1]; last.Name != "dashboard" || last.ContainerPort != 8080 {
		t.Errorf("ports %v", ports)
	}
}
