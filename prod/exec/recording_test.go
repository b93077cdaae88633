package exec_test

import (
	"context"
	"errors"
	"testing"
	"time"

	clocktesting "k8s.io/utils/clock/testing"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// slow is an executor that takes time.
type slow struct {
	clock *clocktesting.FakePassiveClock
	err   error
}

func (s slow) Run(context.Context, exec.Command) (exec.Result, error) {
	s.clock.SetTime(s.clock.Now().Add(3 * time.Second))
	return exec.Result{Stdout: []byte("out")}, s.err
}

func TestARecordingReportsEachRun(t *testing.T) {
	start := time.Date(2019, 4, 10, 6, 0, 0, 0, time.UTC)
	clock := clocktesting.NewFakePassiveClock(start)
	for _, want := range []error{nil, errors.New("refused")} {
		var runs []exec.Run
		clock.SetTime(start)
		r := exec.NewRecording(slow{clock, want}, clock, func(run exec.Run) { runs = append(runs, run) })
		res, err := r.Run(t.Context(), exec.Command{Program: "ceph"})
		if !errors.Is(err, want) || string(res.Stdout) != "out" {
			t.Errorf("the run gives %q, %v", res.Stdout, err)
		}
		if len(runs) != 1 {
			t.Fatalf("there are %d reports", len(runs))
		}
		got := runs[0]
		if got.Command.Program != "ceph" || string(got.Result.Stdout) != "out" || !errors.Is(got.Err, want) || !got.Started.Equal(start) || got.Duration != 3*time.Second {
			t.Errorf("the report is %+v", got)
		}
	}
}
