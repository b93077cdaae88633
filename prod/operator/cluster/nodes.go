package cluster

import (
	"context"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
)

// judgeNode asks for the clusters that an event of a node concerns (S20, S26-S35).
// A node that went concerns all: any may have a daemon on it.
func (r *reconciler) judgeNode(ctx context.Context, before, after client.Object) []reconcile.Request {
	var was, is *corev1.Node
	for _, o := range []struct {
		object client.Object
		into   **corev1.Node
	}{{before, &was}, {after, &is}} {
		if o.object == nil {
			continue
		}
		n, ok := o.object.(*corev1.Node)
		if !ok {
			r.Log.Warningf("Expected NodeList but handler received %T %s", o.object, client.ObjectKeyFromObject(o.object))
			return nil
		}
		*o.into = n
	}
	switch {
	case was == nil && !node.Schedulable(is):
		r.Log.Debugf("Skipping cluster update. Added node %s is unschedulable", node.Hostname(is))
		return nil
	case was == nil:
		return r.find(ctx, func(cluster *v1.CephCluster) bool { return r.takesIn(cluster, is) })
	case is == nil:
		return r.all(ctx, was)
	}
	return r.find(ctx, func(cluster *v1.CephCluster) bool { return r.concerns(cluster, was, is) })
}

// takesIn says whether a cluster has to look at a node that was added. A cluster
// that is being created sees it anyway, in its passes that follow each other; one
// that waits for a person may have waited for this.
func (r *reconciler) takesIn(cluster *v1.CephCluster, n *corev1.Node) bool {
	hostname := node.Hostname(n)
	switch {
	case refused(cluster):
		return true
	case !wants(cluster, hostname):
		r.Log.Debugf("Skipping -> Do not use all Nodes")
		return false
	case work(&cluster.Status) == v1.ReasonCreating:
		r.Log.Infof("Cluster %s is not ready. Skipping orchestration.", cluster.Namespace)
		return false
	case has(cluster, hostname):
		return true
	}
	return r.validates(cluster, n)
}

// validates judges a node by the placement of all daemons (S30) and says so.
func (r *reconciler) validates(cluster *v1.CephCluster, n *corev1.Node) bool {
	hostname := node.Hostname(n)
	if why := node.Fits(n, cluster.Spec.Placement.For(v1.All)); why != "" {
		r.Log.Infof("Could not add host %s . It is not valid", hostname)
		r.Log.Debugf("node %s %s", hostname, why)
		return false
	}
	r.Log.Debugf("Adding %s to cluster %s", hostname, cluster.Namespace)
	return true
}

// concerns says whether what has changed of a node matters to a cluster: whether
// daemons can run there, or where it is. Heartbeats do not, nor do labels and
// taints that no placement of the cluster speaks of. What a change leads to is up
// to the pass; it is never a removal because a node cannot be used for a while
// (B19).
func (r *reconciler) concerns(cluster *v1.CephCluster, was, is *corev1.Node) bool {
	before, after := standing(cluster, was), standing(cluster, is)
	if slices.Equal(before, after) {
		return false
	}
	all := cluster.Spec.Placement.For(v1.All)
	if node.Fits(was, all) == "" || node.Fits(is, all) != "" {
		return true
	}
	// It can be used from now on: as if it had been added.
	hostname := node.Hostname(is)
	switch {
	case !wants(cluster, hostname) && ready(cluster).Status == metav1.ConditionTrue:
		r.Log.Debugf("Skipping -> Do not use all Nodes")
		return false
	case wants(cluster, hostname) && work(&cluster.Status) == v1.ReasonUpdating && !has(cluster, hostname):
		r.Log.Debugf("Adding %s to cluster %s", hostname, cluster.Namespace)
	}
	return true
}

// standing is all of a node that a cluster goes by.
func standing(cluster *v1.CephCluster, n *corev1.Node) []string {
	facts := []string{node.Hostname(n), node.Address(n), yes(node.Schedulable(n)), yes(node.Ready(n))}
	for _, label := range slices.Sorted(maps.Keys(n.Labels)) {
		if node.IsPlace(label) {
			facts = append(facts, label+"="+n.Labels[label])
		}
	}
	for _, daemon := range slices.Sorted(maps.Keys(cluster.Spec.Placement)) {
		facts = append(facts, verdict(n, cluster.Spec.Placement.For(daemon)))
	}
	return append(facts, verdict(n, cluster.Spec.Placement.For(v1.All)))
}

// verdict is what a placement makes of a node.
func verdict(n *corev1.Node, placement v1.Placement) string {
	matches, err := node.Matches(n, placement)
	return node.Fits(n, placement) + " " + yes(matches && err == nil) + " " + yes(node.Repels(n, placement))
}

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// wants says whether a spec has a node as a storage node: all of them or that one.
func wants(cluster *v1.CephCluster, hostname string) bool {
	_, named := cluster.Spec.Storage.Node(hostname)
	return cluster.Spec.Storage.UseAllNodes || named
}

// has says whether a cluster has taken a node in: something became of its devices.
func has(cluster *v1.CephCluster, hostname string) bool {
	storage := cluster.Status.Storage
	return storage != nil && slices.ContainsFunc(storage.Nodes, func(n v1.NodeStorageStatus) bool { return n.Name == hostname })
}

// refused says whether a cluster waits for a person.
func refused(cluster *v1.CephCluster) bool {
	return cluster.Status.State == v1.ClusterStateError && apimeta.IsStatusConditionFalse(cluster.Status.Conditions, v1.ConditionProgressing)
}

// logNodes tells of the nodes that a cluster which runs has taken in, or could not
// take in, during a pass that failed with err if it did (S31, S33 as settled: after success
// only).
func (r *reconciler) logNodes(ctx context.Context, before, after *v1.CephCluster, err error) {
	if work(&before.Status) == v1.ReasonCreating {
		return
	}
	if after.Status.Storage != nil {
		for _, n := range after.Status.Storage.Nodes {
			if !has(before, n.Name) {
				r.Log.Infof("Added %s to cluster %s", n.Name, after.Namespace)
			}
		}
	}
	if err == nil && !osdsFail(before, after) {
		return
	}
	additions, listErr := osd.Additions(ctx, r.Client, after.Namespace)
	if listErr != nil {
		r.Log.Warningf("%v", listErr)
		return
	}
	for _, n := range additions {
		why := n.Failure
		if err != nil {
			why = strings.TrimPrefix(why+"; "+err.Error(), "; ")
		}
		if why != "" {
			r.Log.Errorf("Failed to update cluster in namespace %s. Was not able to add %s. %s", after.Namespace, n.Node, why)
		}
	}
}

// osdsFail says whether what is wrong with the OSDs is news.
func osdsFail(before, after *v1.CephCluster) bool {
	was := apimeta.FindStatusCondition(before.Status.Conditions, v1.ConditionOSDsReady)
	is := apimeta.FindStatusCondition(after.Status.Conditions, v1.ConditionOSDsReady)
	return is != nil && is.Status == metav1.ConditionFalse && (was == nil || was.Message != is.Message)
}
