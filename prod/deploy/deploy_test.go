package deploy_test

import (
	"bytes"
	"os"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
)

// load reads the objects of a manifest, strictly.
func load(t *testing.T, file string) []client.Object {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	strict := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []client.Object
	for i, document := range bytes.Split(text, []byte("\n---\n")) {
		object, _, err := strict.Decode(document, nil, nil)
		if err != nil {
			t.Fatalf("%s, document %d: %v", file, i+1, err)
		}
		objects = append(objects, object.(client.Object))
	}
	return objects
}

func find[T runtime.Object](t *testing.T, objects []client.Object) T {
	t.Helper()
	for _, o := range objects {
		if found, ok := o.(T); ok {
			return found
		}
	}
	t.Fatalf("there is no %T", *new(T))
	panic("unreachable")
}

func TestTheDeploymentRunsThisVersionOfTheProgram(t *testing.T) {
	deployment := find[*appsv1.Deployment](t, load(t, "operator.yaml"))
	container := deployment.Spec.Template.Spec.Containers[0]
	if container.Name != "tidepool-operator" {
		t.Errorf("the program looks for its container under another name than %q", container.Name)
	}
	if _, tag, _ := strings.Cut(container.Image, ":"); tag != daemon.OperatorVersion {
		t.Errorf("the image %s is not of version %s", container.Image, daemon.OperatorVersion)
	}
	for _, name := range []string{"POD_NAME", "POD_NAMESPACE"} {
		if !slices.ContainsFunc(container.Env, func(e corev1.EnvVar) bool { return e.Name == name }) {
			t.Errorf("the container has no %s", name)
		}
	}
	for _, path := range []string{"/var/lib/rook", "/etc/ceph", "/tmp"} {
		if !slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == path }) {
			t.Errorf("the container cannot write to %s", path)
		}
	}
	dockerfile, err := os.ReadFile("Dockerfile")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(dockerfile), container.Image) {
		t.Errorf("the Dockerfile does not tell how to build %s", container.Image)
	}
}

// TestRights: the operator may do what it does, no more. The list is what the
// packages under prod/operator ask of their client.
func TestRights(t *testing.T) {
	needs := map[string]string{
		"ceph.rook.io/cephblockpools":                "get list patch watch",
		"ceph.rook.io/cephblockpools/status":         "patch",
		"ceph.rook.io/cephclusters":                  "get list patch watch",
		"ceph.rook.io/cephclusters/status":           "patch",
		"ceph.rook.io/cephclusters/finalizers":       "update",
		"cluster.rook.io/clusters":                   "get list patch watch",
		"ceph.rook.io/cephblockpoolradosnamespaces":  "list",
		"ceph.rook.io/cephbucketnotifications":       "list",
		"ceph.rook.io/cephbuckettopics":              "list",
		"ceph.rook.io/cephclients":                   "list",
		"ceph.rook.io/cephcosidrivers":               "list",
		"ceph.rook.io/cephfilesystemmirrors":         "list",
		"ceph.rook.io/cephfilesystems":               "get list patch watch",
		"ceph.rook.io/cephfilesystems/status":        "patch",
		"ceph.rook.io/cephfilesystemsubvolumegroups": "list",
		"ceph.rook.io/cephnfses":                     "list",
		"ceph.rook.io/cephnvmeofgateways":            "list",
		"ceph.rook.io/cephobjectrealms":              "list",
		"ceph.rook.io/cephobjectstores":              "list",
		"ceph.rook.io/cephobjectstoreusers":          "list",
		"ceph.rook.io/cephobjectzonegroups":          "list",
		"ceph.rook.io/cephobjectzones":               "list",
		"ceph.rook.io/cephrbdmirrors":                "list",
		"/persistentvolumes":                         "list",
		"storage.k8s.io/volumeattachments":           "list",
		"rook.io/volumes":                            "list",
		"/namespaces":                                "get",
		"apps/deployments":                           "create delete get list update watch",
		"batch/jobs":                                 "create delete get list update watch",
		"policy/poddisruptionbudgets":                "create delete get list update watch",
		"/configmaps":                                "create get list update watch",
		"/secrets":                                   "create delete get list update watch",
		"/services":                                  "create delete get list update watch",
		"/serviceaccounts":                           "create get update",
		"rbac.authorization.k8s.io/roles":            "create get update",
		"rbac.authorization.k8s.io/rolebindings":     "create get update",
		"/nodes":                                     "get list watch",
		"/pods":                                      "get list watch",
		"/pods/log":                                  "get",
		"events.k8s.io/events":                       "create patch update",
	}
	has := map[string]string{}
	for _, rule := range find[*rbacv1.ClusterRole](t, load(t, "rbac.yaml")).Rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				has[group+"/"+resource] = strings.Join(slices.Sorted(slices.Values(rule.Verbs)), " ")
			}
		}
	}
	for resource, verbs := range needs {
		if has[resource] != verbs {
			t.Errorf("%s: may %q, needs %q", resource, has[resource], verbs)
		}
		delete(has, resource)
	}
	for resource, verbs := range has {
		t.Errorf("%s: may %q, needs nothing", resource, verbs)
	}
}
