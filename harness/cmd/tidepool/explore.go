package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/tidepool-ceph/tidepool/harness/explore"
	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
)

func exploreCommand() *cobra.Command {
	var (
		o     explore.Options
		kinds []string
		trace string
		count int
	)
	c := &cobra.Command{
		Use:   "explore [STORY]...",
		Short: "Run stories with every fault at every place; without an argument all stories",
		Long:  "Run stories with every fault at every place; without an argument all stories.\n\n" + storyList(),
		RunE: func(cmd *cobra.Command, names []string) error {
			var err error
			if o.Stories, err = explore.Named(names); err != nil {
				return err
			}
			for _, k := range kinds {
				kind, err := world.ParseFaultKind(k)
				if err != nil {
					return err
				}
				o.Kinds = append(o.Kinds, kind)
			}
			o.Out = cmd.OutOrStdout()
			o.NewWorld = func(seed uint64, trace io.Writer) (world.World, error) { return sim.New(seed, trace) }
			if trace != "" {
				f, err := os.Create(trace)
				if err != nil {
					return err
				}
				defer f.Close()
				b := bufio.NewWriter(f)
				defer b.Flush()
				o.Trace, o.Concurrency = b, 1
			}
			debug.SetGCPercent(gcPercent)
			begin := time.Now()
			var sum explore.Summary
			if count > 0 {
				sum = explore.Histories(explore.HistoryOptions{
					Count: count, Seed: o.Seed, Concurrency: o.Concurrency, Trace: o.Trace, Out: o.Out, NewWorld: o.NewWorld,
				})
			} else {
				sum = explore.Explore(o)
			}
			fmt.Fprintf(o.Out, "seed %d, %s\n%s\n", o.Seed, time.Since(begin).Round(time.Second), sum)
			if sum.Failed > 0 {
				return errFailed
			}
			return nil
		},
	}
	f := c.Flags()
	f.Uint64Var(&o.Seed, "seed", 1, "what every choice of the simulation follows from")
	f.IntVar(&o.Number, "effect", 0, "only this effect (for event-lost: event) of each story goes wrong")
	f.IntVar(&o.Concurrency, "concurrency", runtime.NumCPU(), "how many worlds run at once")
	f.StringSliceVar(&kinds, "kinds", nil, "only these kinds of faults: "+kindList())
	f.BoolVarP(&o.Verbose, "verbose", "v", false, "list each story's effects and events")
	f.IntVar(&count, "histories", 0, "draw this many random histories instead, of the seeds from --seed on")
	f.StringVar(&trace, "trace", "", "write what happened to this file; meant for one run")
	return c
}

func storyList() string {
	var b strings.Builder
	b.WriteString("Stories:\n")
	for _, s := range explore.Stories() {
		fmt.Fprintf(&b, "  %-14s %s\n", s.Name, s.Meaning)
	}
	return b.String()
}

func kindList() string {
	var all []string
	for _, k := range world.FaultKinds() {
		all = append(all, strings.ReplaceAll(k.String(), " ", "-"))
	}
	return strings.Join(all, ", ")
}
