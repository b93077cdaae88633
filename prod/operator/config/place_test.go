package config_test

import (
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func newPass(w *doortest.World) *pass.Pass {
	return &pass.Pass{
		Doors:    w.Doors(),
		Settings: pass.Settings{ConfigDir: "/var/lib/rook", EtcCephDir: "/etc/ceph", LogLevel: "INFO"},
		Cluster:  &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"}},
		Version:  nautilus,
		Identity: pass.Identity{FSID: facts(nautilus).FSID, Mons: facts(nautilus).Mons},
	}
}

func TestTheOverrideIsMadeOnceAndLeftToThePerson(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	if err := config.EnsureOverride(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	cm := doortest.Get(t, w, "rook-ceph", config.OverrideName, &corev1.ConfigMap{})
	if text, ok := cm.Data["config"]; !ok || text != "" || len(cm.Data) != 1 {
		t.Errorf("data %v", cm.Data)
	}
	if ref := cm.OwnerReferences[0]; ref.APIVersion != "ceph.rook.io/v1" || ref.Name != "my-ceph" || ref.UID != "u" || ref.Controller != nil || !*ref.BlockOwnerDeletion {
		t.Errorf("owner %v", ref)
	}
	cm.Data["config"] = "[global]\nx = 1\n"
	if err := w.Kube.Update(t.Context(), cm); err != nil {
		t.Fatal(err)
	}
	w.Writes = nil
	if err := config.EnsureOverride(t.Context(), p); err != nil || len(w.Writes) > 0 {
		t.Error(err, w.Writes)
	}
	w.Refuse = func(string, client.Object, string) error { return errors.New("no") }
	if err := config.EnsureOverride(t.Context(), p); err == nil || !strings.HasPrefix(err.Error(), "failed to create override configmap rook-ceph. ") {
		t.Error(err)
	}
}

func TestStore(t *testing.T) {
	for name, c := range map[string]struct {
		override, has string
		complains     bool
	}{
		"a person's settings win": {"[global]\nosd_pool_default_size = 3\n", "osd pool default size     = 3\n", false},
		"bad ones only warn":      {"osd_pool_default_size = 3\n", "osd pool default size     = 1\n", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, &corev1.ConfigMap{
				ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: config.OverrideName},
				Data:       map[string]string{"config": c.override},
			})
			p := newPass(w)
			for range 2 {
				if err := config.Store(context.Background(), p); err != nil {
					t.Fatal(err)
				}
			}
			if len(w.Writes) != 2 {
				t.Errorf("writes %v", w.Writes)
			}
			cm := doortest.Get(t, w, "rook-ceph", "rook-ceph-config", &corev1.ConfigMap{})
			if !strings.Contains(cm.Data["ceph.conf"], c.has) {
				t.Errorf("ceph.conf:\n%s", cm.Data["ceph.conf"])
			}
			secret := doortest.Get(t, w, "rook-ceph", "rook-ceph-config", &corev1.Secret{})
			if string(secret.Data["mon_host"]) != "v1:10.200.33.128:6789" || string(secret.Data["mon_initial_members"]) != "a" {
				t.Errorf("%s", secret.Data)
			}
			warned := len(w.Reported) == 1 && strings.HasPrefix(w.Reported[0], "Warning OverrideIgnored")
			if warned != c.complains {
				t.Errorf("events %v", w.Reported)
			}
		})
	}
}

// readOnly are files of which /etc/ceph cannot be written.
type readOnly struct{ doortest.Files }

func (f readOnly) WriteFile(name string, data []byte, mode fs.FileMode) error {
	if strings.HasPrefix(name, "/etc/ceph/") {
		return &fs.PathError{Op: "write", Path: name, Err: fs.ErrPermission}
	}
	return f.Files.WriteFile(name, data, mode)
}

func TestACopyThatCannotBeWrittenIsAWarning(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	p.Files = readOnly{w.Files}
	if err := config.WriteFiles(t.Context(), p, nil); err != nil {
		t.Fatal(err)
	}
	if len(w.Lines) != 1 || !strings.HasPrefix(w.Lines[0], "W failed to copy ceph config to /etc/ceph. ") {
		t.Errorf("%v", w.Lines)
	}
}

func TestTheOperatorsFilesAreWritten(t *testing.T) {
	w := doortest.New(t)
	p := newPass(w)
	if err := config.WriteFiles(t.Context(), p, []byte("[client.admin]\n")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{"/var/lib/rook/rook-ceph/rook-ceph.config", "/etc/ceph/ceph.conf"} {
		if !strings.HasPrefix(string(w.Files[path].Data), "[global]\nfsid ") {
			t.Errorf("%s: %s", path, w.Files[path].Data)
		}
	}
	if f := w.Files["/var/lib/rook/rook-ceph/client.admin.keyring"]; string(f.Data) != "[client.admin]\n" || f.Mode != 0o600 {
		t.Errorf("keyring %v", f)
	}
}
