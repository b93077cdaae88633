package ceph_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// What is read of a recorded map: two ranks and one that follows.
func TestFSDump(t *testing.T) {
	m, err := replay(t, "pacific-16.2.15", "mds3-fs-dump").admin(pacific).FSDump(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	f := m.Named("cephfs")
	switch {
	case f == nil || m.Named("nosuch") != nil:
		t.Fatalf("it finds %+v", m.Filesystems)
	case !m.Multiple || len(m.Standbys) != 2 || m.Standbys[0].Name != "b" || m.Standbys[0].Rank != -1:
		t.Errorf("standbys %+v", m.Standbys)
	case f.ID != 1 || !slices.Equal(f.Pools(), []int{1, 2}) || f.MaxMDS != 1 || !f.Joinable || f.StandbyReplay || !slices.Equal(f.In, []int{0}):
		t.Errorf("the file system is %+v", f)
	case !slices.Equal(f.Active(), []string{"a"}):
		t.Errorf("active are %v", f.Active())
	}
	// one that is not heard of does not serve
	f.MDS[0].Laggy = true
	if len(f.Active()) != 0 {
		t.Errorf("active are %v", f.Active())
	}
	for _, garbled := range []string{`{}`, `[]`, `{"epoch":3,"filesystems":[{}]}`} {
		s := script(map[string]answer{"ceph fs dump": {stdout: garbled}})
		if _, err := s.admin(pacific).FSDump(t.Context()); !errors.Is(err, ceph.ErrGarbled) {
			t.Errorf("%s: %v", garbled, err)
		}
	}
}

func TestFilesystemCommands(t *testing.T) {
	f := ceph.Filesystem{Name: "myfs", MDS: []ceph.MDS{{GID: 41}, {GID: 42}}}
	for name, c := range map[string]struct {
		version ceph.Version
		call    func(ctx context.Context, a *ceph.Admin) error
		want    []string
		fails   error
	}{
		"new":           {pacific, func(ctx context.Context, a *ceph.Admin) error { return a.FSNew(ctx, "myfs", "m", "d") }, []string{"fs new myfs m d"}, nil},
		"multiple":      {nautilus, func(ctx context.Context, a *ceph.Admin) error { return a.FSEnableMultiple(ctx) }, []string{"fs flag set enable_multiple true --yes-i-really-mean-it"}, nil},
		"another pool":  {pacific, func(ctx context.Context, a *ceph.Admin) error { return a.FSAddDataPool(ctx, "myfs", "d1") }, []string{"fs add_data_pool myfs d1"}, nil},
		"ranks":         {pacific, func(ctx context.Context, a *ceph.Admin) error { return a.FSSetMaxMDS(ctx, "myfs", 2) }, []string{"fs set myfs max_mds 2"}, nil},
		"followers":     {pacific, func(ctx context.Context, a *ceph.Admin) error { return a.FSSetStandbyReplay(ctx, "myfs", true) }, []string{"fs set myfs allow_standby_replay true"}, nil},
		"followers old": {mimic, func(ctx context.Context, a *ceph.Admin) error { return a.FSSetStandbyReplay(ctx, "myfs", true) }, nil, ceph.ErrUnsupported},
		"fail":          {nautilus, func(ctx context.Context, a *ceph.Admin) error { return a.FSFail(ctx, f) }, []string{"fs fail myfs"}, nil},
		"fail old":      {mimic, func(ctx context.Context, a *ceph.Admin) error { return a.FSFail(ctx, f) }, []string{"fs set myfs cluster_down true", "mds fail 41", "mds fail 42"}, nil},
		"remove":        {pacific, func(ctx context.Context, a *ceph.Admin) error { return a.FSRemove(ctx, "myfs") }, []string{"fs rm myfs --yes-i-really-mean-it"}, nil},
	} {
		s := script(nil)
		if err := c.call(t.Context(), s.admin(c.version)); !errors.Is(err, c.fails) {
			t.Errorf("%s: %v", name, err)
		}
		var want []string
		for i, line := range c.want {
			want = append(want, "ceph "+line+flags("json", i+1))
		}
		sameLines(t, s.lines(), want)
	}
}
