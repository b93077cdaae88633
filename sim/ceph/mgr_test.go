package ceph_test

import (
	"slices"
	"strings"
	"testing"
	"time"
)

type mgrStat struct {
	Available  bool
	ActiveName string `json:"active_name"`
	NumStandby int    `json:"num_standby"`
}

func (w *storage) mgrStat() mgrStat {
	w.t.Helper()
	var s mgrStat
	w.ceph(&s, "mgr", "stat")
	return s
}

func TestAStandbyTakesOver(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	w.mgr("b")
	if got := w.mgrStat(); got != (mgrStat{true, "a", 1}) {
		t.Fatalf("mgr stat %+v", got)
	}
	w.groups["mgr.a"].Kill()
	w.loop.RunFor(25 * time.Second)
	if got := w.mgrStat(); got != (mgrStat{true, "a", 1}) {
		t.Errorf("25s after SIGKILL: %+v", got)
	}
	w.loop.RunFor(20 * time.Second)
	if got := w.mgrStat(); got != (mgrStat{true, "b", 0}) {
		t.Errorf("45s after SIGKILL: %+v", got)
	}
	w.ceph(nil, "mgr", "fail", "b")
	if got := w.mgrStat(); got.ActiveName != "" {
		t.Errorf("after mgr fail: %+v", got)
	}
	w.mgr("a")
	if got := w.mgrStat(); got != (mgrStat{true, "a", 1}) { // the one that was failed starts anew
		t.Errorf("after mgr.a came back: %+v", got)
	}
}

func TestWithoutManager(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	w.osd(1)
	w.groups["mgr.a"].Kill()
	w.loop.RunFor(40 * time.Second)
	r := w.run(w.machines[0], "", "ceph", "osd", "df")
	if r.done {
		t.Errorf("a command of the manager ended with %d: %s", r.code, r.stderr)
	}
	if h := w.health(); !strings.Contains(h, "HEALTH_ERR") || !strings.Contains(h, "MGR_DOWN: no active mgr") {
		t.Errorf("health ten minutes later: %s", h)
	}
}

func TestModulesServe(t *testing.T) {
	for version, c := range map[string]struct{ login, url string }{
		"13.2.3":  {"dashboard set-login-credentials admin secret", "https://10.0.0.1:8443/"},
		"14.2.0":  {"dashboard set-login-credentials admin secret", "https://10.0.0.1:8443/"},
		"14.2.22": {"dashboard ac-user-create admin -i /tmp/password administrator", "https://10.0.0.1:8443/"},
		"15.2.9":  {"dashboard ac-user-create admin secretsecret administrator", "https://10.0.0.1:8443/"},
		"16.2.15": {"dashboard ac-user-create admin -i /tmp/password administrator", "https://10.0.0.1:8443/"},
		"20.2.0":  {"dashboard ac-user-create admin -i /tmp/password administrator", "https://10.0.0.1:8443/"},
	} {
		t.Run(version, func(t *testing.T) {
			w := newStorage(t, version, "", 1)
			w.mgr("a")
			w.ceph(nil, "mgr", "module", "enable", "prometheus")
			w.ceph(nil, "mgr", "module", "enable", "dashboard", "--force")
			w.loop.RunFor(10 * time.Second)
			w.ceph(nil, "dashboard", "create-self-signed-cert")
			w.write(w.machines[0], "/tmp/password", "secretsecret")
			w.ceph(nil, strings.Fields(c.login)...)
			var services map[string]string
			w.loop.RunFor(10 * time.Second)
			w.ceph(&services, "mgr", "services")
			if services["dashboard"] != c.url {
				t.Errorf("a dashboard that got its certificate after its start: services %v", services)
			}
			w.ceph(nil, "mgr", "module", "disable", "dashboard")
			w.ceph(nil, "mgr", "module", "enable", "dashboard", "--force")
			w.loop.RunFor(10 * time.Second)
			w.ceph(&services, "mgr", "services")
			if services["dashboard"] != c.url || services["prometheus"] != "http://10.0.0.1:9283/" {
				t.Errorf("services %v", services)
			}
			var modules struct {
				Enabled []string `json:"enabled_modules"`
			}
			w.ceph(&modules, "mgr", "module", "ls")
			if !slices.Contains(modules.Enabled, "dashboard") {
				t.Errorf("enabled modules %v", modules.Enabled)
			}
		})
	}
}

func TestRBDMirrorIsInTheServiceMap(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	w.mgr("a")
	m := w.machines[1]
	w.write(m, "/etc/ceph/keyring", w.must(w.machines[0], "ceph", "auth", "get-or-create", "client.rbd-mirror.a", "mon", "profile rbd-mirror", "osd", "profile rbd"))
	w.daemon(m, "rbd-mirror.a", "rbd-mirror", "--keyring=/etc/ceph/keyring", "--name=client.rbd-mirror.a", "--foreground")
	daemons := func() int {
		var status struct {
			ServiceMap struct {
				Services map[string]struct{ Daemons map[string]any }
			} `json:"servicemap"`
		}
		w.ceph(&status, "status")
		return len(status.ServiceMap.Services["rbd-mirror"].Daemons)
	}
	w.loop.RunFor(10 * time.Second)
	if n := daemons(); n != 2 { // and "summary"
		t.Errorf("%d daemons", n)
	}
	w.groups["rbd-mirror.a"].Kill()
	w.loop.RunFor(90 * time.Second)
	if n := daemons(); n != 0 {
		t.Errorf("90s after SIGKILL there are %d daemons", n)
	}
}

func TestAManagerWithoutKeyEnds(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	for name, text := range map[string]string{
		"none": "", "unknown": "[mgr.z]\n\tkey = AQBs2w1rAAAAABAA7zbqIaSv+/rixWtxPWNMaA==\n", "malformed": "[mgr.z]\n\tkey = x\n",
	} {
		if text != "" {
			w.write(w.machines[0], "/var/lib/ceph/mgr/ceph-z/keyring", text)
		}
		if r := w.run(w.machines[0], "", "ceph-mgr", "-f", "-i", "z"); r.code != 1 || !strings.Contains(r.stderr, "failed to fetch mon config") {
			t.Errorf("%s: ended %v with %d: %s", name, r.done, r.code, r.stderr)
		}
	}
}
