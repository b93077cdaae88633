package upgrade

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

var pacific = ceph.Version{Major: 16, Minor: 2, Patch: 15}

const (
	old = "ceph version 14.2.22 (x) nautilus (stable)"
	now = "ceph version 16.2.15 (x) pacific (stable)"
)

// harbour is a world whose Ceph a test sets: what it answers by the words of the
// command; an answer that begins with "Error" is a refusal with EBUSY.
type harbour struct {
	*doortest.World
	pass    *pass.Pass
	answers map[string]string
}

func newHarbour(t *testing.T, versions string) *harbour {
	h := &harbour{World: doortest.New(t), answers: map[string]string{"versions": versions}}
	doors := h.Doors()
	h.pass = &pass.Pass{
		Doors: doors, Version: pacific,
		Cluster: &v1.CephCluster{
			ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph", UID: "u"},
			Spec:       v1.ClusterSpec{CephVersion: v1.CephVersionSpec{Image: "ceph/ceph:v16"}},
		},
		Ceph: ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{Cluster: "rook-ceph", Conf: "/c", Keyring: "/k"}, pacific),
	}
	h.Programs["ceph"] = func(args []string) (string, error) {
		command := strings.Join(args, " ")
		for words, answer := range h.answers {
			if !strings.HasPrefix(command, words) {
				continue
			}
			if rest, ok := strings.CutPrefix(answer, "Error"); ok {
				return "", doortest.Exit(16, "Error"+rest+"\n")
			}
			h.Files[args[len(args)-1]] = doortest.File{Data: []byte(answer)}
			return "", nil
		}
		t.Errorf("unexpected command %s", command)
		return "", nil
	}
	return h
}

// has makes the Deployment of a daemon.
func (h *harbour) has(t *testing.T, kind, id, image string) {
	t.Helper()
	d := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{
		Namespace: "rook-ceph", Name: "rook-ceph-" + kind + "-" + id, Labels: daemon.Labels("rook-ceph-"+kind, "rook-ceph", kind, id),
	}}
	d.Spec.Template.Spec.Containers = []corev1.Container{{Name: kind, Image: image}}
	if err := h.Kube.Create(t.Context(), d); err != nil {
		t.Fatal(err)
	}
}

func TestMayStop(t *testing.T) {
	ok := map[string]string{"mon ok-to-stop a": "", "mds ok-to-stop a": ""}
	mons := `"mon": {"` + now + `": 3}, "mgr": {"` + now + `": 1}`
	for name, c := range map[string]struct {
		versions string
		answers  map[string]string
		given    []string // mons that were given the image
		kind     string
		says     string // "": it may
		reason   string
	}{
		"the first mon": {`{"mon": {"` + old + `": 3}, "overall": {"x": 3}}`, ok, nil, Mon, "", ""},
		"a mon, while another is not seen with the new version": {
			`{"mon": {"` + old + `": 3}, "overall": {"x": 3}}`, ok,
			[]string{"b"},
			Mon,
			"the mons with image ceph/ceph:v16 to run 16.2.15 before another one is stopped: 0 of 1 do", v1.ReasonUpgradeBlocked,
		},
		"a mon, after another": {`{"mon": {"` + old + `": 2, "` + now + `": 1}, "overall": {"x": 3}}`, ok, []string{"b"}, Mon, "", ""},
		"a mon that Ceph does not let go": {
			`{"mon": {"` + old + `": 3}, "overall": {"x": 3}}`,
			map[string]string{"mon ok-to-stop a": "Error EBUSY: not enough monitors would be available (b) after stopping mons [a]"},
			nil, Mon,
			"Ceph to let mon.a be stopped: not enough monitors would be available (b) after stopping mons [a]", v1.ReasonNotOkToStop,
		},
		"one of two mons": {
			`{"mon": {"` + old + `": 2}, "overall": {"x": 2}}`,
			map[string]string{"mon ok-to-stop a": "Error EBUSY: not enough monitors would be available (b) after stopping mons [a]"},
			nil, Mon, "", "",
		},
		"the mgr, before the last mon": {
			`{"mon": {"` + old + `": 1, "` + now + `": 2}, "overall": {"x": 3}}`, nil, nil, Mgr,
			"all daemons of kind mon to run 16.2.15 before one of kind mgr is stopped: 1 runs 14.2.22", v1.ReasonUpgradeBlocked,
		},
		"the mgr": {`{` + mons + `, "overall": {"x": 3}}`, nil, nil, Mgr, "", ""},
		"an MDS, before the last OSDs": {
			`{` + mons + `, "osd": {"` + old + `": 2, "` + now + `": 7}, "overall": {"x": 3}}`, ok, nil, MDS,
			"all daemons of kind osd to run 16.2.15 before one of kind mds is stopped: 2 run 14.2.22", v1.ReasonUpgradeBlocked,
		},
		"an MDS, without a mgr": {
			`{"mon": {"` + now + `": 3}, "osd": {"` + now + `": 7}, "overall": {"x": 3}}`, ok, nil, MDS,
			"a mgr to run 16.2.15 before a daemon of kind mds is stopped", v1.ReasonUpgradeBlocked,
		},
		"an MDS": {`{` + mons + `, "osd": {"` + now + `": 7}, "mds": {"` + old + `": 2}, "overall": {"x": 3}}`, ok, nil, MDS, "", ""},
		"the only MDS": {
			`{` + mons + `, "osd": {"` + now + `": 7}, "mds": {"` + old + `": 1}, "overall": {"x": 3}}`,
			map[string]string{"mds ok-to-stop a": "Error EBUSY: one or more filesystems is currently degraded"},
			nil, MDS, "", "",
		},
		"an rbd-mirror, before the last MDS": {
			`{` + mons + `, "mds": {"` + old + `": 1}, "overall": {"x": 3}}`, nil, nil, RBDMirror,
			"all daemons of kind mds to run 16.2.15 before one of kind rbd-mirror is stopped: 1 runs 14.2.22", v1.ReasonUpgradeBlocked,
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarbour(t, c.versions)
			for words, answer := range c.answers {
				h.answers[words] = answer
			}
			for _, id := range c.given {
				h.has(t, Mon, id, "ceph/ceph:v16")
			}
			h.has(t, c.kind, "a", "ceph/ceph:v14")
			err := MayStop(t.Context(), h.pass, c.kind, "a")
			waiting, ok := pass.IsWaiting(err)
			if c.says == "" {
				if err != nil {
					t.Errorf("got %v", err)
				}
				return
			}
			if !ok || waiting.For != c.says || waiting.Reason != c.reason {
				t.Errorf("got %v %+v, want %q", err, waiting, c.says)
			}
		})
	}
}

func TestNothingIsAskedWhereThatIsSaid(t *testing.T) {
	h := newHarbour(t, "")
	h.pass.Cluster.Spec.SkipUpgradeChecks = true
	if err := MayStop(t.Context(), h.pass, Mgr, "a"); err != nil || len(h.Commands) > 0 {
		t.Errorf("%v, %v", err, h.Commands)
	}
	// Which image there is to be is no question to Ceph.
	h.pass.NextImage = "ceph/ceph:v17"
	if err := MayStop(t.Context(), h.pass, Mgr, "a"); err == nil || !strings.Contains(err.Error(), "the version of image ceph/ceph:v17, which the spec asks for") {
		t.Errorf("%v", err)
	}
}

func TestMonsThatDoNotAnswer(t *testing.T) {
	h := newHarbour(t, "")
	h.Programs["ceph"] = func([]string) (string, error) { return "", doortest.Exit(1, "timed out\n") }
	if err := MayStop(t.Context(), h.pass, Mon, "a"); err != nil {
		t.Errorf("a mon: %v", err)
	}
	if _, waiting := pass.IsWaiting(MayStop(t.Context(), h.pass, Mgr, "a")); !waiting {
		t.Error("the mgr may be stopped")
	}
}

func TestOverdue(t *testing.T) {
	at := time.Date(2019, 5, 23, 7, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		goesOn  bool
		minutes int
		waited  time.Duration
		want    bool
	}{
		{true, 0, 10 * time.Minute, true},
		{true, 0, 9 * time.Minute, false},
		{true, 2, 2 * time.Minute, true},
		{false, 2, time.Hour, false},
	} {
		spec := &v1.ClusterSpec{UpgradeSpec: v1.UpgradeSpec{ContinueUpgradeAfterChecksEvenIfNotHealthy: c.goesOn, WaitTimeoutForHealthyOSDInMinutes: c.minutes}}
		if got := Overdue(spec, at, at.Add(c.waited)); got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

func TestRequireRelease(t *testing.T) {
	for name, c := range map[string]struct {
		required, osds string
		given          ceph.Version
		want           string // the release that Ceph is told of
		again          bool
	}{
		"all run the new release":      {"nautilus", `{"` + now + `": 3}`, pacific, "pacific", false},
		"one is old":                   {"nautilus", `{"` + now + `": 2, "` + old + `": 1}`, pacific, "", true},
		"one was given an older image": {"nautilus", `{"` + now + `": 3}`, ceph.Version{Major: 14, Minor: 2}, "", false},
		"in between":                   {"mimic", `{"` + now + `": 2, "` + old + `": 1}`, pacific, "nautilus", false},
		"required already":             {"pacific", `{"` + now + `": 3}`, pacific, "", false},
		"never back":                   {"quincy", `{"` + now + `": 3}`, pacific, "", false},
		"no OSD is up":                 {"nautilus", `{}`, pacific, "", true},
		"a release without a name":     {"unknown", `{"` + now + `": 3}`, pacific, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarbour(t, fmt.Sprintf(`{"osd": %s, "overall": {"x": 1}}`, c.osds))
			h.answers["osd require-osd-release"] = ""
			if err := RequireRelease(t.Context(), h.pass, ceph.OSDMap{RequireOSDRelease: c.required}, c.given); err != nil {
				t.Fatal(err)
			}
			told := ""
			for _, command := range h.Commands {
				if rest, ok := strings.CutPrefix(command, "ceph osd require-osd-release "); ok {
					told, _, _ = strings.Cut(rest, " ")
				}
			}
			if told != c.want || h.pass.Again() > 0 != c.again {
				t.Errorf("told %q, want %q; again %v", told, c.want, h.pass.Again())
			}
		})
	}
}

func TestRefusalNamesAFewPGs(t *testing.T) {
	why := ceph.StopAnswer{Why: "unsafe", PGs: []string{"1.0", "1.1", "1.2", "1.3", "1.4", "1.5", "1.6"}}
	want := "Ceph to let osd.1 be stopped: unsafe (PGs 1.0, 1.1, 1.2, 1.3, 1.4 and 2 more)"
	if diff := cmp.Diff(want, Refusal("osd.1", why).For); diff != "" {
		t.Error(diff)
	}
}
