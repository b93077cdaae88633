package v1_test

import (
	"encoding/json"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// poolSpec reads a pool's spec of YAML.
func poolSpec(t *testing.T, text string) v1.BlockPoolSpec {
	t.Helper()
	var spec v1.BlockPoolSpec
	if err := yaml.Unmarshal([]byte(text), &spec); err != nil {
		t.Fatal(err)
	}
	return spec
}

func TestPoolName(t *testing.T) {
	pool := &v1.CephBlockPool{}
	pool.Name = "builtin-mgr"
	if got := pool.PoolName(); got != "builtin-mgr" {
		t.Errorf("without spec.name it is %s", got)
	}
	pool.Spec.Name = ".mgr"
	if got := pool.PoolName(); got != ".mgr" {
		t.Errorf("with spec.name it is %s", got)
	}
	for name, want := range map[v1.BuiltInPool]string{".mgr": "mgr", ".nfs": "nfs", ".rgw.root": "rgw", "": ""} {
		if got := name.Application(); got != want {
			t.Errorf("%q is for %q, want %q", name, got, want)
		}
	}
}

func TestQuotaBytes(t *testing.T) {
	for name, c := range map[string]struct {
		quota v1.QuotaSpec
		want  *int64
		fails bool
	}{
		"none":            {v1.QuotaSpec{}, nil, false},
		"bytes":           {v1.QuotaSpec{MaxBytes: ptr.To[int64](5)}, ptr.To[int64](5), false},
		"size":            {v1.QuotaSpec{MaxSize: ptr.To("1.5Ki")}, ptr.To[int64](1536), false},
		"size over bytes": {v1.QuotaSpec{MaxSize: ptr.To("0"), MaxBytes: ptr.To[int64](5)}, ptr.To[int64](0), false},
		"no size":         {v1.QuotaSpec{MaxSize: ptr.To("lots")}, nil, true},
		"too much":        {v1.QuotaSpec{MaxSize: ptr.To("900000Ei")}, nil, true},
	} {
		got, err := c.quota.Bytes()
		if diff := cmp.Diff(c.want, got); diff != "" || (err != nil) != c.fails {
			t.Errorf("%s: %v (-want +got):\n%s", name, err, diff)
		}
	}
}

func TestUnservedPoolFieldsAreKeptAndNamed(t *testing.T) {
	spec := poolSpec(t, `
failureDomain: host
replicated: {size: 3, requireSafeReplicaSize: true, targetSizeRatio: 0.5}
parameters: {compression_mode: none}
enableRBDStats: true
mirroring: {enabled: false, mode: image}
statusCheck: {mirror: {}}
`)
	want := []string{"enableRBDStats", "mirroring", "replicated.targetSizeRatio"}
	if got := v1.UnservedPoolFields(spec); !slices.Equal(got, want) {
		t.Errorf("it names %q, want %q", got, want)
	}
	data, err := json.Marshal(spec)
	if err != nil {
		t.Fatal(err)
	}
	again := poolSpec(t, string(data))
	if diff := cmp.Diff(spec, again); diff != "" {
		t.Errorf("a round trip changes it (-before +after):\n%s", diff)
	}
}
