package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func commandSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `the operator ran$`,
			Example: `within 1m the operator ran`,
			Meaning: "each line of the doc string is a whole command line that the operator ran, in this order, others between them allowed",
			Do: func(ctx context.Context, limit string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error { return ran(in(ctx).OperatorRuns(), doc.Content) })
			},
		},
		{
			Pattern: `^` + within + `the operator ran ` + name + ` (\d+) times?$`,
			Example: `the operator ran "ceph osd setcrushmap" 1 time`,
			Meaning: "counts the command lines so far that hold the text",
			Do: func(ctx context.Context, limit, text string, count int) error {
				return soon(ctx, limit, func() error {
					var found []string
					for _, r := range in(ctx).OperatorRuns() {
						if line := r.Command.String(); strings.Contains(line, text) {
							found = append(found, line)
						}
					}
					if len(found) != count {
						return fmt.Errorf("the operator ran it %d times, want %d:\n%s", len(found), count, strings.Join(found, "\n"))
					}
					return nil
				})
			},
		},
		{
			Pattern: `^the operator's ` + name + ` answers$`,
			Example: `the operator's "quorum_status" answers`,
			Meaning: "from now on commands that hold the text print the doc string and exit with 0",
			Do: func(ctx context.Context, words string, doc *godog.DocString) {
				in(ctx).AnswerOperator(words, &world.Answer{Stdout: doc.Content + "\n"})
			},
		},
		{
			Pattern: `^the operator's ` + name + ` fails with exit code (\d+) and ` + name + `$`,
			Example: `the operator's "mon enable-msgr2" fails with exit code 22 and "Error EINVAL: no"`,
			Meaning: "from now on commands that hold the text write this to stderr and fail",
			Do: func(ctx context.Context, words string, code int, text string) {
				in(ctx).AnswerOperator(words, &world.Answer{Stderr: text + "\n", ExitCode: code})
			},
		},
		{
			Pattern: `^the operator's ` + name + ` hangs$`,
			Example: `the operator's "ceph status" hangs`,
			Meaning: "from now on commands that hold the text run into their deadline",
			Do: func(ctx context.Context, words string) {
				in(ctx).AnswerOperator(words, &world.Answer{Hang: true})
			},
		},
		{
			Pattern: `^the operator's ` + name + ` works again$`,
			Example: `the operator's "ceph status" works again`,
			Meaning: "takes back an answer, failure or hang",
			Do:      func(ctx context.Context, words string) { in(ctx).AnswerOperator(words, nil) },
		},
	}
}

// ran checks that the lines are command lines that ran in this order.
func ran(runs []world.Run, lines string) error {
	var all []string
	for _, r := range runs {
		all = append(all, r.Command.String())
	}
	next := 0
	for _, line := range strings.Split(strings.TrimSpace(lines), "\n") {
		at := next
		for at < len(all) && !matches(line, all[at]) {
			at++
		}
		if at == len(all) {
			return fmt.Errorf("the operator did not run\n%s\nafter command %d of these:\n%s", line, next, strings.Join(all, "\n"))
		}
		next = at + 1
	}
	return nil
}
