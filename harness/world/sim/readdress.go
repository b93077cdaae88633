package sim

import (
	"context"
	"errors"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Readdress restarts a node, which comes back with another IP address.
func (w *World) Readdress(node, addr string) error {
	m, err := w.machine(node)
	if err != nil {
		return err
	}
	if err := w.PowerOff(node); err != nil {
		return err
	}
	ctx, c := context.Background(), w.Client()
	var n corev1.Node
	if err := c.Get(ctx, client.ObjectKey{Name: node}, &n); err != nil {
		return err
	}
	for i := range n.Status.Addresses {
		if n.Status.Addresses[i].Type == corev1.NodeInternalIP {
			n.Status.Addresses[i].Address = addr
		}
	}
	m.Addr = addr
	return errors.Join(c.Status().Update(ctx, &n), w.PowerOn(node))
}
