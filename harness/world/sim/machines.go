package sim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/sim/host"
)

// machine is that of a node.
func (w *World) machine(node string) (*host.Machine, error) {
	m := w.cluster.Machine(node)
	if m == nil {
		return nil, fmt.Errorf("there is no node %q", node)
	}
	return m, nil
}

// Reboot cuts a node's power and starts it again.
func (w *World) Reboot(node string) error {
	return errors.Join(w.PowerOff(node), w.PowerOn(node))
}

// PowerOff cuts a node's power.
func (w *World) PowerOff(node string) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	if !m.Up() {
		return fmt.Errorf("the node %q has no power already", node)
	}
	w.cluster.PowerOff(node)
	return nil
}

// PowerOn gives a node its power back.
func (w *World) PowerOn(node string) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	if m.Up() {
		return fmt.Errorf("the node %q has power already", node)
	}
	w.cluster.PowerOn(node)
	return nil
}

// RemoveNode takes a node out of Kubernetes for good.
func (w *World) RemoveNode(node string) error {
	if _, err := w.machine(node); err != nil {
		return err
	}
	delete(w.drains, node)
	return w.cluster.RemoveNode(node)
}

// Isolate cuts the network between a node and all other machines.
func (w *World) Isolate(node string) error {
	if _, err := w.machine(node); err != nil {
		return err
	}
	w.network.Part(node, func(ip string) bool { return w.cluster.Holds(node, ip) })
	return nil
}

// Rejoin makes it whole.
func (w *World) Rejoin(node string) error {
	if _, err := w.machine(node); err != nil {
		return err
	}
	w.network.Join(node)
	return nil
}

// SetClock says by how much a node's clock is ahead.
func (w *World) SetClock(node string, ahead time.Duration) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	w.ceph.SetClockSkew(m.Name, ahead)
	return nil
}

// AddDevice plugs a disk into a node.
func (w *World) AddDevice(node string, d world.Device) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	if i := deviceAt(m, d.Name); i >= 0 {
		return fmt.Errorf("the node %q has a disk %q already", node, d.Name)
	}
	dev, err := device(d)
	if err != nil {
		return fmt.Errorf("node %q: %w", node, err)
	}
	m.Devices = append(m.Devices, dev)
	return m.Files.WriteFile("/dev/"+d.Name, nil, 0o660)
}

// WipeDevice empties a disk of a node.
func (w *World) WipeDevice(node, name string) error {
	m, i, err := w.deviceOf(node, name)
	if err != nil {
		return err
	}
	d := m.Devices[i]
	d.Filesystem, d.Mountpoint, d.Partitions, d.State = "", "", nil, nil
	return nil
}

// RemoveDevice takes a disk of a node away.
func (w *World) RemoveDevice(node, name string) error {
	m, i, err := w.deviceOf(node, name)
	if err != nil {
		return err
	}
	m.Devices = slices.Delete(m.Devices, i, i+1)
	return m.Files.RemoveAll("/dev/" + name)
}

func (w *World) deviceOf(node, name string) (*host.Machine, int, error) {
	m, err := w.machine(node)
	if err != nil {
		return nil, 0, err
	}
	i := deviceAt(m, name)
	if i < 0 {
		return nil, 0, fmt.Errorf("the node %q has no disk %q", node, name)
	}
	return m, i, nil
}

func deviceAt(m *host.Machine, name string) int {
	return slices.IndexFunc(m.Devices, func(d *host.Device) bool { return d.Name == name })
}

// KillContainer ends a container's process as a crash would.
func (w *World) KillContainer(namespace, pod, container string) error {
	return w.cluster.KillContainer(namespace, pod, container)
}

// drain is a kubectl drain.
type drain struct {
	left []string // pods with the last answers, sorted
}

// evictAgain is how long kubectl drain waits before it tries again.
const evictAgain = 5 * time.Second

// Drain starts kubectl drain.
func (w *World) Drain(node string) error {
	ctx := context.Background()
	var n corev1.Node
	if err := w.Client().Get(ctx, client.ObjectKey{Name: node}, &n); err != nil {
		return err
	}
	n.Spec.Unschedulable = true
	if err := w.Client().Update(ctx, &n); err != nil {
		return err
	}
	d := &drain{}
	w.drains[node] = d
	w.evict(node, d)
	return nil
}

// Draining are the pods that a drain still waits for.
func (w *World) Draining(node string) []string {
	if d := w.drains[node]; d != nil {
		return d.left
	}
	return nil
}

// evict asks for the eviction of each pod that is left, until none is, or
// another drain of the node has begun.
func (w *World) evict(node string, d *drain) {
	if w.drains[node] != d {
		return
	}
	ctx := context.Background()
	d.left = nil
	w.api.Each(&corev1.Pod{}, "", func(o client.Object) {
		pod := o.(*corev1.Pod)
		if owner := metav1.GetControllerOf(pod); pod.Spec.NodeName != node || owner != nil && owner.Kind == "DaemonSet" {
			return
		}
		said := "is ending"
		if pod.DeletionTimestamp == nil {
			err := w.Client().SubResource("eviction").Create(ctx, pod.DeepCopy(), &policyv1.Eviction{})
			switch {
			case apierrors.IsNotFound(err):
				return
			case err != nil:
				said = err.Error()
			}
		}
		d.left = append(d.left, fmt.Sprintf("%s/%s: %s", pod.Namespace, pod.Name, said))
	})
	if len(d.left) == 0 {
		w.loop.Trace("drain", "node %s is drained", node)
		return
	}
	w.loop.After(evictAgain, "drain "+node, func() { w.evict(node, d) })
}
