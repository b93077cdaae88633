package doortest

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"
)

// UpdateEnv is the environment variable that has [Golden] write its files
// instead of comparing with them.
const UpdateEnv = "UPDATE_GOLDEN"

// Golden compares an object's YAML with testdata/<name>.yaml, whole: lists in
// order, nothing left out. Read what is written with UPDATE_GOLDEN=1 before you
// commit it.
func Golden(t *testing.T, name string, object any) {
	t.Helper()
	got, err := yaml.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join("testdata", name+".yaml")
	if os.Getenv(UpdateEnv) != "" {
		if err := os.WriteFile(file, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", file, diff)
	}
}
