package steps

import (
	"context"
	"fmt"
)

func monWatchSteps() []Step {
	return []Step{
		{
			Pattern: `^the mons are watched$`,
			Example: `the mons are watched`,
			Meaning: "from now on it is counted how many mons of each cluster run and reach each other",
			Do:      func(ctx context.Context) { in(ctx).WatchMons() },
		},
		{
			Pattern: `^at no time fewer than (\d+) mons? (?:were|was) in quorum$`,
			Example: `at no time fewer than 2 mons were in quorum`,
			Meaning: "since the mons are watched that many at least ran and reached each other, whatever moment an election took",
			Do: func(ctx context.Context, least int) error {
				if n, at := in(ctx).FewestMons(); n < least {
					return fmt.Errorf("at %s there were %d mons", at.UTC().Format("15:04:05.000"), n)
				}
				return nil
			},
		},
	}
}
