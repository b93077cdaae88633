package pool_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
	"github.com/tidepool-ceph/tidepool/prod/operator/pool"
)

// pond is a world with a pool "p" of one copy and a cluster in quorum.
type pond struct {
	*doortest.World
	controller controller.Controller
	// answers to commands by their beginning, behind "ceph "; the longest counts.
	answers map[string]string
	fails   map[string]error
}

const noPool = `{"fsid":"f","pools":[]}`

// onePool is the osdmap with the pool p.
func onePool(size int) string {
	return fmt.Sprintf(`{"fsid":"f","pools":[{"pool":7,"pool_name":"p","type":1,"size":%d,"min_size":1,"crush_rule":1,"flags_names":"hashpspool","application_metadata":{"rbd":{}}}]}`, size)
}

func newPond(t *testing.T, change ...func(*v1.CephCluster, *v1.CephBlockPool)) *pond {
	no := false
	cluster := &v1.CephCluster{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph"},
		Status: v1.ClusterStatus{
			State: v1.ClusterStateCreated, Version: &v1.VersionStatus{Version: "16.2.15"},
			Conditions: []metav1.Condition{{Type: v1.ConditionMonsInQuorum, Status: metav1.ConditionTrue, Reason: v1.ReasonAsExpected}},
		},
	}
	resource := &v1.CephBlockPool{
		ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "p", Generation: 1, Finalizers: []string{v1.CephBlockPoolFinalizer}},
		Spec:       v1.BlockPoolSpec{PoolSpec: v1.PoolSpec{Replicated: &v1.ReplicatedSpec{Size: 1, RequireSafeReplicaSize: &no}}},
	}
	for _, c := range change {
		c(cluster, resource)
	}
	p := &pond{World: doortest.New(t, cluster, resource), fails: map[string]error{}, answers: map[string]string{
		"osd dump":                               onePool(1),
		"osd crush rule dump":                    `[{"rule_id":1,"rule_name":"p_host","steps":[{"op":"take","item_name":"default"},{"op":"chooseleaf_firstn","type":"host"},{"op":"emit"}]}]`,
		"config get mon mon_allow_pool_size_one": "false",
		"config get mon mon_allow_pool_delete":   "false",
		"df":                                     `{"pools":[{"name":"p","id":7,"stats":{"objects":0}}]}`,
	}}
	p.Files["/var/lib/rook/rook-ceph/rook-ceph.config"] = doortest.File{Data: []byte("[global]")}
	p.Programs["ceph"] = func(args []string) (string, error) {
		line, longest, text := strings.Join(args, " "), -1, ""
		for begins, answer := range p.answers {
			if strings.HasPrefix(line, begins+" ") && len(begins) > longest {
				longest, text = len(begins), answer
			}
		}
		if strings.HasPrefix(line, "osd pool create p ") {
			p.answers["osd dump"] = onePool(3)
		}
		p.Files[args[len(args)-1]] = doortest.File{Data: []byte(text)}
		for begins, err := range p.fails {
			if strings.HasPrefix(line, begins+" ") {
				return "", err
			}
		}
		return "", nil
	}
	p.controller = pool.New(p.Doors(), pass.Settings{ConfigDir: "/var/lib/rook"})
	return p
}

// pass reconciles and returns when it is due again, and the pool's commands.
func (p *pond) pass(t *testing.T) (again time.Duration, changes []string) {
	t.Helper()
	p.Commands, p.Writes = nil, nil
	key := client.ObjectKey{Namespace: "rook-ceph", Name: "p"}
	result, err := p.controller.Reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range p.Commands {
		line, _, _ = strings.Cut(strings.TrimPrefix(line, "ceph "), " --connect-timeout")
		if !slices.ContainsFunc([]string{"osd dump", "osd crush rule dump", "config get", "df", "osd pool get"}, func(s string) bool { return strings.HasPrefix(line, s) }) {
			changes = append(changes, line)
		}
	}
	return result.RequeueAfter, changes
}

func (p *pond) resource(t *testing.T) *v1.CephBlockPool {
	t.Helper()
	return doortest.Get(t, p.World, "rook-ceph", "p", &v1.CephBlockPool{})
}

func (p *pond) ready(t *testing.T) metav1.Condition {
	t.Helper()
	c := apimeta.FindStatusCondition(p.resource(t).Status.Conditions, v1.ConditionReady)
	if c == nil {
		t.Fatal("there is no condition Ready")
	}
	return *c
}

func same(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("it runs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAPoolIsMadeAndThenLeftAlone(t *testing.T) {
	p := newPond(t, func(_ *v1.CephCluster, r *v1.CephBlockPool) { r.Finalizers = nil })
	p.answers["osd dump"] = noPool
	p.answers["osd pool get p min_size"] = `{"min_size":1}`
	_, changes := p.pass(t)
	same(t, changes, []string{
		"osd pool create p 32 32 replicated p_host",
		"config set mon mon_allow_pool_size_one true",
		"osd pool set p size 1 --yes-i-really-mean-it",
	})
	r := p.resource(t)
	if r.Status.Phase != v1.DependentPhaseReady || r.Status.ObservedGeneration != 1 || r.Status.Info["id"] != "7" || r.Status.Info["failureDomain"] != "host" || r.Status.Info["type"] != "Replicated" {
		t.Errorf("the status is %+v", r.Status)
	}
	if !slices.Equal(r.Finalizers, []string{v1.CephBlockPoolFinalizer}) {
		t.Errorf("the finalizers are %v", r.Finalizers)
	}
	p.answers["osd dump"] = onePool(1)
	again, changes := p.pass(t)
	if len(changes) > 0 || len(p.Writes) > 0 || again != 0 {
		t.Errorf("with nothing to do it runs %v, writes %v, again in %s", changes, p.Writes, again)
	}
}

func TestWaiting(t *testing.T) {
	for name, c := range map[string]struct {
		change       func(*v1.CephCluster, *v1.CephBlockPool)
		reason, says string
		again        time.Duration
	}{
		"for the quorum":      {func(c *v1.CephCluster, _ *v1.CephBlockPool) { c.Status.Conditions = nil }, v1.ReasonClusterNotReady, "the mons of CephCluster rook-ceph/my-ceph to form a quorum", 0},
		"for a cluster":       {func(c *v1.CephCluster, _ *v1.CephBlockPool) { c.Namespace = "elsewhere" }, v1.ReasonNoCluster, "a CephCluster in namespace rook-ceph", 0},
		"for the version":     {func(c *v1.CephCluster, _ *v1.CephBlockPool) { c.Status.Version = nil }, v1.ReasonClusterNotReady, "the version of CephCluster", 5 * time.Second},
		"for the initial map": {func(c *v1.CephCluster, _ *v1.CephBlockPool) { c.Status.Version.Version = "13.2.3" }, v1.ReasonClusterNotReady, "the crush map", 5 * time.Second},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPond(t, c.change)
			again, _ := p.pass(t)
			ready := p.ready(t)
			if ready.Reason != c.reason || !strings.Contains(ready.Message, c.says) || again != c.again || len(p.Commands) > 0 {
				t.Errorf("condition %+v, again in %s, ran %v", ready, again, p.Commands)
			}
			if phase := p.resource(t).Status.Phase; phase != v1.DependentPhaseProgressing {
				t.Errorf("the phase is %s", phase)
			}
		})
	}
}

func TestAReadyPoolStaysSoWhileMonsAreElected(t *testing.T) {
	p := newPond(t, func(c *v1.CephCluster, r *v1.CephBlockPool) {
		c.Status.Conditions[0].Status = metav1.ConditionFalse
		r.Status.ObservedGeneration = 1
		r.Status.Conditions = []metav1.Condition{{Type: v1.ConditionReady, Status: metav1.ConditionTrue}}
	})
	if p.pass(t); len(p.Writes) > 0 || p.ready(t).Status != metav1.ConditionTrue {
		t.Errorf("it writes %v", p.Writes)
	}
	changed := p.resource(t)
	changed.Generation = 2
	if err := p.Kube.Update(context.Background(), changed); err != nil {
		t.Fatal(err)
	}
	if p.pass(t); p.ready(t).Status != metav1.ConditionFalse {
		t.Errorf("with another spec it is %+v", p.ready(t))
	}
}

func TestMonsAreNotOpenedBeforeThatIsWrittenDown(t *testing.T) {
	p := newPond(t, deleting)
	p.Refuse = func(verb string, _ client.Object, _ string) error {
		if verb == "patch-status" {
			return apierrors.NewServiceUnavailable("later")
		}
		return nil
	}
	key := client.ObjectKey{Namespace: "rook-ceph", Name: "p"}
	_, err := p.controller.Reconciler.Reconcile(context.Background(), reconcile.Request{NamespacedName: key})
	if err == nil || slices.ContainsFunc(p.Commands, func(line string) bool { return strings.HasPrefix(line, "ceph config set") }) {
		t.Errorf("it ends with %v and ran\n%s", err, strings.Join(p.Commands, "\n"))
	}
}

func TestAFailureIsToldAndTriedAgain(t *testing.T) {
	p := newPond(t)
	p.answers["osd dump"] = onePool(3)
	p.fails["osd pool set"] = doortest.Exit(22, "Error EINVAL: no")
	again, _ := p.pass(t)
	ready := p.ready(t)
	if ready.Reason != v1.ReasonFailed || !strings.Contains(ready.Message, "pool p: failed to set the property size") || again != 10*time.Second {
		t.Errorf("condition %+v, again in %s", ready, again)
	}
}

func deleting(_ *v1.CephCluster, r *v1.CephBlockPool) {
	r.DeletionTimestamp = &metav1.Time{Time: time.Date(2019, 5, 23, 6, 46, 46, 0, time.UTC)}
}

func (p *pond) gone(t *testing.T) bool {
	t.Helper()
	err := p.Kube.Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: "p"}, &v1.CephBlockPool{})
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	return err != nil
}

func TestDeletion(t *testing.T) {
	removes := []string{
		"config set mon mon_allow_pool_delete true", "osd pool rm p p --yes-i-really-really-mean-it",
		"config rm mon mon_allow_pool_delete", "osd crush rule rm p_host",
	}
	for name, c := range map[string]struct {
		change  func(*v1.CephCluster, *v1.CephBlockPool)
		answers map[string]string
		want    []string
	}{
		"an empty pool":       {nil, nil, removes},
		"where mons allow it": {nil, map[string]string{"config get mon mon_allow_pool_delete": "true"}, []string{removes[1], removes[3]}},
		"with all it holds": {
			func(_ *v1.CephCluster, r *v1.CephBlockPool) {
				r.Annotations = map[string]string{v1.ForceDeletionAnnotation: "true"}
			},
			map[string]string{"df": `{"pools":[{"name":"p","id":7,"stats":{"objects":3}}]}`},
			removes,
		},
		"by an operator that died after it": {
			func(_ *v1.CephCluster, r *v1.CephBlockPool) {
				r.Status.Info = map[string]string{v1.PoolInfoDeletionOpened: "true"}
			},
			map[string]string{"osd dump": noPool},
			removes[2:],
		},
		"a pool that is not there":  {nil, map[string]string{"osd dump": noPool}, removes[3:]},
		"a pool of somebody else's": {nil, map[string]string{"osd dump": strings.Replace(onePool(3), `"rbd"`, `"cephfs"`, 1)}, nil},
		"a pool of Ceph's own":      {func(_ *v1.CephCluster, r *v1.CephBlockPool) { r.Spec.Name = ".mgr" }, nil, nil},
		"when the cluster is gone":  {func(c *v1.CephCluster, _ *v1.CephBlockPool) { c.Namespace = "elsewhere" }, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			changes := []func(*v1.CephCluster, *v1.CephBlockPool){deleting}
			if c.change != nil {
				changes = append(changes, c.change)
			}
			p := newPond(t, changes...)
			for k, v := range c.answers {
				p.answers[k] = v
			}
			_, ran := p.pass(t)
			same(t, ran, c.want)
			if !p.gone(t) {
				t.Error("the CephBlockPool is still there")
			}
		})
	}
}

func TestDeletionIsBlocked(t *testing.T) {
	p := newPond(t, deleting)
	p.answers["df"] = `{"pools":[{"name":"p","id":7,"stats":{"objects":3}}]}`
	for range 2 {
		again, ran := p.pass(t)
		status := p.resource(t).Status
		c := apimeta.FindStatusCondition(status.Conditions, v1.ConditionDeletionBlocked)
		if len(ran) > 0 || again != time.Minute || status.Phase != v1.DependentPhaseDeleting || c == nil || c.Reason != v1.ReasonPoolNotEmpty || !strings.Contains(c.Message, "it holds 3 objects") {
			t.Errorf("it runs %v, again in %s, status %+v", ran, again, status)
		}
	}
	if len(p.Reported) != 1 {
		t.Errorf("events %v", p.Reported)
	}
	p.answers["df"] = `{"pools":[]}`
	if again, ran := p.pass(t); len(ran) > 0 || again != 10*time.Second || p.gone(t) {
		t.Errorf("without an answer about the pool it runs %v, again in %s", ran, again)
	}
}

func TestAFailedDeletionLeavesTheMonsStrict(t *testing.T) {
	p := newPond(t, deleting)
	p.fails["osd pool rm"] = doortest.Exit(16, "Error EBUSY: pool 'p' is in use by CephFS")
	again, ran := p.pass(t)
	same(t, ran, []string{
		"config set mon mon_allow_pool_delete true", "osd pool rm p p --yes-i-really-really-mean-it", "config rm mon mon_allow_pool_delete",
	})
	if r := p.resource(t); again != 10*time.Second || r.Status.Info[v1.PoolInfoDeletionOpened] != "" {
		t.Errorf("again in %s, status %+v", again, r.Status)
	}
}

func TestWhatMatters(t *testing.T) {
	ofPools, ofClusters := newPond(t).controller.Watches[0].Matters, newPond(t).controller.Watches[1].Matters
	before := &v1.CephBlockPool{}
	for name, c := range map[string]struct {
		change func(*v1.CephBlockPool)
		want   bool
	}{
		"the status":   {func(p *v1.CephBlockPool) { p.Status.Phase = v1.DependentPhaseReady }, false},
		"the spec":     {func(p *v1.CephBlockPool) { p.Generation++ }, true},
		"the deletion": {func(p *v1.CephBlockPool) { p.DeletionTimestamp = &metav1.Time{} }, true},
		"leave to lose objects": {func(p *v1.CephBlockPool) {
			p.Annotations = map[string]string{v1.ForceDeletionAnnotation: "true"}
		}, true},
	} {
		after := before.DeepCopy()
		c.change(after)
		if got := ofPools(before, after); got != c.want {
			t.Errorf("%s of a pool: %v", name, got)
		}
	}
	cluster := &v1.CephCluster{}
	quorum := cluster.DeepCopy()
	quorum.Status.Conditions = []metav1.Condition{{Type: v1.ConditionMonsInQuorum, Status: metav1.ConditionTrue}}
	healthy := cluster.DeepCopy()
	healthy.Status.Ceph = &v1.CephStatus{Health: "HEALTH_OK"}
	if !ofClusters(cluster, quorum) || ofClusters(cluster, healthy) || !ofClusters(cluster, nil) {
		t.Error("of a cluster its quorum and its end matter, and its health does not")
	}
	p := newPond(t)
	got := p.controller.Watches[1].Requests(context.Background(), &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "my-ceph"}})
	if len(got) != 1 || got[0].Name != "p" {
		t.Errorf("a cluster leads to %v", got)
	}
}
