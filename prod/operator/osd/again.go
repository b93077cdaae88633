package osd

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// PrepareAgain has the devices of a node looked at once more, as after a disk
// was added: the node's job runs again when the mark is another than the last
// one, and only then. A mark that follows from what is known of the devices, such
// as a hash of their list, makes a repeated call do nothing.
//
// node is the node's hostname label. The mark is kept in the node's ConfigMap,
// whose change leads to a pass over the cluster; a node that is no storage node
// keeps it for the day when it becomes one. asked says whether something was
// written.
func PrepareAgain(ctx context.Context, c client.Client, cluster *v1.CephCluster, node, mark string) (asked bool, err error) {
	owner := object.OwnedBy(cluster)
	if _, err := object.EnsureOnce(ctx, c, resultMap(cluster.Namespace, node), owner); err != nil {
		return false, err
	}
	var cm corev1.ConfigMap
	key := client.ObjectKey{Namespace: cluster.Namespace, Name: prepare.ResultName(node)}
	if err := c.Get(ctx, key, &cm); err != nil {
		return false, fmt.Errorf("failed to get ConfigMap %s: %w", key, err)
	}
	if cm.Data[prepare.AgainKey] == mark {
		return false, nil
	}
	next := cm.DeepCopy()
	if next.Data == nil {
		next.Data = map[string]string{}
	}
	next.Data[prepare.AgainKey] = mark
	if err := c.Update(ctx, next); err != nil {
		return false, fmt.Errorf("failed to ask for the devices of node %s to be looked at again: %w", node, err)
	}
	return true, nil
}

// resultMap is a node's ConfigMap before its job has written to it.
func resultMap(namespace, node string) *corev1.ConfigMap {
	return &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: prepare.ResultName(node),
			Labels: daemon.AppLabels(App, namespace),
		},
		Data: map[string]string{nodeKey: node},
	}
}
