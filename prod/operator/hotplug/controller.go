package hotplug

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// Name is the controller's name in logs and metrics.
const Name = "device-hotplug"

// EnvDisable is the operator's environment variable that switches hotplug off
// when it is "true" (S21, S22).
const EnvDisable = "ROOK_DISABLE_DEVICE_HOTPLUG"

// retry is when to look again after a lost race.
const retry = time.Second

// New makes the controller of the lists of devices in the operator's namespace,
// or none if the variable's value disabled is "true" or the namespace is not
// known.
func New(doors door.Doors, namespace, disabled string) []controller.Controller {
	if disabled == "true" {
		doors.Log.Infof("Disabling hotplug orchestration via %s", EnvDisable)
		return nil
	}
	if namespace == "" {
		doors.Log.Infof("Disabling hotplug orchestration: the operator does not know its own namespace")
		return nil
	}
	doors.Log.Infof("Enabling hotplug orchestration: %s=%s", EnvDisable, disabled)
	r := &reconciler{Doors: doors, namespace: namespace}
	return []controller.Controller{{
		Name: Name, Reconciler: r,
		Watches: []controller.Watch{{Object: &corev1.ConfigMap{}, Judge: r.judge}},
	}}
}

type reconciler struct {
	door.Doors
	namespace string
}

// judge asks for the list that has changed, or for that of a node whose job has
// reported for the first time.
func (r *reconciler) judge(ctx context.Context, before, after client.Object) []reconcile.Request {
	cm, ok := after.(*corev1.ConfigMap)
	switch {
	case !ok: // gone: a list is no news of devices, and a result is made again
		return nil
	case cm.Namespace == r.namespace && cm.Labels["app"] == App:
		was, _ := before.(*corev1.ConfigMap)
		return r.judgeList(was, cm)
	case cm.Labels["app"] == osd.App && cm.Annotations[RecordAnnotation] == "":
		if result, err := prepare.DecodeResult(cm); err == nil && result.Phase == prepare.Completed {
			return r.listsOf(ctx, cm)
		}
	}
	return nil
}

// judgeList: what a list says of devices has changed. That a list cannot be read
// is told once, when it begins.
func (r *reconciler) judgeList(before, after *corev1.ConfigMap) []reconcile.Request {
	if before == nil {
		return ask(after)
	}
	if before.Data[DevicesKey] == after.Data[DevicesKey] {
		return nil
	}
	was, wasBad := ParseDevices(before)
	is, isBad := ParseDevices(after)
	switch {
	case isBad != nil && wasBad != nil:
		return nil
	case isBad == nil && wasBad == nil && Equal(was, is):
		r.Log.Debugf("device lists are equal. skipping orchestration")
		return nil
	}
	return ask(after)
}

func ask(cm *corev1.ConfigMap) []reconcile.Request {
	return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(cm)}}
}

// listsOf asks for the list of the node that a result is of.
func (r *reconciler) listsOf(ctx context.Context, result *corev1.ConfigMap) []reconcile.Request {
	var lists corev1.ConfigMapList
	if err := r.Client.List(ctx, &lists, client.InNamespace(r.namespace), client.MatchingLabels{"app": App}); err != nil {
		r.Log.Warningf("failed to list the devices for an event: %v", err)
		return nil
	}
	if len(lists.Items) == 0 {
		return nil
	}
	var nodes corev1.NodeList
	if err := r.Client.List(ctx, &nodes); err != nil {
		r.Log.Warningf("failed to list the nodes for an event: %v", err)
		return nil
	}
	var requests []reconcile.Request
	for i := range nodes.Items {
		if prepare.ResultName(node.Hostname(&nodes.Items[i])) != result.Name {
			continue
		}
		for j := range lists.Items {
			if lists.Items[j].Labels[NodeLabel] == nodes.Items[i].Name {
				requests = append(requests, ask(&lists.Items[j])...)
			}
		}
	}
	return requests
}

// Reconcile tells each cluster that has prepared the node what its list says.
func (r *reconciler) Reconcile(ctx context.Context, req reconcile.Request) (reconcile.Result, error) {
	var list corev1.ConfigMap
	if err := r.Client.Get(ctx, req.NamespacedName, &list); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	devices, err := ParseDevices(&list)
	if err != nil {
		r.Log.Warningf("%v: changes of devices are not noticed on node %s until its discover daemon has written a new one", err, list.Labels[NodeLabel])
		r.Events.Event(&list, door.Warning, "DevicesUnreadable", err.Error())
		return reconcile.Result{}, nil
	}
	var n corev1.Node
	if err := r.Client.Get(ctx, client.ObjectKey{Name: list.Labels[NodeLabel]}, &n); err != nil {
		return reconcile.Result{}, client.IgnoreNotFound(err)
	}
	var clusters v1.CephClusterList
	if err := r.Client.List(ctx, &clusters); err != nil {
		return reconcile.Result{}, fmt.Errorf("failed to list the CephClusters: %w", err)
	}
	var after time.Duration
	for i := range clusters.Items {
		if clusters.Items[i].DeletionTimestamp != nil {
			continue
		}
		switch err := r.tell(ctx, &clusters.Items[i], node.Hostname(&n), devices); {
		case object.Raced(err):
			after = retry
		case err != nil:
			return reconcile.Result{}, err
		}
	}
	return reconcile.Result{RequeueAfter: after}, nil
}

// tell has the node's job run again for a cluster if a change acts, and records
// the list.
func (r *reconciler) tell(ctx context.Context, cluster *v1.CephCluster, hostname string, devices []Device) error {
	key := client.ObjectKey{Namespace: cluster.Namespace, Name: prepare.ResultName(hostname)}
	var cm corev1.ConfigMap
	if err := r.Client.Get(ctx, key, &cm); err != nil {
		return client.IgnoreNotFound(err) // the node's job will see all there is
	}
	record, found := decode(cm.Annotations[RecordAnnotation])
	if !found {
		result, err := prepare.DecodeResult(&cm)
		if err != nil || result.Phase != prepare.Completed {
			return nil // likewise
		}
		record = Begin(result, devices)
	}
	next, changes := record.Next(devices)
	if found && len(changes) == 0 {
		return nil
	}
	if acting := r.acting(cluster, hostname, changes); len(acting) > 0 {
		r.Log.Infof("devices of node %s have changed for cluster %s: %s", hostname, cluster.Namespace, texts(acting))
		if _, err := osd.PrepareAgain(ctx, r.Client, cluster, hostname, next.Mark()); err != nil {
			return err
		}
	}
	// Read again: PrepareAgain may have written to it.
	if err := r.Client.Get(ctx, key, &cm); err != nil {
		return client.IgnoreNotFound(err)
	}
	noted := cm.DeepCopy()
	if noted.Annotations == nil {
		noted.Annotations = map[string]string{}
	}
	noted.Annotations[RecordAnnotation] = next.encode()
	if err := r.Client.Update(ctx, noted); err != nil {
		return fmt.Errorf("failed to record the devices of node %s in ConfigMap %s: %w", hostname, key, err)
	}
	return nil
}

// acting are the changes for which the node's job has something to do, of devices
// that the cluster's spec could choose.
func (r *reconciler) acting(cluster *v1.CephCluster, hostname string, changes []Change) []Change {
	storage, _ := cluster.Spec.Storage.Node(hostname)
	return slices.DeleteFunc(slices.Clone(changes), func(c Change) bool {
		wanted, err := prepare.Wants(storage, c.Device.asFound(), c.Device.paths())
		return !c.Acts || err != nil || !wanted
	})
}
