package explore

import (
	"fmt"
	"io"
)

// HistoryOptions say which histories to draw.
type HistoryOptions struct {
	// Count is how many; the seeds count from Seed on.
	Count       int
	Seed        uint64
	Concurrency int
	Trace       io.Writer
	Out         io.Writer
	NewWorld    NewWorld
}

// Histories draws and runs histories and reports, the same for the same options
// and code however many run at once.
func Histories(o HistoryOptions) Summary {
	type outcome struct {
		history History
		err     error
		short   History
		steps   int
	}
	all := make([]outcome, o.Count)
	var sum Summary
	steps := 0
	inTurn(o.Concurrency, o.Count, func(i int) {
		a := &all[i]
		a.history, a.err = drawn(o.Seed+uint64(i), o.NewWorld)
		if a.steps = len(a.history.Steps); a.err == nil {
			return
		}
		a.short = shorten(a.history, a.err, o.NewWorld)
		if valid, err := replay(a.short, o.NewWorld, o.Trace); valid && err != nil {
			a.err = err
		}
	}, func(i int) {
		a := all[i]
		if steps += a.steps; a.err == nil {
			sum.Passed++
			return
		}
		sum.Failed++
		fmt.Fprintf(o.Out, "  FAIL  history of seed %d, %d of its %d steps:\n%s%s\n        again: go run ./harness/cmd/tidepool explore --histories 1 --seed %d\n",
			a.history.Seed, len(a.short.Steps), a.steps, a.short, indent(a.err.Error()), a.history.Seed)
	})
	fmt.Fprintf(o.Out, "%d histories, %d steps\n", o.Count, steps)
	return sum
}
