package cluster

import (
	"errors"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestAgain(t *testing.T) {
	waits := func(after time.Duration) *pass.Waiting { return pass.WaitFor(v1.ReasonWaiting, after, "the tide") }
	refused := pass.Refuse(v1.ReasonDowngrade, "no")
	for name, c := range map[string]struct {
		o           outcome
		asked, took time.Duration
		want        time.Duration
	}{
		"done":                               {outcome{}, 0, time.Second, 0},
		"done, and a look is asked for":      {outcome{}, time.Minute, 0, time.Minute},
		"a wait":                             {outcome{err: waits(0)}, 0, 0, 5 * time.Second},
		"a wait that says when":              {outcome{err: waits(time.Second)}, 0, 0, time.Second},
		"a failure":                          {outcome{err: errors.New("boom")}, time.Minute, 0, 5 * time.Second},
		"refused":                            {outcome{err: refused}, 0, time.Second, 0},
		"refused, and a look is asked for":   {outcome{held: refused}, time.Minute, 0, time.Minute},
		"refused, and the rest waits":        {outcome{held: refused, err: waits(0)}, 0, 0, 5 * time.Second},
		"the rest goes on without a failure": {outcome{held: errors.New("boom")}, time.Minute, 0, 5 * time.Second},
		"pending":                            {outcome{pending: []*pass.Waiting{waits(30 * time.Second), waits(3 * time.Second)}}, 0, 0, 3 * time.Second},
		"after a pass that took long":        {outcome{err: waits(0)}, 0, 20 * time.Second, 20 * time.Second},
		"after one that took very long":      {outcome{err: waits(0)}, 0, 5 * time.Minute, longestRest},
	} {
		t.Run(name, func(t *testing.T) {
			if got := c.o.again(c.asked, 5*time.Second, c.took); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

// An image that may not run is a refusal that does not end the pass.
func TestWhatIsHeldIsToldAndTheRestGoesOn(t *testing.T) {
	x := newRun(t, aCluster())
	x.reconcile()
	x.edit(func(s *v1.ClusterSpec) { s.CephVersion.Image = "ceph/ceph:v12" })
	x.outcome = func(p *pass.Pass) error {
		p.Hold(pass.Refuse(v1.ReasonDowngrade, "no way back"))
		p.LookAgain(time.Minute)
		return nil
	}
	if after := x.reconcile(); after != time.Minute {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateError, "no way back")
	if c := x.condition(v1.ConditionReady); c.Reason != v1.ReasonDowngrade || c.Message != "no way back" {
		t.Errorf("%v", c)
	}
	x.Writes, x.Reported, x.Lines = nil, nil, nil
	x.reconcile()
	if len(x.Writes)+len(x.Reported)+len(x.Lines) > 0 {
		t.Errorf("the next pass: %v %v %v", x.Writes, x.Reported, x.Lines)
	}
	// What the rest waits for is told as well.
	x.outcome = func(p *pass.Pass) error {
		p.Hold(pass.Refuse(v1.ReasonDowngrade, "no way back"))
		return pass.WaitFor(v1.ReasonWaiting, 0, "mon a to come back")
	}
	if after := x.reconcile(); after != time.Second {
		t.Errorf("again after %v", after)
	}
	x.wants(v1.ClusterStateError, "no way back")
	if c := x.condition(v1.ConditionReady); c.Message != "no way back; waiting for mon a to come back" {
		t.Errorf("%v", c)
	}
	// A failure is logged and tried again.
	x.outcome = func(p *pass.Pass) error {
		p.Hold(errors.New("boom"))
		return nil
	}
	x.reconcile()
	x.wants(v1.ClusterStateUpdating, "")
	if !x.Logged("E failed to update cluster in namespace rook-ceph. boom") {
		t.Errorf("%q", x.Lines)
	}
}

func TestTheConditionsOfAnUpgrade(t *testing.T) {
	x := newRun(t, aCluster())
	says := func(reason, text string) func(*pass.Pass) error {
		return func(p *pass.Pass) error {
			p.Later(pass.WaitFor(v1.ReasonWaiting, 0, "something else"))
			p.Later(pass.WaitFor(reason, 0, "%s", text))
			return nil
		}
	}
	x.outcome = says(v1.ReasonUpgradeBlocked, "all mons")
	x.reconcile()
	if c := x.condition(v1.ConditionUpgradeBlocked); c.Status != metav1.ConditionTrue || c.Reason != v1.ReasonUpgradeBlocked || !strings.Contains(c.Message, "all mons") {
		t.Errorf("%v", c)
	}
	x.Clock.SetTime(x.Clock.Now().Add(time.Hour))
	x.outcome = says(v1.ReasonNotOkToStop, "osd.1")
	x.reconcile()
	since := x.condition(v1.ConditionUpgradeBlocked).LastTransitionTime
	if !since.Time.Equal(x.Clock.Now()) {
		t.Errorf("Ceph's no is as old as another reason: %v", since)
	}
	x.Clock.SetTime(x.Clock.Now().Add(time.Minute))
	x.outcome = says(v1.ReasonNotOkToStop, "osd.2")
	x.reconcile()
	if c := x.condition(v1.ConditionUpgradeBlocked); !c.LastTransitionTime.Equal(&since) || !strings.Contains(c.Message, "osd.2") {
		t.Errorf("%v", c)
	}
	x.outcome = func(*pass.Pass) error { return nil }
	x.reconcile()
	if c := x.condition(v1.ConditionUpgradeBlocked); c.Type != "" {
		t.Errorf("%v", c)
	}
}
