package run

import (
	"bytes"
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
// the scenario or example row that the line is part of.
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
		}
	}
	if len(s.order) == 0 {
		return nil, fmt.Errorf("there is no scenario in %q", s.files())
	}
	for _, o := range only {
		if !s.want(o) {
			return nil, fmt.Errorf("no scenario stands at %s:%d", o.file, o.line)
		}
	}
	return s, nil
}

// want marks what stands at a line: an example row, or else the scenario that
// the line is part of, with all its rows.
func (s *scenarios) want(o place) bool {
	if s.wanted == nil {
		s.wanted = map[place]bool{}
	}
	if s.pickles[o] != nil {
		s.wanted[o] = true
		return true
	}
	begin := int64(0) // of the scenario
	for at, p := range s.pickles {
		if line := s.lines[p.AstNodeIds[0]]; at.file == o.file && line <= o.line {
			begin = max(begin, line)
		}
	}
	for at, p := range s.pickles {
		if at.file == o.file && s.lines[p.AstNodeIds[0]] == begin {
			s.wanted[at] = true
		}
	}
	return begin > 0
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

// number notes the lines of all scenarios, example rows and steps of a file.
func (s *scenarios) number(doc *messages.GherkinDocument) {
	if doc.Feature == nil {
		return
	}
	numberSteps := func(all []*messages.Step) {
		for _, st := range all {
			s.lines[st.Id] = st.Location.Line
		}
	}
	scenario := func(sc *messages.Scenario) {
		if sc == nil {
			return
		}
		s.lines[sc.Id] = sc.Location.Line
		numberSteps(sc.Steps)
		for _, e := range sc.Examples {
			for _, row := range e.TableBody {
				s.lines[row.Id] = row.Location.Line
			}
		}
	}
	for _, c := range doc.Feature.Children {
		scenario(c.Scenario)
		if c.Background != nil {
			numberSteps(c.Background.Steps)
		}
		if c.Rule != nil {
			for _, rc := range c.Rule.Children {
				scenario(rc.Scenario)
				if rc.Background != nil {
					numberSteps(rc.Background.Steps)
				}
			}
		}
	}
}

// selected are the scenarios that a run executes: those with the tags, at the
// places that were asked for.
func (s *scenarios) selected(tags string) ([]place, error) {
	tagged, err := s.tagged(tags)
	if err != nil {
		return nil, err
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

// tagged are the scenarios with the tags. godog panics on an expression that it
// cannot read.
func (s *scenarios) tagged(tags string) (tagged map[place]bool, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("tags %q are no expression such as \"@S36 && ~@B01\"", tags)
		}
	}()
	features, err := godog.TestSuite{Options: &godog.Options{Paths: s.files(), Tags: tags}}.RetrieveFeatures()
	if err != nil {
		return nil, err
	}
	tagged = map[place]bool{}
	for _, f := range features {
		for _, p := range f.Pickles {
			tagged[s.of(p)] = true
		}
	}
	return tagged, nil
}

func (s *scenarios) files() []string {
	var files []string
	for _, c := range s.contents {
		files = append(files, c.Name)
	}
	return files
}
