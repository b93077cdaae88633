package cluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestFromNothingToCreated(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = func(p *pass.Pass) error {
		// The state is written before the work begins (S49), and so is the finalizer (S54).
		if c := x.get(); c.Status.State != v1.ClusterStateCreating || len(c.Finalizers) != 1 || c.Finalizers[0] != "cephcluster.ceph.rook.io" {
			t.Errorf("when the work begins: %+v", c)
		}
		return waiting("the tide")(p)
	}
	if after := x.reconcile(); after != time.Second {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreating, "")
	if c := x.condition(v1.ConditionReady); c.Status != metav1.ConditionFalse || c.Reason != v1.ReasonWaiting || c.Message != "waiting for the tide" {
		t.Errorf("%v", c)
	}
	if c := x.condition(v1.ConditionProgressing); c.Status != metav1.ConditionTrue || c.Reason != v1.ReasonCreating {
		t.Errorf("%v", c)
	}
	// The next pass has nothing new to say.
	x.Writes = nil
	x.outcome = waiting("the tide")
	x.reconcile()
	if len(x.Writes) > 0 {
		t.Errorf("writes %v", x.Writes)
	}
	x.outcome = func(*pass.Pass) error { return nil }
	if after := x.reconcile(); after != 0 {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreated, "")
	c := x.get()
	if c.Status.ObservedGeneration != 1 || c.Status.Mon.Count != 3 || x.condition(v1.ConditionReady).Status != metav1.ConditionTrue {
		t.Errorf("%+v", c.Status)
	}
	// S55: nothing but status and finalizer was touched.
	if diff := cmp.Diff(aCluster().Spec, c.Spec); diff != "" || c.Annotations["kubectl.kubernetes.io/last-applied-configuration"] != "{}" || c.Generation != 1 {
		t.Errorf("%s %v %d", diff, c.Annotations, c.Generation)
	}
	x.Writes, x.Reported, x.Lines = nil, nil, nil
	x.reconcile()
	if len(x.Writes)+len(x.Reported)+len(x.Lines) > 0 {
		t.Errorf("a pass with nothing to do: %v %v %v", x.Writes, x.Reported, x.Lines)
	}
}

func TestFailuresAreShownAndTriedAgain(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = func(*pass.Pass) error { return errors.New("boom") }
	if after := x.reconcile(); after != time.Second {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreating, "")
	if c := x.condition(v1.ConditionReady); c.Reason != v1.ReasonFailed || c.Message != "boom" {
		t.Errorf("%v", c)
	}
	if !x.Logged("E failed to create cluster in namespace rook-ceph. boom") {
		t.Errorf("%q", x.Lines)
	}
	if diff := cmp.Diff([]string{"Warning Failed boom"}, x.Reported); diff != "" {
		t.Error(diff)
	}
	for _, c := range []struct{ passes, again time.Duration }{{1, 1}, {1, 2}, {2, 4}, {4, 6}, {6, 6}} {
		x.Clock.SetTime(x.Clock.Now().Add(c.passes * time.Second))
		if after := x.reconcile(); after != c.again*time.Second {
			t.Errorf("again after %v, want %ds", after, c.again)
		}
	}
	x.outcome = waiting("something new")
	if after := x.reconcile(); after != time.Second {
		t.Errorf("again after %v", after)
	}
	x.outcome = func(*pass.Pass) error {
		return apierrors.NewConflict(corev1.Resource("x"), "x", errors.New("modified"))
	}
	x.Reported = nil
	if x.reconcile() != time.Second || x.condition(v1.ConditionReady).Reason != v1.ReasonWaiting || len(x.Reported) > 0 {
		t.Errorf("a lost race: %v %v", x.condition(v1.ConditionReady), x.Reported)
	}
}

// Settled 23: after 60 minutes the state says so, in the seed's words, and the
// operator goes on. A restart of the operator in between does not matter.
func TestGivingUp(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = waiting("the tide")
	x.reconcile()
	x.Clock.SetTime(x.Clock.Now().Add(59 * time.Minute))
	x.reconcile()
	x.wants(v1.ClusterStateCreating, "")
	x.Clock.SetTime(x.Clock.Now().Add(time.Minute))
	restarted := newRun(t, x.get())
	restarted.Clock.SetTime(x.Clock.Now())
	x = restarted
	x.outcome = waiting("the tide")
	for range 2 {
		if after := x.reconcile(); after != time.Second {
			t.Errorf("again after %v", after)
		}
		x.wants(v1.ClusterStateError, "giving up creating cluster in namespace rook-ceph after 1h0m0s")
		if c := x.condition(v1.ConditionReady); c.Reason != v1.ReasonTimedOut || !strings.Contains(c.Message, "waiting for the tide") {
			t.Errorf("%v", c)
		}
		x.Writes = nil
	}
	// A changed spec is work of its own, and starts anew (B16).
	x.edit(func(s *v1.ClusterSpec) { s.Mon.Count = 1 })
	x.outcome = func(p *pass.Pass) error {
		if p.Cluster.Spec.Mon.Count != 1 {
			t.Errorf("an old spec: %v", p.Cluster.Spec.Mon)
		}
		return waiting("the tide")(p)
	}
	if after := x.reconcile(); after != time.Second {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreating, "")
	x.outcome = func(*pass.Pass) error { return nil }
	x.reconcile()
	x.wants(v1.ClusterStateCreated, "")
}

func TestUpdating(t *testing.T) {
	x := newRun(t, aCluster())
	x.reconcile()
	x.wants(v1.ClusterStateCreated, "")
	x.edit(func(s *v1.ClusterSpec) { s.Mon.Count = 5 })
	x.outcome = func(p *pass.Pass) error {
		x.wants(v1.ClusterStateUpdating, "")
		return waiting("the tide")(p)
	}
	x.reconcile()
	x.wants(v1.ClusterStateUpdating, "")
	x.Clock.SetTime(x.Clock.Now().Add(time.Hour))
	x.outcome = waiting("the tide")
	x.reconcile()
	x.wants(v1.ClusterStateError, "giving up updating cluster in namespace rook-ceph after 1h0m0s")
	x.outcome = func(*pass.Pass) error { return nil }
	x.reconcile()
	x.wants(v1.ClusterStateCreated, "")
	// What breaks later is shown too.
	x.outcome = func(*pass.Pass) error { return errors.New("boom") }
	x.reconcile()
	x.wants(v1.ClusterStateUpdating, "")
	if !x.Logged("E failed to update cluster in namespace rook-ceph. boom") {
		t.Errorf("%q", x.Lines)
	}
}

func TestWhatIsStillToComeKeepsACheckOn(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = func(p *pass.Pass) error {
		p.Later(pass.WaitFor(v1.ReasonWaiting, 30*time.Second, "n3"))
		return nil
	}
	if after := x.reconcile(); after != 30*time.Second {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreating, "")
	if c := x.condition(v1.ConditionReady); c.Message != "waiting for n3" {
		t.Errorf("%v", c)
	}
	x.outcome = func(p *pass.Pass) error {
		p.LookAgain(time.Minute)
		return nil
	}
	if after := x.reconcile(); after != time.Minute {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateCreated, "")
}

func TestAFailureThatANewSpecHasOvertaken(t *testing.T) {
	x := newRun(t, aCluster())
	x.outcome = func(*pass.Pass) error {
		x.edit(func(s *v1.ClusterSpec) { s.Mon.Count = 1 })
		return errors.New("boom")
	}
	x.reconcile()
	if !x.Logged("E There was an orchestration error, but there is another orchestration pending; proceeding with next orchestration run (which may succeed). boom") {
		t.Errorf("%q", x.Lines)
	}
	x.outcome = func(*pass.Pass) error { return nil }
	x.reconcile()
	if s := x.get().Status; s.State != v1.ClusterStateCreated || s.Mon.Count != 1 || s.ObservedGeneration != 2 {
		t.Errorf("%+v", s)
	}
}
