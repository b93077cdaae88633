package osd_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// harbour is a cluster whose Ceph says which OSDs may be stopped.
type harbour struct {
	*cluster
	t *testing.T
	// asked are the questions.
	asked []string
	// lets says which OSDs Ceph lets be stopped besides these, "" for none.
	lets func(ids string) string
	// mgr is what `ceph versions` says of the mgr.
	mgr string
}

const newImage = "ceph/ceph:v14.2.5"

// newHarbour has two OSDs on each of two nodes, all up, and a new image.
func newHarbour(t *testing.T, v ceph.Version) *harbour {
	h := &harbour{cluster: newCluster(t, "n1", "n2"), t: t, lets: func(ids string) string { return ids }}
	h.mgr = fmt.Sprintf(`{"ceph version %s (x) y (stable)": 1}`, v.Number())
	h.pass.Version = v
	h.reconcile(t)
	h.finish(t, "n1", 0, 1)
	h.finish(t, "n2", 2, 3)
	h.reconcile(t)
	for id := range 4 {
		h.ready(t, id, 1)
	}
	h.Clock.SetTime(h.Clock.Now().Add(time.Hour))
	plain := h.Programs["ceph"]
	h.Programs["ceph"] = func(args []string) (string, error) {
		out := args[len(args)-1]
		switch {
		case args[0] == "versions":
			h.Files[out] = doortest.File{Data: fmt.Appendf(nil, `{"mon": {}, "mgr": %s, "osd": {"ceph version %s (x) y": %d}, "overall": {"x": 1}}`, h.mgr, v.Number(), len(h.changed()))}
			return "", nil
		case args[1] == "ok-to-stop":
			ids := strings.Join(args[2:slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "--") })], " ")
			h.asked = append(h.asked, ids)
			let := h.lets(ids)
			h.Files[out] = doortest.File{Data: fmt.Appendf(nil, `{"ok_to_stop": %t, "osds": [%s], "bad_become_inactive": ["1.0"]}`, let != "", strings.ReplaceAll(let, " ", ","))}
			if let == "" {
				return "", doortest.Exit(16, "Error EBUSY: unsafe to stop osd(s)\n")
			}
			return "", nil
		}
		return plain(args)
	}
	h.pass.Cluster.Spec.CephVersion.Image = newImage
	return h
}

// turn makes a pass and returns the OSDs that have the new image after it.
func (h *harbour) turn() string {
	h.t.Helper()
	h.asked = nil
	h.reconcile(h.t)
	return h.changed()
}

func (h *harbour) changed() (changed string) {
	for id := range 4 {
		if doortest.Get(h.t, h.World, "rook-ceph", osd.Name(id), &appsv1.Deployment{}).Spec.Template.Spec.Containers[0].Image == newImage {
			changed += fmt.Sprint(id)
		}
	}
	return changed
}

func (h *harbour) wants(changed string, asked ...string) {
	h.t.Helper()
	if got := h.turn(); got != changed {
		h.t.Errorf("changed %q, want %q", got, changed)
	}
	if diff := cmp.Diff(asked, h.asked); diff != "" {
		h.t.Errorf("asked (-want +got):\n%s", diff)
	}
}

var (
	nautilus = ceph.Version{Major: 14, Minor: 2, Patch: 22}
	pacific  = ceph.Version{Major: 16, Minor: 2, Patch: 15}
)

func TestNodesAreUpdatedOneAfterTheOther(t *testing.T) {
	for name, c := range map[string]struct {
		version ceph.Version
		lets    func(string) string
		turns   [][]string // what has changed, and what was asked
	}{
		"a whole node, up to octopus": {nautilus, func(ids string) string { return ids }, [][]string{
			{"01", "0 1"}, {"0123", "2 3"},
		}},
		"one by one, where a node is too much": {nautilus, func(ids string) string {
			if strings.Contains(ids, " ") {
				return ""
			}
			return ids
		}, [][]string{{"0", "0 1", "0"}, {"01", "1"}, {"012", "2 3", "2"}}},
		"what Ceph adds on the node, from pacific on": {pacific, func(string) string { return "0 1 2 3" }, [][]string{
			{"01", "0"}, {"0123", "2"},
		}},
		"another node, where the first may not": {pacific, func(ids string) string {
			if ids == "0" {
				return ""
			}
			return ids
		}, [][]string{{"2", "0", "2"}, {"23", "0", "3"}}},
		"none": {pacific, func(string) string { return "" }, [][]string{{"", "0", "2"}}},
	} {
		t.Run(name, func(t *testing.T) {
			h := newHarbour(t, c.version)
			h.lets = c.lets
			for _, turn := range c.turns {
				h.wants(turn[0], turn[1:]...)
				for id := range 4 {
					h.ready(t, id, 1)
				}
			}
		})
	}
}

func TestAnOSDThatIsNotBackYet(t *testing.T) {
	h := newHarbour(t, pacific)
	h.lets = func(ids string) string {
		if ids == "1" {
			return ""
		}
		return ids
	}
	h.wants("0", "0")
	h.changedNow(0)
	h.ready(t, 0, 0)
	h.down[0] = true
	// It is its node's turn still, and it is counted among those that are stopped.
	h.wants("01", "1 0")
	h.wants("01")
	if !strings.Contains(h.pending(), "of node n1 to be back") {
		t.Errorf("%q", h.pending())
	}
	// Not for ever: others go on beside it, if Ceph lets them.
	h.ready(t, 1, 1)
	h.Clock.SetTime(h.Clock.Now().Add(2 * time.Minute))
	h.wants("012", "2 0")
}

// changedNow has a Deployment be as young as a change makes its pod.
func (h *harbour) changedNow(ids ...int) {
	h.t.Helper()
	for _, id := range ids {
		d := doortest.Get(h.t, h.World, "rook-ceph", osd.Name(id), &appsv1.Deployment{})
		d.CreationTimestamp = metav1.NewTime(h.Clock.Now())
		if err := h.Kube.Update(context.Background(), d); err != nil {
			h.t.Fatal(err)
		}
	}
}

func TestOSDsWithNothingToLoseAreUpdatedAtOnce(t *testing.T) {
	h := newHarbour(t, pacific)
	for _, id := range []int{1, 3} {
		h.ready(t, id, 0)
		h.down[id] = true
	}
	h.wants("13")
}

func TestAnotherImageWaitsForTheMgr(t *testing.T) {
	h := newHarbour(t, pacific)
	h.mgr = `{"ceph version 14.2.22 (x) nautilus (stable)": 1}`
	h.wants("")
	if want := "all daemons of kind mgr to run 16.2.15 before one of kind osd is stopped: 1 runs 14.2.22"; !strings.Contains(h.pending(), want) {
		t.Errorf("%q lacks %q", h.pending(), want)
	}
}

func TestAnUpdateWithoutChecks(t *testing.T) {
	h := newHarbour(t, pacific)
	h.pass.Cluster.Spec.SkipUpgradeChecks = true
	h.lets = func(string) string { return "" }
	h.wants("0")
	h.changedNow(0)
	h.ready(t, 0, 0)
	h.wants("0")
	h.ready(t, 0, 1)
	h.wants("01")
}

func TestACheckThatIsOverdue(t *testing.T) {
	h := newHarbour(t, pacific)
	h.lets = func(string) string { return "" }
	h.pass.Cluster.Spec.ContinueUpgradeAfterChecksEvenIfNotHealthy = true
	h.pass.Cluster.Spec.WaitTimeoutForHealthyOSDInMinutes = 3
	blocked := metav1.Condition{Type: v1.ConditionUpgradeBlocked, Status: metav1.ConditionTrue, Reason: v1.ReasonNotOkToStop}
	blocked.LastTransitionTime = metav1.NewTime(h.Clock.Now().Add(-2 * time.Minute))
	h.pass.Cluster.Status.Conditions = append(h.pass.Cluster.Status.Conditions, blocked)
	if got := h.turn(); got != "" {
		t.Errorf("changed %s after two minutes", got)
	}
	h.Clock.SetTime(h.Clock.Now().Add(time.Minute))
	if got := h.turn(); len(got) != 1 {
		t.Errorf("changed %q after three minutes", got)
	}
	if !strings.Contains(strings.Join(h.Reported, "\n"), "Warning UpgradeAtRisk osd.") {
		t.Errorf("%q", h.Reported)
	}
}

// A condition may carry the time of a clock that is ahead of this one.
func TestATimeToComeIsNoTurn(t *testing.T) {
	h := newHarbour(t, pacific)
	ahead := metav1.Condition{Type: v1.ConditionUpgradeBlocked, Status: metav1.ConditionTrue, Reason: v1.ReasonNotOkToStop}
	ahead.LastTransitionTime = metav1.NewTime(h.Clock.Now().Add(15 * time.Second))
	h.pass.Cluster.Status.Conditions = append(h.pass.Cluster.Status.Conditions, ahead)
	h.turn() // does not panic
}

func TestAYesThatNamesOthersIsGarbled(t *testing.T) {
	h := newHarbour(t, pacific)
	h.lets = func(string) string { return "99" }
	doors := h.Doors()
	p := &pass.Pass{
		Ceph:  ceph.NewAdmin(doors.Exec, doors.Files, doors.IDs, ceph.Conn{Cluster: "rook-ceph", Conf: "/c", Keyring: "/k"}, pacific),
		Doors: doors, Settings: h.pass.Settings, Cluster: h.pass.Cluster.DeepCopy(), Version: pacific, Identity: h.pass.Identity,
	}
	if err := osd.Reconcile(t.Context(), p); h.changed() != "" || !errors.Is(err, ceph.ErrGarbled) {
		t.Errorf("changed %q, error %v", h.changed(), err)
	}
}
