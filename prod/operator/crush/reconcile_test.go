package crush

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

var (
	luminous = ceph.Version{Major: 12, Minor: 2, Patch: 11}
	mimic    = ceph.Version{Major: 13, Minor: 2, Patch: 3}
)

func newPass(w *doortest.World, v ceph.Version, osds, rules string) *pass.Pass {
	w.Programs["crushtool"] = func([]string) (string, error) { return "", nil }
	w.Programs["ceph"] = func(args []string) (string, error) {
		answer := "{}"
		switch strings.Join(args[:min(3, len(args))], " ") {
		case "osd ls --connect-timeout=15":
			answer = osds
		case "osd crush rule":
			answer = rules
		}
		return "", w.Files.WriteFile(args[slices.Index(args, "--out-file")+1], []byte(answer), 0o600)
	}
	p := &pass.Pass{
		Doors: w.Doors(), Version: v,
		Cluster: &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"}},
	}
	p.Ceph = ceph.NewAdmin(p.Exec, p.Files, p.IDs, ceph.Conn{Cluster: "rook-ceph", Conf: "/c", Keyring: "/k"}, v)
	return p
}

// short are the commands without flags and paths.
func short(commands []string) []string {
	var all []string
	for _, c := range commands {
		c, _, _ = strings.Cut(c, " --")
		c, _, _ = strings.Cut(c, " -i ")
		c, _, _ = strings.Cut(c, " -c ")
		all = append(all, c)
	}
	return all
}

func TestTheInitialMap(t *testing.T) {
	guard := func(value string) client.Object {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: ConfigName}, Data: map[string]string{createdKey: value}}
	}
	looks := []string{"ceph osd ls", "ceph osd crush rule ls"}
	installs := append(slices.Clone(looks), "ceph osd crush tunables firefly", "crushtool", "ceph osd setcrushmap")
	for name, c := range map[string]struct {
		version     ceph.Version
		objects     []client.Object
		osds, rules string
		commands    []string
		guarded     bool
	}{
		"a new mimic cluster":       {mimic, nil, "[]", `["replicated_rule"]`, installs, true},
		"a new luminous cluster":    {luminous, nil, "[]", `["replicated_rule"]`, installs, true},
		"an empty guard":            {mimic, []client.Object{guard("")}, "[]", `[]`, installs, true},
		"a crash before the guard":  {mimic, nil, "[]", `["replicated_ruleset"]`, installs, true},
		"done already":              {mimic, []client.Object{guard("1")}, "[]", "[]", nil, true},
		"OSDs, and the guard lost":  {mimic, nil, "[0,1]", `["replicated_ruleset"]`, looks, true},
		"a rule of one's own":       {mimic, nil, "[]", `["replicated_rule","ssd"]`, looks, true},
		"nautilus keeps Ceph's own": {ceph.Version{Major: 14}, nil, "[]", "[]", nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, c.objects...)
			p := newPass(w, c.version, c.osds, c.rules)
			for range 2 { // the second pass does nothing more
				if err := Reconcile(t.Context(), p); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(c.commands, short(w.Commands)); diff != "" {
				t.Errorf("commands (-want +got):\n%s", diff)
			}
			var cm corev1.ConfigMap
			err := w.Kube.Get(t.Context(), client.ObjectKey{Namespace: "rook-ceph", Name: ConfigName}, &cm)
			if c.guarded && (err != nil || cm.Data[createdKey] != "1") || !c.guarded && err == nil {
				t.Errorf("guard %v, %v", cm.Data, err)
			}
			if len(w.Files) > 0 {
				t.Errorf("files are left: %v", w.Files)
			}
		})
	}
}

func TestAFailureLeavesNoGuard(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w, mimic, "[]", "[]")
	w.Programs["crushtool"] = func([]string) (string, error) { return "", doortest.Exit(1, "bad map") }
	if err := Reconcile(t.Context(), p); !errors.Is(err, ceph.ErrInvalid) || len(w.Writes) > 0 {
		t.Errorf("got %v, %v", err, w.Writes)
	}
}
