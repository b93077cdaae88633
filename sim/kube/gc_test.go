package kube_test

import (
	"context"
	"strings"
	"testing"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

func namespaced(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Name: name} }

// own makes owner an owner of obj that waits for it when deleted in the foreground.
func own(obj, owner client.Object, apiVersion, kind string) {
	block := true
	obj.SetOwnerReferences(append(obj.GetOwnerReferences(), metav1.OwnerReference{
		APIVersion: apiVersion, Kind: kind, Name: owner.GetName(), UID: owner.GetUID(), BlockOwnerDeletion: &block,
	}))
}

// chain is a CephCluster that owns a Deployment that owns a ConfigMap.
func chain(t *testing.T, w *world) (client.Object, client.Object, client.Object) {
	t.Helper()
	cr, d, cm := cluster("rook"), deployment("mon-a"), configMap("leaf")
	w.create(t, cr)
	own(d, cr, "ceph.rook.io/v1", "CephCluster")
	w.create(t, d)
	own(cm, d, "apps/v1", "Deployment")
	w.create(t, cm)
	w.loop.RunFor(time.Second)
	for _, obj := range []client.Object{cr, d, cm} {
		if !w.has(obj) {
			t.Fatalf("%s was collected with its owner there", obj.GetName())
		}
	}
	return cr, d, cm
}

func TestGarbageCollection(t *testing.T) {
	t.Run("background", func(t *testing.T) {
		w := newWorld(t)
		cr, d, cm := chain(t, w)
		w.delete(t, cr)
		if w.has(cr) || !w.has(d) {
			t.Error("the owner goes at once, its dependents later")
		}
		w.loop.RunFor(time.Second)
		if w.has(d) || w.has(cm) {
			t.Error("dependents are still there")
		}
	})
	t.Run("foreground", func(t *testing.T) {
		w := newWorld(t)
		cr, d, cm := chain(t, w)
		var order []string
		for _, obj := range []client.Object{cr, d, cm} {
			w.Subscribe("me", obj, func(e kube.Event) {
				if e.New == nil {
					order = append(order, e.Old.GetName())
				}
			})
		}
		w.delete(t, cr, client.PropagationPolicy(metav1.DeletePropagationForeground))
		if !w.has(cr) {
			t.Error("the owner went before its dependents")
		}
		w.loop.RunFor(time.Second)
		if got := strings.Join(order, " "); got != "leaf mon-a rook" {
			t.Errorf("deleted in the order %s", got)
		}
	})
	t.Run("foreground waits for a finalizer of a blocking dependent", func(t *testing.T) {
		w := newWorld(t)
		cr, d, _ := chain(t, w)
		base := d.DeepCopyObject().(client.Object)
		d.SetFinalizers([]string{"tidepool.dev/x"})
		if err := w.c.Patch(context.Background(), d, client.MergeFrom(base)); err != nil {
			t.Fatal(err)
		}
		w.delete(t, cr, client.PropagationPolicy(metav1.DeletePropagationForeground))
		w.loop.RunFor(time.Second)
		if !w.has(cr) || !w.has(d) {
			t.Error("gone before the finalizer was taken off")
		}
		w.get(t, d, d.GetName())
		d.SetFinalizers(nil)
		w.update(t, d)
		w.loop.RunFor(time.Second)
		if w.has(cr) || w.has(d) {
			t.Error("still there")
		}
	})
	t.Run("orphan", func(t *testing.T) {
		w := newWorld(t)
		cr, d, _ := chain(t, w)
		w.delete(t, cr, client.PropagationPolicy(metav1.DeletePropagationOrphan))
		w.loop.RunFor(time.Second)
		if w.has(cr) || !w.has(d) {
			t.Fatalf("owner there: %v, dependent there: %v", w.has(cr), w.has(d))
		}
		w.get(t, d, d.GetName())
		if len(d.GetOwnerReferences()) != 0 {
			t.Error("the orphan still names its owner")
		}
	})
	t.Run("a job's pods are orphaned unless asked otherwise", func(t *testing.T) {
		w := newWorld(t)
		for _, name := range []string{"plain", "asked"} {
			job := &batchv1.Job{ObjectMeta: named(name)}
			job.Spec.Template.Spec = podSpec()
			job.Spec.Template.Spec.RestartPolicy = corev1.RestartPolicyNever
			w.create(t, job)
			p := pod(name)
			own(p, job, "batch/v1", "Job")
			w.create(t, p)
		}
		w.delete(t, &batchv1.Job{ObjectMeta: named("plain")})
		w.delete(t, &batchv1.Job{ObjectMeta: named("asked")}, client.PropagationPolicy(metav1.DeletePropagationBackground))
		w.loop.RunFor(time.Second)
		if !w.has(pod("plain")) || w.has(pod("asked")) {
			t.Errorf("pod of a plain delete there: %v, of one with a policy: %v", w.has(pod("plain")), w.has(pod("asked")))
		}
	})
}

func TestAbsentOwners(t *testing.T) {
	w := newWorld(t)
	cr := cluster("rook")
	w.create(t, cr)
	ref := func(apiVersion, kind, name string, uid client.Object) *corev1.ConfigMap {
		cm := configMap(strings.ToLower(kind) + "-" + name)
		own(cm, &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{Name: name, UID: uid.GetUID()}}, apiVersion, kind)
		return cm
	}
	other := &metav1.PartialObjectMetadata{ObjectMeta: metav1.ObjectMeta{UID: "0e5e9fb8-0000-4000-8000-000000000000"}}
	absent := ref("ceph.rook.io/v1", "CephCluster", "gone", other)
	reborn := ref("ceph.rook.io/v1", "CephCluster", "rook", other)
	unknown := ref("fish.example/v1", "Shark", "bruce", other)
	halfway := ref("ceph.rook.io/v1", "CephCluster", "half", other)
	own(halfway, cr, "ceph.rook.io/v1", "CephCluster")
	elsewhere := ref("ceph.rook.io/v1", "CephCluster", "far", cr)
	elsewhere.OwnerReferences[0].Name = "rook"
	elsewhere.Namespace = "default"
	for _, cm := range []client.Object{absent, reborn, unknown, halfway, elsewhere} {
		w.create(t, cm)
	}
	w.loop.RunFor(time.Second)
	for name, c := range map[string]struct {
		obj  client.Object
		want bool
	}{
		"an owner that is not there":                     {absent, false},
		"an owner of that name with another uid":         {reborn, false},
		"an owner of a kind that is not served":          {unknown, true},
		"one owner of two that is there":                 {halfway, true},
		"an owner in another namespace counts as absent": {elsewhere, false},
	} {
		if got := w.has(c.obj); got != c.want {
			t.Errorf("%s: dependent there: %v", name, got)
		}
	}
	w.get(t, halfway, halfway.Name)
	if len(halfway.OwnerReferences) != 1 || halfway.OwnerReferences[0].UID != cr.UID {
		t.Errorf("the absent owner is still named: %v", halfway.OwnerReferences)
	}
}

func TestGarbageCollectorTriesAgain(t *testing.T) {
	w := newWorld(t)
	cr, d, cm := chain(t, w)
	refusals := 0
	cancel := w.OnRequest(func(r kube.Request) error {
		if strings.HasSuffix(r.User, "generic-garbage-collector") && r.Verb == "delete" {
			refusals++
			return apierrors.NewServiceUnavailable("calm sea")
		}
		return nil
	})
	w.delete(t, cr)
	w.loop.RunFor(time.Second)
	if refusals < 2 || !w.has(d) {
		t.Fatalf("%d refusals, dependent there: %v", refusals, w.has(d))
	}
	cancel()
	w.loop.RunFor(time.Second)
	if w.has(d) || w.has(cm) {
		t.Error("dependents are still there")
	}
}

func TestNamespaceDeletion(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	free, held := configMap("free"), cluster("held")
	held.Finalizers = []string{"cephcluster.ceph.rook.io"}
	w.create(t, free)
	w.create(t, held)
	ns := &corev1.Namespace{ObjectMeta: namespaced("sea")}
	w.delete(t, ns)
	if err := w.c.Get(ctx, client.ObjectKey{Name: "sea"}, ns); err != nil {
		t.Fatal(err)
	}
	if ns.Status.Phase != corev1.NamespaceTerminating || ns.DeletionTimestamp == nil {
		t.Errorf("phase %s", ns.Status.Phase)
	}
	err := w.c.Create(ctx, configMap("late"))
	errorIs(t, err, metav1.StatusReasonForbidden,
		`configmaps "late" is forbidden: unable to create new content in namespace sea because it is being terminated`)
	if !apierrors.HasStatusCause(err, corev1.NamespaceTerminatingCause) {
		t.Error("the cause is not NamespaceTerminating")
	}
	w.loop.RunFor(10 * time.Second)
	if w.has(free) || !w.has(held) {
		t.Errorf("free there: %v, held there: %v", w.has(free), w.has(held))
	}
	if err := w.c.Get(ctx, client.ObjectKey{Name: "sea"}, ns); err != nil {
		t.Fatal(err)
	}
	var messages []string
	for _, c := range ns.Status.Conditions {
		messages = append(messages, c.Message)
	}
	if got, want := strings.Join(messages, "\n"), "Some resources are remaining: cephclusters.ceph.rook.io has 1 resource instances\n"+
		"Some content in the namespace has finalizers remaining: cephcluster.ceph.rook.io in 1 resource instances"; got != want {
		t.Errorf("conditions:\n%s", got)
	}
	w.get(t, held, "held")
	held.Finalizers = nil
	w.update(t, held)
	w.loop.RunFor(10 * time.Second)
	if err := w.c.Get(ctx, client.ObjectKey{Name: "sea"}, ns); !apierrors.IsNotFound(err) {
		t.Errorf("the namespace is still there: %v", err)
	}
	w.create(t, &corev1.Namespace{ObjectMeta: namespaced("sea")})
	w.create(t, configMap("new"))
}
