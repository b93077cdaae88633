package workload

import (
	"context"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Start starts the controllers of a cluster on the API's loop. The API has to
// serve core/v1, apps/v1, batch/v1 and policy/v1.
func Start(l *loop.Loop, api *kube.API) {
	pods := newOwned(api, &corev1.Pod{})
	sets := newOwned(api, &appsv1.ReplicaSet{})
	replicaSets := newReplicaSets(l, api, pods)
	deployments := newDeployments(l, api, sets, pods)
	jobs := newJobs(l, api, pods)
	daemonSets := newDaemonSets(l, api, pods)
	startDisruptions(l, api)

	const user = "system:kube-controller-manager"
	api.Subscribe(user, &appsv1.Deployment{}, func(e kube.Event) { deployments.queue.Add(keyOf(e)) })
	api.Subscribe(user, &batchv1.Job{}, func(e kube.Event) {
		if e.New == nil {
			jobs.forget(e.Old.GetUID())
			return
		}
		jobs.queue.Add(keyOf(e))
	})
	api.Subscribe(user, &appsv1.DaemonSet{}, func(e kube.Event) { daemonSets.queue.Add(keyOf(e)) })
	api.Subscribe(user, &corev1.Node{}, func(e kube.Event) { daemonSets.nodeEvent(e) })
	api.Subscribe(user, &appsv1.ReplicaSet{}, func(e kube.Event) {
		if e.New == nil {
			sets.drop(e.Old)
		} else {
			sets.add(e.New)
			replicaSets.queue.Add(keyOf(e))
		}
		if key, ok := ownerKey(e, "Deployment"); ok {
			deployments.queue.Add(key)
		}
	})
	api.Subscribe(user, &corev1.Pod{}, func(e kube.Event) {
		if e.New == nil {
			pods.drop(e.Old)
		} else {
			pods.add(e.New)
		}
		if key, ok := ownerKey(e, "ReplicaSet"); ok {
			replicaSets.queue.Add(key)
			if e.New == nil {
				deployments.podGone(key)
			}
		} else if key, ok := ownerKey(e, "Job"); ok {
			jobs.podEvent(e)
			jobs.queue.Add(key)
		} else if key, ok := ownerKey(e, "DaemonSet"); ok {
			daemonSets.queue.Add(key)
		}
	})
}

func keyOf(e kube.Event) client.ObjectKey { return client.ObjectKeyFromObject(either(e)) }

func either(e kube.Event) client.Object {
	if e.New != nil {
		return e.New
	}
	return e.Old
}

// ownerKey is the controller of the event's object, if it is of that kind.
func ownerKey(e kube.Event, kind string) (client.ObjectKey, bool) {
	object := either(e)
	ref := metav1.GetControllerOfNoCopy(object)
	if ref == nil || ref.Kind != kind {
		return client.ObjectKey{}, false
	}
	return client.ObjectKey{Namespace: object.GetNamespace(), Name: ref.Name}, true
}

// viewed is the object of that key as it is stored; it is read-only.
func viewed[T client.Object](api *kube.API, kind T, key client.ObjectKey) (T, bool) {
	o, ok := api.View(kind, key)
	if !ok {
		return kind, false
	}
	return o.(T), true
}

// remove deletes exactly this object; that it is gone already is fine.
func remove(c client.Client, object client.Object) error {
	uid := object.GetUID()
	return client.IgnoreNotFound(c.Delete(context.Background(), object.DeepCopyObject().(client.Object),
		client.Preconditions{UID: &uid}, client.PropagationPolicy(metav1.DeletePropagationBackground)))
}
