package run_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/tidepool-ceph/tidepool/harness/run"
	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// still is a world in which time passes and nothing else happens.
type still struct {
	world.World
	now   time.Time
	trace io.Writer
	seed  uint64
}

func (s *still) Now() time.Time { return s.now }

func (s *still) Pass(d time.Duration) {
	s.now = s.now.Add(d)
	fmt.Fprintf(s.trace, "seed %x: %s passed\n", s.seed, d)
}

func (s *still) Client() client.Client        { return fake.NewFakeClient() }
func (s *still) OperatorLog() []world.LogLine { return nil }
func (s *still) Trace(int) string             { return "what happened" }
func (s *still) Close()                       {}

func newStill(seed uint64, trace io.Writer) (world.World, error) {
	if trace == nil {
		trace = io.Discard
	}
	return &still{now: loop.Epoch, trace: trace, seed: seed}, nil
}

func write(t *testing.T, text string) string {
	t.Helper()
	f := filepath.Join(t.TempDir(), "a.feature")
	if err := os.WriteFile(f, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return f
}

const mixed = `Feature: time
  Scenario: passes
    When 1m pass

  Scenario Outline: passes for <long>
    When <long> pass

    Examples:
      | long |
      | 2m   |
      | 3m   |

  @red
  Scenario: fails
    When 1m pass
    Then the operator logs info "never"
`

func TestRun(t *testing.T) {
	file := write(t, mixed)
	var out bytes.Buffer
	sum, err := run.Run(run.Options{Paths: []string{file}, Concurrency: 1, Out: &out, NewWorld: newStill})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := sum.String(), "3 passed, 1 failed, 0 skipped"; got != want {
		t.Errorf("summary %q, want %q", got, want)
	}
	for _, want := range []string{"3 of 4", "a.feature:14 fails", `the operator logs info "never"`, "what happened", "to run it again: go run ./harness/cmd/tidepool run --seed 0 " + file + ":14"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the report does not say %q:\n%s", want, out.String())
		}
	}
}

func TestRunSelects(t *testing.T) {
	file := write(t, mixed)
	for name, c := range map[string]struct{ path, tags, want string }{
		"inside one":      {file + ":3", "", "1 passed, 0 failed, 0 skipped"},
		"a line":          {file + ":2", "", "1 passed, 0 failed, 0 skipped"},
		"an outline":      {file + ":5", "", "2 passed, 0 failed, 0 skipped"},
		"an example":      {file + ":10", "", "1 passed, 0 failed, 0 skipped"},
		"a tag":           {file, "@red", "0 passed, 1 failed, 0 skipped"},
		"all but a tag":   {file, "~@red", "3 passed, 0 failed, 0 skipped"},
		"a whole folder":  {filepath.Dir(file), "~@red", "3 passed, 0 failed, 0 skipped"},
		"the file, twice": {file, "~@red", "3 passed, 0 failed, 0 skipped"},
	} {
		sum, err := run.Run(run.Options{Paths: []string{c.path}, Tags: c.tags, Concurrency: 1, Out: io.Discard, NewWorld: newStill})
		if err != nil || sum.String() != c.want {
			t.Errorf("%s: %v, %v; want %s", name, sum, err, c.want)
		}
	}
}

func TestRunCannotBegin(t *testing.T) {
	for name, c := range map[string]struct{ path, tags, want string }{
		"an undefined step":  {write(t, "Feature: f\n  Scenario: s\n    When 1m passes away\n"), "", "no step says \"1m passes away\"; nearest are:\n    10m pass\n"},
		"bad Gherkin":        {write(t, "Feature: f\n  Scenari: s\n"), "", "a.feature"},
		"no scenario there":  {write(t, mixed) + ":1", "", "a.feature:1"},
		"a bad tag":          {write(t, mixed), "@S36 &&", "no expression such as"},
		"an empty scenario":  {write(t, "Feature: f\n  Scenario: s\n"), "", "a.feature:2: the scenario has no steps"},
		"an empty feature":   {write(t, "Feature: f\n"), "", "there is no scenario in"},
		"a lost doc string":  {write(t, "Feature: f\n  Scenario: s\n    When 1m passes\n    And this is applied\n"), "", "a.feature:4: \"this is applied\" lacks its table or doc string"},
		"a table too many":   {write(t, "Feature: f\n  Scenario: s\n    When 1m passes\n      | a |\n"), "", "takes no table or doc string"},
		"no such file":       {"nowhere.feature", "", "nowhere.feature"},
		"no scenario tagged": {write(t, mixed), "@none", "@none"},
	} {
		_, err := run.Run(run.Options{Paths: []string{c.path}, Tags: c.tags, Concurrency: 1, Out: io.Discard, NewWorld: newStill})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: error %v, want %q", name, err, c.want)
		}
	}
}

func TestReports(t *testing.T) {
	file := write(t, mixed)
	var people, report bytes.Buffer
	junit := filepath.Join(t.TempDir(), "junit.xml")
	_, err := run.Run(run.Options{
		Paths: []string{file}, Concurrency: 1, Out: &people, NewWorld: newStill,
		Reports: []string{"cucumber", "junit:" + junit}, ReportOut: &report,
	})
	if err != nil {
		t.Fatal(err)
	}
	var features []any
	if err := json.Unmarshal(report.Bytes(), &features); err != nil || len(features) != 1 {
		t.Errorf("cucumber wrote %v: %s", err, report.String())
	}
	written, err := os.ReadFile(junit)
	if err != nil || !strings.Contains(string(written), `tests="4"`) {
		t.Errorf("junit wrote %v: %s", err, written)
	}
	if !strings.Contains(people.String(), "3 of 4") {
		t.Errorf("people read %s", people.String())
	}
}

func TestTheTraceDoesNotDependOnConcurrency(t *testing.T) {
	file := write(t, mixed)
	trace := func(seed uint64, concurrency int) string {
		var b bytes.Buffer
		_, err := run.Run(run.Options{Paths: []string{file}, Seed: seed, Concurrency: concurrency, Trace: &b, Out: io.Discard, NewWorld: newStill})
		if err != nil {
			t.Fatal(err)
		}
		return b.String()
	}
	if a, b := trace(7, 1), trace(7, 8); a != b || !strings.Contains(a, "3m0s passed") {
		t.Errorf("two traces of one seed:\n%s\n%s", a, b)
	}
	if a, b := trace(7, 1), trace(8, 1); a == b {
		t.Error("seeds 7 and 8 gave the same trace")
	}
}
