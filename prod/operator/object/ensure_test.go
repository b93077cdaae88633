package object_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
)

var cluster = &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "my-ceph", UID: "uid-1"}}

// counting is a client that counts the writes through it.
func counting(t *testing.T, writes *int, objects ...client.Object) client.WithWatch {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	decoder := clientgoscheme.Codecs.UniversalDecoder()
	return fake.NewClientBuilder().WithScheme(scheme).
		WithObjectTracker(clienttesting.NewObjectTracker(scheme, decoder)).
		WithObjects(objects...).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				*writes++
				return c.Create(ctx, o, opts...)
			},
			Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
				*writes++
				return c.Update(ctx, o, opts...)
			},
			Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
				*writes++
				return c.Delete(ctx, o, opts...)
			},
		}).Build()
}

func configMap(data map[string]string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "cm"}, Data: data}
}

func get[T client.Object](t *testing.T, c client.Client, into T) T {
	t.Helper()
	if err := c.Get(context.Background(), client.ObjectKeyFromObject(into), into); err != nil {
		t.Fatal(err)
	}
	return into
}

func TestEnsureCreatesOwnsAndThenWritesNothing(t *testing.T) {
	writes := 0
	c := counting(t, &writes)
	for range 3 {
		if _, err := object.Ensure(context.Background(), c, configMap(map[string]string{"a": "1"}), object.OwnedBy(cluster)); err != nil {
			t.Fatal(err)
		}
	}
	if writes != 1 {
		t.Errorf("%d writes, want 1", writes)
	}
	block := true
	want := []metav1.OwnerReference{{APIVersion: "ceph.rook.io/v1", Kind: "CephCluster", Name: "my-ceph", UID: "uid-1", BlockOwnerDeletion: &block}}
	if diff := cmp.Diff(want, get(t, c, configMap(nil)).OwnerReferences); diff != "" {
		t.Errorf("owner (-want +got):\n%s", diff)
	}
}

func TestEnsureKeepsWhatOthersAdded(t *testing.T) {
	writes := 0
	theirs := configMap(map[string]string{"a": "0", "gone": "1"})
	theirs.Labels = map[string]string{"theirs": "l"}
	theirs.Annotations = map[string]string{"theirs": "a"}
	theirs.Finalizers = []string{"example.org/keep"}
	c := counting(t, &writes, theirs)
	ours := configMap(map[string]string{"a": "1"})
	ours.Labels = map[string]string{"app": "x"}
	changed, err := object.Ensure(context.Background(), c, ours, object.OwnedBy(cluster))
	if err != nil || !changed {
		t.Fatal(changed, err)
	}
	got := get(t, c, configMap(nil))
	for _, diff := range []string{
		cmp.Diff(map[string]string{"a": "1"}, got.Data),
		cmp.Diff(map[string]string{"theirs": "l", "app": "x"}, got.Labels),
		cmp.Diff(map[string]string{"theirs": "a"}, got.Annotations),
		cmp.Diff([]string{"example.org/keep"}, got.Finalizers),
	} {
		if diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

func TestAForeignObjectIsNamedAndLeftAlone(t *testing.T) {
	controller := true
	for name, ref := range map[string]metav1.OwnerReference{
		"another cluster":    {APIVersion: "ceph.rook.io/v1", Kind: "CephCluster", Name: "other", UID: "uid-2"},
		"another controller": {APIVersion: "apps/v1", Kind: "StatefulSet", Name: "other", UID: "uid-3", Controller: &controller},
	} {
		t.Run(name, func(t *testing.T) {
			writes := 0
			theirs := configMap(map[string]string{"a": "theirs"})
			theirs.OwnerReferences = []metav1.OwnerReference{ref}
			c := counting(t, &writes, theirs)
			_, ensured := object.Ensure(context.Background(), c, configMap(map[string]string{"a": "ours"}), object.OwnedBy(cluster))
			_, once := object.EnsureOnce(context.Background(), c, configMap(nil), object.OwnedBy(cluster))
			_, deleted := object.Delete(context.Background(), c, configMap(nil), object.OwnedBy(cluster))
			for _, err := range []error{ensured, once, deleted} {
				var foreign *object.ForeignError
				if !errors.As(err, &foreign) {
					t.Fatalf("got %v", err)
				}
				for _, part := range []string{"ConfigMap ns/cm", ref.Kind + " other", string(ref.UID), "CephCluster my-ceph", "uid-1"} {
					if !strings.Contains(err.Error(), part) {
						t.Errorf("%q does not name %q", err, part)
					}
				}
			}
			if writes != 0 || get(t, c, configMap(nil)).Data["a"] != "theirs" {
				t.Error("the foreign object was written")
			}
		})
	}
}

func TestEnsureOnceNeverTouchesWhatIsThere(t *testing.T) {
	writes := 0
	c := counting(t, &writes, configMap(map[string]string{"config": "[global]"}))
	created, err := object.EnsureOnce(context.Background(), c, configMap(map[string]string{"config": ""}), object.OwnedBy(cluster))
	if err != nil || created || writes != 0 || get(t, c, configMap(nil)).Data["config"] != "[global]" {
		t.Error(created, err, writes)
	}
}

func TestDeleteTakesOnlyWhatIsOwned(t *testing.T) {
	ctx, writes := context.Background(), 0
	c := counting(t, &writes)
	if deleted, err := object.Delete(ctx, c, configMap(nil), object.OwnedBy(cluster)); deleted || err != nil {
		t.Error("nothing there:", deleted, err)
	}
	if _, err := object.Ensure(ctx, c, configMap(nil), object.OwnedBy(cluster)); err != nil {
		t.Fatal(err)
	}
	if deleted, err := object.Delete(ctx, c, configMap(nil), object.OwnedBy(cluster)); !deleted || err != nil {
		t.Error("owned:", deleted, err)
	}
	if err := c.Get(ctx, client.ObjectKey{Namespace: "ns", Name: "cm"}, configMap(nil)); !apierrors.IsNotFound(err) {
		t.Error("still there:", err)
	}
	if err := c.Create(ctx, configMap(nil)); err != nil {
		t.Fatal(err)
	}
	if _, err := object.Delete(ctx, c, configMap(nil), object.OwnedBy(cluster)); err == nil {
		t.Error("deleted an object without an owner")
	}
}

func TestALostRaceIsAnErrorToTryAgain(t *testing.T) {
	races := map[string]interceptor.Funcs{
		"created by another": {Create: func(context.Context, client.WithWatch, client.Object, ...client.CreateOption) error {
			return apierrors.NewAlreadyExists(corev1.Resource("configmaps"), "cm")
		}},
		"updated by another": {Update: func(context.Context, client.WithWatch, client.Object, ...client.UpdateOption) error {
			return apierrors.NewConflict(corev1.Resource("configmaps"), "cm", errors.New("modified"))
		}},
	}
	for name, funcs := range races {
		t.Run(name, func(t *testing.T) {
			writes := 0
			var there []client.Object
			if funcs.Update != nil {
				there = append(there, configMap(nil))
			}
			c := interceptor.NewClient(counting(t, &writes, there...), funcs)
			_, err := object.Ensure(context.Background(), c, configMap(map[string]string{"a": "1"}), object.OwnedBy(cluster))
			if !object.Raced(err) {
				t.Errorf("got %v", err)
			}
		})
	}
	if object.Raced(apierrors.NewForbidden(corev1.Resource("configmaps"), "cm", nil)) {
		t.Error("forbidden is not a lost race")
	}
}

func TestAnObjectOnItsWayOutIsWaitedFor(t *testing.T) {
	writes := 0
	going := configMap(nil)
	going.Finalizers = []string{"example.org/keep"}
	c := counting(t, &writes, going)
	if err := c.Delete(context.Background(), configMap(nil)); err != nil {
		t.Fatal(err)
	}
	writes = 0
	_, err := object.Ensure(context.Background(), c, configMap(map[string]string{"a": "1"}), object.OwnedBy(cluster))
	if !errors.Is(err, object.ErrTerminating) || !object.Raced(err) || writes != 0 {
		t.Error(err, writes)
	}
}

// TestEnsureDoesNotFightDefaults: what the API server fills into a Deployment
// stays and is no difference, what the user takes out of the spec goes.
func TestEnsureDoesNotFightDefaults(t *testing.T) {
	ctx, writes := context.Background(), 0
	c := counting(t, &writes)
	owner := object.OwnedBy(cluster)
	desired := deployment()
	desired.Annotations = map[string]string{"user": "1"}
	desired.Spec.Template.Annotations = map[string]string{"user": "1"}
	desired.Spec.Template.Spec.Affinity = &corev1.Affinity{PodAffinity: &corev1.PodAffinity{}}
	desired.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "A", Value: "1"}, {Name: "B", Value: "2"}}
	if _, err := object.Ensure(ctx, c, desired, owner); err != nil {
		t.Fatal(err)
	}
	stored := get(t, c, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d"}})
	fillIn(stored)
	if err := c.Update(ctx, stored); err != nil {
		t.Fatal(err)
	}
	writes = 0
	if changed, err := object.Ensure(ctx, c, desired, owner); changed || err != nil || writes != 0 {
		t.Errorf("fights defaults: changed %v, %d writes, %v", changed, writes, err)
	}

	bare := deployment()
	bare.Spec.Template.Spec.Containers[0].Args = []string{"--one"}
	bare.Spec.Template.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "B", Value: "3"}}
	bare.Spec.Template.Spec.Volumes[0].VolumeSource = corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	if changed, err := object.Ensure(ctx, c, bare, owner); !changed || err != nil {
		t.Fatal(changed, err)
	}
	want := bare.DeepCopy()
	fillIn(want)
	want.Spec.Strategy.RollingUpdate = nil
	got := get(t, c, &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d"}})
	if diff := cmp.Diff(want.Spec, got.Spec); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]string{"deployment.kubernetes.io/revision": "1"}, got.Annotations); diff != "" {
		t.Errorf("annotations (-want +got):\n%s", diff)
	}
}

func deployment() *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Namespace: "ns", Name: "d"},
		Spec: appsv1.DeploymentSpec{
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "x"}},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "x"}},
				Spec: corev1.PodSpec{
					Containers: []corev1.Container{{Name: "c", Image: "i", Args: []string{"--one", "--two"}}},
					Volumes:    []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/p"}}}},
				},
			},
		},
	}
}

// fillIn does what API server and other people do to a Deployment.
func fillIn(d *appsv1.Deployment) {
	one, ten, unset := int32(1), int32(10), corev1.HostPathUnset
	d.Annotations = merged(d.Annotations, "deployment.kubernetes.io/revision", "1")
	d.Spec.Replicas, d.Spec.RevisionHistoryLimit, d.Spec.ProgressDeadlineSeconds = &one, &ten, &ten
	template := &d.Spec.Template
	template.Annotations = merged(template.Annotations, "kubectl.kubernetes.io/restartedAt", "noon")
	template.Spec.RestartPolicy = corev1.RestartPolicyAlways
	template.Spec.SecurityContext = &corev1.PodSecurityContext{}
	template.Spec.Containers[0].TerminationMessagePath = "/dev/termination-log"
	template.Spec.Containers[0].ImagePullPolicy = corev1.PullIfNotPresent
	if path := template.Spec.Volumes[0].HostPath; path != nil {
		path.Type = &unset
	}
}

func merged(into map[string]string, key, value string) map[string]string {
	if into == nil {
		into = map[string]string{}
	}
	into[key] = value
	return into
}
