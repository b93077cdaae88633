package metrics_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/metrics"
)

func newMetrics(t *testing.T) (*metrics.Metrics, *prometheus.Registry) {
	t.Helper()
	registry := prometheus.NewRegistry()
	m, err := metrics.New(registry)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := metrics.New(registry); err == nil {
		t.Error("they were registered twice")
	}
	return m, registry
}

// gather are the values of a metric by labels: of a gauge its value, of a
// histogram how many there were.
func gather(t *testing.T, registry *prometheus.Registry, name string) map[string]uint64 {
	t.Helper()
	families, err := registry.Gather()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]uint64{}
	for _, family := range families {
		if family.GetName() != name {
			continue
		}
		for _, m := range family.GetMetric() {
			var labels []string
			for _, label := range m.GetLabel() {
				labels = append(labels, label.GetValue())
			}
			found[strings.Join(labels, " ")] = m.GetHistogram().GetSampleCount() + uint64(m.GetGauge().GetValue())
		}
	}
	return found
}

func compare(t *testing.T, want, got map[string]uint64) {
	t.Helper()
	if fmt.Sprint(want) != fmt.Sprint(got) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestCommands(t *testing.T) {
	m, registry := newMetrics(t)
	for _, err := range []error{
		nil, nil, &exec.ExitError{Code: 22}, fmt.Errorf("ceph: %w", exec.ErrTimeout), fmt.Errorf("ceph: %w", exec.ErrNotStarted),
	} {
		m.Command(exec.Run{Command: exec.Command{Program: "/usr/bin/ceph", Args: []string{"status"}}, Err: err, Duration: time.Second})
	}
	compare(t, map[string]uint64{"ceph ok": 2, "ceph exit": 1, "ceph timeout": 1, "ceph error": 1},
		gather(t, registry, "tidepool_command_duration_seconds"))
}

func TestHealth(t *testing.T) {
	m, registry := newMetrics(t)
	key := client.ObjectKey{Namespace: "ns", Name: "c"}
	m.Health(key, "HEALTH_OK")
	m.Health(key, "HEALTH_WARN")
	compare(t, map[string]uint64{"HEALTH_ERR c ns": 0, "HEALTH_OK c ns": 0, "HEALTH_WARN c ns": 1},
		gather(t, registry, "tidepool_cluster_health"))
	m.Health(key, "")
	compare(t, map[string]uint64{}, gather(t, registry, "tidepool_cluster_health"))
}

func TestPasses(t *testing.T) {
	m, registry := newMetrics(t)
	results := []struct {
		result reconcile.Result
		err    error
	}{{}, {result: reconcile.Result{RequeueAfter: time.Second}}, {err: errors.New("refused")}}
	next := 0
	c := m.Count(controller.Controller{Name: "cephcluster", Reconciler: reconcile.Func(func(context.Context, reconcile.Request) (reconcile.Result, error) {
		next++
		return results[next-1].result, results[next-1].err
	})}, clocktesting.NewFakePassiveClock(time.Unix(0, 0)))
	for _, want := range results {
		if got, err := c.Reconciler.Reconcile(context.Background(), reconcile.Request{}); got != want.result || !errors.Is(err, want.err) {
			t.Errorf("got %v, %v", got, err)
		}
	}
	compare(t, map[string]uint64{"cephcluster done": 1, "cephcluster again": 1, "cephcluster error": 1},
		gather(t, registry, "tidepool_reconcile_duration_seconds"))
}
