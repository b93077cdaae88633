package run

import (
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	messages "github.com/cucumber/messages/go/v34"
)

// report prints how scenarios went, in the order of the files whatever the order
// in which they end, each as soon as all before it have ended.
type report struct {
	out     io.Writer
	trace   io.Writer // nil for none
	verbose bool
	seed    uint64
	order   []place // the scenarios that run
	pickles map[place]*messages.Pickle

	mu       sync.Mutex
	outcomes map[place]*outcome
	next     int // of order, the first that has not been printed
	passed   int // of the file that is being printed
	sum      Summary
}

// done takes a scenario that has ended.
func (r *report) done(o *outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.outcomes[o.place] = o
	for r.next < len(r.order) {
		o := r.outcomes[r.order[r.next]]
		if o == nil {
			return
		}
		delete(r.outcomes, o.place)
		r.print(o)
		r.next++
	}
}

func (r *report) print(o *outcome) {
	first := r.next == 0 || r.order[r.next-1].file != o.place.file
	last := r.next == len(r.order)-1 || r.order[r.next+1].file != o.place.file
	if first {
		r.passed = 0
		if r.verbose {
			fmt.Fprintln(r.out, o.place.file)
		}
	}
	if r.trace != nil {
		fmt.Fprintf(r.trace, "# %s:%d %s\n", o.place.file, o.place.line, r.pickles[o.place].Name)
		_, _ = o.trace.WriteTo(r.trace) // the caller sees write errors when it closes the file
	}
	r.printOutcome(o)
	if last && !r.verbose {
		count := 0
		for _, p := range r.order {
			if p.file == o.place.file {
				count++
			}
		}
		fmt.Fprintf(r.out, "%s: %d of %d\n", o.place.file, r.passed, count)
	}
}

func (r *report) printOutcome(o *outcome) {
	name := r.pickles[o.place].Name
	if o.err == nil {
		r.passed++
		r.sum.Passed++
		if r.verbose {
			fmt.Fprintf(r.out, "  ok    %s (%s)\n", name, virtual(o.lasted))
		}
		return
	}
	r.sum.Failed++
	fmt.Fprintf(r.out, "  FAIL  %s:%d %s\n", o.place.file, o.place.line, name)
	if o.step != "" {
		fmt.Fprintf(r.out, "        step: %s\n", o.step)
	}
	fmt.Fprintf(r.out, "        %s\n", strings.ReplaceAll(o.err.Error(), "\n", "\n        "))
	if o.account != "" {
		fmt.Fprintf(r.out, "        %s\n", strings.ReplaceAll(strings.TrimRight(o.account, "\n"), "\n", "\n        "))
	}
	fmt.Fprintf(r.out, "        to run it again: go run ./harness/cmd/tidepool run --seed %d %s:%d\n", r.seed, o.place.file, o.place.line)
}

// virtual is a duration as people say it.
func virtual(d time.Duration) string {
	if d >= time.Minute {
		return d.Round(time.Second).String()
	}
	return d.Round(10 * time.Millisecond).String()
}
