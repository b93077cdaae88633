package health_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/health"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

func TestNext(t *testing.T) {
	// The seed's sample: OK since 06:56:14, before that WARN, checked next day.
	now := time.Date(2019, 5, 24, 4, 24, 24, 999, time.FixedZone("two hours east", 2*60*60))
	full := map[string]ceph.HealthCheck{"POOL_FULL": {Severity: "HEALTH_WARN", Message: "1 pool(s) full", Details: []string{"more"}}}
	for name, c := range map[string]struct {
		before *v1.CephStatus
		report ceph.HealthReport
		want   v1.CephStatus
	}{
		"the first check": {nil, ceph.HealthReport{Status: "HEALTH_WARN", Checks: full}, v1.CephStatus{
			Health: "HEALTH_WARN", LastChecked: "2019-05-24T02:24:24Z",
			Details: map[string]v1.HealthCheck{"POOL_FULL": {Severity: "HEALTH_WARN", Message: "1 pool(s) full"}},
		}},
		"the first health is no change": {
			&v1.CephStatus{LastChecked: "x"},
			ceph.HealthReport{Status: "HEALTH_OK"},
			v1.CephStatus{Health: "HEALTH_OK", LastChecked: "2019-05-24T02:24:24Z"},
		},
		"a change": {
			&v1.CephStatus{Health: "HEALTH_WARN", LastChecked: "x", Details: map[string]v1.HealthCheck{"OSD_DOWN": {}}},
			ceph.HealthReport{Status: "HEALTH_OK"},
			v1.CephStatus{Health: "HEALTH_OK", LastChecked: "2019-05-24T02:24:24Z", LastChanged: "2019-05-24T02:24:24Z", PreviousHealth: "HEALTH_WARN"},
		},
		"no change": {
			&v1.CephStatus{Health: "HEALTH_OK", LastChecked: "x", LastChanged: "2019-05-23T06:56:14Z", PreviousHealth: "HEALTH_WARN"},
			ceph.HealthReport{Status: "HEALTH_OK"},
			v1.CephStatus{Health: "HEALTH_OK", LastChecked: "2019-05-24T02:24:24Z", LastChanged: "2019-05-23T06:56:14Z", PreviousHealth: "HEALTH_WARN"},
		},
		"other details are no change": {
			&v1.CephStatus{Health: "HEALTH_WARN", LastChecked: "x"},
			ceph.HealthReport{Status: "HEALTH_WARN", Checks: full},
			v1.CephStatus{
				Health: "HEALTH_WARN", LastChecked: "2019-05-24T02:24:24Z",
				Details: map[string]v1.HealthCheck{"POOL_FULL": {Severity: "HEALTH_WARN", Message: "1 pool(s) full"}},
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(&c.want, health.Next(c.before, c.report, now)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// checked is a cluster that is checked.
type checked struct {
	*doortest.World
	controller controller.Controller
	health     string
	fails      error
	observed   []string
}

func newChecked(t *testing.T, state v1.ClusterState) *checked {
	c := &checked{World: doortest.New(t, &v1.CephCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph"},
		Spec:       v1.ClusterSpec{DataDirHostPath: "/var/lib/rook"},
		Status:     v1.ClusterStatus{State: state, Message: "as it was", Version: &v1.VersionStatus{Version: "14.2.0"}},
	})}
	c.Files["/var/lib/rook/rook-ceph/rook-ceph.config"] = doortest.File{Data: []byte("[global]")}
	c.Programs["ceph"] = func(args []string) (string, error) {
		c.Files[args[len(args)-1]] = doortest.File{Data: fmt.Appendf(nil, `{"fsid": "f", "health": {"status": %q, "checks": {}}}`, c.health)}
		return "", c.fails
	}
	settings := pass.Settings{ConfigDir: "/var/lib/rook"}
	c.controller = health.New(c.Doors(), settings, func(key client.ObjectKey, health string) {
		c.observed = append(c.observed, key.String()+" "+health)
	})
	return c
}

// check checks and returns the status and when the next check is due.
func (c *checked) check(t *testing.T) (v1.ClusterStatus, time.Duration) {
	t.Helper()
	key := client.ObjectKey{Namespace: "rook-ceph", Name: "my-ceph"}
	result, err := c.controller.Reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	if err != nil {
		t.Fatal(err)
	}
	return doortest.Get(t, c.World, "rook-ceph", "my-ceph", &v1.CephCluster{}).Status, result.RequeueAfter
}

func TestChecks(t *testing.T) {
	c := newChecked(t, v1.ClusterStateCreated)
	c.health = "HEALTH_WARN"
	status, again := c.check(t)
	if status.Ceph == nil || status.Ceph.Health != "HEALTH_WARN" || again != 60*time.Second {
		t.Fatalf("status %+v, again in %s", status.Ceph, again)
	}
	if status.State != v1.ClusterStateCreated || status.Message != "as it was" {
		t.Errorf("the state was written: %+v", status)
	}

	before := *status.Ceph
	c.fails = doortest.Exit(1, "timed out")
	c.Clock.SetTime(c.Clock.Now().Add(time.Minute))
	c.Writes = nil
	status, again = c.check(t)
	if diff := cmp.Diff(before, *status.Ceph); diff != "" || again != 60*time.Second || len(c.Writes) != 0 {
		t.Errorf("a failed check (-want +got), again in %s:\n%s", again, diff)
	}
	if len(c.Lines) == 0 || !strings.Contains(c.Lines[len(c.Lines)-1], "timed out") {
		t.Errorf("it logged %v", c.Lines)
	}

	c.fails, c.health = nil, "HEALTH_OK"
	status, _ = c.check(t)
	if status.Ceph.PreviousHealth != "HEALTH_WARN" || status.Ceph.LastChanged != status.Ceph.LastChecked {
		t.Errorf("status %+v", status.Ceph)
	}
	if len(c.Reported) != 1 || c.Reported[0] != "Normal HealthChanged Ceph is HEALTH_OK, and was HEALTH_WARN" {
		t.Errorf("events %v", c.Reported)
	}
	if err := c.Kube.Delete(context.Background(), &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.controller.Reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "rook-ceph", Name: "my-ceph"}}); err != nil {
		t.Error(err)
	}
	if diff := cmp.Diff([]string{"rook-ceph/my-ceph HEALTH_WARN", "rook-ceph/my-ceph HEALTH_OK", "rook-ceph/my-ceph "}, c.observed); diff != "" {
		t.Errorf("observed (-want +got):\n%s", diff)
	}
}

func TestChecksBeginWithTheCreatedCluster(t *testing.T) {
	c := newChecked(t, v1.ClusterStateCreating)
	c.health = "HEALTH_OK"
	if status, again := c.check(t); status.Ceph != nil || again != 0 || len(c.Commands) != 0 {
		t.Errorf("status %v, again in %s, ran %v", status.Ceph, again, c.Commands)
	}
	matters := c.controller.Watches[0].Matters
	creating, created := &v1.CephCluster{}, &v1.CephCluster{}
	creating.Status.State, created.Status.State = v1.ClusterStateCreating, v1.ClusterStateCreated
	if !matters(creating, created) {
		t.Error("that the cluster was created does not matter")
	}
	if later := created.DeepCopy(); matters(created, later) {
		t.Error("its own writes matter")
	}
	often := created.DeepCopy()
	often.Spec.HealthCheck.DaemonHealth.Status.Interval = "10s"
	if !matters(created, often) {
		t.Error("that it is to be checked more often does not matter")
	}
}

func TestALostRaceIsTriedAgain(t *testing.T) {
	c := newChecked(t, v1.ClusterStateCreated)
	c.health = "HEALTH_OK"
	c.Refuse = func(verb string, _ client.Object, name string) error {
		if verb == "patch-status" {
			return apierrors.NewServiceUnavailable("later")
		}
		return nil
	}
	if status, again := c.check(t); status.Ceph != nil || again != 60*time.Second {
		t.Errorf("status %v, again in %s", status.Ceph, again)
	}
}
