package mirror_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/mirror"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func newPass(w *doortest.World, workers int) *pass.Pass {
	doors, version := w.Doors(), ceph.Version{Major: 14, Minor: 2}
	return &pass.Pass{
		Doors: doors, Version: version,
		Cluster: &v1.CephCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph", UID: "uid-1"},
			Spec: v1.ClusterSpec{
				CephVersion:     v1.CephVersionSpec{Image: "ceph/ceph:v14.2.0-20190410"},
				DataDirHostPath: "/var/lib/rook", RBDMirroring: v1.RBDMirroringSpec{Workers: workers},
			},
		},
		Identity: pass.Identity{FSID: "dcef92d7-1f6a-4b9d-8ed0-0037d537d00b"},
		Ceph:     ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{Cluster: "rook-ceph", Conf: "/c", Keyring: "/k"}, version),
	}
}

func TestShape(t *testing.T) {
	doortest.Golden(t, "deployment", mirror.Deployment(newPass(doortest.New(t), 1), "a"))
}

// TestWorkers: S8, as many daemons as asked for, and nothing left of the others.
func TestWorkers(t *testing.T) {
	w := doortest.New(t)
	keys := map[string]bool{}
	w.Programs["ceph"] = func(args []string) (string, error) {
		answer := ""
		switch strings.Join(args[:2], " ") {
		case "auth get":
			if !keys[args[2]] {
				return "", doortest.Exit(2, "Error ENOENT: failed to find it in keyring")
			}
			answer = fmt.Sprintf(`[{"entity": %q, "key": "AQBkey==", "caps": {"mon": "profile rbd-mirror", "osd": "profile rbd"}}]`, args[2])
		case "auth get-or-create-key":
			keys[args[2]] = true
			answer = `{"key": "AQBkey=="}`
		case "auth del":
			delete(keys, args[2])
		default:
			return "", doortest.Exit(22, "Error EINVAL: unexpected "+strings.Join(args, " "))
		}
		w.Files[args[len(args)-1]] = doortest.File{Data: []byte(answer)}
		return "", nil
	}
	for _, workers := range []int{2, 2, 3, 1, 0} {
		w.Writes = nil
		p := newPass(w, workers)
		if err := mirror.Reconcile(context.Background(), p); err != nil {
			t.Fatal(err)
		}
		var want []string
		for _, id := range []string{"a", "b", "c"}[:workers] {
			want = append(want, "rook-ceph-rbd-mirror-"+id)
			if !keys["client.rbd-mirror."+id] {
				t.Errorf("%d workers: %s has no key", workers, id)
			}
		}
		var deployments appsv1.DeploymentList
		var secrets corev1.SecretList
		if err := w.Kube.List(context.Background(), &deployments); err != nil {
			t.Fatal(err)
		}
		if err := w.Kube.List(context.Background(), &secrets); err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, d := range deployments.Items {
			got = append(got, d.Name)
		}
		if !slices.Equal(got, want) || len(keys) != workers || len(secrets.Items) != workers {
			t.Errorf("%d workers: deployments %v, keys %v, %d secrets", workers, got, keys, len(secrets.Items))
		}
		if len(p.Pending()) != workers {
			t.Errorf("%d workers: it waits for %v", workers, p.Pending())
		}
	}
	w.Writes, w.Commands = nil, nil
	if err := mirror.Reconcile(context.Background(), newPass(w, 0)); err != nil || len(w.Writes)+len(w.Commands) != 0 {
		t.Errorf("with nothing to do: %v, %v, %v", err, w.Writes, w.Commands)
	}
}
