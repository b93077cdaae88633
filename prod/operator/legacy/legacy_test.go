package legacy_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
	"github.com/tidepool-ceph/tidepool/prod/operator/legacy"
)

func aCluster(deleted bool, finalizers ...string) *unstructured.Unstructured {
	o := &unstructured.Unstructured{}
	o.SetGroupVersionKind(legacy.Kind())
	o.SetNamespace("rook")
	o.SetName("old")
	o.SetFinalizers(finalizers)
	if deleted {
		now := metav1.Now()
		o.SetDeletionTimestamp(&now)
	}
	return o
}

func TestReconcile(t *testing.T) {
	for name, c := range map[string]struct {
		cluster *unstructured.Unstructured
		refuse  bool
		left    []string // finalizers
		line    string
		again   bool
	}{
		"one that is there": {aCluster(false, "cluster.rook.io"), false, []string{"cluster.rook.io"}, "W Cluster rook/old is of cluster.rook.io/v1beta1, with which nothing is done: apply a CephCluster (ceph.rook.io/v1)", false},
		"one that is being deleted": {
			aCluster(true, "cluster.rook.io", "cluster.ceph.rook.io", "rook.io", "x.example.org/rook.io"), false,
			[]string{"x.example.org/rook.io"},
			"I legacy Cluster rook/old is being deleted: its finalizer is removed", false,
		},
		"one that somebody else holds": {aCluster(true, "example.org/x"), false, []string{"example.org/x"}, "", false},
		"one that cannot be let go":    {aCluster(true, "cluster.rook.io"), true, []string{"cluster.rook.io"}, "E failed to remove the finalizer of legacy Cluster rook/old: no", true},
	} {
		t.Run(name, func(t *testing.T) {
			w := doortest.New(t, c.cluster)
			if c.refuse {
				w.Refuse = func(verb string, _ client.Object, _ string) error {
					if verb == "patch" {
						return errors.New("no")
					}
					return nil
				}
			}
			result, err := legacy.New(w.Doors()).Reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKeyFromObject(c.cluster)})
			if err != nil || (result.RequeueAfter > 0) != c.again {
				t.Fatalf("%+v, %v", result, err)
			}
			left := aCluster(false)
			doortest.Get(t, w, "rook", "old", left)
			if !slices.Equal(left.GetFinalizers(), c.left) {
				t.Errorf("finalizers: %q", left.GetFinalizers())
			}
			if got := strings.Join(w.Lines, "|"); !strings.HasPrefix(got, c.line) || (c.line == "") != (got == "") {
				t.Errorf("logged %q", got)
			}
		})
	}
}

func TestOneThatIsGone(t *testing.T) {
	w := doortest.New(t)
	result, err := legacy.New(w.Doors()).Reconciler.Reconcile(t.Context(), reconcile.Request{NamespacedName: client.ObjectKey{Namespace: "rook", Name: "old"}})
	if err != nil || result != (reconcile.Result{}) {
		t.Errorf("%+v, %v", result, err)
	}
}

func TestWhatIsWatched(t *testing.T) {
	w := doortest.New(t)
	watch := legacy.New(w.Doors()).Watches[0]
	for name, c := range map[string]struct {
		before, after client.Object
		want          int
	}{
		"added":             {nil, aCluster(false), 1},
		"deletion begins":   {aCluster(false), aCluster(true), 2},
		"an edit":           {aCluster(false), aCluster(false, "x"), 0},
		"deletion drags on": {aCluster(true, "x"), aCluster(true), 0},
		"gone":              {aCluster(true), nil, 0},
	} {
		if got := watch.RequestsFor(t.Context(), c.before, c.after); len(got) != c.want {
			t.Errorf("%s asks for %v", name, got)
		}
	}
	watch.IfServed(&meta.NoKindMatchError{GroupKind: legacy.Kind().GroupKind()})
	watch.IfServed(nil)
	want := []string{
		"I skipping watching for legacy rook cluster events (legacy cluster CRD probably doesn't exist): no matches for",
		"I start watching legacy rook clusters in all namespaces",
	}
	for i, line := range want {
		if !strings.HasPrefix(w.Lines[i], line) {
			t.Errorf("logged %q", w.Lines[i])
		}
	}
}
