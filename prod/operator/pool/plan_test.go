package pool

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// asks is what a CephBlockPool "p" with that spec asks for.
func asks(t *testing.T, spec string) want {
	t.Helper()
	pool := &v1.CephBlockPool{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "p"}}
	if err := yaml.Unmarshal([]byte(spec), &pool.Spec); err != nil {
		t.Fatal(err)
	}
	w, err := wants(pool)
	if err != nil {
		t.Fatal(err)
	}
	return w
}

func rule(id int, name, item, domain string) ceph.CrushRule {
	return ceph.CrushRule{ID: id, Name: name, Steps: []ceph.CrushStep{{Op: "take", Item: item}, {Op: "chooseleaf_firstn", Type: domain}, {Op: "emit"}}}
}

// there is a pool "p" of three copies for rbd by the rule p_host.
func there(changes ...func(*seen)) seen {
	s := seen{
		pool: &ceph.Pool{
			ID: 1, Name: "p", Type: ceph.ReplicatedPool, Size: 3, MinSize: 2, CrushRule: 1, AutoscaleMode: "on",
			ApplicationMetadata: map[string]map[string]string{"rbd": {}},
		},
		rules:      []ceph.CrushRule{rule(0, "replicated_rule", "default", "osd"), rule(1, "p_host", "default", "host")},
		parameters: map[string]string{"min_size": "2"},
	}
	for _, change := range changes {
		change(&s)
	}
	return s
}

func chunks(s *seen) {
	s.pool.Type, s.pool.Size, s.pool.Flags = ceph.ErasurePool, 3, []string{"ec_overwrites"}
	s.profile = map[string]string{"k": "2", "m": "1", "crush-failure-domain": "host"}
}

func TestPlan(t *testing.T) {
	none := seen{rules: []ceph.CrushRule{rule(0, "replicated_rule", "default", "host")}}
	for name, c := range map[string]struct {
		spec   string
		seen   seen
		want   []action
		remark string
	}{
		"a new pool": {"replicated: {size: 3}", none, []action{
			{createRule, "p_host", "default host "}, {createReplicated, "p", "p_host"},
		}, ""},
		"a new pool in a place of its own": {"{replicated: {size: 3}, failureDomain: rack, crushRoot: north, deviceClass: ssd}", none, []action{
			{createRule, "p_north_rack_ssd", "north rack ssd"}, {createReplicated, "p", "p_north_rack_ssd"},
		}, ""},
		"a new pool whose rule is there": {"replicated: {size: 3}", there(func(s *seen) { s.pool = nil }), []action{{createReplicated, "p", "p_host"}}, ""},
		"a new pool of chunks": {"erasureCoded: {dataChunks: 2, codingChunks: 1}", none, []action{
			{createProfile, "p_ecprofile", ""}, {createErasure, "p", "p_ecprofile"},
		}, ""},
		"a new pool of chunks whose profile is there": {
			"erasureCoded: {dataChunks: 2, codingChunks: 1}",
			seen{profile: map[string]string{"k": "2", "m": "1", "crush-failure-domain": "host", "w": "8"}},
			[]action{{createErasure, "p", "p_ecprofile"}},
			"",
		},
		"all as asked": {"{replicated: {size: 3}, failureDomain: host, crushRoot: default}", there(), nil, ""},
		"more copies":  {"replicated: {size: 4}", there(), []action{{set, "size", "4"}}, ""},
		"one copy": {"replicated: {size: 1, requireSafeReplicaSize: false}", there(), []action{
			{set, "size", "1"}, {set, "min_size", "1"},
		}, ""},
		"a min_size of one's own":          {"{replicated: {size: 3}, parameters: {min_size: '1'}}", there(), []action{{set, "min_size", "1"}}, ""},
		"a parameter that is not set":      {"{replicated: {size: 3}, parameters: {compression_mode: force}}", there(), []action{{set, "compression_mode", "force"}}, ""},
		"a parameter to unset that is not": {"{replicated: {size: 3}, parameters: {target_size_ratio: '0.0'}}", there(), nil, ""},
		"a parameter in other words": {
			"{replicated: {size: 3}, parameters: {target_size_bytes: 1Gi, nodelete: '1'}}",
			there(func(s *seen) { s.parameters["target_size_bytes"], s.parameters["nodelete"] = "1073741824", "true" }), nil, "",
		},
		"placement groups that are the autoscaler's": {"{replicated: {size: 3}, parameters: {pg_num: '64'}}", there(func(s *seen) { s.parameters["pg_num"] = "32" }), nil, ""},
		"placement groups that are not": {
			"{replicated: {size: 3}, parameters: {pg_num: '64'}}",
			there(func(s *seen) { s.parameters["pg_num"], s.pool.AutoscaleMode = "32", "warn" }),
			[]action{{set, "pg_num", "64"}},
			"",
		},
		"quotas":                                {"{replicated: {size: 3}, quotas: {maxSize: 1Ki, maxObjects: 5}}", there(func(s *seen) { s.pool.QuotaObjects = 5 }), []action{{quota, "max_bytes", "1024"}}, ""},
		"a quota taken away":                    {"{replicated: {size: 3}, quotas: {maxObjects: 0}}", there(func(s *seen) { s.pool.QuotaObjects = 5 }), []action{{quota, "max_objects", "0"}}, ""},
		"a quota that the spec is silent about": {"replicated: {size: 3}", there(func(s *seen) { s.pool.QuotaBytes = 5 }), nil, ""},
		"a pool without application":            {"replicated: {size: 3}", there(func(s *seen) { s.pool.ApplicationMetadata = nil }), []action{{enable, "rbd", ""}}, ""},
		"Ceph's own pool": {
			"{name: .mgr, replicated: {size: 3}}",
			there(func(s *seen) {
				s.pool.Name, s.pool.ApplicationMetadata = ".mgr", map[string]map[string]string{"mgr": {}}
			}), nil, "",
		},
		"another failure domain": {"{replicated: {size: 3}, failureDomain: osd}", there(), nil, "set enableCrushUpdates to true"},
		"another failure domain, and leave to move": {"{replicated: {size: 3}, failureDomain: osd, enableCrushUpdates: true}", there(), []action{
			{createRule, "p_osd", "default osd "}, {set, "crush_rule", "p_osd"},
		}, ""},
		"another device class only": {
			"{replicated: {size: 3}, deviceClass: ssd, enableCrushUpdates: true}",
			there(func(s *seen) { s.rules[1] = rule(1, "p_host", "north", "rack") }),
			[]action{{createRule, "p_north_rack_ssd", "north rack ssd"}, {set, "crush_rule", "p_north_rack_ssd"}},
			"",
		},
		"chunks as asked": {"erasureCoded: {dataChunks: 2, codingChunks: 1}", there(chunks), nil, ""},
		"chunks that cannot be overwritten": {
			"erasureCoded: {dataChunks: 2, codingChunks: 1}", there(chunks, func(s *seen) { s.pool.Flags = nil }),
			[]action{{set, "allow_ec_overwrites", "true"}},
			"",
		},
		"chunks in another place": {"{erasureCoded: {dataChunks: 2, codingChunks: 1}, failureDomain: osd, enableCrushUpdates: true}", there(chunks), nil, "of an erasure coded pool is not changed"},
	} {
		t.Run(name, func(t *testing.T) {
			actions, remark, err := plan(asks(t, c.spec), c.seen)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, actions, cmp.AllowUnexported(action{})); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if (c.remark == "") != (remark == "") || !strings.Contains(remark, c.remark) {
				t.Errorf("it remarks %q, want %q", remark, c.remark)
			}
		})
	}
}

func TestPlanRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		spec, says string
		seen       seen
	}{
		"copies for chunks":         {"erasureCoded: {dataChunks: 2, codingChunks: 1}", "is replicated, which cannot change to erasure coded", there()},
		"chunks for copies":         {"replicated: {size: 3}", "is erasure coded", there(chunks)},
		"other chunks":              {"erasureCoded: {dataChunks: 4, codingChunks: 2}", "2 data and 1 coding chunks, which cannot change to 4 and 2", there(chunks)},
		"somebody else's pool":      {"replicated: {size: 3}", "used for cephfs, not rbd", there(func(s *seen) { s.pool.ApplicationMetadata = map[string]map[string]string{"cephfs": {}} })},
		"somebody else's rule":      {"replicated: {size: 3}", "the crush rule p_host is there and does something else", there(func(s *seen) { s.pool, s.rules[1] = nil, rule(1, "p_host", "default", "osd") })},
		"somebody else's profile":   {"erasureCoded: {dataChunks: 2, codingChunks: 1}", "has m=2, not 1", seen{profile: map[string]string{"k": "2", "m": "2", "crush-failure-domain": "host"}}},
		"a rule to move to, in use": {"{replicated: {size: 3}, failureDomain: osd, enableCrushUpdates: true}", "the crush rule p_osd is there", there(func(s *seen) { s.rules[0] = rule(0, "p_osd", "default", "host") })},
	} {
		t.Run(name, func(t *testing.T) {
			actions, _, err := plan(asks(t, c.spec), c.seen)
			var refused *pass.Refused
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) || len(actions) > 0 {
				t.Errorf("it plans %v, %v; want a refusal that says %q", actions, err, c.says)
			}
		})
	}
}
