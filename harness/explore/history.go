package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/harness/steps"
	"github.com/tidepool-ceph/tidepool/harness/world"
)

// History is what happens to one cluster, one thing after the other.
type History struct {
	Seed  uint64
	Steps []Sentence
}

// Sentence is a step of a scenario.
type Sentence struct {
	Text string
	// Doc is its doc string; "" for none.
	Doc string
}

// String is the history as a scenario that can be put into a feature file.
func (h History) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "  Scenario: history %d\n", h.Seed)
	for _, s := range h.Steps {
		fmt.Fprintf(&b, "    * %s\n", s.Text)
		if s.Doc != "" {
			fmt.Fprintf(&b, "      \"\"\"yaml\n      %s\n      \"\"\"\n", strings.ReplaceAll(strings.TrimSpace(s.Doc), "\n", "\n      "))
		}
	}
	return b.String()
}

// quiet is how long a cluster may take, once nothing happens to it any more, to
// become what its spec asks for: a lost mon is replaced after 10 minutes, and an
// upgrade goes daemon by daemon.
const quiet = 45 * time.Minute

// stepLimit is how much of a history there is at most.
const stepLimit = 50

// run is a history that is being carried out, or drawn.
type run struct {
	w          world.World
	ctx        context.Context
	vocabulary []steps.Step
	done       []Sentence
	want       wanted
	// What is wrong at this moment.
	down, cordoned map[string]bool // nodes
	slow, late     bool            // the operator
}

// wanted is what the history so far asks of the cluster.
type wanted struct {
	mons, mirrors int
	image         string
	storage       []string        // the nodes with OSDs; nil for all that have a disk
	gone          map[string]bool // nodes that were taken away
}

func newRun(seed uint64, make NewWorld, trace io.Writer) (*run, error) {
	w, err := make(seed, trace)
	if err != nil {
		return nil, err
	}
	return &run{
		w: w, ctx: steps.Begin(context.Background(), w), vocabulary: steps.All(),
		want: wanted{gone: map[string]bool{}}, down: map[string]bool{}, cordoned: map[string]bool{},
	}, nil
}

// do carries out a step. An error says that it cannot be done as things are.
func (r *run) do(s Sentence) error {
	if err := r.mayDo(s); err != nil {
		return err
	}
	if err := steps.Do(r.ctx, r.vocabulary, s.Text, s.Doc); err != nil {
		return err
	}
	r.done = append(r.done, s)
	r.note(s)
	return nil
}

// drawn draws the history of a seed while it carries it out, up to the end of
// which nothing is asked yet.
func drawn(seed uint64, make NewWorld) (h History, err error) {
	h.Seed = seed
	r, err := newRun(seed, make, nil)
	if err != nil {
		return h, err
	}
	defer r.w.Close()
	defer func() { h.Steps = r.done }()
	defer recovered(&err)
	d := newDrawer(seed, r)
	for _, s := range d.first() {
		if err := r.do(s); err != nil {
			return h, err
		}
	}
	for len(r.done) < stepLimit-len(d.last()) && d.more() {
		_ = r.do(d.next()) // what cannot be done as things are is drawn again
	}
	for _, s := range d.last() {
		if err := r.do(s); err != nil {
			return h, fmt.Errorf("step %q: %w", s.Text, err)
		}
	}
	return h, r.settle()
}

// replay carries out a history again. valid is false if one of its steps cannot
// be done, or it ends with something wrong, which happens to histories of which
// something was left out.
func replay(h History, make NewWorld, trace io.Writer) (valid bool, err error) {
	r, err := newRun(h.Seed, make, trace)
	if err != nil {
		return false, err
	}
	defer r.w.Close()
	defer recovered(&err)
	valid = true
	for _, s := range h.Steps {
		if err := r.do(s); err != nil {
			return false, fmt.Errorf("step %q: %w", s.Text, err)
		}
	}
	if r.want.mons == 0 || len(r.down)+len(r.cordoned) > 0 || r.slow || r.late {
		return false, errors.New("it does not end in quiet with a cluster")
	}
	return true, r.settle()
}

// settle lets time pass until the cluster is what the last spec asks for.
func (r *run) settle() error {
	if err := r.w.Until(quiet, r.asWanted); err != nil {
		return fmt.Errorf("%v after the last step: %w", quiet, err)
	}
	// What holds has to go on to hold.
	r.w.Pass(2 * time.Minute)
	if err := r.asWanted(); err != nil {
		return fmt.Errorf("the cluster was as wanted, and then was not: %w", err)
	}
	return nil
}

// mostReplays bounds how often a history is tried while it is shortened.
const mostReplays = 60

// shorten leaves out what is not needed for the history to fail in the same way:
// first large pieces, then single steps. The nodes of the beginning stay.
func shorten(h History, failure error, make NewWorld) History {
	tried := 0
	fails := func(s []Sentence) bool {
		tried++
		valid, err := replay(History{h.Seed, s}, make, nil)
		return valid && err != nil && kindOf(err) == kindOf(failure)
	}
	first := 0
	for first < len(h.Steps) && strings.HasPrefix(h.Steps[first].Text, "nodes ") {
		first++
	}
	for size := len(h.Steps) / 2; size >= 1; size /= 2 {
		for at := len(h.Steps) - size; at >= first && tried < mostReplays; at -= size {
			without := append(append([]Sentence{}, h.Steps[:at]...), h.Steps[at+size:]...)
			if fails(without) {
				h.Steps = without
				at = min(at, len(h.Steps))
			}
		}
	}
	return h
}

var number = regexp.MustCompile(`\d+`)

// kindOf tells failures apart: their first lines, without the numbers.
func kindOf(err error) string {
	first, _, _ := strings.Cut(err.Error(), "\n")
	return number.ReplaceAllString(first, "#")
}
