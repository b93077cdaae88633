package dependent_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/door/doortest"
)

func cluster() *v1.CephCluster {
	return &v1.CephCluster{ObjectMeta: metav1.ObjectMeta{Namespace: "rook-ceph", Name: "rook-ceph"}}
}

// answers is a client whose lists of a kind have a fixed answer: an error, or a
// number of objects.
type answers struct {
	client.Client
	errors  map[string]error
	objects map[string]int
}

func (a answers) List(_ context.Context, list client.ObjectList, _ ...client.ListOption) error {
	kind := list.GetObjectKind().GroupVersionKind().Kind
	if err := a.errors[kind]; err != nil {
		return err
	}
	items := list.(*unstructured.UnstructuredList)
	for i := range a.objects[kind] {
		o := unstructured.Unstructured{Object: map[string]any{}}
		o.SetName(string(rune('a' + i)))
		items.Items = append(items.Items, o)
	}
	return nil
}

func TestAKindThatIsNotInstalledIsNone(t *testing.T) {
	gvr := schema.GroupVersionResource{Group: "rook.io", Version: "v1alpha2", Resource: "volumes"}
	notFound := apierrors.NewNotFound(gvr.GroupResource(), "")
	for name, c := range map[string]struct {
		err  error
		none bool
	}{
		"the client knows no such kind":     {&meta.NoKindMatchError{GroupKind: schema.GroupKind{Group: "rook.io", Kind: "Volume"}}, true},
		"nor such a resource":               {&meta.NoResourceMatchError{PartialResource: gvr}, true},
		"the server could not find it":      {notFound, true},
		"discovery says so":                 {&apiutil.ErrResourceDiscoveryFailed{gvr.GroupVersion(): notFound}, true},
		"discovery fails":                   {&apiutil.ErrResourceDiscoveryFailed{gvr.GroupVersion(): apierrors.NewServiceUnavailable("x")}, false},
		"discovery fails without a word":    {&apiutil.ErrResourceDiscoveryFailed{}, false},
		"it may not be read":                {apierrors.NewForbidden(gvr.GroupResource(), "", errors.New("x")), false},
		"the server is too busy":            {apierrors.NewTooManyRequests("x", 1), false},
		"the connection broke":              {errors.New("unexpected EOF"), false},
		"the context ended before the list": {context.DeadlineExceeded, false},
	} {
		for _, kind := range []string{"VolumeList", "CephNFSList", "CephBlockPoolList", "PersistentVolumeList", "VolumeAttachmentList"} {
			found, err := dependent.Blockers(context.Background(), answers{errors: map[string]error{kind: c.err}}, cluster())
			if (err == nil) != c.none || len(found) > 0 {
				t.Errorf("%s, %s: %q, %v", name, kind, found, err)
			}
			if err != nil && !errors.Is(err, c.err) {
				t.Errorf("%s, %s: the error is %v", name, kind, err)
			}
		}
	}
}

func TestBlockers(t *testing.T) {
	all := answers{objects: map[string]int{"CephBlockPoolList": 1, "CephFilesystemList": 7, "CephObjectStoreUserList": 2, "CephClusterList": 3}}
	want := []string{"CephBlockPool a", "CephFilesystem a, b, c, d, e and 2 more", "CephObjectStoreUser a, b"}
	found, err := dependent.Blockers(context.Background(), all, cluster())
	if err != nil || !slices.Equal(found, want) {
		t.Errorf("%q, %v, want %q", found, err, want)
	}
}

func TestVolumesDoNotBlockWhereThePolicySaysSo(t *testing.T) {
	c := cluster()
	c.Spec.CleanupPolicy.AllowUninstallWithVolumes = true
	refused := answers{errors: map[string]error{"PersistentVolumeList": errors.New("x"), "VolumeAttachmentList": errors.New("x"), "VolumeList": errors.New("x")}}
	if found, err := dependent.Blockers(context.Background(), refused, c); err != nil || len(found) > 0 {
		t.Errorf("%q, %v", found, err)
	}
}

func TestAbandoned(t *testing.T) {
	now := metav1.Now()
	living := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph"}}
	ending := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "rook-ceph", DeletionTimestamp: &now, Finalizers: []string{"x"}}}
	with := func(deleted bool, policy v1.CleanupConfirmation) *v1.CephCluster {
		c := cluster()
		c.Spec.CleanupPolicy.Confirmation = policy
		if deleted {
			c.DeletionTimestamp = &now
		}
		return c
	}
	for name, c := range map[string]struct {
		cluster   *v1.CephCluster
		namespace *corev1.Namespace
		want      bool
	}{
		"no cluster":                             {nil, living, true},
		"a cluster":                              {with(false, ""), living, false},
		"a cluster that may be destroyed":        {with(false, v1.DestroyData), living, false},
		"one that is deleted":                    {with(true, ""), living, false},
		"one that is deleted with its data":      {with(true, v1.DestroyData), living, true},
		"one that is deleted with its namespace": {with(true, ""), ending, true},
	} {
		w := doortest.New(t, c.namespace)
		if got, err := dependent.Abandoned(context.Background(), w.Doors().Client, c.cluster); err != nil || got != c.want {
			t.Errorf("%s: %v, %v, want %v", name, got, err, c.want)
		}
	}
	w := doortest.New(t, living)
	w.Refuse = func(string, client.Object, string) error { return errors.New("etcdserver: request timed out") }
	if got, err := dependent.Abandoned(context.Background(), w.Doors().Client, with(true, "")); err == nil || got {
		t.Errorf("a namespace that cannot be read: %v, %v", got, err)
	}
}
