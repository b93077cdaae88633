package run_test

import (
	"io"
	"os"
	"testing"

	"github.com/tidepool-ceph/tidepool/harness/run"
	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
)

// BenchmarkFeatures reports how many scenarios of the specification run in a
// second.
func BenchmarkFeatures(b *testing.B) {
	if err := os.Chdir("../.."); err != nil { // scenarios name files of the project
		b.Fatal(err)
	}
	scenarios := 0
	for i := range b.N {
		sum, err := run.Run(run.Options{
			Paths: []string{"features"}, Seed: uint64(i), Concurrency: 2, Out: io.Discard,
			NewWorld: func(seed uint64, trace io.Writer) (world.World, error) { return sim.New(seed, nil) },
		})
		if err != nil {
			b.Fatal(err)
		}
		scenarios += sum.Passed + sum.Failed
	}
	b.ReportMetric(float64(scenarios)/b.Elapsed().Seconds(), "scenarios/s")
}
