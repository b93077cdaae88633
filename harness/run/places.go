package run

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	gherkin "github.com/cucumber/gherkin/go/v42"
	"github.com/cucumber/godog"
	messages "github.com/cucumber/messages/go/v34"

	"github.com/tidepool-ceph/tidepool/harness/steps"
)

// place is where a scenario, or a row of an outline's examples, stands.
type place struct {
	file string
	line int64
}

// scenarios are those of the files of a run.
type scenarios struct {
	contents []godog.Feature
	order    []place
	pickles  map[place]*messages.Pickle
	lines    map[string]int64 // node id to line
	wanted   map[place]bool   // nil: all
}

// of is the place of a scenario: that of its example row if it has one.
func (s *scenarios) of(p *messages.Pickle) place {
	return place{p.Uri, s.lines[p.AstNodeIds[len(p.AstNodeIds)-1]]}
}

// find reads the feature files. A path is a folder, a file, or "file:line" for
// the scenario or example row that stands there.
func find(paths []string) (*scenarios, error) {
	s := &scenarios{pickles: map[place]*messages.Pickle{}, lines: map[string]int64{}}
	var only []place
	for _, p := range paths {
		if file, line, ok := cutLine(p); ok {
			only = append(only, place{file, line})
			p = file
		}
		files, err := featureFiles(p)
		if err != nil {
			return nil, err
		}
		for _, f := range files {
			if slices.ContainsFunc(s.contents, func(c godog.Feature) bool { return c.Name == f }) {
				continue
			}
			b, err := os.ReadFile(f)
			if err != nil {
				return nil, err
			}
			s.contents = append(s.contents, godog.Feature{Name: f, Contents: b})
		}
	}
	// godog numbers the nodes of its own parse the same way, which is how a
	// scenario that it runs is found here.
	ids := (&messages.Incrementing{}).NewId
	for _, c := range s.contents {
		doc, err := gherkin.ParseGherkinDocument(bytes.NewReader(c.Contents), ids)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.Name, err)
		}
		s.number(doc)
		for _, p := range gherkin.Pickles(*doc, c.Name, ids) {
			at := s.of(p)
			s.order = append(s.order, at)
			s.pickles[at] = p
			for _, o := range only {
				if o == at || (o.file == at.file && s.lines[p.AstNodeIds[0]] == o.line) {
					s.want(at)
				}
			}
		}
	}
	if len(only) > 0 && len(s.wanted) == 0 {
		return nil, fmt.Errorf("no scenario stands at %s:%d", only[0].file, only[0].line)
	}
	return s, nil
}

func (s *scenarios) want(p place) {
	if s.wanted == nil {
		s.wanted = map[place]bool{}
	}
	s.wanted[p] = true
}

var withLine = regexp.MustCompile(`^(.*\.feature):(\d+)$`)

func cutLine(path string) (file string, line int64, ok bool) {
	m := withLine.FindStringSubmatch(path)
	if m == nil {
		return "", 0, false
	}
	line, err := strconv.ParseInt(m[2], 10, 64)
	return filepath.Clean(m[1]), line, err == nil
}

func featureFiles(path string) ([]string, error) {
	var files []string
	err := filepath.WalkDir(path, func(p string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && strings.HasSuffix(p, ".feature") {
			files = append(files, filepath.ToSlash(filepath.Clean(p)))
		}
		return err
	})
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s: no .feature file there", path)
	}
	return files, err
}

// number notes the lines of all scenarios and example rows of a file.
func (s *scenarios) number(doc *messages.GherkinDocument) {
	if doc.Feature == nil {
		return
	}
	scenario := func(sc *messages.Scenario) {
		if sc == nil {
			return
		}
		s.lines[sc.Id] = sc.Location.Line
		for _, e := range sc.Examples {
			for _, row := range e.TableBody {
				s.lines[row.Id] = row.Location.Line
			}
		}
	}
	for _, c := range doc.Feature.Children {
		scenario(c.Scenario)
		if c.Rule != nil {
			for _, rc := range c.Rule.Children {
				scenario(rc.Scenario)
			}
		}
	}
}

// selected are the scenarios that a run executes: those with the tags, at the
// places that were asked for.
func (s *scenarios) selected(tags string) ([]place, error) {
	suite := godog.TestSuite{Options: &godog.Options{Paths: s.files(), Tags: tags}}
	features, err := suite.RetrieveFeatures()
	if err != nil {
		return nil, err
	}
	tagged := map[place]bool{}
	for _, f := range features {
		for _, p := range f.Pickles {
			tagged[place{p.Uri, s.of(p).line}] = true
		}
	}
	var order []place
	for _, at := range s.order {
		if tagged[at] && (s.wanted == nil || s.wanted[at]) {
			order = append(order, at)
		}
	}
	if len(order) == 0 {
		return nil, fmt.Errorf("no scenario of %q has tags %q", s.files(), tags)
	}
	return order, nil
}

func (s *scenarios) files() []string {
	var files []string
	for _, c := range s.contents {
		files = append(files, c.Name)
	}
	return files
}

// check finds sentences that no step, or more than one, answers.
func (s *scenarios) check(vocabulary []steps.Step) error {
	var wrong []string
	seen := map[string]bool{}
	for _, at := range s.order {
		for _, st := range s.pickles[at].Steps {
			if seen[st.Text] {
				continue
			}
			seen[st.Text] = true
			switch found := steps.Matching(vocabulary, st.Text); len(found) {
			case 1:
			case 0:
				text := fmt.Sprintf("%s:%d: no step says %q; nearest are:", at.file, at.line, st.Text)
				for _, n := range steps.Nearest(vocabulary, st.Text, 3) {
					text += "\n    " + n.Example
				}
				wrong = append(wrong, text)
			default:
				text := fmt.Sprintf("%s:%d: %q is answered by %d steps:", at.file, at.line, st.Text, len(found))
				for _, n := range found {
					text += "\n    " + n.Pattern
				}
				wrong = append(wrong, text)
			}
		}
	}
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}
