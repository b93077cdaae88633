package explore_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/harness/explore"
	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
)

func newWorld(seed uint64, trace io.Writer) (world.World, error) { return sim.New(seed, trace) }

func explored(t *testing.T, o explore.Options) (explore.Summary, string) {
	t.Helper()
	var out bytes.Buffer
	o.Seed, o.Out, o.NewWorld = 1, &out, newWorld
	return explore.Explore(o), out.String()
}

func story(t *testing.T, name string) explore.Story {
	t.Helper()
	s, err := explore.Named([]string{name})
	if err != nil {
		t.Fatal(err)
	}
	return s[0]
}

func TestTheReportIsTheSameHoweverManyRunAtOnce(t *testing.T) {
	var reports []string
	for _, concurrency := range []int{1, 4} {
		sum, report := explored(t, explore.Options{
			Stories: []explore.Story{story(t, "node-added")}, Kinds: []world.FaultKind{world.Conflict},
			Concurrency: concurrency,
		})
		if sum.Failed > 0 || sum.Passed < 10 {
			t.Fatalf("%v\n%s", sum, report)
		}
		reports = append(reports, report)
	}
	if reports[0] != reports[1] {
		t.Errorf("one at a time:\n%s\nfour at a time:\n%s", reports[0], reports[1])
	}
}

func TestAFailureSaysWhatAndHowToSeeItAgain(t *testing.T) {
	s := story(t, "node-added")
	usual := s.Settled
	killed := map[world.World]bool{}
	for name, c := range map[string]struct {
		settled func(w world.World) error
		want    []string
	}{
		"another state": {
			// Somebody's label is not what the story is about, and is there after a kill only.
			func(w world.World) error {
				if len(w.FaultsLeft()) == 0 && strings.Contains(w.Trace(200), "killed") {
					if err := w.WriteNodeFile("n4", "/var/lib/rook/left-over", nil); err != nil {
						return err
					}
				}
				return usual(w)
			},
			[]string{"the state is another", "+ Node n4 disk: /var/lib/rook/left-over = there"},
		},
		"not settled": {
			func(w world.World) error {
				if killed[w] = killed[w] || strings.Contains(w.Trace(200), "operator: killed"); killed[w] {
					return errors.New("it sulks")
				}
				return usual(w)
			},
			[]string{"not settled within", "it sulks"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			s.Settled = c.settled
			sum, report := explored(t, explore.Options{
				Stories: []explore.Story{s}, Kinds: []world.FaultKind{world.KillAfter}, Number: 3, Concurrency: 1,
			})
			if sum != (explore.Summary{Passed: 1, Failed: 1}) {
				t.Errorf("%v", sum)
			}
			for _, want := range append(c.want, "FAIL  effect 3 killed after: ", "again: go run ./harness/cmd/tidepool explore node-added --kinds killed-after --effect 3 --seed 1") {
				if !strings.Contains(report, want) {
					t.Errorf("the report has no %q:\n%s", want, report)
				}
			}
		})
	}
}

func TestAStoryThatFailsWithoutAFaultIsNotExplored(t *testing.T) {
	s := story(t, "bring-up")
	s.Settled = func(world.World) error { return errors.New("never") }
	s.Within = time.Minute
	sum, report := explored(t, explore.Options{Stories: []explore.Story{s}, Concurrency: 1})
	if sum != (explore.Summary{Failed: 1}) || !strings.Contains(report, "not settled within 1m0s: never") {
		t.Errorf("%v\n%s", sum, report)
	}
}

func TestANumberThatNothingHasIsNoSuccess(t *testing.T) {
	sum, report := explored(t, explore.Options{
		Stories: []explore.Story{story(t, "deletion")}, Kinds: []world.FaultKind{world.Refuse}, Number: 99999, Concurrency: 1,
	})
	if sum != (explore.Summary{Failed: 1}) || !strings.Contains(report, "touch nothing that has the number 99999") {
		t.Errorf("%v\n%s", sum, report)
	}
}

func TestTheLossOfTheQuorumIsSeen(t *testing.T) {
	s := story(t, "node-added")
	act := s.Act
	s.Act = func(w world.World) error {
		for _, n := range []string{"n1", "n2"} {
			if err := w.Reboot(n); err != nil {
				return err
			}
		}
		return act(w)
	}
	sum, report := explored(t, explore.Options{Stories: []explore.Story{s}, Kinds: []world.FaultKind{world.Refuse}, Number: 1, Concurrency: 1})
	if sum.Failed == 0 || !strings.Contains(report, "no quorum was possible: 1 of 3 mons ran") {
		t.Errorf("%v\n%s", sum, report)
	}
}

func TestDiff(t *testing.T) {
	want := explore.Snapshot{"a: x = 1", "b: x = 1", "c: x = 1"}
	got := explore.Snapshot{"a: x = 1", "b: x = 2", "d: x = 1"}
	if d := fmt.Sprint(explore.Diff(want, got)); d != "[- b: x = 1 + b: x = 2 - c: x = 1 + d: x = 1]" {
		t.Errorf("%s", d)
	}
	if d := explore.Diff(want, want); len(d) > 0 {
		t.Errorf("%v", d)
	}
}
