package run

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	messages "github.com/cucumber/messages/go/v34"

	"github.com/tidepool-ceph/tidepool/harness/steps"
)

// check finds what cannot run before anything does: scenarios without steps,
// sentences that no step, or more than one, answers, and those that lack the
// table or doc string that their step takes. Each is told once, by its line.
func (s *scenarios) check(vocabulary []steps.Step) error {
	var wrong []string
	seen := map[string]bool{}
	for _, at := range s.order {
		if len(s.pickles[at].Steps) == 0 {
			wrong = append(wrong, fmt.Sprintf("%s:%d: the scenario has no steps", at.file, at.line))
		}
		for _, st := range s.pickles[at].Steps {
			why := complaint(vocabulary, st)
			if why == "" || seen[why] {
				continue
			}
			seen[why] = true
			wrong = append(wrong, fmt.Sprintf("%s:%d: %s", at.file, s.lines[st.AstNodeIds[0]], why))
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// complaint is what is wrong with a sentence, "" for nothing.
func complaint(vocabulary []steps.Step, st *messages.PickleStep) string {
	found := steps.Matching(vocabulary, st.Text)
	switch len(found) {
	case 0:
		text := fmt.Sprintf("no step says %q; nearest are:", st.Text)
		for _, n := range steps.Nearest(vocabulary, st.Text, 3) {
			text += "\n    " + n.Example
		}
		return text
	case 1:
	default:
		text := fmt.Sprintf("%q is answered by %d steps:", st.Text, len(found))
		for _, n := range found {
			text += "\n    " + n.Pattern
		}
		return text
	}
	takes := reflect.TypeOf(found[0].Do).NumIn() - 1 - regexp.MustCompile(found[0].Pattern).NumSubexp()
	switch has := st.Argument != nil; {
	case takes == 0 && has:
		return fmt.Sprintf("%q takes no table or doc string", st.Text)
	case takes == 1 && !has:
		return fmt.Sprintf("%q lacks its table or doc string", st.Text)
	}
	return ""
}
