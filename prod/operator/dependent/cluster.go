package dependent

import (
	"context"
	"fmt"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/crush"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Soon is when to look again for what the cluster's own pass is about to do.
const Soon = 5 * time.Second

// InQuorum says whether the mons of a cluster are in quorum, as its status has it.
func InQuorum(cluster *v1.CephCluster) bool {
	return apimeta.IsStatusConditionTrue(cluster.Status.Conditions, v1.ConditionMonsInQuorum)
}

// ClusterOf is the CephCluster of a namespace, nil if there is none. Of two, it is
// the one that came first; the other is refused (S18).
func ClusterOf(ctx context.Context, c client.Client, namespace string) (*v1.CephCluster, error) {
	var clusters v1.CephClusterList
	if err := c.List(ctx, &clusters, client.InNamespace(namespace)); err != nil {
		return nil, fmt.Errorf("failed to list the CephClusters of namespace %s: %w", namespace, err)
	}
	var first *v1.CephCluster
	for i := range clusters.Items {
		if one := &clusters.Items[i]; first == nil || Before(one, first) {
			first = one
		}
	}
	return first, nil
}

// Before says whether a cluster was there before another; of two of one second
// the one of the lesser name.
func Before(a, b *v1.CephCluster) bool {
	if a.UID == b.UID {
		return false
	}
	if !a.CreationTimestamp.Equal(&b.CreationTimestamp) {
		return a.CreationTimestamp.Before(&b.CreationTimestamp)
	}
	if a.Namespace != b.Namespace {
		return a.Namespace < b.Namespace
	}
	return a.Name < b.Name
}

// Admin administers the cluster as soon as pools may be made in it; until then
// the error is a [*pass.Waiting].
func Admin(ctx context.Context, doors door.Doors, settings pass.Settings, cluster *v1.CephCluster, namespace string) (*ceph.Admin, error) {
	if cluster == nil {
		return nil, pass.WaitFor(v1.ReasonNoCluster, 0, "a CephCluster in namespace %s", namespace)
	}
	if !InQuorum(cluster) {
		return nil, pass.WaitFor(v1.ReasonClusterNotReady, 0, "the mons of CephCluster %s/%s to form a quorum", namespace, cluster.Name)
	}
	admin, err := config.Admin(doors, settings, cluster)
	if err != nil {
		return nil, err
	}
	settled, err := crush.Settled(ctx, doors.Client, namespace, admin.Version())
	if err == nil && !settled {
		err = pass.WaitFor(v1.ReasonClusterNotReady, Soon, "the crush map of CephCluster %s/%s", namespace, cluster.Name)
	}
	return admin, err
}
