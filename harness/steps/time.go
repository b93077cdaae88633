package steps

import (
	"context"
	"time"
)

func timeSteps() []Step {
	return []Step{{
		Pattern: `^(\S+) pass(?:es)?$`,
		Example: `10m pass`,
		Meaning: "lets time pass",
		Do: func(ctx context.Context, s string) error {
			d, err := time.ParseDuration(s)
			if err != nil {
				return err
			}
			in(ctx).Pass(d)
			return nil
		},
	}}
}
