package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
)

func env(vars map[string]string) func(string) string {
	return func(name string) string { return vars[name] }
}

func TestVersionAndUnknownCommands(t *testing.T) {
	for args, want := range map[string]string{
		"--version":     "tidepool-operator version " + daemon.OperatorVersion + "\n",
		"osd-prepare x": "",
		"unknown":       "",
		"operator x":    "",
		"copy-binary":   "",
	} {
		root := command()
		var out bytes.Buffer
		root.SetOut(&out)
		root.SetArgs(strings.Fields(args))
		err := root.Execute()
		if out.String() != want || (err == nil) != (want != "") {
			t.Errorf("%s: %q, %v", args, out.String(), err)
		}
	}
}

func TestNamespaces(t *testing.T) {
	for name, c := range map[string]struct {
		vars map[string]string
		want []string
	}{
		"all":       {nil, nil},
		"some":      {map[string]string{"TIDEPOOL_WATCH_NAMESPACES": "a, b,"}, []string{"a", "b"}},
		"only ours": {map[string]string{"ROOK_CURRENT_NAMESPACE_ONLY": "true", "POD_NAMESPACE": "o", "TIDEPOOL_WATCH_NAMESPACES": "a"}, []string{"o"}},
		"not only":  {map[string]string{"ROOK_CURRENT_NAMESPACE_ONLY": "false", "POD_NAMESPACE": "o"}, nil},
	} {
		if diff := cmp.Diff(c.want, namespaces(env(c.vars))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

func TestTheLogLevelIsChecked(t *testing.T) {
	for level, ok := range map[string]bool{"INFO": true, "debug": true, "": false, "LOUD": false} {
		s := settings{logLevel: level}
		if err := s.check(); (err == nil) != ok {
			t.Errorf("%q: %v", level, err)
		}
	}
}

func TestTheOwnImage(t *testing.T) {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: "p"},
		Spec: corev1.PodSpec{Containers: []corev1.Container{
			{Name: "sidecar", Image: "other"}, {Name: "tidepool-operator", Image: "tidepool/tidepool-operator:v0.1.0"},
		}},
	}
	for name, c := range map[string]struct {
		vars map[string]string
		want string
	}{
		"found":        {map[string]string{"POD_NAMESPACE": "o", "POD_NAME": "p"}, "tidepool/tidepool-operator:v0.1.0"},
		"not told":     {map[string]string{"POD_NAMESPACE": "o"}, ""},
		"no such pod":  {map[string]string{"POD_NAMESPACE": "o", "POD_NAME": "q"}, ""},
		"other naming": {map[string]string{"POD_NAMESPACE": "o", "POD_NAME": "bare"}, ""},
	} {
		clientset := fake.NewClientset(pod, &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "o", Name: "bare"}})
		got, err := ownImage(t.Context(), clientset, env(c.vars))
		if got != c.want || (err == nil) != (c.want != "") {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

func TestCopyProgram(t *testing.T) {
	dir := t.TempDir()
	from, to := filepath.Join(dir, "from"), filepath.Join(dir, "to")
	for _, text := range []string{"one", "two"} {
		if err := os.WriteFile(from, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := copyProgram(from, to); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(to)
		info, statErr := os.Stat(to)
		if err != nil || statErr != nil || string(got) != text || info.Mode() != 0o755 {
			t.Errorf("%q, %v, %v, %v", got, info.Mode(), err, statErr)
		}
	}
	if err := copyProgram(from, filepath.Join(dir, "no", "such")); err == nil {
		t.Error("copied into a directory that is not there")
	}
	if names, err := os.ReadDir(dir); err != nil || len(names) != 2 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestTheSchemeKnowsWhatIsServed(t *testing.T) {
	known, err := scheme()
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"CephCluster", "CephClusterList", "Deployment", "Job", "Role"} {
		found := false
		for gvk := range known.AllKnownTypes() {
			found = found || gvk.Kind == kind
		}
		if !found {
			t.Errorf("%s is not known", kind)
		}
	}
}
