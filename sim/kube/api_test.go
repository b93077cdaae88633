package kube_test

import (
	"context"
	"sync"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

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

// definitions are those of the product, compiled once.
var definitions = sync.OnceValue(func() *kube.Definitions {
	crds, err := crd.All()
	if err != nil {
		panic(err)
	}
	d, err := kube.Compile(crds)
	if err != nil {
		panic(err)
	}
	return d
})

func testScheme(t testing.TB) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, apiextensionsv1.AddToScheme, v1.AddToScheme} {
		if err := add(scheme); err != nil {
			t.Fatal(err)
		}
	}
	return scheme
}

func newWorld(t testing.TB) *world { return newSeededWorld(t, 1) }

func newSeededWorld(t testing.TB, seed uint64) *world {
	t.Helper()
	l := loop.New(seed)
	t.Cleanup(l.Close)
	a := kube.NewWith(l, testScheme(t), definitions())
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

func (w *world) get(t testing.TB, obj client.Object, name string) {
	t.Helper()
	if err := w.c.Get(context.Background(), client.ObjectKey{Namespace: "sea", Name: name}, obj); err != nil {
		t.Fatalf("get %T %s: %v", obj, name, err)
	}
}

func (w *world) update(t testing.TB, obj client.Object) {
	t.Helper()
	if err := w.c.Update(context.Background(), obj); err != nil {
		t.Fatalf("update %T %s: %v", obj, obj.GetName(), err)
	}
}

func (w *world) delete(t testing.TB, obj client.Object, opts ...client.DeleteOption) {
	t.Helper()
	if err := w.c.Delete(context.Background(), obj, opts...); err != nil {
		t.Fatalf("delete %T %s: %v", obj, obj.GetName(), err)
	}
}

func (w *world) has(obj client.Object) bool {
	_, ok := w.View(obj, client.ObjectKeyFromObject(obj))
	return ok
}

// named is the metadata of an object in the namespace of the tests.
func named(name string) metav1.ObjectMeta { return metav1.ObjectMeta{Namespace: "sea", Name: name} }

func configMap(name string) *corev1.ConfigMap { return &corev1.ConfigMap{ObjectMeta: named(name)} }

func podSpec() corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "mon", Image: "ceph/ceph:v14.2.0"}}}
}

func pod(name string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: named(name), Spec: podSpec()}
}

func deployment(name string) *appsv1.Deployment {
	labels := map[string]string{"app": name}
	d := &appsv1.Deployment{ObjectMeta: named(name)}
	d.Spec.Selector = &metav1.LabelSelector{MatchLabels: labels}
	d.Spec.Template = corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec()}
	return d
}

func cluster(name string) *v1.CephCluster {
	cr := &v1.CephCluster{ObjectMeta: named(name)}
	cr.Spec.DataDirHostPath = "/var/lib/rook"
	cr.Spec.CephVersion.Image = "ceph/ceph:v14.2.0"
	return cr
}

// errorIs fails unless err is of the reason and has that text.
func errorIs(t testing.TB, err error, reason metav1.StatusReason, text string) {
	t.Helper()
	switch {
	case err == nil:
		t.Errorf("no error, want %s: %s", reason, text)
	case apierrors.ReasonForError(err) != reason || err.Error() != text:
		t.Errorf("got  %s: %s\nwant %s: %s", apierrors.ReasonForError(err), err, reason, text)
	}
}
