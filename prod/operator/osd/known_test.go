package osd

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// An OSD that Ceph has is never taken for one that is gone, whose Deployment may
// go unasked: not because its Deployment does not say its uuid, and not because it
// says it in two words.
func TestAnOSDOfAForeignDeploymentExists(t *testing.T) {
	info := ceph.OSDInfo{}
	info.UUID, info.Up, info.In = "uuid-3", 1, 1
	for name, c := range map[string]struct {
		args   []string
		exists bool
	}{
		"no uuid":              {[]string{"--foreground"}, true},
		"in one word":          {[]string{"--osd-uuid=uuid-3"}, true},
		"in two words":         {[]string{"--osd-uuid", "uuid-3"}, true},
		"another":              {[]string{"--osd-uuid=uuid-4"}, false},
		"another in two words": {[]string{"--osd-uuid", "uuid-4"}, false},
	} {
		d := &appsv1.Deployment{}
		d.Name, d.Labels = Name(3), map[string]string{IDLabel: "3", NodeLabel: "n1"}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Args: c.args}}
		found := findOSDs(nil, map[string]*appsv1.Deployment{d.Name: d}, osdMap{3: info}, &v1.ClusterSpec{}, nil)
		if len(found) != 1 || found[0].Exists != c.exists {
			t.Errorf("%s: %+v", name, found)
		}
	}
}
