package v1_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The generated files are what controller-gen makes of the types today.
func TestGeneratedFilesAreInStep(t *testing.T) {
	dir := t.TempDir()
	gen := exec.Command("go", "tool", "controller-gen",
		"object", "crd", "paths=.", "output:crd:artifacts:config="+dir, "output:object:dir="+dir)
	if out, err := gen.CombinedOutput(); err != nil {
		t.Fatalf("controller-gen: %v\n%s", err, out)
	}
	committed := map[string]string{
		"zz_generated.deepcopy.go":          "zz_generated.deepcopy.go",
		"ceph.rook.io_cephblockpools.yaml":  "../crd/ceph.rook.io_cephblockpools.yaml",
		"ceph.rook.io_cephclusters.yaml":    "../crd/ceph.rook.io_cephclusters.yaml",
		"ceph.rook.io_cephfilesystems.yaml": "../crd/ceph.rook.io_cephfilesystems.yaml",
	}
	generated, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(generated) != len(committed) {
		t.Errorf("controller-gen makes %d files, this test knows %d", len(generated), len(committed))
	}
	for name, path := range committed {
		want, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(string(got), string(want)); diff != "" {
			t.Errorf("run: go generate ./prod/api/v1\n%s differs (-is +should be):\n%s", path, diff)
		}
	}
}
