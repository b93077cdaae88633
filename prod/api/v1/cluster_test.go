package v1_test

import (
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestDashboard(t *testing.T) {
	tests := map[string]struct {
		dashboard v1.DashboardSpec
		ssl       bool
		port      int
	}{
		"nothing written":  {v1.DashboardSpec{}, true, 8443},
		"with SSL":         {v1.DashboardSpec{SSL: ptr.To(true)}, true, 8443},
		"without SSL":      {v1.DashboardSpec{SSL: ptr.To(false)}, false, 7000},
		"a port":           {v1.DashboardSpec{Port: 9000}, true, 9000},
		"a port, no SSL":   {v1.DashboardSpec{Port: 9000, SSL: ptr.To(false)}, false, 9000},
		"served elsewhere": {v1.DashboardSpec{Enabled: true, URLPrefix: "/ceph-dashboard"}, true, 8443},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.dashboard.UseSSL(); got != test.ssl {
				t.Errorf("SSL %v", got)
			}
			if got := test.dashboard.ServedPort(); got != test.port {
				t.Errorf("port %d, want %d", got, test.port)
			}
		})
	}
}

func TestNetworkIsHost(t *testing.T) {
	tests := map[string]struct {
		network v1.NetworkSpec
		want    bool
	}{
		"nothing written": {v1.NetworkSpec{}, false},
		"hostNetwork":     {v1.NetworkSpec{HostNetwork: true}, true},
		"provider host":   {v1.NetworkSpec{Provider: v1.NetworkProviderHost}, true},
		"provider multus": {v1.NetworkSpec{Provider: v1.NetworkProviderMultus}, false},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			if got := test.network.IsHost(); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestAddToScheme(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"CephCluster", "CephClusterList", "CephBlockPool", "CephBlockPoolList"} {
		if !scheme.Recognizes(v1.SchemeGroupVersion().WithKind(kind)) {
			t.Errorf("the scheme does not know %s", kind)
		}
	}
	if got := v1.SchemeGroupVersion().String(); got != "ceph.rook.io/v1" {
		t.Errorf("group version is %s", got)
	}
}
