package explore

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/tidepool-ceph/tidepool/harness/world"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// The cluster that all stories are about.
const (
	namespace   = "rook-ceph"
	clusterName = "rook-ceph"
)

var clusterKey = client.ObjectKey{Namespace: namespace, Name: clusterName}

// spec is the spec of a CephCluster as YAML has it.
type spec map[string]any

// usual is the spec of a cluster of three mons that takes all disks.
func usual() spec {
	return spec{
		"cephVersion":     spec{"image": "ceph/ceph:v14.2.0-20190410"},
		"dataDirHostPath": "/var/lib/rook",
		"mon":             spec{"count": 3},
		"dashboard":       spec{"enabled": true},
		"storage":         spec{"useAllNodes": true, "useAllDevices": true},
	}
}

// with is the spec with other fields at its top.
func (s spec) with(fields spec) spec {
	out := spec{}
	for k, v := range s {
		out[k] = v
	}
	for k, v := range fields {
		out[k] = v
	}
	return out
}

// apply is kubectl apply of the cluster with that spec.
func apply(w world.World, s spec) error {
	ctx := context.Background()
	err := w.Client().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	doc, err := yaml.Marshal(map[string]any{
		"apiVersion": "ceph.rook.io/v1", "kind": "CephCluster",
		"metadata": map[string]any{"name": clusterName, "namespace": namespace},
		"spec":     s,
	})
	if err != nil {
		return err
	}
	return w.Apply(ctx, string(doc))
}

// nodes adds nodes of these names, each with these disks.
func nodes(w world.World, names []string, disks ...string) error {
	for _, n := range names {
		node := world.Node{Name: n}
		for _, d := range disks {
			node.Devices = append(node.Devices, world.Device{Name: d, Size: "100Gi"})
		}
		if err := w.AddNode(node); err != nil {
			return err
		}
	}
	return nil
}

func cluster(w world.World) (*v1.CephCluster, error) {
	c := &v1.CephCluster{}
	return c, w.Client().Get(context.Background(), clusterKey, c)
}

// created: the operator says that the cluster is as the spec asks, for the spec
// as it is.
func created(w world.World) error {
	c, err := cluster(w)
	if err != nil {
		return err
	}
	if c.Status.State != v1.ClusterStateCreated {
		return fmt.Errorf("the cluster is in state %q%s", c.Status.State, amiss(c))
	}
	for _, is := range c.Status.Conditions {
		if is.ObservedGeneration != 0 && is.ObservedGeneration != c.Generation {
			return fmt.Errorf("condition %s is about generation %d of %d", is.Type, is.ObservedGeneration, c.Generation)
		}
	}
	return nil
}

// amiss tells, each on a line, what the conditions complain of.
func amiss(c *v1.CephCluster) string {
	var b strings.Builder
	for _, is := range c.Status.Conditions {
		if is.Reason != v1.ReasonAsExpected {
			fmt.Fprintf(&b, "\ncondition %s: %s, %s: %s", is.Type, is.Status, is.Reason, is.Message)
		}
	}
	return b.String()
}

// health: Ceph's own, as the operator last saw it.
func health(w world.World, want string) error {
	c, err := cluster(w)
	if err != nil {
		return err
	}
	if c.Status.Ceph == nil || c.Status.Ceph.Health != want {
		return fmt.Errorf("the cluster's health is not %s: %+v", want, c.Status.Ceph)
	}
	return nil
}

// ready: there are that many Deployments with the label, and all their pods are
// ready.
func ready(w world.World, app string, count int) error {
	all := &appsv1.DeploymentList{}
	if err := w.Client().List(context.Background(), all, client.InNamespace(namespace), client.MatchingLabels{"app": app}); err != nil {
		return err
	}
	if len(all.Items) != count {
		return fmt.Errorf("there are %d Deployments labelled app=%s, want %d", len(all.Items), app, count)
	}
	for _, d := range all.Items {
		if d.Status.ObservedGeneration != d.Generation || d.Status.UpdatedReplicas != 1 || d.Status.ReadyReplicas != 1 || d.Status.Replicas != 1 {
			return fmt.Errorf("the Deployment %s is not rolled out: %+v", d.Name, d.Status)
		}
	}
	return nil
}

// up brings the usual cluster up.
func up(w world.World, s spec, osds int) error {
	if err := apply(w, s); err != nil {
		return err
	}
	return w.Until(10*time.Minute, func() error { return healthy(w, 3, osds) })
}

// healthy: all is there, and Ceph is content.
func healthy(w world.World, mons, osds int) error {
	if err := created(w); err != nil {
		return err
	}
	return errors.Join(health(w, "HEALTH_OK"), ready(w, "rook-ceph-mon", mons), ready(w, "rook-ceph-osd", osds))
}

// nodeNames are the names of the Kubernetes nodes, sorted.
func nodeNames(ctx context.Context, w world.World) []string {
	all := &corev1.NodeList{}
	if err := w.Client().List(ctx, all); err != nil {
		return nil
	}
	var out []string
	for _, n := range all.Items {
		out = append(out, n.Name)
	}
	return out
}
