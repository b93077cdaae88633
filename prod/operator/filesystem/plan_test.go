package filesystem

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// cephfs is a CephFilesystem "myfs" with a spec of YAML.
func cephfs(t *testing.T, spec string) *v1.CephFilesystem {
	t.Helper()
	fs := &v1.CephFilesystem{}
	fs.Namespace, fs.Name = "rook-ceph", "myfs"
	if err := yaml.Unmarshal([]byte(spec), &fs.Spec); err != nil {
		t.Fatal(err)
	}
	return fs
}

func TestWants(t *testing.T) {
	w, err := wants(cephfs(t, `{metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 2}}, {name: slow, erasureCoded: {dataChunks: 2, codingChunks: 1}}], metadataServer: {activeCount: 2, activeStandby: true}}`))
	if err != nil {
		t.Fatal(err)
	}
	if w.metadataPool() != "myfs-metadata" || !slices.Equal(w.dataPools(), []string{"myfs-data0", "myfs-slow"}) || w.ranks != 2 || !w.follow {
		t.Errorf("it wants %+v", w)
	}
	if want := []string{"myfs-a", "myfs-b", "myfs-c", "myfs-d"}; !slices.Equal(w.ids, want) {
		t.Errorf("its MDS are %v, want %v", w.ids, want)
	}
	for version, follow := range map[ceph.Version]bool{{Major: 13, Minor: 2, Patch: 3}: false, {Major: 14, Minor: 2}: true} {
		on := w.on(version)
		if on.follow != follow || (on.remark == "") != follow {
			t.Errorf("on %v: follows %v, remark %q", version, on.follow, on.remark)
		}
	}
}

func TestRefused(t *testing.T) {
	for spec, want := range map[string]string{
		`{metadataPool: {replicated: {size: 3}}, metadataServer: {activeCount: 1}}`:                                                                                        "spec.dataPools is empty",
		`{metadataPool: {replicated: {size: 3}}, dataPools: [{erasureCoded: {dataChunks: 2, codingChunks: 1}}], metadataServer: {activeCount: 1}}`:                         "spec.dataPools[0] is erasure coded",
		`{metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 2}}, {name: data0, replicated: {size: 2}}], metadataServer: {activeCount: 1}}`:            "spec.dataPools[1] would be the pool myfs-data0",
		`{metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 2}}, {failureDomain: host}], metadataServer: {activeCount: 1}}`:                           "spec.dataPools[1].replicated is missing",
		`{metadataPool: {}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}}`:                                                                       "spec.metadataPool.replicated is missing",
		`{metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 2}}]}`:                                                                                    "spec.metadataServer.activeCount is 0",
		`{metadataPool: {replicated: {size: 3}, quotas: {maxSize: 900000Ei}}, dataPools: [{replicated: {size: 2}}], metadataServer: {activeCount: 1}}`:                     "spec.metadataPool.quotas.maxSize",
		`{preservePoolNames: true, metadataPool: {name: x, replicated: {size: 3}}, dataPools: [{name: x, replicated: {size: 2}}], metadataServer: {activeCount: 1}}`:       "spec.dataPools[0] would be the pool x",
		`{preservePoolNames: true, metadataPool: {name: x, replicated: {size: 3}}, dataPools: [{name: myfs-x, replicated: {size: 2}}], metadataServer: {activeCount: -1}}`: "activeCount is -1",
	} {
		_, err := wants(cephfs(t, spec))
		var refused *pass.Refused
		if !errors.As(err, &refused) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", spec, err, want)
		}
	}
}

func TestSettings(t *testing.T) {
	for name, c := range map[string]struct {
		is     ceph.Filesystem
		ranks  int
		follow bool
		want   []change
	}{
		"nothing to do":                       {ceph.Filesystem{MaxMDS: 1}, 1, false, nil},
		"more ranks":                          {ceph.Filesystem{MaxMDS: 1}, 2, false, []change{{what: setRanks, ranks: 2}}},
		"ranks come before followers":         {ceph.Filesystem{MaxMDS: 1}, 2, true, []change{{what: setRanks, ranks: 2}, {what: setFollowers, on: true}}},
		"followers go home before ranks do":   {ceph.Filesystem{MaxMDS: 2, StandbyReplay: true}, 1, false, []change{{what: setFollowers}, {what: setRanks, ranks: 1}}},
		"followers stay while ranks are more": {ceph.Filesystem{MaxMDS: 1, StandbyReplay: true}, 3, true, []change{{what: setRanks, ranks: 3}}},
	} {
		if got := settings(&c.is, c.ranks, c.follow); !slices.Equal(got, c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
	}
}

func TestFitsAndMissing(t *testing.T) {
	w, err := wants(cephfs(t, `{metadataPool: {replicated: {size: 3}}, dataPools: [{replicated: {size: 2}}, {name: b, replicated: {size: 2}}], metadataServer: {activeCount: 1}}`))
	if err != nil {
		t.Fatal(err)
	}
	pools := map[int]ceph.Pool{1: {Name: "myfs-metadata"}, 2: {Name: "myfs-data0"}, 3: {Name: "older"}, 4: {Name: "other"}}
	with := func(meta int, data ...int) seen {
		return seen{pools: pools, fsmap: ceph.FSMap{Filesystems: []ceph.Filesystem{{Name: "myfs", MetadataPool: meta, DataPools: data}}}}
	}
	if err := fits(w, seen{}); err != nil {
		t.Errorf("none is there: %v", err)
	}
	if err := fits(w, with(1, 2)); err != nil {
		t.Errorf("it is there: %v", err)
	}
	if err := fits(w, with(4, 2)); err == nil || !strings.Contains(err.Error(), "keeps its metadata in the pool other, not myfs-metadata") {
		t.Errorf("another one is there: %v", err)
	}
	if got := missing(w, with(1, 2)); !slices.Equal(got, []string{"myfs-b"}) {
		t.Errorf("missing are %v", got)
	}
	if got := surplus(w, with(1, 2, 3)); !strings.HasSuffix(got, "may be in them: older") {
		t.Errorf("surplus: %q", got)
	}
	if got := surplus(w, with(1, 2)); got != "" {
		t.Errorf("surplus: %q", got)
	}
}

func TestUnserved(t *testing.T) {
	active := func(name string, rank int) ceph.MDS { return ceph.MDS{Name: name, Rank: rank, State: ceph.MDSActive} }
	for name, c := range map[string]struct {
		f     ceph.Filesystem
		ranks int
		want  string
	}{
		"served":            {ceph.Filesystem{In: []int{0}, MDS: []ceph.MDS{active("a", 0), {Name: "b", State: ceph.MDSStandbyReplay}}}, 1, ""},
		"by nobody":         {ceph.Filesystem{}, 1, "1 active MDS, it has 0"},
		"not yet":           {ceph.Filesystem{In: []int{0}, MDS: []ceph.MDS{{Name: "a", State: "up:replay"}}}, 1, "1 active MDS, it has 0 (mds.a is up:replay)"},
		"by one too many":   {ceph.Filesystem{In: []int{0, 1}, MDS: []ceph.MDS{active("a", 0), active("b", 1)}}, 1, "1 active MDS, it has 2"},
		"one that is going": {ceph.Filesystem{In: []int{0, 1}, MDS: []ceph.MDS{active("a", 0), {Name: "b", Rank: 1, State: "up:stopping"}}}, 1, "1 active MDS, it has 1 (mds.b is up:stopping)"},
		"not heard of":      {ceph.Filesystem{In: []int{0}, MDS: []ceph.MDS{{Name: "a", State: ceph.MDSActive, Laggy: true}}}, 1, "1 active MDS, it has 0 (mds.a is not heard of)"},
		"damaged":           {ceph.Filesystem{In: []int{0}, Damaged: []int{0}}, 1, "1 active MDS, it has 0 (a rank is damaged: see ceph health detail)"},
	} {
		if got := unserved(&c.f, c.ranks); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
