package steps_test

import (
	"reflect"
	"regexp"
	"testing"

	"github.com/tidepool-ceph/tidepool/harness/steps"
)

func TestEachExampleIsAnsweredByItsStepAlone(t *testing.T) {
	all := steps.All()
	for _, s := range all {
		found := steps.Matching(all, s.Example)
		if len(found) != 1 || found[0].Pattern != s.Pattern {
			t.Errorf("example %q of %q is answered by %d steps: %v", s.Example, s.Pattern, len(found), found)
		}
		if s.Meaning == "" {
			t.Errorf("step %q has no meaning", s.Pattern)
		}
		groups := regexp.MustCompile(s.Pattern).NumSubexp()
		if n := reflect.TypeOf(s.Do).NumIn() - 1; n != groups && n != groups+1 {
			t.Errorf("step %q has %d groups, its function takes %d arguments", s.Pattern, groups, n)
		}
	}
}

func TestNearest(t *testing.T) {
	got := steps.Nearest(steps.All(), `the mons "a" and "b" form quorum in 2m`, 1)[0]
	if want := `within 2m the mons "a", "b" and "c" form a quorum`; got.Example != want {
		t.Errorf("nearest is %q, want %q", got.Example, want)
	}
}
