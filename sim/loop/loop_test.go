package loop_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestEventsRunInOrderOfVirtualTime(t *testing.T) {
	l := loop.New(1)
	var got []string
	l.After(2*time.Second, "b", func() { got = append(got, "b") })
	l.After(time.Second, "a", func() {
		got = append(got, "a")
		l.After(3*time.Second, "c", func() { got = append(got, "c") })
	})
	stopped := l.After(time.Second, "never", func() { got = append(got, "never") })
	stopped.Stop()
	l.RunFor(10 * time.Second)
	if diff := cmp.Diff([]string{"a", "b", "c"}, got); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
	if got := l.Elapsed(); got != 10*time.Second {
		t.Errorf("elapsed %v, want 10s", got)
	}
}

func order(seed uint64) string {
	l := loop.New(seed)
	var out []string
	for i := range 8 {
		l.After(time.Second, "", func() { out = append(out, fmt.Sprint(i)) })
	}
	l.RunFor(time.Second)
	return strings.Join(out, "")
}

func TestOneInstantIsOrderedByTheSeed(t *testing.T) {
	if a, b := order(7), order(7); a != b {
		t.Errorf("the same seed gave %s and %s", a, b)
	}
	if a, b := order(7), order(8); a == b {
		t.Errorf("seeds 7 and 8 gave the same order %s", a)
	}
}

func TestProcessesSleepInVirtualTime(t *testing.T) {
	l := loop.New(1)
	var trace bytes.Buffer
	l.TraceTo(&trace)
	for _, name := range []string{"slow", "fast"} {
		d := map[string]time.Duration{"slow": 3 * time.Second, "fast": time.Second}[name]
		l.Go(name, func() {
			for range 2 {
				l.Sleep(d)
				l.Trace(name, "woke")
			}
		})
	}
	l.RunFor(time.Minute)
	want := `    1.000000 fast: woke
    2.000000 fast: woke
    3.000000 slow: woke
    6.000000 slow: woke
`
	if diff := cmp.Diff(want, trace.String()); diff != "" {
		t.Errorf("trace (-want +got):\n%s", diff)
	}
}

func TestSignal(t *testing.T) {
	l := loop.New(1)
	s := l.NewSignal()
	var woken, late bool
	var at time.Duration
	l.Go("waits", func() { woken = s.Wait(0); at = l.Elapsed() })
	l.Go("gives up", func() { late = s.Wait(time.Second) })
	l.After(2*time.Second, "broadcast", s.Broadcast)
	l.RunFor(time.Minute)
	if !woken || at != 2*time.Second {
		t.Errorf("woken %v at %v, want at 2s", woken, at)
	}
	if late {
		t.Error("a wait of 1s saw the broadcast at 2s")
	}
}

func TestKilledGroupEndsWhereItStands(t *testing.T) {
	l := loop.New(1)
	g := l.NewGroup("operator")
	var got []string
	note := func(s string) { got = append(got, s) }
	g.Go("sleeper", func() {
		defer note("deferred")
		l.Sleep(time.Hour)
		note("woke")
	})
	g.After(2*time.Second, "timer", func() { note("timer") })
	g.OnKill(func() { note("hook") })
	l.Go("killer", func() {
		l.Sleep(time.Second)
		g.Kill()
		note("killer goes on")
	})
	l.RunFor(2 * time.Hour)
	if diff := cmp.Diff([]string{"hook", "deferred", "killer goes on"}, got); diff != "" {
		t.Errorf("what ran (-want +got):\n%s", diff)
	}
	g.Go("too late", func() { t.Error("a dead group started a process") })
	l.RunFor(time.Second)
}

func TestAProcessMayKillItsOwnGroup(t *testing.T) {
	l := loop.New(1)
	g := l.NewGroup("operator")
	after := false
	g.Go("crash", func() {
		g.Kill()
		after = true
	})
	other := false
	g.Go("other", func() { l.Sleep(time.Second); other = true })
	l.RunFor(time.Minute)
	if after || other {
		t.Errorf("ran on after the kill: itself %v, other %v", after, other)
	}
}

func TestAPanicInAProcessReachesTheCaller(t *testing.T) {
	l := loop.New(1)
	l.Go("bad", func() { panic("boom") })
	defer func() {
		if r := recover(); r == nil || !strings.Contains(fmt.Sprint(r), "boom") {
			t.Errorf("recovered %v, want boom", r)
		}
	}()
	l.RunFor(time.Second)
}

func TestRunUntilLooksOnlyBetweenInstants(t *testing.T) {
	l := loop.New(1)
	a, b := false, false
	l.After(time.Second, "a", func() { a = true })
	l.After(time.Second, "b", func() { b = true })
	if !l.RunUntil(func() bool { return a || b }, time.Minute) {
		t.Fatal("the condition never held")
	}
	if !a || !b {
		t.Errorf("looked in the middle of an instant: a %v, b %v", a, b)
	}
}

func BenchmarkSwitch(b *testing.B) {
	l := loop.New(1)
	l.Go("sleeper", func() {
		for range b.N {
			l.Sleep(time.Millisecond)
		}
	})
	l.RunFor(time.Duration(b.N+1) * time.Millisecond)
}

func TestAGroupDiesWithItsParent(t *testing.T) {
	l := loop.New(1)
	machine := l.NewGroup("machine")
	pod := machine.NewGroup("pod")
	container := pod.NewGroup("container")
	ran := false
	container.Go("daemon", func() { l.Sleep(time.Second); ran = true })
	l.After(0, "power cut", machine.Kill)
	l.RunFor(time.Minute)
	if ran || !container.Dead() {
		t.Errorf("the container outlived its machine: ran %v", ran)
	}
}
