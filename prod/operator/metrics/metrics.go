package metrics

import (
	"context"
	"errors"
	"path"

	"github.com/prometheus/client_golang/prometheus"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
)

// Metrics are the operator's own.
type Metrics struct {
	passes       *prometheus.HistogramVec
	commands     *prometheus.HistogramVec
	health       *prometheus.GaugeVec
	healthStates []string
}

// New registers the metrics. It fails if they are registered there already.
func New(registry prometheus.Registerer) (*Metrics, error) {
	m := &Metrics{
		passes: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tidepool_reconcile_duration_seconds",
			Help:    "Time that a pass of a controller took, by controller and result (done, again, error).",
			Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
		}, []string{"controller", "result"}),
		commands: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "tidepool_command_duration_seconds",
			Help:    "Time that a program run by the operator took, by program and result (ok, exit, timeout, error).",
			Buckets: prometheus.ExponentialBuckets(0.01, 4, 8),
		}, []string{"program", "result"}),
		health: prometheus.NewGaugeVec(prometheus.GaugeOpts{
			Name: "tidepool_cluster_health",
			Help: "1 for the health that Ceph reports of a CephCluster, 0 for the others.",
		}, []string{"namespace", "name", "health"}),
		healthStates: []string{"HEALTH_OK", "HEALTH_WARN", "HEALTH_ERR"},
	}
	for _, c := range []prometheus.Collector{m.passes, m.commands, m.health} {
		if err := registry.Register(c); err != nil {
			return nil, err
		}
	}
	return m, nil
}

// Command counts a run of a program; it is the report of an [exec.Recording].
// What the program was told is not part of it: arguments have no bounds.
func (m *Metrics) Command(run exec.Run) {
	result := "ok"
	var exit *exec.ExitError
	switch {
	case errors.As(run.Err, &exit):
		result = "exit"
	case errors.Is(run.Err, exec.ErrTimeout):
		result = "timeout"
	case run.Err != nil:
		result = "error"
	}
	m.commands.WithLabelValues(path.Base(run.Command.Program), result).Observe(run.Duration.Seconds())
}

// Health notes the health of a cluster, or with "" that the cluster is gone.
func (m *Metrics) Health(cluster client.ObjectKey, health string) {
	for _, state := range m.healthStates {
		if health == "" {
			m.health.DeleteLabelValues(cluster.Namespace, cluster.Name, state)
			continue
		}
		value := 0.0
		if state == health {
			value = 1
		}
		m.health.WithLabelValues(cluster.Namespace, cluster.Name, state).Set(value)
	}
}

// Count makes a controller that does as c does, and counts its passes.
func (m *Metrics) Count(c controller.Controller, clock clock.PassiveClock) controller.Controller {
	c.Reconciler = &counted{Reconciler: c.Reconciler, name: c.Name, clock: clock, passes: m.passes}
	return c
}

type counted struct {
	reconcile.Reconciler
	name   string
	clock  clock.PassiveClock
	passes *prometheus.HistogramVec
}

// Reconcile passes the request on and notes how long it took.
func (c *counted) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	started := c.clock.Now()
	result, err := c.Reconciler.Reconcile(ctx, req)
	c.passes.WithLabelValues(c.name, outcome(result, err)).Observe(c.clock.Since(started).Seconds())
	return result, err
}

func outcome(result reconcile.Result, err error) string {
	switch {
	case err != nil:
		return "error"
	case result.RequeueAfter > 0:
		return "again"
	}
	return "done"
}
