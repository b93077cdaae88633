package run

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"os"
	"strings"
	"time"

	"github.com/cucumber/godog"

	"github.com/tidepool-ceph/tidepool/harness/steps"
	"github.com/tidepool-ceph/tidepool/harness/world"
)

// Options say what to run and how.
type Options struct {
	// Paths are feature files, folders, or "file:line" for one scenario.
	Paths []string
	// Tags is a tag expression of godog, such as "@S36 && ~@slow".
	Tags string
	// Seed is what all choices of the simulation follow from.
	Seed uint64
	// Concurrency is how many scenarios run at once, at least 1.
	Concurrency int
	// Trace, if set, receives the trace of every scenario.
	Trace io.Writer
	// Reports are godog formats with files, such as "junit:out.xml" or
	// "cucumber:out.json", or without one for ReportOut.
	Reports []string
	// ReportOut is where a report without a file goes.
	ReportOut io.Writer
	// Verbose names each scenario, not only those that failed.
	Verbose bool
	// Out is where the report for people goes.
	Out io.Writer
	// NewWorld makes the world of a scenario. trace receives its trace.
	NewWorld func(seed uint64, trace io.Writer) (world.World, error)
}

// Summary counts scenarios.
type Summary struct{ Passed, Failed, Skipped int }

// String is the last line of a run.
func (s Summary) String() string {
	return fmt.Sprintf("%d passed, %d failed, %d skipped", s.Passed, s.Failed, s.Skipped)
}

// outcome is how one scenario went.
type outcome struct {
	place   place
	err     error // of the first step that failed
	step    string
	trace   bytes.Buffer
	account string        // of the world in which it failed
	lasted  time.Duration // of virtual time
}

// Run runs the scenarios and reports. The error is for a run that could not
// begin: a feature that cannot be parsed, a step that nobody defined.
func Run(o Options) (Summary, error) {
	if o.Concurrency < 1 {
		return Summary{}, fmt.Errorf("concurrency %d: at least one scenario must run at a time", o.Concurrency)
	}
	if err := creatable(o.Reports); err != nil {
		return Summary{}, err
	}
	vocabulary := steps.All()
	found, err := find(o.Paths)
	if err != nil {
		return Summary{}, err
	}
	if err := found.check(vocabulary); err != nil {
		return Summary{}, err
	}
	order, err := found.selected(o.Tags)
	if err != nil {
		return Summary{}, err
	}
	r := &runner{options: o, vocabulary: vocabulary, scenarios: found, report: &report{
		out: o.Out, trace: o.Trace, verbose: o.Verbose, seed: o.Seed, order: order, pickles: found.pickles, outcomes: map[place]*outcome{},
	}}
	reportOut := o.ReportOut
	if reportOut == nil {
		reportOut = io.Discard
	}
	formats := o.Reports
	if o.ReportOut == nil {
		formats = append([]string{"progress"}, formats...) // godog needs one that has no file
	}
	code := godog.TestSuite{
		Name:                "tidepool",
		ScenarioInitializer: r.scenario,
		Options: &godog.Options{
			Format:          strings.Join(formats, ","),
			Output:          reportOut,
			NoColors:        true,
			Strict:          true,
			FeatureContents: found.contents,
			Tags:            o.Tags,
			Concurrency:     o.Concurrency,
		},
	}.Run()
	sum := r.report.sum
	if code != 0 && sum.Failed == 0 {
		return sum, errors.New("godog reported a failure that no scenario accounts for")
	}
	return sum, nil
}

// creatable checks that the files of reports can be written, which godog tells
// too late.
func creatable(reports []string) error {
	for _, r := range reports {
		_, file, named := strings.Cut(r, ":")
		if !named {
			continue
		}
		f, err := os.Create(file)
		if err != nil {
			return fmt.Errorf("report %s: %w", r, err)
		}
		if err := f.Close(); err != nil {
			return fmt.Errorf("report %s: %w", r, err)
		}
	}
	return nil
}

type runner struct {
	options    Options
	vocabulary []steps.Step
	scenarios  *scenarios
	report     *report
}

func (r *runner) scenario(sc *godog.ScenarioContext) {
	var (
		out   *outcome
		w     world.World
		began time.Time
	)
	for _, s := range r.vocabulary {
		sc.Step(s.Pattern, s.Do)
	}
	sc.Before(func(ctx context.Context, p *godog.Scenario) (context.Context, error) {
		at := r.scenarios.of(p)
		if wanted := r.scenarios.wanted; wanted != nil && !wanted[at] {
			return ctx, godog.ErrSkip
		}
		out = &outcome{place: at}
		var err error
		w, err = r.options.NewWorld(seed(r.options.Seed, out.place), r.traceOf(out))
		if err != nil {
			out.err = err
			return ctx, err
		}
		began = w.Now()
		return steps.Begin(ctx, w), nil
	})
	sc.StepContext().After(func(ctx context.Context, st *godog.Step, _ godog.StepResultStatus, err error) (context.Context, error) {
		if err != nil && out != nil && out.err == nil {
			out.err, out.step, out.account = err, st.Text, account(w, began)
		}
		return ctx, nil
	})
	sc.After(func(ctx context.Context, _ *godog.Scenario, err error) (context.Context, error) {
		if out == nil {
			return ctx, nil
		}
		if out.err == nil {
			out.err = err
		}
		if w != nil {
			out.lasted = w.Now().Sub(began)
			w.Close()
		}
		r.report.done(out)
		return ctx, nil
	})
}

// traceOf is where the trace of a scenario goes; nil if nobody wants it.
func (r *runner) traceOf(o *outcome) io.Writer {
	if r.options.Trace == nil {
		return nil
	}
	return &o.trace
}

// seed gives each scenario choices of its own that do not depend on what else
// is run.
func seed(base uint64, p place) uint64 {
	h := fnv.New64a()
	fmt.Fprintf(h, "%d %s:%d", base, p.file, p.line)
	return h.Sum64()
}
