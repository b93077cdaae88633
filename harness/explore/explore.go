package explore

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// Options say what to explore and how.
type Options struct {
	Stories []Story
	// Kinds are the kinds of faults; all if there is none.
	Kinds []world.FaultKind
	// Number is the one effect (for kinds of events: event) of each story that
	// goes wrong, from 1 on; 0 is each in turn.
	Number int
	Seed   uint64
	// Concurrency is how many worlds are run at once, at least 1.
	Concurrency int
	// Verbose lists each story's effects and events.
	Verbose bool
	// Trace, if set, receives the trace of each run; it is meant for one.
	Trace    io.Writer
	Out      io.Writer
	NewWorld NewWorld
}

// Summary counts runs.
type Summary struct{ Passed, Failed, Skipped int }

// String is the last line of an exploration.
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
}

func (s *Summary) add(o Summary) {
	s.Passed += o.Passed
	s.Failed += o.Failed
	s.Skipped += o.Skipped
}

// Explore runs the stories and reports. The report is the same for the same
// options and code, however many run at once.
func Explore(o Options) Summary {
	kinds := o.Kinds
	if len(kinds) == 0 {
		kinds = world.FaultKinds()
	}
	var sum Summary
	for _, s := range o.Stories {
		sum.add(o.explore(s, kinds))
	}
	return sum
}

// place is one run: a fault, and what it befalls.
type place struct {
	fault world.Fault
	what  string
	err   error
}

func (o Options) explore(s Story, kinds []world.FaultKind) Summary {
	fmt.Fprintf(o.Out, "%s: %s\n", s.Name, s.Meaning)
	c, err := runCalm(s, o.Seed, o.NewWorld, nil)
	if err != nil {
		fmt.Fprintf(o.Out, "  FAIL  without a fault\n%s\n        again: go run ./harness/cmd/tidepool explore %s --seed %d\n", indent(err.Error()), s.Name, o.Seed)
		return Summary{Failed: 1}
	}
	fmt.Fprintf(o.Out, "  %d effects, %d events, settled after %v\n", len(c.effects), len(c.events), c.took.Round(time.Second))
	if o.Verbose {
		c.list(o.Out)
	}
	places := c.places(kinds, o.Number)
	if o.Number != 0 && len(places) == 0 {
		fmt.Fprintf(o.Out, "  FAIL  these kinds of faults touch nothing that has the number %d: see --verbose\n", o.Number)
		return Summary{Failed: 1}
	}
	sum := Summary{Passed: 1} // without a fault
	var of Summary
	inTurn(o.Concurrency, len(places), func(i int) {
		places[i].err = runFaulty(s, o.Seed, o.NewWorld, o.Trace, c, places[i].fault)
	}, func(i int) {
		if places[i].err == nil {
			of.Passed++
		} else {
			of.Failed++
			o.failed(s, places[i])
		}
		if kind := places[i].fault.Kind; i+1 == len(places) || places[i+1].fault.Kind != kind {
			fmt.Fprintf(o.Out, "  %-14s %5d passed, %d failed\n", kind, of.Passed, of.Failed)
			sum.add(of)
			of = Summary{}
		}
	})
	return sum
}

// list writes what a fault can befall.
func (c *calm) list(out io.Writer) {
	began := c.began
	for i, e := range c.effects {
		fmt.Fprintf(out, "    effect %3d  %8.3fs  %s\n", i+1, e.At.Sub(began).Seconds(), e.Text)
	}
	for i, e := range c.events {
		fmt.Fprintf(out, "    event  %3d  %8.3fs  %s\n", i+1, e.At.Sub(began).Seconds(), e.Text)
	}
}

// places are all runs of a story.
func (c *calm) places(kinds []world.FaultKind, only int) []place {
	var all []place
	for _, k := range kinds {
		add := func(number int, what string) {
			if only == 0 || only == number {
				all = append(all, place{fault: world.Fault{Kind: k, Number: number}, what: what})
			}
		}
		if k.OfEvents() {
			for i, e := range c.events {
				add(i+1, e.Text)
			}
			continue
		}
		for i, e := range c.effects {
			if k.Touches(e) {
				add(i+1, e.Text)
			}
		}
	}
	return all
}

func (o Options) failed(s Story, p place) {
	what := "effect"
	if p.fault.Kind.OfEvents() {
		what = "event"
	}
	kind := strings.ReplaceAll(p.fault.Kind.String(), " ", "-")
	fmt.Fprintf(o.Out, "  FAIL  %s %d %s: %s\n%s\n        again: go run ./harness/cmd/tidepool explore %s --kinds %s --effect %d --seed %d\n",
		what, p.fault.Number, p.fault.Kind, p.what, indent(p.err.Error()), s.Name, kind, p.fault.Number, o.Seed)
}

func indent(s string) string { return "        " + strings.ReplaceAll(s, "\n", "\n        ") }

// inTurn calls fn for 0 to n-1, some at a time, and done for each in that order,
// one at a time.
func inTurn(concurrency, n int, fn, done func(i int)) {
	next := make(chan int)
	ended := make([]chan struct{}, n)
	for i := range ended {
		ended[i] = make(chan struct{})
	}
	for range max(concurrency, 1) {
		go func() {
			for i := range next {
				fn(i)
				close(ended[i])
			}
		}()
	}
	go func() {
		for i := range n {
			next <- i
		}
		close(next)
	}()
	for i := range n {
		<-ended[i]
		done(i)
	}
}
