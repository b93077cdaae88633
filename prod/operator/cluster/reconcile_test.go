package cluster

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func aCluster(change ...func(*v1.CephCluster)) *v1.CephCluster {
	c := &v1.CephCluster{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "rook-ceph", Name: "my-ceph", UID: "u", Generation: 1,
			Annotations: map[string]string{"kubectl.kubernetes.io/last-applied-configuration": "{}"},
		},
		Spec: goodSpec(),
	}
	for _, f := range change {
		f(c)
	}
	return c
}

// run is a reconciler with one step, whose outcome a test sets.
type run struct {
	*doortest.World
	t       *testing.T
	r       *reconciler
	outcome func(*pass.Pass) error
	ran     int
}

func newRun(t *testing.T, objects ...client.Object) *run {
	x := &run{World: doortest.New(t, objects...), t: t, outcome: func(*pass.Pass) error { return nil }}
	x.r = &reconciler{Doors: x.Doors(), steps: []step{func(_ context.Context, p *pass.Pass) error {
		x.ran++
		return x.outcome(p)
	}}}
	return x
}

func (x *run) reconcile() time.Duration {
	x.t.Helper()
	return x.reconcileOf("my-ceph")
}

func (x *run) reconcileOf(name string) time.Duration {
	x.t.Helper()
	res, err := x.r.Reconcile(x.t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "rook-ceph", Name: name}})
	if err != nil {
		x.t.Fatal(err)
	}
	return res.RequeueAfter
}

func (x *run) get() *v1.CephCluster {
	x.t.Helper()
	return doortest.Get(x.t, x.World, "rook-ceph", "my-ceph", &v1.CephCluster{})
}

// edit changes the spec as a user does.
func (x *run) edit(change func(*v1.ClusterSpec)) {
	x.t.Helper()
	c := x.get()
	change(&c.Spec)
	c.Generation++
	if err := x.Kube.Update(x.t.Context(), c); err != nil {
		x.t.Fatal(err)
	}
}

func (x *run) wants(state v1.ClusterState, message string) {
	x.t.Helper()
	s := x.get().Status
	if s.State != state || s.Message != message || s.Phase != state.Phase() {
		x.t.Errorf("state %s (%s), message %q; want %s, %q", s.State, s.Phase, s.Message, state, message)
	}
}

func (x *run) condition(kind string) metav1.Condition {
	x.t.Helper()
	c := apimeta.FindStatusCondition(x.get().Status.Conditions, kind)
	if c == nil {
		return metav1.Condition{}
	}
	return *c
}

func waiting(text string) func(*pass.Pass) error {
	return func(*pass.Pass) error { return pass.WaitFor(v1.ReasonWaiting, 0, "%s", text) }
}

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
	for _, wait := range []time.Duration{time.Second, 2 * time.Second, 4 * time.Second, 6 * time.Second, 6 * time.Second} {
		if after := x.reconcile(); after != wait {
			t.Errorf("again after %v, want %v", after, wait)
		}
		x.Clock.SetTime(x.Clock.Now().Add(max(wait, time.Second)))
		if wait == time.Second {
			x.Clock.SetTime(x.Clock.Now().Add(time.Second))
		}
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
		if after := x.reconcile(); after != 6*time.Second {
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
