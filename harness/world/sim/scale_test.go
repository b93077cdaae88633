package sim_test

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// size is a cluster that is measured.
type size struct{ osds, nodes int }

func sizes() []size { return []size{{10, 5}, {100, 10}, {1000, 100}} }

func nodeName(n int) string { return fmt.Sprintf("node%03d", n) }

func diskName(n int) string { return fmt.Sprintf("sd%c", 'b'+n) }

// manifest is a cluster of that size. The nodes in more take one disk more than
// the others.
func (s size) manifest(image string, more ...int) string {
	last := s.osds/s.nodes - 1
	var b strings.Builder
	fmt.Fprintf(&b, `
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {namespace: rook-ceph, name: rook-ceph}
spec:
  cephVersion: {image: %q}
  dataDirHostPath: /var/lib/rook
  mon: {count: 3}
  storage:
    deviceFilter: "^sd[b-%c]$"
    nodes:
`, image, 'b'+last)
	for n := range s.nodes {
		fmt.Fprintf(&b, "    - name: %s\n", nodeName(n))
		if slices.Contains(more, n) {
			fmt.Fprintf(&b, "      deviceFilter: \"^sd[b-%c]$\"\n", 'b'+last+1)
		}
	}
	return b.String()
}

// bringUp takes a cluster of that size from nothing to HEALTH_OK.
func (s size) bringUp(tb testing.TB) *sim.World {
	tb.Helper()
	w, err := sim.New(1, nil)
	if err != nil {
		tb.Fatal(err)
	}
	for n := range s.nodes {
		node := world.Node{Name: nodeName(n)}
		for d := range s.osds/s.nodes + 1 {
			node.Devices = append(node.Devices, world.Device{Name: diskName(d), Size: "10Gi"})
		}
		if err := w.AddNode(node); err != nil {
			tb.Fatal(err)
		}
	}
	if err := w.Client().Create(context.Background(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph"}}); err != nil {
		tb.Fatal(err)
	}
	apply(tb, w, s.manifest(oldImage))
	untilWell(tb, w, time.Hour)
	return w
}

// Images of a bring-up, and of an upgrade.
const (
	oldImage = "ceph/ceph:v14.2.22"
	newImage = "ceph/ceph:v16.2.15"
)

func apply(tb testing.TB, w *sim.World, manifest string) {
	tb.Helper()
	if err := w.Apply(context.Background(), manifest); err != nil {
		tb.Fatal(err)
	}
}

// freshPass starts the operator anew, whose first pass sees to everything, and
// returns when that pass is over.
func freshPass(tb testing.TB, w *sim.World) {
	tb.Helper()
	w.StopOperator()
	if err := w.StartOperator(); err != nil {
		tb.Fatal(err)
	}
	w.Pass(5 * time.Second)
}

// TestAThousandOSDsAreLeftAlone: on a large cluster a pass with nothing to do
// does nothing, and an edit of one node touches what is that node's.
func TestAThousandOSDsAreLeftAlone(t *testing.T) {
	s := size{1000, 100}
	w := s.bringUp(t)
	defer w.Close()
	w.Pass(90 * time.Second) // between two looks at Ceph's health of the former operator

	writes, runs := len(w.OperatorWrites()), len(w.OperatorRuns())
	freshPass(t, w)
	health := 1 // that a started operator has looked at Ceph's health stands in the status
	for _, write := range w.OperatorWrites()[writes:] {
		if write.Kind == v1.CephClusterKind && write.Verb == "patch" && health > 0 {
			health--
			continue
		}
		t.Errorf("a pass with nothing to do: %s %s %s", write.Verb, write.Kind, write.Key)
	}
	if n := len(w.OperatorRuns()) - runs; n > 20 {
		t.Errorf("a pass with nothing to do runs %d commands", n)
	}

	writes = len(w.OperatorWrites())
	apply(t, w, s.manifest(oldImage, 42))
	w.Pass(2 * time.Minute)
	untilWell(t, w, 10*time.Minute)
	own := osdsOf(t, w, nodeName(42))
	if len(own) != 11 {
		t.Errorf("%s has %d OSDs", nodeName(42), len(own))
	}
	for _, write := range w.OperatorWrites()[writes:] {
		if write.Kind != v1.CephClusterKind && !strings.Contains(write.Key.Name, nodeName(42)) && !own[write.Key.Name] {
			t.Errorf("an edit of %s: %s %s %s", nodeName(42), write.Verb, write.Kind, write.Key)
		}
	}
}

// osdsOf are the names of the Deployments of a node's OSDs.
func osdsOf(tb testing.TB, w *sim.World, node string) map[string]bool {
	tb.Helper()
	var all appsv1.DeploymentList
	if err := w.Client().List(context.Background(), &all, client.MatchingLabels{"app": "rook-ceph-osd"}); err != nil {
		tb.Fatal(err)
	}
	own := map[string]bool{}
	for _, d := range all.Items {
		if d.Spec.Template.Spec.NodeSelector[corev1.LabelHostname] == node {
			own[d.Name] = true
		}
	}
	return own
}

// BenchmarkScale measures the bring-up of clusters of growing size, and what
// memory a world and the process take then.
func BenchmarkScale(b *testing.B) {
	for _, s := range sizes() {
		b.Run(fmt.Sprintf("%dOSDs", s.osds), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				b.StopTimer()
				empty := memory().HeapAlloc
				b.StartTimer()
				w := s.bringUp(b)
				b.StopTimer()
				full := memory()
				b.ReportMetric(float64(full.HeapAlloc-empty)/(1<<20), "MiB/world")
				b.ReportMetric(float64(full.Sys)/(1<<20), "MiB-process")
				b.ReportMetric(w.Now().Sub(loop.Epoch).Seconds(), "virtual-s")
				w.Close()
				b.StartTimer()
			}
		})
	}
}

func memory() runtime.MemStats {
	var m runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&m)
	return m
}

// BenchmarkIdlePass measures a pass of a freshly started operator over a cluster
// that is as it should be, beside what else happens in the same time.
func BenchmarkIdlePass(b *testing.B) {
	for _, s := range sizes() {
		b.Run(fmt.Sprintf("%dOSDs", s.osds), func(b *testing.B) {
			w := s.bringUp(b)
			defer w.Close()
			w.Pass(90 * time.Second)
			b.ReportAllocs()
			before := len(w.OperatorPasses())
			for b.Loop() {
				freshPass(b, w)
			}
			passes := 0
			for _, pass := range w.OperatorPasses()[before:] {
				if pass.Controller == "cephcluster" {
					passes++
				}
			}
			b.ReportMetric(float64(b.Elapsed().Milliseconds())/float64(passes), "ms/pass")
		})
	}
}

// BenchmarkUpgrade measures the upgrade of a hundred OSDs, none of which stops
// before Ceph says that it may.
func BenchmarkUpgrade(b *testing.B) {
	s := size{100, 10}
	for b.Loop() {
		b.StopTimer()
		w := s.bringUp(b)
		apply(b, w, `
apiVersion: ceph.rook.io/v1
kind: CephBlockPool
metadata: {namespace: rook-ceph, name: pool}
spec: {replicated: {size: 3}}
`)
		w.Pass(time.Minute)
		w.WatchPGs()
		began := w.Now()
		b.StartTimer()
		apply(b, w, s.manifest(newImage))
		w.Pass(time.Minute)
		untilWell(b, w, 6*time.Hour)
		b.ReportMetric(w.Now().Sub(began).Seconds(), "virtual-s")
		if n, at := w.ShortPGs(); n > 0 {
			b.Errorf("%d placement groups had too few OSDs %v after the begin", n, at.Sub(began))
		}
		w.Close()
	}
}
