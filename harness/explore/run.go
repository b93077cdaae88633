package explore

import (
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// NewWorld makes a world; trace receives its trace and may be nil.
type NewWorld func(seed uint64, trace io.Writer) (world.World, error)

// grace is how much longer than without a fault a story may take.
const grace = 10 * time.Minute

// calm is how a story goes without a fault.
type calm struct {
	effects []world.Effect // of the story, not of its beginning
	events  []world.Event
	before  struct{ effects, events int }
	state   Snapshot
	began   time.Time
	took    time.Duration
}

// lastAct is how long after all is settled an effect still belongs to the story.
const lastAct = 10 * time.Second

// holds is how long the state without a fault has to hold.
const holds = 3 * time.Minute

// begin makes the world of a story, ready for its act.
func begin(s Story, seed uint64, make NewWorld, trace io.Writer) (world.World, error) {
	w, err := make(seed, trace)
	if err != nil {
		return nil, err
	}
	if err := s.Begin(w); err != nil {
		w.Close()
		return nil, fmt.Errorf("the beginning: %w", err)
	}
	w.WatchMons()
	return w, nil
}

// runCalm runs a story without a fault.
func runCalm(s Story, seed uint64, make NewWorld, trace io.Writer) (c *calm, err error) {
	defer recovered(&err)
	w, err := begin(s, seed, make, trace)
	if err != nil {
		return nil, err
	}
	defer w.Close()
	c = &calm{}
	c.before.effects, c.before.events = len(w.OperatorEffects()), len(w.OperatorEvents())
	c.began = w.Now()
	if err := s.Act(w); err != nil {
		return nil, fmt.Errorf("the act: %w", err)
	}
	if err := w.Until(s.Within, func() error { return s.Settled(w) }); err != nil {
		return nil, fmt.Errorf("without a fault it is not settled within %v: %w\n%s", s.Within, err, w.Trace(20))
	}
	c.took = w.Now().Sub(c.began)
	w.Pass(lastAct)
	c.effects = append(c.effects, w.OperatorEffects()[c.before.effects:]...)
	c.events = append(c.events, w.OperatorEvents()[c.before.events:]...)
	w.Pass(holds)
	c.state = Take(w)
	w.Pass(holds)
	if d := Diff(c.state, Take(w)); len(d) > 0 {
		return nil, fmt.Errorf("without a fault the state does not hold:\n%s", strings.Join(d, "\n"))
	}
	return c, lostQuorum(s, w)
}

func lostQuorum(s Story, w world.World) error {
	if lost := w.QuorumLost(); lost != "" && !s.QuorumMayGo {
		return errors.New(lost)
	}
	return nil
}

// after is how long after a fault the state is looked at first: when the longest
// deadline is over, and what a watch lost has been listed.
func after(kind world.FaultKind) time.Duration {
	if kind.OfEvents() {
		return 6 * time.Minute
	}
	return 90 * time.Second
}

// runFaulty runs a story with one fault: the number counts from the act on.
func runFaulty(s Story, seed uint64, make NewWorld, trace io.Writer, c *calm, f world.Fault) (err error) {
	defer recovered(&err)
	w, err := begin(s, seed, make, trace)
	if err != nil {
		return err
	}
	defer w.Close()
	if f.Kind.OfEvents() {
		f.Number += c.before.events
	} else {
		f.Number += c.before.effects
	}
	w.FailOperator(f)
	end := w.Now().Add(c.took + grace)
	if err := s.Act(w); err != nil {
		return fmt.Errorf("the act: %w", err)
	}
	if err := w.Until(end.Sub(w.Now()), func() error { return settled(s, w) }); err != nil {
		return fmt.Errorf("not settled within %v: %w\n%s", c.took+grace, err, differences(c.state, w))
	}
	for pause := after(f.Kind); ; pause = 30 * time.Second {
		w.Pass(pause)
		if err := lostQuorum(s, w); err != nil {
			return err
		}
		diff := differences(c.state, w)
		switch {
		case diff == "":
			return s.Settled(w)
		case w.Now().After(end.Add(after(f.Kind))):
			return fmt.Errorf("the state is another after %v (- without the fault, + with it):\n%s", c.took+grace, diff)
		}
	}
}

func settled(s Story, w world.World) error {
	if left := w.FaultsLeft(); len(left) > 0 {
		return fmt.Errorf("the fault has not happened")
	}
	return s.Settled(w)
}

// mostLines is how much of a difference is shown.
const mostLines = 25

func differences(want Snapshot, w world.World) string {
	d := Diff(want, Take(w))
	if len(d) > mostLines {
		d = append(d[:mostLines:mostLines], fmt.Sprintf("… and %d more lines", len(d)-mostLines))
	}
	return strings.Join(d, "\n")
}

// recovered turns a panic into an error, so that one run ends alone.
func recovered(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}
