package cluster

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestEffective(t *testing.T) {
	const (
		none  = "mon count is 0 or less, should be at least 1, will use default value of 3"
		large = "mon count is bigger than 9 (given: 12), not supported, changing to 9"
		even  = "mon count is even (given: 4), should be uneven, continuing"
		tag   = "image ceph/ceph has no tag, so that Kubernetes takes ceph/ceph:latest, whose Ceph version may change at any time; name a version, as in ceph/ceph:v14.2.0-20190410"
	)
	for name, c := range map[string]struct {
		mon     v1.MonSpec
		image   string
		want    v1.MonSpec
		remarks []remark
	}{
		"usual":                {v1.MonSpec{Count: 3}, "i:1", v1.MonSpec{Count: 3}, nil},
		"unset (B01)":          {v1.MonSpec{}, "i:1", v1.MonSpec{Count: 3, AllowMultiplePerNode: ptr.To(true)}, []remark{{none, true}}},
		"unset, flag false":    {v1.MonSpec{AllowMultiplePerNode: ptr.To(false)}, "i:1", v1.MonSpec{Count: 3, AllowMultiplePerNode: ptr.To(false)}, []remark{{none, true}}},
		"negative":             {v1.MonSpec{Count: -1}, "i:1", v1.MonSpec{Count: 3, AllowMultiplePerNode: ptr.To(true)}, []remark{{none, true}}},
		"too many":             {v1.MonSpec{Count: 12}, "i:1", v1.MonSpec{Count: 9}, []remark{{large, true}}},
		"even":                 {v1.MonSpec{Count: 4}, "i:1", v1.MonSpec{Count: 4}, []remark{{even, false}}},
		"no tag":               {v1.MonSpec{Count: 1}, "ceph/ceph", v1.MonSpec{Count: 1}, []remark{{tag, true}}},
		"a registry's port":    {v1.MonSpec{Count: 1}, "reg:5000/ceph:v14", v1.MonSpec{Count: 1}, nil},
		"a digest":             {v1.MonSpec{Count: 1}, "ceph/ceph@sha256:abc", v1.MonSpec{Count: 1}, nil},
		"the flag stays as is": {v1.MonSpec{Count: 12, AllowMultiplePerNode: ptr.To(false)}, "i:1", v1.MonSpec{Count: 9, AllowMultiplePerNode: ptr.To(false)}, []remark{{large, true}}},
	} {
		t.Run(name, func(t *testing.T) {
			given := v1.ClusterSpec{Mon: c.mon, CephVersion: v1.CephVersionSpec{Image: c.image}}
			before := given.DeepCopy()
			got, remarks := effective(given)
			if diff := cmp.Diff(c.want, got.Mon); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(c.remarks, remarks, cmp.AllowUnexported(remark{})); diff != "" {
				t.Errorf("remarks (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(*before, given); diff != "" {
				t.Errorf("the spec was changed:\n%s", diff)
			}
		})
	}
}

func TestAPortIsNoTag(t *testing.T) {
	if tagged("reg:5000/ceph") {
		t.Error("the registry's port was taken for a tag")
	}
}
