package ceph_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

const someKey = "AQB6ZxVdEvKKHhAAN3Y8rbv9GM7CpNYWuU5ZkA=="

const monmap = `"monmap":{"epoch":1,"fsid":"f","modified":"2019-05-23 06:47:12.870838","created":"0.000000","mons":[{"rank":0,"name":"a","addr":"10.0.0.1:6789/0"}]}`

// TestCommands gives each method's command lines (S99) and, where it is simple,
// its result.
func TestCommands(t *testing.T) {
	ctx := context.Background()
	said := func(stdout string) answer { return answer{stdout: stdout} }
	for _, c := range []struct {
		name    string
		version ceph.Version
		answers map[string]answer
		call    func(a *ceph.Admin) (any, error)
		want    []string
		result  any
	}{
		{
			name: "mon_status up to nautilus (S95)", version: nautilus, answers: map[string]answer{"ceph mon_status": said(`{"name":"a","quorum":[0],` + monmap + `}`)},
			call:   func(a *ceph.Admin) (any, error) { q, err := a.Quorum(ctx); return q.Leader, err },
			want:   []string{"ceph mon_status" + flags("json", 1)},
			result: "a",
		},
		{
			name: "quorum_status from octopus on", version: octopus, answers: map[string]answer{"ceph quorum_status": said(`{"quorum":[0],"quorum_leader_name":"a",` + monmap + `}`)},
			call:   func(a *ceph.Admin) (any, error) { q, err := a.Quorum(ctx); return q.Leader, err },
			want:   []string{"ceph quorum_status" + flags("json", 1)},
			result: "a",
		},
		{
			name: "enable-msgr2 goes bare (S101)", version: nautilus,
			call: func(a *ceph.Admin) (any, error) { return nil, a.EnableMsgr2(ctx) },
			want: []string{"ceph mon enable-msgr2"},
		},
		{
			name: "the version that answers", version: mimic, answers: map[string]answer{"ceph version ": said(`{"version":"ceph version 13.2.3 (9bf3) mimic (stable)"}`)},
			call:   func(a *ceph.Admin) (any, error) { return a.MonVersion(ctx) },
			want:   []string{"ceph version" + flags("json", 1)},
			result: mimic,
		},
		{
			name: "all versions", version: mimic, answers: map[string]answer{"ceph versions": said(`{"mon":{"ceph version 13.2.3":1},"overall":{"ceph version 13.2.3":1}}`)},
			call:   func(a *ceph.Admin) (any, error) { v, err := a.Versions(ctx); return len(v.Mon), err },
			want:   []string{"ceph versions" + flags("json", 1)},
			result: 1,
		},
		{
			name: "the monmap", version: pacific, answers: map[string]answer{"ceph mon dump": said(strings.TrimPrefix(monmap, `"monmap":`))},
			call:   func(a *ceph.Admin) (any, error) { m, err := a.MonDump(ctx); return m.Mons[0].Endpoint("v1"), err },
			want:   []string{"ceph mon dump" + flags("json", 1)},
			result: "10.0.0.1:6789",
		},
		{
			name: "remove a mon", version: pacific,
			call: func(a *ceph.Admin) (any, error) { return nil, a.MonRemove(ctx, "b") },
			want: []string{"ceph mon remove b" + flags("json", 1)},
		},
		{
			name: "tunables (S103)", version: mimic,
			call: func(a *ceph.Admin) (any, error) { return nil, a.CrushTunables(ctx, ceph.InitialCrushProfile) },
			want: []string{"ceph osd crush tunables firefly" + flags("plain", 1)},
		},
		{
			name: "a crush map (S104, S105)", version: mimic,
			call: func(a *ceph.Admin) (any, error) { return nil, a.SetCrushMap(ctx, ceph.InitialCrushMap) },
			want: []string{"crushtool -c /tmp/1 -o /tmp/2", "ceph osd setcrushmap -i /tmp/2" + flags("json", 3)},
		},
		{
			name: "crush rules", version: mimic, answers: map[string]answer{"ceph": said(`["replicated_rule"]`)},
			call:   func(a *ceph.Admin) (any, error) { r, err := a.CrushRules(ctx); return strings.Join(r, ","), err },
			want:   []string{"ceph osd crush rule ls" + flags("json", 1)},
			result: "replicated_rule",
		},
		{
			name: "get or create a key", version: nautilus, answers: map[string]answer{"ceph": said(`{"key":"` + someKey + `"}`)},
			call: func(a *ceph.Admin) (any, error) {
				key, err := a.AuthGetOrCreateKey(ctx, "mgr.a", ceph.Cap{Type: "mon", Allow: "allow *"}, ceph.Cap{Type: "osd", Allow: "allow *"})
				return key.Reveal(), err
			},
			want:   []string{"ceph auth get-or-create-key mgr.a mon 'allow *' osd 'allow *'" + flags("json", 1)},
			result: someKey,
		},
		{
			name: "change caps", version: nautilus,
			call: func(a *ceph.Admin) (any, error) { return nil, a.AuthCaps(ctx, "client.admin", ceph.AdminCaps()...) },
			want: []string{"ceph auth caps client.admin mon 'allow *' osd 'allow *' mgr 'allow *' mds 'allow *'" + flags("json", 1)},
		},
		{
			name: "delete an entity that is not there", version: luminous, answers: map[string]answer{"ceph": {code: 2, stderr: "Error ENOENT: entity client.x does not exist"}},
			call: func(a *ceph.Admin) (any, error) { return nil, a.AuthDel(ctx, "client.x") },
			want: []string{"ceph auth del client.x" + flags("json", 1)},
		},
		{
			name: "set an option", version: pacific,
			call: func(a *ceph.Admin) (any, error) { return nil, a.ConfigSet(ctx, "mon", "mon_allow_pool_delete", "true") },
			want: []string{"ceph config set mon mon_allow_pool_delete true" + flags("json", 1)},
		},
		{
			name: "set a module's option", version: nautilus,
			call: func(a *ceph.Admin) (any, error) { return nil, a.ConfigSet(ctx, "mgr.a", "mgr/dashboard/ssl", "false") },
			want: []string{"ceph config set mgr.a mgr/dashboard/ssl false --force" + flags("json", 1)},
		},
		{
			name: "set a module's option on mimic", version: mimic,
			call: func(a *ceph.Admin) (any, error) { return nil, a.ConfigSet(ctx, "mgr", "mgr/dashboard/ssl", "false") },
			want: []string{"ceph config set mgr mgr/dashboard/ssl false" + flags("json", 1)},
		},
		{
			name: "set a module's option on luminous", version: luminous,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.ConfigSet(ctx, "mgr", "mgr/dashboard/server_port", "7000"), a.ConfigSet(ctx, "mgr.a", "mgr/dashboard/server_addr", "::"), a.ConfigRm(ctx, "mgr", "mgr/dashboard/server_port"))
			},
			want: []string{"ceph config-key set mgr/dashboard/server_port 7000" + flags("json", 1), "ceph config-key set mgr/dashboard/a/server_addr ::" + flags("json", 2), "ceph config-key rm mgr/dashboard/server_port" + flags("json", 3)},
		},
		{
			name: "get an option", version: pacific, answers: map[string]answer{"ceph": said("true\n")},
			call:   func(a *ceph.Admin) (any, error) { return a.ConfigGet(ctx, "mon", "mon_allow_pool_delete") },
			want:   []string{"ceph config get mon mon_allow_pool_delete" + flags("plain", 1)},
			result: "true",
		},
		{
			name: "get a module's option on luminous", version: luminous, answers: map[string]answer{"ceph": said("7000")},
			call:   func(a *ceph.Admin) (any, error) { return a.ConfigGet(ctx, "mgr", "mgr/dashboard/server_port") },
			want:   []string{"ceph config-key get mgr/dashboard/server_port" + flags("plain", 1)},
			result: "7000",
		},
		{
			name: "unset an option", version: pacific,
			call: func(a *ceph.Admin) (any, error) { return nil, a.ConfigRm(ctx, "mon", "x") },
			want: []string{"ceph config rm mon x" + flags("json", 1)},
		},
		{
			name: "the mgr, up to nautilus", version: nautilus, answers: map[string]answer{"ceph": said(`{"epoch":4,"available":true,"active_name":"a","standbys":[{"gid":1},{"gid":2}]}`)},
			call:   func(a *ceph.Admin) (any, error) { return a.MgrStat(ctx) },
			want:   []string{"ceph mgr dump" + flags("json", 1)},
			result: ceph.MgrState{Epoch: 4, Available: true, ActiveName: "a", NumStandby: 2},
		},
		{
			name: "modules", version: pacific, answers: map[string]answer{"ceph": said(`{}`)},
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.MgrModuleEnable(ctx, "prometheus"), a.MgrModuleDisable(ctx, "iostat"))
			},
			want: []string{"ceph mgr module enable prometheus --force" + flags("json", 1), "ceph mgr module disable iostat" + flags("json", 2)},
		},
		{
			name: "a new OSD", version: pacific, answers: map[string]answer{"ceph osd new": said(`{"osdid":0}`)},
			call:   func(a *ceph.Admin) (any, error) { return a.OSDNew(ctx, "u", secret.Value{}) },
			want:   []string{"ceph osd new u" + flags("json", 1)},
			result: 0,
		},
		{
			name: "a new OSD by the former command", version: luminous, answers: map[string]answer{"ceph osd create": said(`{"osdid":3}`)},
			call:   func(a *ceph.Admin) (any, error) { return a.OSDCreate(ctx, "u") },
			want:   []string{"ceph osd create u" + flags("json", 1)},
			result: 3,
		},
		{
			name: "places in the crush hierarchy", version: pacific, answers: map[string]answer{"ceph osd crush rm ": {code: 2, stderr: "Error ENOENT: device 'osd.1' does not appear in the crush map"}},
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.OSDCrushCreateOrMove(ctx, 1, 0.5, "root=default", "host=n1"), a.OSDCrushReweight(ctx, 1, 2), a.OSDCrushSetClass(ctx, 1, "ssd"), a.OSDCrushRemove(ctx, "osd.1"))
			},
			want: []string{
				"ceph osd crush create-or-move osd.1 0.5000 root=default host=n1" + flags("json", 1), "ceph osd crush reweight osd.1 2.0000" + flags("json", 2),
				"ceph osd crush rm-device-class osd.1" + flags("json", 3), "ceph osd crush set-device-class ssd osd.1" + flags("json", 4), "ceph osd crush rm osd.1" + flags("json", 5),
			},
		},
		{
			name: "OSDs come and go", version: pacific,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.OSDOut(ctx, 1, 2), a.OSDIn(ctx, 1), a.OSDPurge(ctx, 1), a.OSDSetFlag(ctx, "noout"), a.OSDUnsetFlag(ctx, "noout"))
			},
			want: []string{
				"ceph osd out osd.1 osd.2" + flags("json", 1), "ceph osd in osd.1" + flags("json", 2), "ceph osd purge 1 --yes-i-really-mean-it" + flags("json", 3),
				"ceph osd set noout" + flags("json", 4), "ceph osd unset noout" + flags("json", 5),
			},
		},
		{
			name: "safe to destroy", version: luminous,
			call:   func(a *ceph.Admin) (any, error) { return a.OSDSafeToDestroy(ctx, 1) },
			want:   []string{"ceph osd safe-to-destroy 1" + flags("plain", 1)},
			result: true,
		},
		{
			name: "not ok to stop", version: pacific, answers: map[string]answer{"ceph": {code: 16, stderr: "Error EBUSY: unsafe to stop osd(s)"}},
			call: func(a *ceph.Admin) (any, error) {
				answer, err := a.OSDOkToStop(ctx, 0, 1)
				return answer.Why, err
			},
			want:   []string{"ceph osd ok-to-stop 1" + flags("json", 1)},
			result: "unsafe to stop osd(s)",
		},
		{
			name: "shut a client out", version: pacific,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.OSDBlocklistAdd(ctx, "10.0.0.9:0/1"), a.OSDBlocklistRm(ctx, "10.0.0.9:0/1"))
			},
			want: []string{"ceph osd blocklist add 10.0.0.9:0/1" + flags("json", 1), "ceph osd blocklist rm 10.0.0.9:0/1" + flags("json", 2)},
		},
		{
			name: "shut a client out, up to octopus", version: octopus,
			call: func(a *ceph.Admin) (any, error) { return nil, a.OSDBlocklistAdd(ctx, "10.0.0.9:0/1") },
			want: []string{"ceph osd blacklist add 10.0.0.9:0/1" + flags("json", 1)},
		},
		{
			name: "crush rules in full", version: pacific, answers: map[string]answer{"ceph": said(`[{"rule_id":1,"rule_name":"r","steps":[{"op":"set_chooseleaf_tries","num":5},{"op":"take","item":-2,"item_name":"default~ssd"},{"op":"chooseleaf_firstn","num":0,"type":"host"},{"op":"emit"}]}]`)},
			call: func(a *ceph.Admin) (any, error) {
				rules, err := a.CrushRuleDump(ctx)
				if err != nil {
					return nil, err
				}
				root, class, domain, ok := rules[0].Placement()
				return fmt.Sprint(rules[0].ID, rules[0].Name, root, class, domain, ok), nil
			},
			want: []string{"ceph osd crush rule dump" + flags("json", 1)}, result: "1rdefaultssdhosttrue",
		},
		{
			name: "make and remove crush rules", version: mimic,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.CrushRuleCreateReplicated(ctx, "r", "default", "host", ""), a.CrushRuleCreateReplicated(ctx, "s", "default", "osd", "ssd"), a.CrushRuleRemove(ctx, "r"))
			},
			want: []string{
				"ceph osd crush rule create-replicated r default host" + flags("json", 1),
				"ceph osd crush rule create-replicated s default osd ssd" + flags("json", 2),
				"ceph osd crush rule rm r" + flags("json", 3),
			},
		},
		{
			name: "erasure code profiles", version: mimic, answers: map[string]answer{"ceph osd erasure-code-profile get": said(`{"k":"2","m":"1","plugin":"jerasure"}`)},
			call: func(a *ceph.Admin) (any, error) {
				profile, err := a.ErasureProfile(ctx, "e")
				return profile["m"], errors.Join(err, a.ErasureProfileSet(ctx, "e", map[string]string{"m": "1", "k": "2"}), a.ErasureProfileRemove(ctx, "e"))
			},
			want: []string{
				"ceph osd erasure-code-profile get e" + flags("json", 1),
				"ceph osd erasure-code-profile set e k=2 m=1" + flags("json", 2),
				"ceph osd erasure-code-profile rm e" + flags("json", 3),
			}, result: "1",
		},
		{
			name: "pools of chunks, and quotas", version: mimic,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.PoolCreateErasure(ctx, "p", 8, "e"), a.PoolSetQuota(ctx, "p", ceph.QuotaMaxBytes, 1<<30), a.PoolSetQuota(ctx, "p", ceph.QuotaMaxObjects, 0))
			},
			want: []string{
				"ceph osd pool create p 8 8 erasure e" + flags("json", 1),
				"ceph osd pool set-quota p max_bytes 1073741824" + flags("json", 2),
				"ceph osd pool set-quota p max_objects 0" + flags("json", 3),
			},
		},
		{
			name: "a pool of Ceph's own before quincy", version: pacific,
			call: func(a *ceph.Admin) (any, error) { return nil, a.PoolCreate(ctx, ".mgr", 8, "") },
			want: []string{"ceph osd pool create .mgr 8 8 replicated" + flags("json", 1)},
		},
		{
			name: "a pool of Ceph's own from quincy on", version: tentacle,
			call: func(a *ceph.Admin) (any, error) {
				return nil, errors.Join(a.PoolCreate(ctx, ".mgr", 8, "r"), a.PoolCreateErasure(ctx, ".nfs", 8, "e"), a.PoolCreate(ctx, "p", 8, "r"))
			},
			want: []string{
				"ceph osd pool create .mgr 8 8 replicated r --yes-i-really-mean-it" + flags("json", 1),
				"ceph osd pool create .nfs 8 8 erasure e --yes-i-really-mean-it" + flags("json", 2),
				"ceph osd pool create p 8 8 replicated r" + flags("json", 3),
			},
		},
		{
			name: "what pools hold", version: pacific, answers: map[string]answer{"ceph": said(`{"stats":{},"pools":[{"name":"p","id":3,"stats":{"stored":10,"objects":2,"bytes_used":30}}]}`)},
			call:   func(a *ceph.Admin) (any, error) { uses, err := a.PoolUses(ctx); return fmt.Sprint(uses), err },
			want:   []string{"ceph df" + flags("json", 1)},
			result: "[{3 p 2}]",
		},
		{
			name: "pools", version: pacific, answers: map[string]answer{"ceph osd pool get": said(`{"pool":"p","pool_id":1,"size":3}`)},
			call: func(a *ceph.Admin) (any, error) {
				size, err := a.PoolGet(ctx, "p", "size")
				return size, errors.Join(err, a.PoolCreate(ctx, "p", 8, ""), a.PoolCreate(ctx, "q", 8, "rule"), a.PoolSet(ctx, "p", "size", "1", true), a.PoolSet(ctx, "p", "size", "2", false), a.PoolEnable(ctx, "p", "rbd"), a.PoolDelete(ctx, "p"))
			},
			want: []string{
				"ceph osd pool get p size" + flags("json", 1), "ceph osd pool create p 8 8 replicated" + flags("json", 2), "ceph osd pool create q 8 8 replicated rule" + flags("json", 3),
				"ceph osd pool set p size 1 --yes-i-really-mean-it" + flags("json", 4), "ceph osd pool set p size 2" + flags("json", 5),
				"ceph osd pool application enable p rbd --yes-i-really-mean-it" + flags("json", 6), "ceph osd pool rm p p --yes-i-really-really-mean-it" + flags("json", 7),
			},
			result: "3",
		},
		{
			name: "the dashboard's certificate", version: mimic,
			call: func(a *ceph.Admin) (any, error) { return nil, a.DashboardCreateCert(ctx) },
			want: []string{"ceph dashboard create-self-signed-cert" + flags("json", 1)},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := script(c.answers)
			got, err := c.call(s.admin(c.version))
			if err != nil {
				t.Fatal(err)
			}
			if got != c.result {
				t.Errorf("the result is %v, want %v", got, c.result)
			}
			sameLines(t, s.lines(), c.want)
			s.clean(t)
		})
	}
}

func TestWhatAReleaseLacks(t *testing.T) {
	ctx := t.Context()
	for name, c := range map[string]struct {
		version ceph.Version
		call    func(a *ceph.Admin) error
	}{
		"mon_status":    {octopus, func(a *ceph.Admin) error { _, err := a.MonStatus(ctx); return err }},
		"enable-msgr2":  {mimic, func(a *ceph.Admin) error { return a.EnableMsgr2(ctx) }},
		"config dump":   {luminous, func(a *ceph.Admin) error { _, err := a.ConfigDump(ctx); return err }},
		"debug_ms":      {luminous, func(a *ceph.Admin) error { return a.ConfigSet(ctx, "mon", "debug_ms", "1") }},
		"debug_osd":     {luminous, func(a *ceph.Admin) error { _, err := a.ConfigGet(ctx, "osd", "debug_osd"); return err }},
		"debug_mgr":     {luminous, func(a *ceph.Admin) error { return a.ConfigRm(ctx, "mgr", "debug_mgr") }},
		"self-signed":   {luminous, func(a *ceph.Admin) error { return a.DashboardCreateCert(ctx) }},
		"login-credent": {luminous, func(a *ceph.Admin) error { return a.DashboardSetLogin(ctx, "admin", secret.New("x")) }},
	} {
		s := script(nil)
		err := c.call(s.admin(c.version))
		if !errors.Is(err, ceph.ErrUnsupported) || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), c.version.String()) {
			t.Errorf("%s: the error is %v", name, err)
		}
		if len(s.ran) > 0 {
			t.Errorf("%s: it runs %v", name, s.lines())
		}
	}
}

func TestTheDashboardsLogin(t *testing.T) {
	exists := answer{code: 17, stderr: "Error EEXIST: User 'admin' already exists"}
	for _, c := range []struct {
		version ceph.Version
		answers map[string]answer
		want    []string
		inputs  string
	}{
		{mimic, nil, []string{"ceph dashboard set-login-credentials admin ***stripped***" + flags("plain", 1)}, ""},
		{nautilus, nil, []string{"ceph dashboard ac-user-create admin ***stripped*** administrator" + flags("plain", 1)}, ""},
		{nautilus, map[string]answer{"ceph dashboard ac-user-create": exists}, []string{
			"ceph dashboard ac-user-create admin ***stripped*** administrator" + flags("plain", 1),
			"ceph dashboard ac-user-set-password admin ***stripped***" + flags("plain", 2),
		}, ""},
		{pacific, map[string]answer{"ceph dashboard ac-user-create": exists}, []string{
			"ceph dashboard ac-user-create admin -i /tmp/1 administrator" + flags("plain", 2),
			"ceph dashboard ac-user-set-password admin -i /tmp/1" + flags("plain", 3),
		}, "p4ss word,p4ss word"},
	} {
		s := script(c.answers)
		if err := s.admin(c.version).DashboardSetLogin(t.Context(), "admin", secret.New("p4ss word")); err != nil {
			t.Errorf("%v: %v", c.version, err)
		}
		sameLines(t, s.lines(), c.want)
		if got := strings.Join(s.inputs, ","); got != c.inputs {
			t.Errorf("%v: the input is %q", c.version, got)
		}
		s.clean(t)
	}

	s := script(map[string]answer{"ceph": {code: 22, stderr: "Error EINVAL: p4ss word is too weak"}})
	err := s.admin(mimic).DashboardSetLogin(t.Context(), "admin", secret.New("p4ss word"))
	if !errors.Is(err, ceph.ErrInvalid) || strings.Contains(err.Error(), "p4ss") {
		t.Errorf("a refusal is %v", err)
	}
}

func TestInputsAreReadableByTheOwnerAlone(t *testing.T) {
	s := script(map[string]answer{"ceph osd new": {stdout: `{"osdid":1}`}})
	if _, err := s.admin(pacific).OSDNew(t.Context(), "u", secret.New(someKey)); err != nil {
		t.Fatal(err)
	}
	sameLines(t, s.lines(), []string{"ceph osd new u -i /tmp/1" + flags("json", 2)})
	if s.inputs[0] != `{"cephx_secret":"`+someKey+`"}` || s.modes[0] != 0o600 {
		t.Errorf("the input is %s with mode %v", s.inputs[0], s.modes[0])
	}
	s.clean(t)

	s = script(nil)
	s.unwritable = fs.ErrPermission
	if _, err := s.admin(pacific).OSDNew(t.Context(), "u", secret.New(someKey)); !errors.Is(err, fs.ErrPermission) || len(s.ran) > 0 {
		t.Errorf("without a place for the input it runs %v, %v", s.lines(), err)
	}
}

func TestACrushMapThatDoesNotCompile(t *testing.T) {
	s := script(map[string]answer{"crushtool": {code: 1, stderr: "/tmp/1:2 error: parse error at 'nonsense here'\n"}})
	err := s.admin(mimic).SetCrushMap(t.Context(), "nonsense")
	if !errors.Is(err, ceph.ErrInvalid) || !strings.Contains(err.Error(), "parse error at 'nonsense here'") {
		t.Errorf("the error is %v", err)
	}
	sameLines(t, s.lines(), []string{"crushtool -c /tmp/1 -o /tmp/2"})
	s.clean(t)
}

func TestTheInitialCrushMap(t *testing.T) {
	for _, line := range []string{"tunable chooseleaf_vary_r 1", "type 0 osd", "type 10 root", "root default {", "alg straw\n", "rule replicated_ruleset {"} {
		if !strings.Contains(ceph.InitialCrushMap, line) {
			t.Errorf("it lacks %q", line)
		}
	}
	if n := strings.Count(ceph.InitialCrushMap, "\ntype "); n != 11 {
		t.Errorf("it has %d types", n)
	}
}
