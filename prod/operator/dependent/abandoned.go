package dependent

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Abandoned says whether what lives on the cluster may go without Ceph being told:
// the cluster is deleted with its data, or its whole namespace is deleted, which
// takes its daemons away whatever needs them. cluster is nil where there is none.
func Abandoned(ctx context.Context, c client.Client, cluster *v1.CephCluster) (bool, error) {
	if cluster == nil {
		return true, nil
	}
	if cluster.DeletionTimestamp == nil {
		return false, nil
	}
	if cluster.Spec.CleanupPolicy.Destroys() {
		return true, nil
	}
	return NamespaceEnds(ctx, c, cluster.Namespace)
}

// NamespaceEnds says whether a namespace is being deleted: nothing can be made in
// it any more, and all that is in it goes.
func NamespaceEnds(ctx context.Context, c client.Client, name string) (bool, error) {
	var namespace unstructured.Unstructured // read past the cache, which is not to hold all namespaces
	namespace.SetGroupVersionKind(corev1.SchemeGroupVersion.WithKind("Namespace"))
	err := c.Get(ctx, client.ObjectKey{Name: name}, &namespace)
	if apierrors.IsNotFound(err) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("failed to get Namespace %s: %w", name, err)
	}
	return namespace.GetDeletionTimestamp() != nil, nil
}
