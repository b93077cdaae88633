package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestARefusalWaitsForAPerson(t *testing.T) {
	x := newRun(t, aCluster(func(c *v1.CephCluster) { c.Spec.Storage.DeviceFilter = "sd[" }))
	for range 2 {
		if after := x.reconcile(); after != 0 {
			t.Errorf("again after %v", after)
		}
	}
	s := x.get().Status
	x.wants(v1.ClusterStateError, s.Message)
	if c := x.condition(v1.ConditionReady); c.Reason != v1.ReasonInvalidSpec || c.Message != s.Message || !strings.Contains(s.Message, `"sd["`) {
		t.Errorf("%v", c)
	}
	if diff := cmp.Diff([]string{"E " + s.Message}, x.Lines); diff != "" {
		t.Errorf("log (-want +got):\n%s", diff)
	}
	if x.ran > 0 || len(x.get().Finalizers) > 0 || len(x.Writes) != 1 || len(x.Reported) != 1 {
		t.Errorf("ran %d, writes %v, events %v", x.ran, x.Writes, x.Reported)
	}
	x.edit(func(s *v1.ClusterSpec) { s.Storage.DeviceFilter = "^sd." })
	x.outcome = waiting("the tide")
	x.reconcile()
	x.wants(v1.ClusterStateCreating, "")
}

func TestTheSecondClusterOfANamespace(t *testing.T) {
	first := aCluster()
	second := aCluster(func(c *v1.CephCluster) { c.Name, c.UID = "second", "u2" })
	x := newRun(t, first, second)
	x.reconcile()
	x.reconcileOf("second")
	c := doortest.Get(t, x.World, "rook-ceph", "second", &v1.CephCluster{})
	if c.Status.State != v1.ClusterStateError || !strings.Contains(c.Status.Message, "namespace rook-ceph already has the CephCluster my-ceph") || x.ran != 1 {
		t.Errorf("%+v, ran %d", c.Status, x.ran)
	}
	// It is looked at again when the first goes.
	if got := x.r.selfAndBlocked(t.Context(), first); len(got) != 2 || got[1].Name != "second" {
		t.Errorf("requests %v", got)
	}
}

func TestWhatAPersonShouldKnowOfTheSpec(t *testing.T) {
	x := newRun(t, aCluster(func(c *v1.CephCluster) {
		c.Spec.Mon.Count = 0
		c.Spec.Placement = v1.Placements{"mds": {}}
	}))
	for range 2 {
		x.reconcile()
	}
	const text = "mon count is 0 or less, should be at least 1, will use default value of 3"
	if c := x.condition(v1.ConditionSpecAdjusted); c.Status != metav1.ConditionTrue || c.Message != text {
		t.Errorf("%v", c)
	}
	if c := x.condition(v1.ConditionUnservedFields); c.Status != metav1.ConditionTrue || !strings.Contains(c.Message, "spec.placement.mds") {
		t.Errorf("%v", c)
	}
	if n := strings.Count(strings.Join(x.Lines, "\n"), "W "+text); n != 1 || x.get().Status.Mon.Count != 3 || x.get().Spec.Mon.Count != 0 {
		t.Errorf("warned %d times: %q", n, x.Lines)
	}
	x.edit(func(s *v1.ClusterSpec) { s.Mon.Count, s.Placement = 3, nil })
	x.reconcile()
	if kinds := x.get().Status.Conditions; len(kinds) != 2 {
		t.Errorf("conditions are left: %v", kinds)
	}
}

func TestDeletion(t *testing.T) {
	x := newRun(t, aCluster(func(c *v1.CephCluster) { c.Finalizers = []string{v1.CephClusterFinalizer, "theirs/stays"} }))
	if err := x.Kube.Delete(t.Context(), x.get()); err != nil {
		t.Fatal(err)
	}
	x.Writes = nil
	for range 2 {
		if after := x.reconcile(); after != 0 {
			t.Errorf("again after %v", after)
		}
	}
	c := x.get()
	if diff := cmp.Diff([]string{"theirs/stays"}, c.Finalizers); diff != "" || c.Status.State != v1.ClusterStateDeleting || x.ran > 0 || len(x.Writes) != 2 {
		t.Errorf("%s %s %v", diff, c.Status.State, x.Writes)
	}
	x.reconcileOf("no-such-cluster")
}

func TestAStatusThatCannotBeWrittenIsWrittenLater(t *testing.T) {
	x := newRun(t, aCluster())
	x.Refuse = func(verb string, _ client.Object, _ string) error {
		if verb == "patch-status" {
			return apierrors.NewInternalError(errors.New("boom"))
		}
		return nil
	}
	if after := x.reconcile(); after != time.Second || x.ran > 0 {
		t.Errorf("again after %v, ran %d", after, x.ran)
	}
	if len(x.Lines) != 1 || !strings.HasPrefix(x.Lines[0], "E failed to update cluster status in namespace rook-ceph: ") {
		t.Errorf("%q", x.Lines)
	}
	x.Refuse = nil
	x.reconcile()
	x.wants(v1.ClusterStateCreated, "")
}

// The health is written by another controller in between, and must stay.
func TestAHealthWrittenMeanwhileStays(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = func(*pass.Pass) error {
		c := x.get()
		c.Status.Ceph = &v1.CephStatus{Health: "HEALTH_OK"}
		if err := x.Kube.Status().Update(t.Context(), c); err != nil {
			t.Error(err)
		}
		return nil
	}
	x.reconcile()
	x.wants(v1.ClusterStateCreated, "")
	if c := x.get(); c.Status.Ceph == nil || c.Status.Ceph.Health != "HEALTH_OK" {
		t.Errorf("%+v", c.Status)
	}
}

func TestAFailureEndsThePass(t *testing.T) {
	x := newRun(t, aCluster())
	later := false
	x.r.steps = append(x.r.steps, func(context.Context, *pass.Pass) error {
		later = true
		return nil
	})
	x.outcome = func(*pass.Pass) error { return errors.New("boom") }
	if x.reconcile(); later {
		t.Error("a step ran after one that failed (S63)")
	}
}
