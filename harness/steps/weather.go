package steps

import (
	"context"
	"fmt"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// backup is a Secret or ConfigMap that a scenario has kept.
type backup struct{ kind, name string }

// weatherSteps are about an operator that meets errors of the API server, and
// objects that come and go.
func weatherSteps() []Step {
	return []Step{
		{
			Pattern: `^the operator started (\d+) times?$`,
			Example: `the operator started 1 time`,
			Meaning: "counts its starts since the scenario began: a crash is followed by another one",
			Do: func(ctx context.Context, want int) error {
				starts := 0
				for _, l := range in(ctx).OperatorLog() {
					if strings.HasPrefix(l.Text, "start watching clusters in ") {
						starts++
					}
				}
				if starts != want {
					return fmt.Errorf("it started %d times, want %d", starts, want)
				}
				return nil
			},
		},
		{
			Pattern: `^each kind of request of the operator is answered once with "(` + refusals + `)"$`,
			Example: `each kind of request of the operator is answered once with "Forbidden"`,
			Meaning: "the next get, list, create, update, patch and delete of each kind has that answer and no effect",
			Do: func(ctx context.Context, reason string) error {
				for _, kind := range []string{
					"CephCluster", "CephBlockPool", "ConfigMap", "Deployment", "Event", "Job", "Namespace", "Node", "PersistentVolume",
					"Pod", "PodDisruptionBudget", "Role", "RoleBinding", "Secret", "Service", "ServiceAccount", "VolumeAttachment",
				} {
					for _, verb := range []string{"get", "list", "create", "update", "patch", "delete"} {
						if err := refuseOperator(ctx, verb, kind, "1", reason); err != nil {
							return err
						}
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the operator works on the CephCluster ` + name + ` at most (\d+) times in (\S+)$`,
			Example: `the operator works on the CephCluster "rook-ceph" at most 12 times in 1m`,
			Meaning: "lets that time pass and counts the passes in it, of the controller cephcluster",
			Do: func(ctx context.Context, named string, most int, limit string) error {
				d, err := time.ParseDuration(limit)
				if err != nil {
					return err
				}
				before := len(in(ctx).OperatorPasses())
				in(ctx).Pass(d)
				if n := passes(in(ctx).OperatorPasses()[before:], objectKey(named)); n > most {
					return fmt.Errorf("it made %d passes in %s, want at most %d", n, limit, most)
				}
				return nil
			},
		},
		{
			Pattern: `^the host paths of the namespace ` + name + ` lie below ` + names + `$`,
			Example: `the host paths of the namespace "ns-1" lie below "/data/one", "/dev" and "/run/udev"`,
			Meaning: "every hostPath volume of its Deployments and Jobs is one of these directories or in one",
			Do: func(ctx context.Context, namespace, dirs string) error {
				seen := 0
				for _, kind := range []string{"Deployment", "Job"} {
					objects, err := find(ctx, kind, namespace, "")
					if err != nil {
						return err
					}
					for _, o := range objects {
						for _, path := range hostPaths(&o) {
							seen++
							if !belowOneOf(path, list(dirs)) {
								return fmt.Errorf("%s %s/%s has the host path %s", kind, namespace, o.GetName(), path)
							}
						}
					}
				}
				if seen == 0 {
					return fmt.Errorf("there is no host path in namespace %s", namespace)
				}
				return nil
			},
		},
		{
			Pattern: `^the (Secret|ConfigMap) ` + name + ` is kept as a backup$`,
			Example: `the Secret "rook-ceph-mon" is kept as a backup`,
			Meaning: "remembers what is in the object",
			Do: func(ctx context.Context, kind, named string) (context.Context, error) {
				u, err := get(ctx, kind, named)
				return context.WithValue(ctx, backup{kind, named}, u), err
			},
		},
		{
			Pattern: `^the backup of the (Secret|ConfigMap) ` + name + ` is restored$`,
			Example: `the backup of the Secret "rook-ceph-mon" is restored`,
			Meaning: "creates the object with the content that was kept, as a person does: without owner, labels or anything of the API server's",
			Do: func(ctx context.Context, kind, named string) error {
				kept, ok := ctx.Value(backup{kind, named}).(*unstructured.Unstructured)
				if !ok {
					return fmt.Errorf("no backup of %s %q was kept", kind, named)
				}
				u := &unstructured.Unstructured{Object: map[string]any{"data": kept.Object["data"]}}
				u.SetGroupVersionKind(kept.GroupVersionKind())
				u.SetName(kept.GetName())
				u.SetNamespace(kept.GetNamespace())
				if t, ok := kept.Object["type"]; ok {
					u.Object["type"] = t
				}
				return in(ctx).Client().Create(ctx, u)
			},
		},
	}
}

// passes counts those of the controller of CephClusters over one of them.
func passes(all []world.Pass, cluster client.ObjectKey) int {
	n := 0
	for _, p := range all {
		if p.Controller == "cephcluster" && p.Key == cluster {
			n++
		}
	}
	return n
}

// hostPaths are those of the pods of a Deployment or Job.
func hostPaths(o *unstructured.Unstructured) []string {
	volumes, _, _ := unstructured.NestedSlice(o.Object, "spec", "template", "spec", "volumes")
	var paths []string
	for _, v := range volumes {
		if fields, ok := v.(map[string]any); ok {
			if path, found, _ := unstructured.NestedString(fields, "hostPath", "path"); found {
				paths = append(paths, path)
			}
		}
	}
	return paths
}

func belowOneOf(path string, dirs []string) bool {
	for _, dir := range dirs {
		if path == dir || strings.HasPrefix(path, dir+"/") {
			return true
		}
	}
	return false
}
