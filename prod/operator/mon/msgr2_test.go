package mon

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestMsgr2(t *testing.T) {
	one, two := map[string]int{"14": 1}, map[string]int{"14": 1, "13": 2}
	for name, c := range map[string]struct {
		image, running ceph.Version
		versions       map[string]int
		enabled        bool
		port           string
		fails          map[string]error
		commands       []string
		err            string
		status         metav1.ConditionStatus
		again          bool
	}{
		"mimic has none":           {image: mimic, running: mimic, commands: nil},
		"enabled when all can":     {image: nautilus, running: nautilus, versions: one, commands: []string{"version", "versions", "mon enable-msgr2"}, status: metav1.ConditionTrue},
		"on already":               {image: nautilus, running: nautilus, versions: one, enabled: true, commands: nil, status: metav1.ConditionTrue},
		"mons still mimic":         {image: nautilus, running: mimic, versions: one, commands: []string{"version"}, status: metav1.ConditionFalse, again: true},
		"mons of two versions":     {image: nautilus, running: nautilus, versions: two, commands: []string{"version", "versions"}, status: metav1.ConditionFalse, again: true},
		"a mon on another port":    {image: nautilus, running: nautilus, versions: one, port: "6790", commands: nil, status: metav1.ConditionFalse},
		"it fails and goes on":     {image: nautilus, running: nautilus, versions: one, fails: map[string]error{"mon enable-msgr2": doortest.Exit(1, "boom")}, commands: []string{"version", "versions", "mon enable-msgr2"}, status: metav1.ConditionFalse, again: true},
		"version cannot be asked":  {image: nautilus, running: nautilus, fails: map[string]error{"version": doortest.Exit(1, "boom")}, commands: []string{"version"}, err: "failed to get ceph mon version. "},
		"versions cannot be asked": {image: nautilus, running: nautilus, fails: map[string]error{"versions": doortest.Exit(1, "boom")}, commands: []string{"version", "versions"}, err: "failed to get ceph daemons versions. "},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSea(t, c.image, 1, nodes("n1")...)
			s.msgr2 = true
			s.up("a")
			s.msgr2, s.running, s.versions, s.fails = c.enabled, c.running, c.versions, c.fails
			if c.port != "" {
				cm := doortest.Get(t, s.World, "rook-ceph", identity.EndpointsName, &corev1.ConfigMap{})
				cm.Data["data"] = "a=10.200.0.1:" + c.port
				if err := s.Kube.Update(t.Context(), cm); err != nil {
					t.Fatal(err)
				}
				s.cluster.Status.Conditions = nil
				s.waits("mon a to be back in quorum")
				s.Commands = nil
			}
			s.cluster.Status.Conditions = nil
			p := &pass.Pass{Doors: s.Doors(), Settings: pass.Settings{ConfigDir: "/var/lib/rook", EtcCephDir: "/etc/ceph"}, Cluster: s.cluster, Version: c.image}
			if err := identity.Reconcile(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			p.Cluster.Spec.HealthCheck.DaemonHealth.Mon.Disabled = true // which looks again as well
			err := Reconcile(t.Context(), p)
			if (err != nil) != (c.err != "") || err != nil && !strings.HasPrefix(err.Error(), c.err) {
				t.Fatalf("got %v", err)
			}
			var commands []string
			for _, line := range s.Commands[1:] { // the first asks for the quorum
				line, _, _ = strings.Cut(strings.TrimPrefix(line, "ceph "), " --")
				commands = append(commands, line)
			}
			if diff := cmp.Diff(c.commands, commands); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			var status metav1.ConditionStatus
			if found := apimeta.FindStatusCondition(s.cluster.Status.Conditions, v1.ConditionMsgr2Enabled); found != nil {
				status = found.Status
			}
			if status != c.status || (p.Again() > 0) != c.again {
				t.Errorf("condition %q, again %v", status, p.Again())
			}
		})
	}
}

func TestInsecureClientsAreForbiddenWhereNobodyNeedsThem(t *testing.T) {
	const allowed, used = "AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED", "AUTH_INSECURE_GLOBAL_ID_RECLAIM"
	for name, c := range map[string]struct {
		checks []string
		config []map[string]string
		want   string
	}{
		"all well":             {nil, nil, ""},
		"allowed":              {[]string{allowed}, nil, "mon auth_allow_insecure_global_id_reclaim false"},
		"allowed and used":     {[]string{allowed, used}, nil, ""},
		"as a person wants it": {[]string{allowed}, []map[string]string{{"section": "mon", "name": "auth_allow_insecure_global_id_reclaim", "value": "true"}}, "mon auth_allow_insecure_global_id_reclaim true"},
	} {
		t.Run(name, func(t *testing.T) {
			s := newSea(t, octopus, 1, nodes("n1")...)
			s.msgr2 = true
			s.up("a")
			s.config = c.config
			s.cluster.Status.Ceph = &v1.CephStatus{Details: map[string]v1.HealthCheck{}}
			for _, code := range c.checks {
				s.cluster.Status.Ceph.Details[code] = v1.HealthCheck{}
			}
			for range 2 {
				s.done()
			}
			var got []string
			for _, o := range s.config {
				got = append(got, o["section"]+" "+o["name"]+" "+o["value"])
			}
			if strings.Join(got, "\n") != c.want {
				t.Errorf("config %q", got)
			}
		})
	}
}
