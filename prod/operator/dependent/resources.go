package dependent

import (
	"context"
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// kinds of the API group that stand beside a CephCluster and live on it. Which
// of them are installed is for the API server to say.
func kinds() []string {
	return []string{
		v1.CephBlockPoolKind, "CephBlockPoolRadosNamespace",
		v1.CephFilesystemKind, "CephFilesystemSubVolumeGroup", "CephFilesystemMirror",
		"CephObjectStore", "CephObjectStoreUser", "CephObjectRealm", "CephObjectZoneGroup", "CephObjectZone",
		"CephBucketNotification", "CephBucketTopic", "CephCOSIDriver",
		"CephNFS", "CephRBDMirror", "CephClient", "CephNVMeOFGateway",
	}
}

// most is how many objects of one kind are named.
const most = 5

// Blockers says in words what holds the deletion of a cluster back, one element
// a kind; none if nothing does. Volumes count unless the cluster's cleanupPolicy
// lets it go with them.
func Blockers(ctx context.Context, c client.Client, cluster *v1.CephCluster) ([]string, error) {
	var found []string
	for _, kind := range kinds() {
		items, err := list(ctx, c, v1.SchemeGroupVersion().WithKind(kind), client.InNamespace(cluster.Namespace))
		if err != nil {
			return nil, err
		}
		var names []string
		for i := range items {
			names = append(names, items[i].GetName())
		}
		found = add(found, kind, names)
	}
	if cluster.Spec.CleanupPolicy.AllowUninstallWithVolumes {
		return found, nil
	}
	more, err := volumes(ctx, c, cluster)
	return append(found, more...), err
}

// add puts the names of one kind into words.
func add(found []string, kind string, names []string) []string {
	if len(names) == 0 {
		return found
	}
	text := strings.Join(names[:min(len(names), most)], ", ")
	if len(names) > most {
		text += fmt.Sprintf(" and %d more", len(names)-most)
	}
	return append(found, kind+" "+text)
}

// list lists the objects of a kind, which need not be installed. They are read
// past any cache, which would wait for a kind that is not there.
func list(ctx context.Context, c client.Client, gvk schema.GroupVersionKind, where ...client.ListOption) ([]unstructured.Unstructured, error) {
	var all unstructured.UnstructuredList
	all.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
	err := c.List(ctx, &all, where...)
	if notInstalled(err) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("failed to list the objects of kind %s: %w", gvk.Kind, err)
	}
	return all.Items, nil
}

// notInstalled says whether an error means that the API server does not know the
// kind: the client has found that out, or the server has answered so, which it
// does to a list for nothing else.
func notInstalled(err error) bool {
	var noKind *meta.NoKindMatchError
	var noResource *meta.NoResourceMatchError
	if errors.As(err, &noKind) || errors.As(err, &noResource) || apierrors.IsNotFound(err) {
		return true
	}
	var undiscovered *apiutil.ErrResourceDiscoveryFailed
	if !errors.As(err, &undiscovered) || len(*undiscovered) == 0 {
		return false
	}
	for _, each := range *undiscovered {
		if !apierrors.IsNotFound(each) {
			return false
		}
	}
	return true
}
