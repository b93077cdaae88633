package cluster

import (
	"context"
	"testing"
	"time"

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
