package ceph_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/golden"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// replay has every program answer as in a golden.
func replay(t *testing.T, release, name string) *scripted {
	t.Helper()
	run, err := golden.Case(release, name)
	if err != nil {
		t.Fatal(err)
	}
	return script(map[string]answer{"": {stdout: string(run.Stdout), stderr: run.Stderr, code: run.ExitCode}})
}

// readers are the methods that read an answer, by the command's words.
var readers = map[string]func(context.Context, *ceph.Admin) (any, error){
	"mon_status":          func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MonStatus(ctx) },
	"quorum_status":       func(ctx context.Context, a *ceph.Admin) (any, error) { return a.QuorumStatus(ctx) },
	"mon dump":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MonDump(ctx) },
	"version":             func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MonVersion(ctx) },
	"status":              func(ctx context.Context, a *ceph.Admin) (any, error) { return a.Status(ctx) },
	"-s":                  func(ctx context.Context, a *ceph.Admin) (any, error) { return a.Status(ctx) },
	"health":              func(ctx context.Context, a *ceph.Admin) (any, error) { return a.Health(ctx) },
	"health detail":       func(ctx context.Context, a *ceph.Admin) (any, error) { return a.Health(ctx) },
	"fsid":                func(ctx context.Context, a *ceph.Admin) (any, error) { return a.FSID(ctx) },
	"auth get":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.AuthGet(ctx, "x") },
	"auth ls":             func(ctx context.Context, a *ceph.Admin) (any, error) { return a.AuthLs(ctx) },
	"config dump":         func(ctx context.Context, a *ceph.Admin) (any, error) { return a.ConfigDump(ctx) },
	"mgr dump":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MgrStat(ctx) },
	"mgr stat":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MgrStat(ctx) },
	"mgr module ls":       func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MgrModules(ctx) },
	"mgr services":        func(ctx context.Context, a *ceph.Admin) (any, error) { return a.MgrServices(ctx) },
	"osd tree":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDTree(ctx) },
	"osd dump":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDDump(ctx) },
	"osd stat":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDStat(ctx) },
	"osd ls":              func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDLs(ctx) },
	"osd df":              func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDDf(ctx) },
	"osd create":          func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDCreate(ctx, "u") },
	"osd pool ls":         func(ctx context.Context, a *ceph.Admin) (any, error) { return a.PoolNames(ctx) },
	"osd crush rule ls":   func(ctx context.Context, a *ceph.Admin) (any, error) { return a.CrushRules(ctx) },
	"versions":            func(ctx context.Context, a *ceph.Admin) (any, error) { return a.Versions(ctx) },
	"osd pool get":        func(ctx context.Context, a *ceph.Admin) (any, error) { return a.PoolGet(ctx, "lab1", "size") },
	"auth get-or-create":  nil, // auth get-or-create-key is what is used
	"config get":          func(ctx context.Context, a *ceph.Admin) (any, error) { return a.ConfigGet(ctx, "mon", "x") },
	"osd safe-to-destroy": func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDSafeToDestroy(ctx, 2) },
	"osd ok-to-stop":      func(ctx context.Context, a *ceph.Admin) (any, error) { return a.OSDOkToStop(ctx, 0, 2) },
	"fs dump":             func(ctx context.Context, a *ceph.Admin) (any, error) { return a.FSDump(ctx) },
	"auth get-or-create-key": func(ctx context.Context, a *ceph.Admin) (any, error) {
		return a.AuthGetOrCreateKey(ctx, "client.user-x")
	},
}

// reader finds the method for a golden's argv: that of its longest beginning.
func reader(argv []string) (func(context.Context, *ceph.Admin) (any, error), bool) {
	words := slices.DeleteFunc(slices.Clone(argv[1:]), func(word string) bool { return word == "--format" || word == "json" })
	for n := len(words); n > 0; n-- {
		read, ok := readers[strings.Join(words[:n], " ")]
		if ok && (n == len(words) || !takesNothing[strings.Join(words[:n], " ")]) {
			return read, read != nil
		}
	}
	return nil, false
}

// takesNothing are commands that are others with one more word.
var takesNothing = map[string]bool{"health": true, "osd pool ls": true, "mgr services": true, "config dump": true, "osd ls": true, "osd df": true}

// TestEveryGoldenIsRead reads each recorded answer of a command that the product
// uses; a failure must have a kind.
func TestEveryGoldenIsRead(t *testing.T) {
	read := 0
	for _, release := range golden.Releases() {
		v := map[string]ceph.Version{"mimic-13.2.3": mimic, "nautilus-14.2": nautilus, "pacific-16.2.15": pacific}[release]
		for _, name := range golden.Names(release) {
			run, err := golden.Case(release, name)
			if err != nil {
				t.Fatal(err)
			}
			isJSON := slices.Contains(run.Argv, "json")
			method, ok := reader(run.Argv)
			if run.Argv[0] != "ceph" || !ok || !isJSON {
				continue
			}
			read++
			got, err := method(t.Context(), replay(t, release, name).admin(v))
			failed := run.ExitCode != 0 && !strings.HasPrefix(name, "osd-ok-to-stop")
			if (err != nil) != failed && !strings.HasPrefix(name, "mon_status") {
				t.Errorf("%s/%s: %v", release, name, err)
			}
			if err == nil && reflect.ValueOf(got).Kind() != reflect.Bool && reflect.ValueOf(got).IsZero() {
				t.Errorf("%s/%s is read as nothing: %+v", release, name, got)
			}
		}
	}
	if read < 50 {
		t.Errorf("only %d goldens are read", read)
	}
}

// TestEveryFailureHasItsKind looks at the recorded failures of `ceph`.
func TestEveryFailureHasItsKind(t *testing.T) {
	want := map[string]error{
		"auth-add-different":                  ceph.ErrInvalid,
		"auth-caps-nosuch":                    ceph.ErrNotFound,
		"auth-get-nosuch":                     ceph.ErrNotFound,
		"auth-get-or-create-badcap":           ceph.ErrInvalid,
		"auth-get-or-create-different":        ceph.ErrInvalid,
		"cli-v-conf-missing":                  ceph.ErrFailed,
		"config-get-unknown":                  ceph.ErrNotFound,
		"config-set-badwho":                   ceph.ErrInvalid,
		"config-set-unknown":                  ceph.ErrInvalid,
		"malformed-key":                       ceph.ErrUnreachable,
		"missing-argument-out-file":           ceph.ErrInvalid,
		"missing-argument":                    ceph.ErrInvalid,
		"mgr-module-enable-nosuch":            ceph.ErrNotFound,
		"mon_status":                          ceph.ErrUnsupported,
		"mon3-noquorum-ping":                  ceph.ErrUnreachable,
		"mon3-noquorum-tell":                  ceph.ErrUnreachable,
		"no-conf-no-mon":                      ceph.ErrUnreachable,
		"osd-metadata-nosuch":                 ceph.ErrNotFound,
		"osd-ok-to-stop-degraded":             ceph.ErrBusy,
		"osd-pool-rm-nosure":                  ceph.ErrNotPermitted,
		"osd-purge-up":                        ceph.ErrBusy,
		"osd-safe-to-destroy-plain":           ceph.ErrBusy,
		"osd-setcrushmap-garbage":             ceph.ErrInvalid,
		"osd-setcrushmap-nofile":              ceph.ErrFailed,
		"restricted-user-denied-auth":         ceph.ErrNotPermitted,
		"unknown-command-out-file":            ceph.ErrUnsupported,
		"auth-get-key-nosuch-out-file":        ceph.ErrNotFound,
		"unknown-command":                     ceph.ErrUnsupported,
		"unknown-user":                        ceph.ErrNotPermitted,
		"unknown-user-with-key":               ceph.ErrNotPermitted,
		"unreachable-mon-timeout5":            ceph.ErrUnreachable,
		"wrong-key-timeout5":                  ceph.ErrNotPermitted,
		"osd-pool-application-disable-nosure": ceph.ErrNotPermitted,
	}
	kinds := []error{
		ceph.ErrNotFound, ceph.ErrExists, ceph.ErrBusy, ceph.ErrNotPermitted, ceph.ErrUnreachable,
		ceph.ErrInvalid, ceph.ErrNoSpace, ceph.ErrUnsupported, ceph.ErrGarbled, ceph.ErrFailed,
	}
	for name, kind := range want {
		if run, err := golden.Case("pacific-16.2.15", name); err != nil || run.ExitCode <= 0 {
			t.Errorf("%s is no recorded failure for %v: %v", name, kind, err)
		}
	}
	for _, name := range golden.Names("pacific-16.2.15") {
		run, err := golden.Case("pacific-16.2.15", name)
		if err != nil {
			t.Fatal(err)
		}
		if run.Argv[0] != "ceph" || run.ExitCode <= 0 {
			continue
		}
		_, err = replay(t, "pacific-16.2.15", name).admin(pacific).FSID(t.Context())
		var of []error
		for _, kind := range kinds {
			if errors.Is(err, kind) {
				of = append(of, kind)
			}
		}
		if len(of) != 1 || (want[name] != nil && of[0] != want[name]) {
			t.Errorf("%s (%d, %q) has the kinds %v, want %v", name, run.ExitCode, run.Stderr, of, want[name])
		}
		if !strings.Contains(err.Error(), "ceph fsid") {
			t.Errorf("%s: the error does not name the command: %v", name, err)
		}
	}
}

func TestGoldenMonStatus(t *testing.T) {
	a := replay(t, "mimic-13.2.3", "mon_status").admin(mimic)
	r, err := a.MonStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2019, 5, 23, 6, 47, 12, 870838000, time.UTC)
	want := ceph.MonStatusReport{
		Name: "a", Rank: 0, State: "leader", ElectionEpoch: 9, Quorum: []int{0},
		OutsideQuorum: []string{}, ExtraProbes: []ceph.Addrs{}, SyncProviders: []any{},
		MonMap: ceph.MonMap{
			Epoch: 1, FSID: "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b", Modified: ceph.Time{Time: created}, Created: ceph.Time{Time: created},
			Features: ceph.MonFlags{Persistent: []string{"kraken", "luminous", "mimic", "osdmap-prune"}, Optional: []string{}},
			Mons:     []ceph.MonInfo{{Rank: 0, Name: "a", Addr: "10.200.63.69:6789/0", PublicAddr: "10.200.63.69:6789/0"}},
		},
		Features: ceph.MonFeatures{
			RequiredCon: "144115738102218752", RequiredMon: []string{"kraken", "luminous", "mimic", "osdmap-prune"},
			QuorumCon: "4611087854031142907", QuorumMon: []string{"kraken", "luminous", "mimic", "osdmap-prune"},
		},
		FeaturesByType: map[string]ceph.ClientGroups{
			"mon":    {{Features: "0x3ffddff8ffa4fffb", Release: "luminous", Num: 1}},
			"osd":    {{Features: "0x3ffddff8ffa4fffb", Release: "luminous", Num: 2}},
			"client": {{Features: "0x27018fb86aa42ada", Release: "jewel", Num: 1}, {Features: "0x3ffddff8ffa4fffb", Release: "luminous", Num: 1}},
			"mgr":    {{Features: "0x3ffddff8ffa4fffb", Release: "luminous", Num: 1}},
		},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("it is\n%+v, want\n%+v", r, want)
	}
	q, err := a.Quorum(t.Context())
	if err != nil || !q.Has("a") || q.Has("b") || q.Leader != "a" || !q.Majority() {
		t.Errorf("the quorum is %+v, %v", q, err)
	}
	if got := q.MonMap.Mons[0]; got.Endpoint("v1") != "10.200.63.69:6789" || got.Endpoint("v2") != "" {
		t.Errorf("its endpoints are %q and %q", got.Endpoint("v1"), got.Endpoint("v2"))
	}
}

func TestGoldenQuorumStatus(t *testing.T) {
	r, err := replay(t, "nautilus-14.2", "quorum_status").admin(nautilus).QuorumStatus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	created := time.Date(2019, 5, 6, 19, 40, 19, 266161000, time.UTC)
	want := ceph.QuorumReport{
		ElectionEpoch: 3, Quorum: []int{0}, QuorumNames: []string{"a"}, QuorumLeaderName: "a", QuorumAge: 189,
		MonMap: ceph.MonMap{
			Epoch: 1, FSID: "9d6b7ae7-362c-45df-bb28-cfc8393a2edf", Modified: ceph.Time{Time: created}, Created: ceph.Time{Time: created},
			MinMonRelease: 14, MinMonReleaseName: "nautilus",
			Features: ceph.MonFlags{Persistent: []string{"kraken", "luminous", "mimic", "osdmap-prune", "nautilus"}, Optional: []string{}},
			Mons: []ceph.MonInfo{{
				Name:        "a",
				PublicAddrs: ceph.Addrs{{Type: "v2", Addr: "10.200.88.83:3300"}, {Type: "v1", Addr: "10.200.88.83:6789"}},
				Addr:        "10.200.88.83:6789/0", PublicAddr: "10.200.88.83:6789/0",
			}},
		},
	}
	if !reflect.DeepEqual(r, want) {
		t.Errorf("it is\n%+v, want\n%+v", r, want)
	}
}

func TestGoldenQuorumWithoutAMon(t *testing.T) {
	q, err := replay(t, "pacific-16.2.15", "mon3-c-down-quorum_status").admin(pacific).Quorum(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(q.Names(), []string{"a", "b"}) || q.Has("c") || q.Leader != "a" || len(q.MonMap.Mons) != 3 || !q.Majority() {
		t.Errorf("the quorum is %+v", q)
	}
	c, ok := q.MonMap.Mon("c")
	if !ok || c.Endpoint("v2") == "" || c.Endpoint("v1") == "" || !strings.HasSuffix(q.MonMap.Created.Format(time.RFC3339), "Z") || q.MonMap.Created.IsZero() {
		t.Errorf("mon c is %+v, the map was made %v", c, q.MonMap.Created)
	}
}

func TestGoldenVersions(t *testing.T) {
	for release, name := range map[string]string{"luminous-12.2.11": "ceph-fuse-version", "mimic-13.2.3": "version-plain", "pacific-16.2.15": "version-plain"} {
		run, err := golden.Case(release, name)
		if err != nil {
			t.Fatal(err)
		}
		v, err := ceph.ParseVersion(string(run.Stdout))
		if _, number, _ := strings.Cut(release, "-"); err != nil || v.Number() != number {
			t.Errorf("%s is read as %v, %v", release, v, err)
		}
	}
}

func TestGoldenStatus(t *testing.T) {
	s, err := replay(t, "pacific-16.2.15", "status").admin(pacific).Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if s.FSID != "ae45b5c5-60db-4338-b235-642ed55b515f" || s.Health.Status != "HEALTH_OK" || s.ElectionEpoch != 3 || !slices.Equal(s.QuorumNames, []string{"a"}) {
		t.Errorf("it is %+v", s)
	}
	if s.OSDs != (ceph.OSDCounts{Epoch: 18, NumOSD: 3, NumUp: 3, NumIn: 3}) || !s.Mgr.Available || s.Mgr.NumStandbys != 0 {
		t.Errorf("the OSDs are %+v, the mgr %+v", s.OSDs, s.Mgr)
	}
	if s.PGs.NumPGs != 16 || s.PGs.NumPools != 2 || s.PGs.BytesTotal != 3221225472 || !s.PGs.Clean() {
		t.Errorf("the PGs are %+v", s.PGs)
	}

	h, err := replay(t, "pacific-16.2.15", "health-degraded").admin(pacific).Health(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := ceph.HealthReport{Status: "HEALTH_WARN", Checks: map[string]ceph.HealthCheck{
		"OSD_DOWN":    {Severity: "HEALTH_WARN", Message: "1 osds down", Count: 1},
		"PG_DEGRADED": {Severity: "HEALTH_WARN", Message: "Degraded data redundancy: 11/44 objects degraded (25.000%), 3 pgs degraded", Count: 3},
	}}
	if !reflect.DeepEqual(h, want) || !slices.Equal(h.Codes(), []string{"OSD_DOWN", "PG_DEGRADED"}) {
		t.Errorf("it is %+v", h)
	}
}

func TestGoldenOSDs(t *testing.T) {
	m, err := replay(t, "pacific-16.2.15", "osd-dump").admin(pacific).OSDDump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if m.Epoch != 18 || m.RequireOSDRelease != "pacific" || !m.HasFlag("sortbitwise") || m.HasFlag("sort") || len(m.OSDs) != 3 || m.Blocklist == nil {
		t.Errorf("it is %+v", m)
	}
	if o := m.OSDs[0]; o.UUID != "0bf55df2-2f1b-405e-97ee-4364b071fcde" || o.Up != 1 || o.In != 1 || !slices.Equal(o.State, []string{"exists", "up"}) {
		t.Errorf("osd.0 is %+v", o)
	}
	if p := m.Pools[0]; p.ID != 1 || p.Name != "cephfs_metadata" || p.Size != 2 || p.MinSize != 1 || p.PGNum != 8 || p.ApplicationMetadata["cephfs"]["metadata"] != "cephfs" {
		t.Errorf("the first pool is %+v", p)
	}
	tree, err := replay(t, "pacific-16.2.15", "osd-tree-down").admin(pacific).OSDTree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	host, _ := tree.Node("vm")
	if osds := tree.OSDs(); len(osds) != 1 || osds[0].ID != 2 || osds[0].Status != "down" || host.Type != "host" || !slices.Equal(host.Children, []int{2}) {
		t.Errorf("it is %+v", tree)
	}
	use, err := replay(t, "pacific-16.2.15", "osd-df").admin(pacific).OSDDf(t.Context())
	if err != nil || len(use) != 3 || use[1].KBUsed != 297272 || use[1].PGs != 14 {
		t.Errorf("the use is %+v, %v", use, err)
	}
}

func TestGoldenKeyring(t *testing.T) {
	run, err := golden.Case("pacific-16.2.15", "auth-get-plain")
	if err != nil {
		t.Fatal(err)
	}
	key, err := ceph.ParseKeyring(run.Stdout)
	if err != nil || key.Reveal() != "AQBs2w1rAAAAABAAT8VfpOYAFm1b91xR2EWZ1w==" {
		t.Errorf("the key is %q, %v", key.Reveal(), err)
	}
	e, err := replay(t, "pacific-16.2.15", "auth-get").admin(pacific).AuthGet(t.Context(), "client.admin")
	if err != nil || e.Name != "client.admin" || e.Key != key || len(e.Caps) != 4 || e.Caps["mds"] != "allow *" {
		t.Errorf("the entity is %+v, %v", e, err)
	}
}

// An exit code alone does not say that something is missing: programs also exit
// with 2 for other reasons.
func TestOnlyTheClusterSaysThatSomethingIsMissing(t *testing.T) {
	for stderr, want := range map[string]error{"": ceph.ErrFailed, "usage: ceph [-h]": ceph.ErrFailed, "Error ENOENT: no such thing": ceph.ErrNotFound} {
		s := script(map[string]answer{"ceph": {code: 2, stderr: stderr}})
		if _, err := s.admin(pacific).AuthGet(t.Context(), "client.x"); !errors.Is(err, want) {
			t.Errorf("%q becomes %v", stderr, err)
		}
	}
}

func TestTheDoorsOwnFailuresHaveKinds(t *testing.T) {
	for cause, want := range map[error]error{exec.ErrTimeout: ceph.ErrUnreachable, exec.ErrOutput: ceph.ErrGarbled, exec.ErrNotStarted: ceph.ErrFailed} {
		s := script(map[string]answer{"ceph": {err: cause}})
		_, err := s.admin(pacific).FSID(t.Context())
		if !errors.Is(err, want) || !errors.Is(err, cause) {
			t.Errorf("%v becomes %v", cause, err)
		}
		s.clean(t)
	}
}
