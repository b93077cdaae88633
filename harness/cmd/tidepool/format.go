package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/tidepool-ceph/tidepool/harness/run"
)

// format applies --format: what a run prints, and which reports it writes. It is
// a list of pretty (each scenario by name), progress (each file with its count),
// junit and cucumber; the last two take a file after a colon. Without a file
// they go to standard output, and the report for people to standard error.
func format(o *run.Options, list string, stdout, stderr io.Writer) error {
	o.Out, o.Verbose = stdout, false
	for item := range strings.SplitSeq(list, ",") {
		kind, file, toFile := strings.Cut(strings.TrimSpace(item), ":")
		switch kind {
		case "pretty", "progress":
			if toFile {
				return fmt.Errorf("--format %s: only junit and cucumber go to a file", item)
			}
			o.Verbose = o.Verbose || kind == "pretty"
		case "junit", "cucumber":
			if toFile && file == "" {
				return fmt.Errorf("--format %s: no file after the colon", item)
			}
			o.Reports = append(o.Reports, strings.TrimSpace(item))
			if !toFile {
				if o.ReportOut != nil {
					return fmt.Errorf("--format %s: only one report goes to standard output; give the other a file, as in %s:report", list, kind)
				}
				o.Out, o.ReportOut = stderr, stdout
			}
		default:
			return fmt.Errorf("--format %q is none of pretty, progress, junit[:FILE], cucumber[:FILE]", item)
		}
	}
	return nil
}
