package exec

import (
	"context"
	"time"

	"k8s.io/utils/clock"
)

// Run is one run that a [Recording] reports.
type Run struct {
	Command  Command
	Result   Result
	Err      error
	Started  time.Time
	Duration time.Duration
}

// Recording runs commands with another executor and reports each run: to a log,
// to metrics, to a test.
type Recording struct {
	exec   Executor
	clock  clock.PassiveClock
	report func(Run)
}

// NewRecording reports what ex runs, timed by the clock. The report is called in
// the goroutine of the run, after it; it must be safe for concurrent use if runs
// are concurrent, and must not change what it is given.
func NewRecording(ex Executor, clock clock.PassiveClock, report func(Run)) *Recording {
	return &Recording{exec: ex, clock: clock, report: report}
}

// Run runs the command and reports it.
func (r *Recording) Run(ctx context.Context, cmd Command) (Result, error) {
	started := r.clock.Now()
	res, err := r.exec.Run(ctx, cmd)
	r.report(Run{Command: cmd, Result: res, Err: err, Started: started, Duration: r.clock.Since(started)})
	return res, err
}
