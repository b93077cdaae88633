package sim_test

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// bringUp takes the seed's cluster from nothing to HEALTH_OK.
func bringUp(tb testing.TB, seed uint64) *sim.World {
	tb.Helper()
	backup, err := os.ReadFile("../../../prod/api/v1/testdata/seed/second.yaml")
	if err != nil {
		tb.Fatal(err)
	}
	var seedCluster metav1.PartialObjectMetadata
	if err := yaml.Unmarshal(backup, &seedCluster); err != nil {
		tb.Fatal(err)
	}
	manifest := seedCluster.Annotations[corev1.LastAppliedConfigAnnotation]
	w, err := sim.New(seed, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for _, n := range []string{"master-node", "node1"} {
		if err := w.AddNode(world.Node{Name: n}); err != nil {
			tb.Fatal(err)
		}
	}
	ctx := context.Background()
	if err := w.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph"}}); err != nil {
		tb.Fatal(err)
	}
	if err := w.Apply(ctx, manifest); err != nil {
		tb.Fatal(err)
	}
	err = w.Until(10*time.Minute, func() error {
		var c v1.CephCluster
		if err := w.Client().Get(ctx, client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph"}, &c); err != nil {
			return err
		}
		if c.Status.State != v1.ClusterStateCreated || c.Status.Ceph == nil || c.Status.Ceph.Health != "HEALTH_OK" {
			return fmt.Errorf("status %+v", c.Status)
		}
		return nil
	})
	if err != nil {
		tb.Fatalf("%v\n%s", err, w.Trace(40))
	}
	return w
}

func BenchmarkBringUp(b *testing.B) {
	b.ReportAllocs()
	for i := range b.N {
		bringUp(b, uint64(i)).Close()
	}
}

// BenchmarkWorldMemory reports what a world with the seed's cluster keeps.
func BenchmarkWorldMemory(b *testing.B) {
	bringUp(b, 0).Close() // what is compiled once a process
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	worlds := make([]*sim.World, b.N)
	for i := range worlds {
		worlds[i] = bringUp(b, uint64(i))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/float64(b.N)/(1<<20), "MiB/world")
	for _, w := range worlds {
		w.Close()
	}
}
