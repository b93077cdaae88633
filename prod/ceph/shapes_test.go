package ceph_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// The answers below have the shapes of releases of which there is no recording,
// as the sources of those releases print them.

func says(stdout string) *scripted { return script(map[string]answer{"ceph": {stdout: stdout}}) }

func TestStatusUpToNautilus(t *testing.T) {
	s, err := says(`
{"fsid":"f","health":{"checks":{"TOO_FEW_PGS":{"severity":"HEALTH_WARN","summary":{"message":"too few PGs per OSD (4 < min 30)"}}},"status":"HEALTH_WARN",
"summary":[{"severity":"HEALTH_WARN","summary":"'ceph health' JSON format has changed in luminous."}],"overall_status":"HEALTH_ERR"},
"election_epoch":9,"quorum":[0,1],"quorum_names":["a","b"],` + monmap + `,"osdmap":{"osdmap":{"epoch":18,"num_osds":3,"num_up_osds":2,"num_in_osds":3,"full":false,"nearfull":false,"num_remapped_pgs":1}},
"pgmap":{"pgs_by_state":[{"state_name":"active+clean","count":4},{"state_name":"active+undersized","count":4}],"num_pgs":8,"num_pools":1,"bytes_total":10},
"fsmap":{"epoch":1,"by_rank":[],"up:standby":0,"up:standby":1},
"mgrmap":{"epoch":5,"active_gid":4100,"active_name":"a","active_addr":"10.0.0.1:6800/1","available":true,"standbys":[{"gid":4101,"name":"b"}],"modules":["dashboard"],"services":{"dashboard":"https://n1:8443/"}},
"servicemap":{"epoch":2,"modified":"2019-05-23 06:47:12.870838","services":{"rbd-mirror":{"daemons":{"summary":"","4110":{"start_epoch":2,"gid":4110},"4109":{}}}}}}`).admin(mimic).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.OSDs != (ceph.OSDCounts{Epoch: 18, NumOSD: 3, NumUp: 2, NumIn: 3, NumRemapped: 1}) || s.PGs.Clean() {
		t.Errorf("the OSDs are %+v, the PGs %+v", s.OSDs, s.PGs)
	}
	if s.Health.Status != "HEALTH_WARN" || !slices.Equal(s.Health.Codes(), []string{"TOO_FEW_PGS"}) {
		t.Errorf("the health is %+v", s.Health)
	}
	if s.Mgr.ActiveName != "a" || s.Mgr.NumStandbys != 1 || s.Mgr.Services["dashboard"] != "https://n1:8443/" {
		t.Errorf("the mgr is %+v", s.Mgr)
	}
	if !slices.Equal(s.Services.Daemons["rbd-mirror"], []string{"4109", "4110"}) {
		t.Errorf("the services are %+v", s.Services)
	}
}

func TestHealthBeforeChecks(t *testing.T) {
	h, err := says(`{"health":{"health_services":[]},"summary":[{"severity":"HEALTH_WARN","summary":"64 pgs degraded"}],"overall_status":"HEALTH_WARN","detail":[]}`).admin(luminous).Health(t.Context())
	want := ceph.HealthReport{Status: "HEALTH_WARN", Checks: map[string]ceph.HealthCheck{"64 pgs degraded": {Severity: "HEALTH_WARN", Message: "64 pgs degraded"}}}
	if err != nil || !reflect.DeepEqual(h, want) {
		t.Errorf("it is %+v, %v", h, err)
	}
}

func TestHealthWithDetailAndMutes(t *testing.T) {
	h, err := says(`{"status":"HEALTH_OK","checks":{"OSD_DOWN":{"severity":"HEALTH_WARN","summary":{"message":"1 osds down","count":1},"detail":[{"message":"osd.2 is down"}],"muted":true}},"mutes":[{"code":"OSD_DOWN","sticky":false,"summary":"1 osds down","count":1}]}`).admin(tentacle).Health(t.Context())
	check := h.Checks["OSD_DOWN"]
	if err != nil || !slices.Equal(h.Mutes, []string{"OSD_DOWN"}) || !check.Muted || !slices.Equal(check.Details, []string{"osd.2 is down"}) {
		t.Errorf("it is %+v, %v", h, err)
	}
}

func TestMonStatusOfLuminousAndNautilus(t *testing.T) {
	r, err := says(`{"name":"a","rank":0,"quorum":[0],"extra_probe_peers":["10.0.0.2:6789/0"],"sync_provider":[],` + monmap + `,
"feature_map":{"mon":{"group":{"features":"0x3f","release":"luminous","num":1}},"client":{"group":{"features":"0x27","release":"jewel","num":2},"group":{"features":"0x3f","release":"luminous","num":3}}}}`).admin(luminous).MonStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if c := r.FeaturesByType["client"]; len(c) != 2 || c[0].Num != 2 || c[1].Num != 3 || len(r.FeaturesByType["mon"]) != 1 {
		t.Errorf("the features are %+v", r.FeaturesByType)
	}
	if !reflect.DeepEqual(r.ExtraProbes, []ceph.Addrs{{{Type: "v1", Addr: "10.0.0.2:6789"}}}) {
		t.Errorf("the peers are %+v", r.ExtraProbes)
	}
	r, err = says(`{"name":"a","rank":-1,"quorum":[],"extra_probe_peers":[{"addrvec":[{"type":"v2","addr":"10.0.0.2:3300","nonce":7}]}],` + monmap + `}`).admin(nautilus).MonStatus(t.Context())
	if err != nil || !reflect.DeepEqual(r.ExtraProbes, []ceph.Addrs{{{Type: "v2", Addr: "10.0.0.2:3300", Nonce: 7}}}) {
		t.Errorf("the peers are %+v, %v", r.ExtraProbes, err)
	}
}

func TestAMonWithoutTheFirstProtocol(t *testing.T) {
	m := ceph.MonInfo{Name: "a", PublicAddrs: ceph.Addrs{{Type: "v2", Addr: "[fd00::1]:3300"}}, Addr: "[fd00::1]:3300/0"}
	if m.Endpoint("v2") != "[fd00::1]:3300" || m.Endpoint("v1") != "" {
		t.Errorf("the endpoints are %q and %q", m.Endpoint("v2"), m.Endpoint("v1"))
	}
}

func TestModulesUpToMimicAndAfter(t *testing.T) {
	for stdout, want := range map[string]ceph.Modules{
		`{"enabled_modules":["balancer","status"],"disabled_modules":["dashboard","prometheus"]}`:                                                      {Enabled: []string{"balancer", "status"}, Disabled: []string{"dashboard", "prometheus"}},
		`{"always_on_modules":["balancer"],"enabled_modules":["iostat"],"disabled_modules":[{"name":"dashboard","can_run":true,"module_options":{}}]}`: {AlwaysOn: []string{"balancer"}, Enabled: []string{"iostat"}, Disabled: []string{"dashboard"}},
	} {
		m, err := says(stdout).admin(mimic).MgrModules(t.Context())
		if err != nil || !reflect.DeepEqual(m, want) || !m.On("balancer") || m.On("dashboard") {
			t.Errorf("%s is read as %+v, %v", stdout, m, err)
		}
	}
}

func TestTheOSDMapUpToOctopus(t *testing.T) {
	m, err := says(`{"epoch":5,"fsid":"f","created":"2019-05-23 06:47:12.870838","modified":"2019-05-23 06:47:12.870838","flags":"","pools":[{"pool":1,"pool_name":"p","size":3}],"osds":[],"blacklist":{"10.0.0.9:0/1":"2019-05-23 07:47:12.870838"}}`).admin(octopus).OSDDump(t.Context())
	if err != nil || m.Blocklist["10.0.0.9:0/1"] == "" || m.Pools[0].ID != 1 || m.HasFlag("noout") || m.Created.Year() != 2019 {
		t.Errorf("it is %+v, %v", m, err)
	}
}
