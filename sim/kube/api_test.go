package kube_test

import (
	"context"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/tidepool-ceph/tidepool/prod/api/crd"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// world is a server with the namespace "sea" and a client to it.
type world struct {
	*kube.API
	loop *loop.Loop
	c    client.WithWatch
}

func newWorld(t testing.TB) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	crds, err := crd.All()
	if err != nil {
		t.Fatal(err)
	}
	l := loop.New(1)
	t.Cleanup(l.Close)
	a, err := kube.New(l, scheme, crds)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{a, l, a.Client("tester")}
	w.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "sea"}})
	return w
}

func (w *world) create(t testing.TB, obj client.Object) {
	t.Helper()
	if err := w.c.Create(context.Background(), obj); err != nil {
		t.Fatalf("create %T %s: %v", obj, obj.GetName(), err)
	}
}

func TestSmoke(t *testing.T) {
	w := newWorld(t)
	cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "sea"}}
	w.create(t, cm)
	if cm.UID == "" || cm.ResourceVersion == "" {
		t.Error(cm)
	}
	if err := w.c.Get(context.Background(), client.ObjectKey{Namespace: "sea", Name: "y"}, cm); !apierrors.IsNotFound(err) {
		t.Error(err)
	}
	cr := &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Name: "x", Namespace: "sea"}}
	cr.Spec.DataDirHostPath = "/var/lib/rook"
	cr.Spec.CephVersion.Image = "ceph/ceph:v14.2.0"
	w.create(t, cr)
	t.Log(cr)
	t.Log(w.Apply(context.Background(), "me", []byte("")))
}
