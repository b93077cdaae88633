package main

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/harness/run"
)

func TestFormat(t *testing.T) {
	var stdout, stderr bytes.Buffer
	tests := map[string]struct {
		verbose bool
		reports []string
		people  io.Writer
		err     string
	}{
		"progress":                {people: &stdout},
		"pretty":                  {verbose: true, people: &stdout},
		"pretty,junit:out.xml":    {verbose: true, reports: []string{"junit:out.xml"}, people: &stdout},
		"cucumber":                {reports: []string{"cucumber"}, people: &stderr},
		"junit, cucumber:c.json":  {reports: []string{"junit", "cucumber:c.json"}, people: &stderr},
		"junit,cucumber":          {err: "only one report goes to standard output"},
		"junit:":                  {err: "no file after the colon"},
		"pretty:x":                {err: "only junit and cucumber go to a file"},
		"xml":                     {err: `"xml" is none of pretty, progress, junit[:FILE], cucumber[:FILE]`},
		"":                        {err: `"" is none of`},
		"progress,cucumber:a:b.c": {reports: []string{"cucumber:a:b.c"}, people: &stdout},
	}
	for list, want := range tests {
		t.Run(list, func(t *testing.T) {
			var o run.Options
			err := format(&o, list, &stdout, &stderr)
			if want.err != "" {
				if err == nil || !strings.Contains(err.Error(), want.err) {
					t.Errorf("error %v, want %q", err, want.err)
				}
				return
			}
			if err != nil || o.Verbose != want.verbose || !slices.Equal(o.Reports, want.reports) || o.Out != want.people {
				t.Errorf("verbose %v, reports %q, people on stdout %v, error %v", o.Verbose, o.Reports, o.Out == &stdout, err)
			}
		})
	}
}
