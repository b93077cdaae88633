package schema_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
	"github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// TestFilesystemManifestsApply: what stands in published manifests is accepted and
// kept.
func TestFilesystemManifestsApply(t *testing.T) {
	all, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	v, err := schema.New(definitionOf(all, "cephfilesystems"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{
		"corpus/rook-v1.0.0/filesystem.yaml", "corpus/rook-v1.0.0/filesystem-test.yaml",
		"corpus/rook-v1.20.6/filesystem.yaml", "corpus/rook-v1.20.6/filesystem-test.yaml",
	} {
		data, err := os.ReadFile(filepath.Join(manifests, path))
		if err != nil {
			t.Fatal(err)
		}
		document, _, _ := strings.Cut(string(data), "\n---\n")
		obj := object(t, document)
		stored, errs := v.Admit(obj, nil)
		if len(errs) > 0 {
			t.Fatal(path, errs.ToAggregate())
		}
		if diff := cmp.Diff(withoutNulls(obj["spec"]), withoutNulls(stored["spec"])); diff != "" {
			t.Errorf("%s: spec changed (-written +stored):\n%s", path, diff)
		}
	}
}
