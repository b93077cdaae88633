package version

import (
	"errors"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func v(major, minor, patch int) ceph.Version {
	return ceph.Version{Major: major, Minor: minor, Patch: patch}
}

func TestChange(t *testing.T) {
	mon := func(v ceph.Version) given { return given{app: identity.MonApp, version: v} }
	osd := func(v ceph.Version) given { return given{app: "rook-ceph-osd", version: v} }
	for name, c := range map[string]struct {
		before ceph.Version
		found  ceph.Version
		given  []given
		allow  bool
		want   string
	}{
		"newer":                              {v(14, 2, 9), v(16, 2, 15), []given{mon(v(14, 2, 9))}, false, ""},
		"the same":                           {v(14, 2, 9), v(14, 2, 9), []given{mon(v(14, 2, 9))}, false, ""},
		"older":                              {v(16, 2, 15), v(16, 2, 14), []given{mon(v(16, 2, 15))}, false, v1.ReasonDowngrade},
		"older, allowed":                     {v(16, 2, 15), v(16, 2, 14), []given{mon(v(16, 2, 15))}, true, ""},
		"back, with a mon that was left":     {v(16, 2, 15), v(14, 2, 9), []given{mon(v(16, 2, 15)), mon(v(14, 2, 9))}, false, ""},
		"back, with an OSD that was left":    {v(16, 2, 15), v(14, 2, 9), []given{mon(v(16, 2, 15)), osd(v(14, 2, 9))}, false, v1.ReasonDowngrade},
		"further back than the mon was left": {v(16, 2, 15), v(14, 2, 8), []given{mon(v(16, 2, 15)), mon(v(14, 2, 9))}, false, v1.ReasonDowngrade},
		"two releases":                       {v(16, 2, 15), v(18, 2, 0), []given{mon(v(16, 2, 15))}, false, ""},
		"three releases":                     {v(16, 2, 15), v(19, 2, 0), []given{mon(v(16, 2, 15))}, false, v1.ReasonUpgradeTooFar},
		"three from an OSD":                  {v(16, 2, 15), v(17, 2, 0), []given{mon(v(16, 2, 15)), osd(v(14, 2, 9))}, false, v1.ReasonUpgradeTooFar},
		"nothing runs":                       {ceph.Version{}, v(12, 2, 0), nil, false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			before := effect{Version: c.before}
			if c.before != (ceph.Version{}) {
				before.Image = "x"
			}
			reason, why := change(before, v1.CephVersionSpec{Image: "y", AllowDowngrade: c.allow}, c.found, c.given)
			if reason != c.want || (why == "") != (reason == "") {
				t.Errorf("got %q, %q", reason, why)
			}
			if reason == v1.ReasonDowngrade && (!strings.Contains(why, c.before.String()) || !strings.Contains(why, c.found.String())) {
				t.Errorf("%q does not name both versions", why)
			}
		})
	}
}

func monOf(image, version string) *appsv1.Deployment {
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph-mon-a", Labels: map[string]string{
		daemon.AppLabel: identity.MonApp, daemon.ClusterLabel: "rook-ceph", daemon.CephVersionLabel: version,
	}}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Image: image}}
	return d
}

func TestTheClusterLivesOnWithTheImageInEffect(t *testing.T) {
	for name, c := range map[string]struct {
		kept  *v1.VersionStatus
		next  *v1.VersionStatus
		asks  bool
		holds string // what the refusal says; "": none
		undec bool   // the version of the image is not known yet
	}{
		"another image, not known yet":    {kept: &v1.VersionStatus{Image: another, Version: "14.2.0"}, asks: true, undec: true},
		"an older image":                  {kept: &v1.VersionStatus{Image: another, Version: "14.2.0"}, next: &v1.VersionStatus{Image: image, Version: "13.2.3"}, holds: "ceph 13.2.3 mimic, and ceph 14.2.0 nautilus"},
		"an older image, after a restore": {next: &v1.VersionStatus{Image: image, Version: "13.2.3"}, holds: "ceph 13.2.3 mimic, and ceph 14.2.0 nautilus"},
		"an unsupported image":            {kept: &v1.VersionStatus{Image: another, Version: "14.2.0"}, next: &v1.VersionStatus{Image: image, Version: "15.2.1"}, holds: "unsupported ceph version detected"},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, monOf(another, "14.2.0"))
			p := newPass(w)
			p.Cluster.Status.Version, p.Cluster.Status.NextVersion = c.kept, c.next
			if err := Reconcile(t.Context(), p); err != nil {
				t.Fatal(err)
			}
			if p.Cluster.Spec.CephVersion.Image != another || p.Version != v(14, 2, 0) {
				t.Errorf("it runs %s, %v", p.Cluster.Spec.CephVersion.Image, p.Version)
			}
			var refused *pass.Refused
			if errors.As(p.Held(), &refused) != (c.holds != "") || refused != nil && !strings.Contains(refused.Message, c.holds) {
				t.Errorf("held %v", p.Held())
			}
			if (p.NextImage != "") != c.undec || (len(p.Pending()) > 0) != c.asks {
				t.Errorf("next image %q, pending %v", p.NextImage, p.Pending())
			}
		})
	}
}
