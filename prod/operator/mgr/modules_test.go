package mgr

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

func on(modules ...string) ceph.Modules { return ceph.Modules{Enabled: modules} }

func TestPlanModules(t *testing.T) {
	enabled, disabled := v1.DashboardSpec{Enabled: true}, v1.DashboardSpec{}
	port := []option{{"mgr/dashboard/server_port", "8443"}, {"mgr/dashboard/url_prefix", ""}}
	for name, c := range map[string]struct {
		on        ceph.Modules
		differing []option
		spec      v1.DashboardSpec
		want      []string
	}{
		"a new cluster":             {on("restful"), port, enabled, []string{"enable prometheus", "set mgr/dashboard/server_port 8443", "unset mgr/dashboard/url_prefix", "enable dashboard"}},
		"as it should be":           {on("dashboard", "prometheus"), nil, enabled, nil},
		"other options":             {on("dashboard", "prometheus"), port[:1], enabled, []string{"disable dashboard", "set mgr/dashboard/server_port 8443", "enable dashboard"}},
		"cut off between the two":   {on("prometheus"), nil, enabled, []string{"enable dashboard"}},
		"not wanted":                {on("dashboard", "prometheus"), nil, disabled, []string{"disable dashboard"}},
		"not wanted and not there":  {on("prometheus"), nil, disabled, nil},
		"always on counts as on":    {ceph.Modules{AlwaysOn: []string{"prometheus"}}, nil, disabled, nil},
		"only prometheus is absent": {on(), nil, disabled, []string{"enable prometheus"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, change := range planModules(c.on, c.differing, c.spec) {
				text := change.Do + " " + change.Module + change.Option.Name
				if change.Do == "set" {
					text += " " + change.Option.Value
				}
				got = append(got, text)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestSettings: what S6 asks for, in the options that each release has.
func TestSettings(t *testing.T) {
	no := false
	luminous, mimic, nautilus := ceph.Version{Major: 12}, ceph.Version{Major: 13}, ceph.Version{Major: 14}
	for name, c := range map[string]struct {
		spec    v1.DashboardSpec
		version ceph.Version
		want    string
	}{
		"nautilus":             {v1.DashboardSpec{}, nautilus, "url_prefix= ssl=true server_port=8443 ssl_server_port=8443 "},
		"nautilus without SSL": {v1.DashboardSpec{SSL: &no}, nautilus, "url_prefix= ssl=false server_port=7000 "},
		"mimic":                {v1.DashboardSpec{URLPrefix: "/ceph-dashboard", Port: 8080}, mimic, "url_prefix=/ceph-dashboard ssl=true server_port=8080 "},
		"luminous":             {v1.DashboardSpec{Port: 8080}, luminous, "url_prefix= server_port=8080 "},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, o := range settings(c.spec, c.version) {
				got += fmt.Sprintf("%s=%s ", o.Name[len("mgr/dashboard/"):], o.Value)
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
	current := map[string]string{"mgr/dashboard/ssl": "true", "mgr/dashboard/server_port": "7000"}
	got := planSettings(current, settings(v1.DashboardSpec{}, mimic))
	if diff := cmp.Diff([]option{{"mgr/dashboard/server_port", "8443"}}, got); diff != "" {
		t.Errorf("differing (-want +got):\n%s", diff)
	}
}
