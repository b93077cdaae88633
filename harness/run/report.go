package run

import (
	"fmt"
	"strings"
	"time"
)

// report prints how it went, in the order of the files, and writes the trace.
func (r *runner) report() Summary {
	var sum Summary
	file := ""
	for _, at := range r.scenarios.order {
		o, ok := r.outcomes[at]
		if !ok {
			continue
		}
		if at.file != file {
			file = at.file
			fmt.Fprintf(r.options.Out, "%s%s\n", file, r.ofFile(file))
		}
		name := r.scenarios.pickles[at].Name
		if r.options.Trace != nil {
			fmt.Fprintf(r.options.Trace, "# %s:%d %s\n", at.file, at.line, name)
			_, _ = o.trace.WriteTo(r.options.Trace) // the caller sees write errors when it closes the file
		}
		if o.err == nil {
			sum.Passed++
			if r.options.Verbose {
				fmt.Fprintf(r.options.Out, "  ok    %s (%s of virtual time)\n", name, o.lasted.Round(time.Millisecond))
			}
			continue
		}
		sum.Failed++
		fmt.Fprintf(r.options.Out, "  FAIL  %s:%d %s\n", at.file, at.line, name)
		if o.step != "" {
			fmt.Fprintf(r.options.Out, "        step: %s\n", o.step)
		}
		fmt.Fprintf(r.options.Out, "        %s\n", indent(o.err.Error()))
		if o.tail != "" {
			fmt.Fprintf(r.options.Out, "        the last that happened:\n          %s\n", strings.ReplaceAll(strings.TrimSpace(o.tail), "\n", "\n          "))
		}
	}
	return sum
}

// ofFile is the share of a file's scenarios that passed.
func (r *runner) ofFile(file string) string {
	passed, all := 0, 0
	for at, o := range r.outcomes {
		if at.file == file {
			all++
			if o.err == nil {
				passed++
			}
		}
	}
	return fmt.Sprintf(": %d of %d", passed, all)
}

func indent(s string) string { return strings.ReplaceAll(s, "\n", "\n        ") }
