package dependent

import (
	"context"

	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Forced says whether a person wants an object gone with all that it holds.
func Forced(o client.Object) bool { return o.GetAnnotations()[v1.ForceDeletionAnnotation] == "true" }

// GivenUp says whether what is deleted need not be removed from Ceph: Ceph goes
// with all that it holds ([Abandoned]), or it is deleted as well, has no quorum,
// and a person has said that this may be lost.
func GivenUp(ctx context.Context, c client.Client, o client.Object, cluster *v1.CephCluster) (bool, error) {
	if cluster != nil && cluster.DeletionTimestamp != nil && Forced(o) && !InQuorum(cluster) {
		return true, nil
	}
	return Abandoned(ctx, c, cluster)
}

// WithoutCeph adds to a wait for a cluster that is being deleted, and that may
// never come back, how an object of that kind can go all the same.
func WithoutCeph(err error, kind string, cluster *v1.CephCluster) error {
	waiting, ok := pass.IsWaiting(err)
	if !ok || cluster.DeletionTimestamp == nil {
		return err
	}
	return pass.WaitFor(waiting.Reason, waiting.Again,
		"%s; the cluster is being deleted: if it does not come back, annotate the %s with %s=true to give it up with the cluster, or set spec.cleanupPolicy.confirmation of the CephCluster to %s to give up all its data",
		waiting.For, kind, v1.ForceDeletionAnnotation, v1.DestroyData)
}
