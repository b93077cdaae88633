package steps

import (
	"context"
	"fmt"
	"strconv"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func faultSteps() []Step {
	return []Step{
		{
			Pattern: `^the operator is killed (before|after) its effect number (\d+)$`,
			Example: `the operator is killed after its effect number 17`,
			Meaning: "an effect is a write to Kubernetes or a command; the operator is started again with empty memory",
			Do: func(ctx context.Context, when, number string) error {
				n, err := strconv.Atoi(number)
				if err == nil && n < 1 {
					err = fmt.Errorf("effects are counted from 1 on")
				}
				if err == nil {
					in(ctx).FailOperator(world.Fault{Kind: killed(when), Number: n})
				}
				return err
			},
		},
		{
			Pattern: `^the operator is killed (before|after) its effect ` + name + `$`,
			Example: `the operator is killed after its effect "create Secret rook-ceph/rook-ceph-mon"`,
			Meaning: "the same, of the next effect whose text holds the words: VERB KIND NAMESPACE/NAME, or a command line",
			Do: func(ctx context.Context, when, words string) {
				in(ctx).FailOperator(world.Fault{Kind: killed(when), Words: words})
			},
		},
		{
			Pattern: `^the operator's effect ` + name + ` (is refused|times out|loses its answer)$`,
			Example: `the operator's effect "create Secret rook-ceph/rook-ceph-mon" loses its answer`,
			Meaning: "the next such effect has an error for an answer: refused or timed out without having happened, or timed out although it has",
			Do: func(ctx context.Context, words, how string) {
				kind := map[string]world.FaultKind{"is refused": world.Refuse, "times out": world.TimeOut, "loses its answer": world.LoseAnswer}[how]
				in(ctx).FailOperator(world.Fault{Kind: kind, Words: words})
			},
		},
		{
			Pattern: `^` + within + `every fault has happened$`,
			Example: `within 5m every fault has happened`,
			Meaning: "no effect that was to go wrong is still to come",
			Do: func(ctx context.Context, limit string) error {
				return soon(ctx, limit, func() error {
					if left := in(ctx).FaultsLeft(); len(left) > 0 {
						return fmt.Errorf("these have not happened: %+v", left)
					}
					return nil
				})
			},
		},
	}
}

func killed(when string) world.FaultKind {
	if when == "before" {
		return world.KillBefore
	}
	return world.KillAfter
}
