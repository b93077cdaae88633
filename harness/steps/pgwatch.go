package steps

import (
	"context"
	"fmt"
)

func pgWatchSteps() []Step {
	return []Step{
		{
			Pattern: `^the placement groups are watched$`,
			Example: `the placement groups are watched`,
			Meaning: "from now on it is seen how many OSDs of each placement group run, whatever the mons know",
			Do:      func(ctx context.Context) { in(ctx).WatchPGs() },
		},
		{
			Pattern: `^at no time a placement group had fewer OSDs than its pool's min_size$`,
			Example: `at no time a placement group had fewer OSDs than its pool's min_size`,
			Meaning: "since the placement groups are watched as many OSDs of each ran as its pool needs to serve",
			Do: func(ctx context.Context) error {
				if n, at := in(ctx).ShortPGs(); n > 0 {
					return fmt.Errorf("at %s there were %d placement groups with fewer OSDs", at.UTC().Format("15:04:05.000"), n)
				}
				return nil
			},
		},
	}
}
