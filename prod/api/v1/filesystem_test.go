package v1_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestPoolNamesOfAFilesystem(t *testing.T) {
	fs := v1.CephFilesystem{Spec: v1.FilesystemSpec{DataPools: []v1.FilesystemPoolSpec{{}, {Name: "slow"}, {}}}}
	fs.Name = "myfs"
	if got := fs.MetadataPoolName(); got != "myfs-metadata" {
		t.Errorf("the metadata pool is %s", got)
	}
	if got, want := fs.DataPoolNames(), []string{"myfs-data0", "myfs-slow", "myfs-data2"}; !slices.Equal(got, want) {
		t.Errorf("the data pools are %q, want %q", got, want)
	}
	fs.Spec.PreservePoolNames, fs.Spec.MetadataPool.Name = true, "meta"
	if got := fs.MetadataPoolName(); got != "meta" {
		t.Errorf("the metadata pool is %s", got)
	}
	if got, want := fs.DataPoolNames(), []string{"myfs-data0", "slow", "myfs-data2"}; !slices.Equal(got, want) {
		t.Errorf("the data pools are %q, want %q", got, want)
	}
}

// What manifests of the first and of today's release set is read, kept and named.
func TestFilesystemManifests(t *testing.T) {
	for path, want := range map[string][]string{
		"corpus/rook-v1.0.0/filesystem.yaml":       nil,
		"corpus/rook-v1.0.0/filesystem-test.yaml":  nil,
		"corpus/rook-v1.20.6/filesystem.yaml":      {"metadataServer.livenessProbe", "metadataServer.startupProbe"},
		"corpus/rook-v1.20.6/filesystem-test.yaml": nil,
	} {
		data, err := os.ReadFile("testdata/" + path)
		if err != nil {
			t.Fatal(err)
		}
		document, _, _ := strings.Cut(string(data), "\n---\n")
		var fs, again v1.CephFilesystem
		if err := yaml.Unmarshal([]byte(document), &fs); err != nil {
			t.Fatal(err)
		}
		if fs.Kind != v1.CephFilesystemKind || fs.Spec.MetadataServer.ActiveCount != 1 || len(fs.Spec.DataPools) != 1 || fs.Spec.DataPools[0].Replicated == nil {
			t.Errorf("%s is read as %+v", path, fs)
		}
		if got := v1.UnservedFilesystemFields(fs.Spec); !slices.Equal(got, want) {
			t.Errorf("%s: it names %q, want %q", path, got, want)
		}
		written, err := json.Marshal(fs)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(written, &again); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(fs, again); diff != "" {
			t.Errorf("%s: a round trip changes it (-before +after):\n%s", path, diff)
		}
	}
}
