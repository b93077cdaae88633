package sim_test

import (
	"context"
	"errors"
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
	untilWell(tb, w, 10*time.Minute)
	return w
}

// untilWell lets time pass until the cluster is as its spec asks and healthy.
func untilWell(tb testing.TB, w *sim.World, limit time.Duration) {
	tb.Helper()
	if w.Until(limit, func() error { return well(w) }) != nil {
		tb.Fatalf("%+v\n%s", stored(w).Status, w.Trace(40))
	}
}

var errNotYet = errors.New("it is not well")

func well(w *sim.World) error {
	status := stored(w).Status
	if status.State != v1.ClusterStateCreated || status.Ceph == nil || status.Ceph.Health != "HEALTH_OK" {
		return errNotYet
	}
	return nil
}

// stored is the CephCluster, empty if there is none.
func stored(w *sim.World) *v1.CephCluster {
	var c v1.CephClusterList
	if err := w.Client().List(context.Background(), &c, client.UnsafeDisableDeepCopy); err != nil || len(c.Items) == 0 {
		return &v1.CephCluster{}
	}
	return &c.Items[0]
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
