package sim_test

import (
	"context"
	"fmt"
	"os"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

const threeByThree = `
apiVersion: ceph.rook.io/v1
kind: CephCluster
metadata: {name: rook-ceph, namespace: rook-ceph}
spec:
  cephVersion: {image: "ceph/ceph:v14.2.0-20190410"}
  dataDirHostPath: /var/lib/rook
  mon: {count: 3, allowMultiplePerNode: false}
  dashboard: {enabled: true}
  rbdMirroring: {workers: 1}
  storage: {useAllNodes: true, useAllDevices: true}
`

func threeNodes(tb testing.TB, seed uint64, fault *world.Fault) *sim.World {
	tb.Helper()
	w, err := sim.New(seed, nil)
	if err != nil {
		tb.Fatal(err)
	}
	if fault != nil {
		w.FailOperator(*fault)
	}
	for _, n := range []string{"n1", "n2", "n3"} {
		if err := w.AddNode(world.Node{Name: n, Devices: []world.Device{{Name: "sdb", Size: "100Gi"}}}); err != nil {
			tb.Fatal(err)
		}
	}
	ctx := context.Background()
	if err := w.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph"}}); err != nil {
		tb.Fatal(err)
	}
	if err := w.Apply(ctx, threeByThree); err != nil {
		tb.Fatal(err)
	}
	return w
}

func healthy(w *sim.World) error {
	var c v1.CephCluster
	if err := w.Client().Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph"}, &c); err != nil {
		return err
	}
	if c.Status.State != v1.ClusterStateCreated || c.Status.Ceph == nil || c.Status.Ceph.Health != "HEALTH_OK" {
		return fmt.Errorf("status %+v", c.Status)
	}
	return nil
}

var (
	times = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d{4})?`)
	keys  = regexp.MustCompile(`[A-Za-z0-9+/]{38}==`)
	uuids = regexp.MustCompile(`[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}`)
	ips   = regexp.MustCompile(`\b10\.\d+\.\d+\.\d+\b`)
	nonce = regexp.MustCompile(`(:\d+)?/\d+`)
)

func normal(s string) string {
	s = keys.ReplaceAllString(s, "KEY")
	s = uuids.ReplaceAllString(s, "UUID")
	s = times.ReplaceAllString(s, "TIME")
	s = ips.ReplaceAllString(s, "IP")
	return s
}

func settled(tb testing.TB, w *sim.World) string {
	tb.Helper()
	ctx := context.Background()
	var out strings.Builder
	c := w.Client()
	idText := regexp.MustCompile(`\b[012]\b`)
	nText := regexp.MustCompile(`\bn[123]\b`)
	dText := regexp.MustCompile(`osd([.-])[012]`)
	blur := func(s string) string {
		return nText.ReplaceAllString(idText.ReplaceAllString(dText.ReplaceAllString(s, "osd${1}D"), "D"), "nX")
	}
	show := func(o client.Object) {
		o.SetResourceVersion("")
		o.SetManagedFields(nil)
		o.SetUID("")
		o.SetGeneration(0)
		o.SetCreationTimestamp(metav1.Time{})
		switch t := o.(type) {
		case *appsv1.Deployment:
			t.Status = appsv1.DeploymentStatus{ReadyReplicas: t.Status.ReadyReplicas}
			delete(t.Annotations, "deployment.kubernetes.io/revision")
		case *batchv1.Job:
			t.Status = batchv1.JobStatus{Succeeded: t.Status.Succeeded}
		case *v1.CephCluster:
		case *corev1.Secret:
			sd := map[string]string{}
			for k, v := range t.Data {
				if strings.HasPrefix(k, "password") {
					v = []byte("PASSWORD")
				}
				sd[k] = string(v)
			}
			t.StringData, t.Data = sd, nil
		}
		b, err := yaml.Marshal(o)
		if err != nil {
			tb.Fatal(err)
		}
		text := string(b)
		_, isCR := o.(*v1.CephCluster)
		if strings.Contains(o.GetName(), "osd") || isCR {
			text = blur(text)
		}
		fmt.Fprintf(&out, "--- %T %s\n%s", o, o.GetName(), normal(text))
	}
	lists := []client.ObjectList{&v1.CephClusterList{}, &corev1.ConfigMapList{}, &corev1.SecretList{}, &corev1.ServiceList{}, &appsv1.DeploymentList{}, &batchv1.JobList{}, &corev1.ServiceAccountList{}}
	for _, l := range lists {
		if err := c.List(ctx, l, client.InNamespace("rook-ceph")); err != nil {
			tb.Fatal(err)
		}
		switch l := l.(type) {
		case *v1.CephClusterList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *corev1.ConfigMapList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *corev1.SecretList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *corev1.ServiceList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *appsv1.DeploymentList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *batchv1.JobList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		case *corev1.ServiceAccountList:
			for i := range l.Items {
				show(&l.Items[i])
			}
		}
	}
	var pods corev1.PodList
	if err := c.List(ctx, &pods, client.InNamespace("rook-ceph")); err != nil {
		tb.Fatal(err)
	}
	var ps []string
	for _, p := range pods.Items {
		ps = append(ps, fmt.Sprintf("pod %s %s %s", p.Labels["app"], p.Labels["ceph_daemon_id"], p.Status.Phase))
	}
	sort.Strings(ps)
	out.WriteString(strings.Join(ps, "\n") + "\n")
	for _, cmd := range []string{"auth ls", "osd tree", "osd dump", "mon dump", "config dump", "mgr module ls", "osd crush rule dump", "osd crush show-tunables", "mgr services", "health detail", "config-key ls", "dashboard ac-user-show"} {
		res, err := w.Ceph(ctx, "rook-ceph", strings.Fields(cmd)...)
		fmt.Fprintf(&out, "--- ceph %s (%v)\n%s\n", cmd, err, blur(nonce.ReplaceAllString(normal(string(res.Stdout)), ":P/N")))
	}
	return out.String()
}

func differ(want, got string) string {
	skip := func(s string) []string {
		var o []string
		for _, l := range strings.Split(s, "\n") {
			if strings.HasPrefix(l, "epoch ") || strings.Contains(l, "modified TIME") || strings.HasPrefix(l, "max_osd") || strings.Contains(l, "up_from") || strings.Contains(l, "resourceVersion") {
				continue
			}
			o = append(o, regexp.MustCompile(`^-\d+ +`).ReplaceAllString(l, "-N "))
		}
		return o
	}
	return cmp.Diff(skip(want), skip(got))
}

func fsidOf(w *sim.World) string {
	var s corev1.Secret
	if w.Client().Get(context.Background(), client.ObjectKey{Namespace: "rook-ceph", Name: "rook-ceph-mon"}, &s) != nil {
		return ""
	}
	return string(s.Data["fsid"]) + string(s.Data["mon-secret"]) + string(s.Data["admin-secret"])
}

func TestAttack(t *testing.T) {
	seed := uint64(1)
	base := threeNodes(t, seed, nil)
	if err := base.Until(15*time.Minute, func() error { return healthy(base) }); err != nil {
		t.Fatal(err)
	}
	n := len(base.OperatorEffects())
	took := base.Now()
	base.Pass(5 * time.Minute)
	all := len(base.OperatorEffects())
	want := settled(t, base)
	effects := base.OperatorEffects()
	os.WriteFile("/tmp/tp/attack/base.txt", []byte(want), 0o644)
	base.Close()
	var lines strings.Builder
	for i, e := range effects {
		fmt.Fprintf(&lines, "%d %s %s\n", i+1, e.At.Format("15:04:05.000"), e.Text)
	}
	os.WriteFile("/tmp/tp/attack/effects.txt", []byte(lines.String()), 0o644)
	t.Logf("%d effects until healthy at %v, %d after 5m", n, took, all)
	from, to := 1, n
	if v := os.Getenv("FROM"); v != "" {
		from, _ = strconv.Atoi(v)
	}
	if v := os.Getenv("TO"); v != "" {
		to, _ = strconv.Atoi(v)
	}
	kinds := []world.FaultKind{world.KillAfter}
	if v := os.Getenv("KINDS"); v != "" {
		kinds = nil
		for _, k := range strings.Split(v, ",") {
			i, _ := strconv.Atoi(k)
			kinds = append(kinds, world.FaultKind(i))
		}
	}
	seen := map[string][]string{}
	for _, kind := range kinds {
		for i := from; i <= to; i++ {
			func() {
				label := fmt.Sprintf("%v %d %s", kind, i, effects[i-1].Text)
				defer func() {
					if r := recover(); r != nil {
						t.Errorf("PANIC %s: %v", label, r)
					}
				}()
				w := threeNodes(t, seed, &world.Fault{Number: i, Kind: kind})
				defer w.Close()
				first := ""
				err := w.Until(20*time.Minute, func() error {
					if f := fsidOf(w); f != "" && first == "" {
						first = f
					} else if f != first {
						t.Fatalf("%s: identity changed", label)
					}
					return healthy(w)
				})
				if err != nil {
					t.Errorf("%s: not healthy: %v", label, err)
					return
				}
				at := w.Now().Sub(took)
				w.Pass(5 * time.Minute)
				if fsidOf(w) != first {
					t.Errorf("%s: identity changed", label)
				}
				if d := differ(want, settled(t, w)); d != "" {
					if len(seen[d]) == 0 {
						t.Errorf("%s (+%v):\n%s", label, at, d)
					}
					seen[d] = append(seen[d], label)
				}
				if at > 2*time.Minute {
					t.Errorf("%s: slow: +%v", label, at)
				}
			}()
		}
	}
	for d, l := range seen {
		d = regexp.MustCompile(`\s+`).ReplaceAllString(d, " ")
		t.Logf("%d times: %s ...\n%.300s", len(l), l[0], d)
	}
}
