package kube_test

import (
	"context"
	"regexp"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestCreateFillsInMetadata(t *testing.T) {
	w := newWorld(t)
	w.loop.RunFor(1500 * time.Millisecond)
	d := deployment("a")
	d.UID, d.Generation = "mine", 7
	d.CreationTimestamp = metav1.Time{Time: loop.Epoch.Add(-time.Hour)}
	d.Status.Replicas = 5
	w.create(t, d)
	if !regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`).MatchString(string(d.UID)) {
		t.Errorf("uid %q", d.UID)
	}
	if want := loop.Epoch.Add(time.Second); !d.CreationTimestamp.Equal(&metav1.Time{Time: want}) {
		t.Errorf("creationTimestamp %s, want %s", d.CreationTimestamp, want)
	}
	if d.ResourceVersion == "" || d.Generation != 1 {
		t.Errorf("resourceVersion %q, generation %d", d.ResourceVersion, d.Generation)
	}
	if d.Status.Replicas != 0 {
		t.Error("create took the status along")
	}
}

func TestCreateRefuses(t *testing.T) {
	w := newWorld(t)
	w.create(t, configMap("there"))
	inNamespace := func(ns string) *corev1.ConfigMap {
		return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: ns, Name: "x"}}
	}
	versioned := configMap("x")
	versioned.ResourceVersion = "5"
	for name, c := range map[string]struct {
		obj    client.Object
		reason metav1.StatusReason
		text   string
	}{
		"name taken":                 {configMap("there"), metav1.StatusReasonAlreadyExists, `configmaps "there" already exists`},
		"missing namespace":          {inNamespace("deep"), metav1.StatusReasonNotFound, `namespaces "deep" not found`},
		"no namespace":               {inNamespace(""), metav1.StatusReasonUnknown, `an empty namespace may not be set during creation`},
		"with a resourceVersion":     {versioned, metav1.StatusReasonBadRequest, `resourceVersion should not be set on objects to be created`},
		"without an account":         {func() client.Object { p := pod("x"); p.Spec.ServiceAccountName = "rook"; return p }(), metav1.StatusReasonForbidden, `pods "x" is forbidden: error looking up service account sea/rook: serviceaccount "rook" not found`},
		"without its class":          {func() client.Object { p := pod("x"); p.Spec.PriorityClassName = "deep"; return p }(), metav1.StatusReasonForbidden, `pods "x" is forbidden: no PriorityClass with name deep was found`},
		"event of another namespace": {&corev1.Event{ObjectMeta: named("e"), InvolvedObject: corev1.ObjectReference{Namespace: "land"}}, metav1.StatusReasonInvalid, `Event "e" is invalid: involvedObject.namespace: Invalid value: "land": does not match event.namespace`},
	} {
		t.Run(name, func(t *testing.T) {
			errorIs(t, w.c.Create(context.Background(), c.obj), c.reason, c.text)
		})
	}
	err := w.c.Create(context.Background(), &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1beta1", "kind": "Deployment", "metadata": map[string]any{"name": "x", "namespace": "sea"},
	}})
	if !meta.IsNoMatchError(err) {
		t.Errorf("a version that is not served: %v", err)
	}
}

func TestGenerateName(t *testing.T) {
	names := func(seed uint64) (names []string) {
		w := newSeededWorld(t, seed)
		for range 3 {
			cm := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "sea", GenerateName: "wave-"}}
			w.create(t, cm)
			names = append(names, cm.Name)
		}
		return names
	}
	first := names(1)
	for i, again := range names(1) {
		if first[i] != again || !regexp.MustCompile(`^wave-[bcdfghjklmnpqrstvwxz2456789]{5}$`).MatchString(again) {
			t.Errorf("%q and then, of the same seed, %q", first[i], again)
		}
	}
	if names(2)[0] == first[0] {
		t.Error("another seed gave the same name")
	}
}

func TestUpdateIsOptimistic(t *testing.T) {
	w := newWorld(t)
	cm := configMap("x")
	w.create(t, cm)
	stale := cm.DeepCopy()
	cm.Data = map[string]string{"a": "1"}
	w.update(t, cm)

	stale.Data = map[string]string{"a": "2"}
	errorIs(t, w.c.Update(context.Background(), stale), metav1.StatusReasonConflict,
		`Operation cannot be fulfilled on configmaps "x": the object has been modified; please apply your changes to the latest version and try again`)

	stale.ResourceVersion = ""
	w.update(t, stale) // a ConfigMap may be updated whatever it is

	other := stale.DeepCopy()
	other.UID = "other"
	errorIs(t, w.c.Update(context.Background(), other), metav1.StatusReasonConflict,
		`Operation cannot be fulfilled on configmaps "x": Precondition failed: UID in precondition: other, UID in object meta: `+string(cm.UID))

	cr := cluster("rook")
	w.create(t, cr)
	cr.ResourceVersion = ""
	errorIs(t, w.c.Update(context.Background(), cr), metav1.StatusReasonInvalid,
		`CephCluster.ceph.rook.io "rook" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`)
	errorIs(t, w.c.Update(context.Background(), configMap("y")), metav1.StatusReasonNotFound, `configmaps "y" not found`)
}

func TestUpdateThatChangesNothing(t *testing.T) {
	w := newWorld(t)
	d, cr := deployment("d"), cluster("c")
	w.create(t, d)
	w.create(t, cr)
	// An empty status is a change of an object that has none.
	if err := w.c.Status().Update(context.Background(), cr); err != nil {
		t.Fatal(err)
	}
	w.loop.RunFor(time.Second)
	heard := 0
	w.Subscribe("me", d, func(kubeEvent) { heard++ })
	w.Subscribe("me", cr, func(kubeEvent) { heard++ })
	w.loop.RunFor(time.Second)
	heard = 0
	for _, obj := range []client.Object{d, cr} {
		was := obj.GetResourceVersion()
		w.update(t, obj)
		if err := w.c.Status().Update(context.Background(), obj); err != nil {
			t.Fatal(err)
		}
		if err := w.c.Patch(context.Background(), obj, client.RawPatch("application/merge-patch+json", []byte(`{"metadata":{"labels":null}}`))); err != nil {
			t.Fatal(err)
		}
		if obj.GetResourceVersion() != was || obj.GetGeneration() != 1 {
			t.Errorf("%T: resourceVersion %s, was %s, generation %d", obj, obj.GetResourceVersion(), was, obj.GetGeneration())
		}
	}
	w.loop.RunFor(time.Second)
	if heard != 0 {
		t.Errorf("%d events of updates that change nothing", heard)
	}
	d.Labels = map[string]string{"a": "b"}
	w.update(t, d)
	w.loop.RunFor(time.Second)
	if heard != 1 {
		t.Errorf("%d events of one change", heard)
	}
}

// Times are what they are after a way through JSON, so writing one again that
// differs by less than a second changes nothing.
func TestTimesAreWholeSeconds(t *testing.T) {
	w := newWorld(t)
	p := pod("x")
	w.create(t, p)
	at := loop.Epoch.Add(1500 * time.Millisecond)
	p.Status.StartTime = &metav1.Time{Time: at}
	if err := w.c.Status().Update(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if want := loop.Epoch.Add(time.Second); !p.Status.StartTime.Time.Equal(want) {
		t.Errorf("startTime %s, want %s", p.Status.StartTime, want)
	}
	was := p.ResourceVersion
	p.Status.StartTime = &metav1.Time{Time: at.Add(time.Millisecond)}
	if err := w.c.Status().Update(context.Background(), p); err != nil {
		t.Fatal(err)
	}
	if p.ResourceVersion != was {
		t.Error("a millisecond changed the object")
	}
}

func TestGenerationMovesWithWhatIsAskedFor(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	d, cr := deployment("d"), cluster("c")
	w.create(t, d)
	w.create(t, cr)
	expect := func(what string, obj client.Object, want int64) {
		t.Helper()
		if obj.GetGeneration() != want {
			t.Errorf("generation of %s after %s: %d, want %d", obj.GetName(), what, obj.GetGeneration(), want)
		}
	}
	d.Labels, cr.Labels = map[string]string{"a": "b"}, map[string]string{"a": "b"}
	w.update(t, d)
	w.update(t, cr)
	expect("a label", d, 1)
	expect("a label", cr, 1)

	d.Status.Replicas = 1
	cr.Status.State = v1.ClusterStateCreated
	for _, obj := range []client.Object{d, cr} {
		if err := w.c.Status().Update(ctx, obj); err != nil {
			t.Fatal(err)
		}
	}
	expect("a status", d, 1)
	expect("a status", cr, 1)

	two := int32(2)
	d.Spec.Replicas = &two
	cr.Spec.Mon.Count = 5
	w.update(t, d)
	w.update(t, cr)
	expect("the spec", d, 2)
	expect("the spec", cr, 2)
	if d.Status.Replicas != 1 || cr.Status.State != v1.ClusterStateCreated {
		t.Error("an update of the spec lost the status")
	}

	d.Annotations = map[string]string{"a": "b"}
	w.update(t, d)
	expect("an annotation of a Deployment", d, 3)

	cr.Finalizers = []string{"tidepool.dev/x"}
	w.update(t, cr)
	expect("a finalizer", cr, 2)
	w.delete(t, cr)
	w.get(t, cr, "c")
	expect("a delete", cr, 3)
}

func TestStatusIsASubresource(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	cr := cluster("c")
	cr.Status.State = v1.ClusterStateCreated
	w.create(t, cr)
	if cr.Status.State != "" {
		t.Error("create took a status")
	}
	cr.Status.State = v1.ClusterStateCreated
	w.update(t, cr)
	if cr.Status.State != "" {
		t.Error("update took a status")
	}
	cr.Status.State, cr.Spec.Mon.Count, cr.Labels = v1.ClusterStateCreated, 7, map[string]string{"a": "b"}
	if err := w.c.Status().Update(ctx, cr); err != nil {
		t.Fatal(err)
	}
	if cr.Status.State != v1.ClusterStateCreated || cr.Spec.Mon.Count == 7 || cr.Labels != nil {
		t.Errorf("status update: state %q, mon count %d, labels %v", cr.Status.State, cr.Spec.Mon.Count, cr.Labels)
	}
	base := cr.DeepCopy()
	cr.Status.Message = "calm"
	if err := w.c.Status().Patch(ctx, cr, client.MergeFrom(base)); err != nil {
		t.Fatal(err)
	}
	if cr.Status.Message != "calm" || cr.Status.State != v1.ClusterStateCreated {
		t.Errorf("status patch: %+v", cr.Status)
	}
	err := w.c.Status().Update(ctx, configMap("x"))
	errorIs(t, err, metav1.StatusReasonNotFound, "the server could not find the requested resource")
}

func TestWhatIsHandedOutIsACopy(t *testing.T) {
	w := newWorld(t)
	sent := configMap("x")
	sent.Data = map[string]string{"a": "1"}
	w.create(t, sent)
	sent.Data["a"] = "2"
	var read corev1.ConfigMap
	w.get(t, &read, "x")
	read.Data["a"] = "3"
	var list corev1.ConfigMapList
	if err := w.c.List(context.Background(), &list); err != nil {
		t.Fatal(err)
	}
	list.Items[0].Data["a"] = "4"
	stored, _ := w.View(&read, client.ObjectKeyFromObject(sent))
	if got := stored.(*corev1.ConfigMap).Data["a"]; got != "1" {
		t.Errorf("stored %q, want 1", got)
	}
}

func TestDryRun(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	d := deployment("x")
	if err := w.c.Create(ctx, d, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	if *d.Spec.Replicas != 1 || w.has(d) {
		t.Errorf("replicas %d, stored %v", *d.Spec.Replicas, w.has(d))
	}
	w.create(t, configMap("y"))
	cm := configMap("y")
	cm.Data = map[string]string{"a": "b"}
	if err := w.c.Update(ctx, cm, client.DryRunAll); err != nil {
		t.Fatal(err)
	}
	w.delete(t, cm, client.DryRunAll)
	w.get(t, cm, "y")
	if cm.Data != nil {
		t.Error("a dry run was stored")
	}
}

func TestUpdateWhileDeleting(t *testing.T) {
	w := newWorld(t)
	cm := configMap("x")
	cm.Finalizers = []string{"tidepool.dev/a", "tidepool.dev/b"}
	w.create(t, cm)
	w.delete(t, cm)
	w.get(t, cm, "x")
	if cm.DeletionTimestamp == nil || *cm.DeletionGracePeriodSeconds != 0 {
		t.Fatalf("deletionTimestamp %v", cm.DeletionTimestamp)
	}
	cm.Finalizers = []string{"tidepool.dev/b", "tidepool.dev/c"}
	errorIs(t, w.c.Update(context.Background(), cm), metav1.StatusReasonInvalid,
		`ConfigMap "x" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"tidepool.dev/c"}`)
	cm.Finalizers = []string{"tidepool.dev/b"}
	cm.DeletionTimestamp = nil // cannot be taken back
	w.update(t, cm)
	if cm.DeletionTimestamp == nil {
		t.Error("a deletion was taken back")
	}
	cm.Finalizers = nil
	w.update(t, cm)
	if w.has(cm) {
		t.Error("without finalizers it is still there")
	}
}

func TestRepresentations(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	u := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apps/v1", "kind": "Deployment",
		"metadata": map[string]any{"namespace": "sea", "name": "d"},
		"spec": map[string]any{
			"selector": map[string]any{"matchLabels": map[string]any{"a": "b"}},
			"template": map[string]any{
				"metadata": map[string]any{"labels": map[string]any{"a": "b"}},
				"spec":     map[string]any{"containers": []any{map[string]any{"name": "x", "image": "y:1"}}},
			},
		},
	}}
	w.create(t, u)
	if n, _, _ := unstructured.NestedInt64(u.Object, "spec", "replicas"); n != 1 || u.GetUID() == "" {
		t.Errorf("unstructured after create: replicas %d, uid %q", n, u.GetUID())
	}
	var d appsv1.Deployment
	w.get(t, &d, "d")
	if d.Spec.Template.Spec.Containers[0].Image != "y:1" || d.Kind != "" {
		t.Errorf("typed: %+v", d)
	}
	m := &metav1.PartialObjectMetadata{}
	m.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("Deployment"))
	w.get(t, m, "d")
	if m.UID != d.UID || m.Kind != "Deployment" {
		t.Errorf("metadata: %+v", m)
	}
	base := m.DeepCopy()
	m.Labels = map[string]string{"x": "y"}
	if err := w.c.Patch(ctx, m, client.MergeFrom(base)); err != nil {
		t.Fatal(err)
	}
	w.get(t, &d, "d")
	if d.Labels["x"] != "y" {
		t.Error("a metadata patch did not arrive")
	}
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
	if err := w.c.List(ctx, list, client.InNamespace("sea")); err != nil || len(list.Items) != 1 || list.Items[0].Labels["x"] != "y" {
		t.Errorf("%v %+v", err, list)
	}
	var us unstructured.UnstructuredList
	us.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("DeploymentList"))
	if err := w.c.List(ctx, &us); err != nil || len(us.Items) != 1 || us.Items[0].GetKind() != "Deployment" {
		t.Errorf("%v %+v", err, us)
	}
	if err := w.c.Update(ctx, m); err == nil || apierrors.IsNotFound(err) {
		t.Errorf("update of metadata alone: %v", err)
	}
}
