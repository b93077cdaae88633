package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidepool-ceph/tidepool/harness/run"
	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
)

func runCommand() *cobra.Command {
	var (
		o              run.Options
		trace, formats string
	)
	c := &cobra.Command{
		Use:   "run [FEATURE|FOLDER|FEATURE:LINE]...",
		Short: "Run scenarios; without an argument all in features/",
		RunE: func(cmd *cobra.Command, paths []string) error {
			o.Paths = paths
			if len(paths) == 0 {
				o.Paths = []string{"features"}
			}
			if err := format(&o, formats, cmd.OutOrStdout(), cmd.ErrOrStderr()); err != nil {
				return err
			}
			o.NewWorld = func(seed uint64, trace io.Writer) (world.World, error) { return sim.New(seed, trace) }
			debug.SetGCPercent(gcPercent)
			begin := time.Now()
			sum, err := withTrace(&o, trace)
			if err != nil {
				return err
			}
			fmt.Fprintf(o.Out, "seed %d, %s\n%s\n", o.Seed, time.Since(begin).Round(time.Millisecond), sum)
			if sum.Failed > 0 {
				return errFailed
			}
			return nil
		},
	}
	f := c.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "what every choice of the simulation follows from")
	f.IntVar(&o.Concurrency, "concurrency", runtime.NumCPU(), "how many scenarios run at once")
	f.StringVar(&o.Tags, "tags", "", `only scenarios with these tags, such as "@S36 && ~@B01"`)
	f.StringVar(&trace, "trace", "", "write what happened in every world to this file; same seed, same bytes")
	f.StringVar(&formats, "format", "progress", `a list of pretty (names every scenario), progress, junit[:FILE], cucumber[:FILE]`)
	return c
}

// gcPercent trades memory, of which worlds take little, for time.
const gcPercent = 400

// withTrace runs with the trace going to a file, if one is named.
func withTrace(o *run.Options, file string) (sum run.Summary, err error) {
	if file == "" {
		return run.Run(*o)
	}
	f, err := os.Create(file)
	if err != nil {
		return run.Summary{}, err
	}
	w := bufio.NewWriter(f)
	o.Trace = w
	sum, err = run.Run(*o)
	if ferr := w.Flush(); err == nil {
		err = ferr
	}
	if cerr := f.Close(); err == nil {
		err = cerr
	}
	return sum, err
}
