package sim_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// faulty has a cluster of one mon come up while one effect goes wrong.
func faulty(tb testing.TB, fault *world.Fault) *sim.World {
	tb.Helper()
	w, err := sim.New(1, nil)
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(w.Close)
	if fault != nil {
		w.FailOperator(*fault)
	}
	if err := w.AddNode(world.Node{Name: "n1"}); err != nil {
		tb.Fatal(err)
	}
	ctx := context.Background()
	if err := w.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph"}}); err != nil {
		tb.Fatal(err)
	}
	if err := w.Apply(ctx, `
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: rook-ceph, namespace: rook-ceph}
spec: {cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}, dataDirHostPath: /var/lib/rook, mon: {count: 1}}
`); err != nil {
		tb.Fatal(err)
	}
	if err := w.Until(10*time.Minute, func() error {
		var c v1.CephCluster
		if err := w.Client().Get(ctx, client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph"}, &c); err != nil {
			return err
		}
		if c.Status.State != v1.ClusterStateCreated {
			return fmt.Errorf("status %+v", c.Status)
		}
		return nil
	}); err != nil {
		tb.Fatalf("%v\n%s", err, w.Trace(40))
	}
	return w
}

// count says how many effects have the words.
func count(w *sim.World, words string) (n int) {
	for _, e := range w.OperatorEffects() {
		if strings.Contains(e.Text, words) {
			n++
		}
	}
	return n
}

func TestFaultsHitTheEffectTheyAreFor(t *testing.T) {
	const effect = "create Secret rook-ceph/rook-ceph-mon"
	for name, c := range map[string]struct {
		kind     world.FaultKind
		attempts int // to make the identity
		restarts int
		took     time.Duration // until the answer, at least
	}{
		"killed before":  {world.KillBefore, 2, 1, 0},
		"killed after":   {world.KillAfter, 1, 1, 0},
		"refused":        {world.Refuse, 2, 0, 0},
		"conflict":       {world.Conflict, 2, 0, 0},
		"timed out":      {world.TimeOut, 2, 0, 30 * time.Second},
		"answer is lost": {world.LoseAnswer, 1, 0, 30 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			w := faulty(t, &world.Fault{Kind: c.kind, Words: effect})
			if left := w.FaultsLeft(); len(left) > 0 {
				t.Fatalf("these have not happened: %v", left)
			}
			// The same words begin the Secret of the mons' keyring, made once.
			if got := count(w, effect) - count(w, effect+"s-keyring"); got != c.attempts {
				t.Errorf("%d attempts, want %d", got, c.attempts)
			}
			if got := count(w, "ceph-authtool"); got != 2*c.attempts {
				t.Errorf("ceph-authtool ran %d times", got)
			}
			if got := strings.Count(w.Trace(1<<20), "operator: killed"); got != c.restarts {
				t.Errorf("killed %d times, want %d", got, c.restarts)
			}
			if took := after(w, effect); took < c.took {
				t.Errorf("the next effect came %v later", took)
			}
		})
	}
}

// after is how long the effect after the first with the words took to come.
func after(w *sim.World, words string) time.Duration {
	all := w.OperatorEffects()
	for i, e := range all {
		if strings.Contains(e.Text, words) {
			return all[i+1].At.Sub(e.At)
		}
	}
	return 0
}

// A kind of fault waits for something that it can befall.
func TestFaultsPassByWhatTheyCannotBefall(t *testing.T) {
	w := faulty(t, &world.Fault{Kind: world.Garble, Words: "rook-ceph"})
	if len(w.FaultsLeft()) > 0 {
		t.Error("no command was garbled")
	}
	w = faulty(t, &world.Fault{Kind: world.LoseEvent, Words: "modified CephCluster"})
	if len(w.FaultsLeft()) > 0 {
		t.Error("no event was lost")
	}
}

func TestSlowCommandsRunIntoTheirDeadline(t *testing.T) {
	w := faulty(t, nil)
	for _, c := range []struct {
		takes time.Duration
		err   bool
	}{{10 * time.Second, false}, {2 * time.Minute, true}, {0, false}} {
		w.SlowOperator("status", c.takes)
		w.Pass(2 * time.Minute) // what runs already
		before := len(w.OperatorRuns())
		w.Pass(3 * time.Minute)
		for _, r := range w.OperatorRuns()[before:] {
			if strings.Contains(r.Command.String(), "ceph status") && (r.Err != nil) != c.err {
				t.Errorf("taking %v: %v", c.takes, r.Err)
			}
		}
	}
}

func TestRefusalsAreTakenBack(t *testing.T) {
	w := faulty(t, nil)
	w.Pass(2 * time.Minute)
	w.RefuseOperator("patch", "CephCluster", -1, errors.New("no"))
	checked := func() string {
		var c v1.CephCluster
		if err := w.Client().Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph"}, &c); err != nil {
			t.Fatal(err)
		}
		return c.Status.Ceph.LastChecked
	}
	before := checked()
	w.Pass(10 * time.Minute)
	if at := checked(); at != before {
		t.Error("the status was written")
	}
	w.RefuseOperator("patch", "CephCluster", 0, nil)
	w.Pass(20 * time.Minute)
	if at := checked(); at == before {
		t.Error("the status was not written")
	}
}

func TestAFaultByNumber(t *testing.T) {
	calm := faulty(t, nil).OperatorEffects()
	w := faulty(t, &world.Fault{Kind: world.KillAfter, Number: 7})
	effects := w.OperatorEffects()
	for i := range 7 {
		if effects[i] != calm[i] {
			t.Fatalf("effect %d is %+v, without the fault %+v", i+1, effects[i], calm[i])
		}
	}
	if pause := effects[7].At.Sub(effects[6].At); pause < time.Second {
		t.Errorf("the operator was back after %v", pause)
	}
	if len(w.FaultsLeft()) > 0 {
		t.Error("it has not happened")
	}
}
