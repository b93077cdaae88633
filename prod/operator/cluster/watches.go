package cluster

import (
	"context"
	"maps"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/mon"
)

// Name is the controller's name in logs and metrics.
const Name = "cephcluster"

// rest is how long after a pass events are gathered for the next one.
const rest = 500 * time.Millisecond

// New makes the controller of CephClusters, and says whose it watches (S19).
func New(doors door.Doors, options Options) []controller.Controller {
	where := "all namespaces"
	if len(options.Namespaces) > 0 {
		where = "namespace " + strings.Join(options.Namespaces, ", ")
	}
	doors.Log.Infof("start watching clusters in %s", where)
	r := &reconciler{Doors: doors, options: options, steps: steps()}
	return []controller.Controller{{Name: Name, Reconciler: r, Watches: r.watches(), Parallel: controller.Clusters, Rest: rest}}
}

func (r *reconciler) watches() []controller.Watch {
	return []controller.Watch{
		{Object: &v1.CephCluster{}, Requests: r.selfAndBlocked, Matters: clusterMatters},
		{Object: &appsv1.Deployment{}, Requests: r.ownerAndBlocked, Matters: deploymentMatters},
		{Object: &batchv1.Job{}, Requests: r.owner, Matters: jobMatters},
		{Object: &corev1.ConfigMap{}, Requests: r.owner, Matters: configMapMatters},
		{Object: &corev1.Secret{}, Requests: r.owner, Matters: secretMatters},
		{Object: &corev1.Service{}, Requests: r.owner, Matters: serviceMatters},
		{Object: &corev1.Pod{}, Requests: r.inNamespace, Matters: podMatters},
		{Object: &corev1.Node{}, Judge: r.judgeNode},
		{Object: &v1.CephBlockPool{}, Requests: r.heldUp, Matters: dependentMatters},
		{Object: &v1.CephFilesystem{}, Requests: r.heldUp, Matters: dependentMatters},
	}
}

// selfAndBlocked asks for the cluster itself, and for those that another
// cluster's being there holds back.
func (r *reconciler) selfAndBlocked(ctx context.Context, o client.Object) []reconcile.Request {
	return append(requests(client.ObjectKeyFromObject(o)), r.blocked(ctx)...)
}

// ownerAndBlocked does so for the cluster that owns an object.
func (r *reconciler) ownerAndBlocked(ctx context.Context, o client.Object) []reconcile.Request {
	return append(r.owner(ctx, o), r.blocked(ctx)...)
}

func (r *reconciler) blocked(ctx context.Context) []reconcile.Request {
	return r.find(ctx, func(cluster *v1.CephCluster) bool {
		reason := ready(cluster).Reason
		return reason == v1.ReasonSecondCluster || reason == v1.ReasonHostPathInUse
	})
}

// owner asks for the cluster that owns an object; for one that nobody owns, as a
// Secret that a person has restored, for the clusters of its namespace.
func (r *reconciler) owner(ctx context.Context, o client.Object) []reconcile.Request {
	for _, ref := range o.GetOwnerReferences() {
		if ref.Kind == v1.CephClusterKind {
			return requests(types.NamespacedName{Namespace: o.GetNamespace(), Name: ref.Name})
		}
	}
	if len(o.GetOwnerReferences()) > 0 || !strings.HasPrefix(o.GetName(), "rook-") {
		return nil
	}
	return r.inNamespace(ctx, o)
}

func (r *reconciler) inNamespace(ctx context.Context, o client.Object) []reconcile.Request {
	return r.find(ctx, func(*v1.CephCluster) bool { return true }, client.InNamespace(o.GetNamespace()))
}

func (r *reconciler) all(ctx context.Context, _ client.Object) []reconcile.Request {
	return r.find(ctx, func(*v1.CephCluster) bool { return true })
}

// find asks for the clusters of which that is so. That they cannot be listed is
// only logged: an event that is not followed is made good by the next one.
func (r *reconciler) find(ctx context.Context, wanted func(*v1.CephCluster) bool, where ...client.ListOption) []reconcile.Request {
	var all v1.CephClusterList
	where = append(where, client.UnsafeDisableDeepCopy) // they are only looked at, and events are many
	if err := r.Client.List(ctx, &all, where...); err != nil {
		r.Log.Warningf("failed to list CephClusters for an event: %v", err)
		return nil
	}
	var found []types.NamespacedName
	for i := range all.Items {
		if wanted(&all.Items[i]) {
			found = append(found, client.ObjectKeyFromObject(&all.Items[i]))
		}
	}
	return requests(found...)
}

func requests(names ...types.NamespacedName) []reconcile.Request {
	var all []reconcile.Request
	for _, name := range names {
		all = append(all, reconcile.Request{NamespacedName: name})
	}
	return all
}

// clusterMatters: the operator's own writes do not, which change the status, the
// finalizer and nothing else; of the health, what the operator acts on does.
func clusterMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return true
	}
	was, is := before.(*v1.CephCluster), after.(*v1.CephCluster)
	return was.Generation != is.Generation ||
		(was.DeletionTimestamp == nil) != (is.DeletionTimestamp == nil) ||
		mon.CanForbidReclaim(was.Status.Ceph) != mon.CanForbidReclaim(is.Status.Ceph)
}

// relabelled says whether an object may no longer be found by its labels, or no
// longer belongs to the cluster. Annotations are written by many and looked at by
// none.
func relabelled(before, after client.Object) bool {
	return !maps.Equal(before.GetLabels(), after.GetLabels()) || !equal.Semantic(before.GetOwnerReferences(), after.GetOwnerReferences())
}

// deploymentMatters: one was changed or removed, or its pod came or went.
func deploymentMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil
	}
	was, is := before.(*appsv1.Deployment), after.(*appsv1.Deployment)
	return relabelled(before, after) || was.Generation != is.Generation ||
		was.Status.ObservedGeneration != is.Status.ObservedGeneration ||
		was.Status.ReadyReplicas != is.Status.ReadyReplicas ||
		was.Status.UpdatedReplicas != is.Status.UpdatedReplicas
}

// jobMatters: one ended or was removed.
func jobMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil
	}
	was, is := before.(*batchv1.Job), after.(*batchv1.Job)
	return was.Status.Succeeded != is.Status.Succeeded || len(was.Status.Conditions) != len(is.Status.Conditions)
}

// configMapMatters: one has other data, or was removed, or the list of mons was
// restored.
func configMapMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil || after.GetName() == identity.EndpointsName
	}
	return relabelled(before, after) || !maps.Equal(before.(*corev1.ConfigMap).Data, after.(*corev1.ConfigMap).Data)
}

// secretMatters: one has other data, or was removed, or the identity was
// restored.
func secretMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil || after.GetName() == identity.SecretName
	}
	return relabelled(before, after) || !equal.Semantic(before.(*corev1.Secret).Data, after.(*corev1.Secret).Data)
}

// serviceMatters: one was changed or removed.
func serviceMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return after == nil
	}
	return relabelled(before, after) || !equal.Semantic(&before.(*corev1.Service).Spec, &after.(*corev1.Service).Spec)
}

// podMatters: what keeps a pod from running has changed. That one runs is known
// from its Deployment or Job.
func podMatters(before, after client.Object) bool {
	if before == nil || after == nil {
		return false
	}
	return trouble(before.(*corev1.Pod)) != trouble(after.(*corev1.Pod))
}

// trouble sums up what keeps a pod from running, "" if nothing does.
func trouble(pod *corev1.Pod) string {
	var text strings.Builder
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodScheduled && c.Status == corev1.ConditionFalse {
			text.WriteString(c.Message)
		}
	}
	for _, statuses := range [][]corev1.ContainerStatus{pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses} {
		for _, s := range statuses {
			switch {
			case s.State.Waiting != nil && s.State.Waiting.Reason != "ContainerCreating" && s.State.Waiting.Reason != "PodInitializing":
				text.WriteString(s.Name + s.State.Waiting.Reason)
			case s.State.Terminated != nil && s.State.Terminated.ExitCode != 0:
				text.WriteString(s.Name + "ended")
			}
		}
	}
	return text.String()
}
