package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// machineSteps are what happens to nodes that are there.
func machineSteps() []Step {
	return []Step{
		{
			Pattern: `^the node ` + name + ` reboots$`,
			Example: `the node "n1" reboots`,
			Meaning: "cuts a machine's power and starts it again",
			Do:      func(ctx context.Context, node string) error { return in(ctx).Reboot(node) },
		},
		{
			Pattern: `^the node ` + name + ` loses its power$`,
			Example: `the node "n1" loses its power`,
			Meaning: "what runs on the machine ends where it stands; files and disks stay, and 40s later the node is not ready",
			Do:      func(ctx context.Context, node string) error { return in(ctx).PowerOff(node) },
		},
		{
			Pattern: `^the node ` + name + ` comes back$`,
			Example: `the node "n1" comes back`,
			Meaning: "a machine without power boots, which takes 20s to 35s",
			Do:      func(ctx context.Context, node string) error { return in(ctx).PowerOn(node) },
		},
		{
			Pattern: `^the node ` + name + ` is removed from Kubernetes$`,
			Example: `the node "n1" is removed from Kubernetes`,
			Meaning: "the machine goes down for good, and its Node is deleted; its pods follow 40s later",
			Do:      func(ctx context.Context, node string) error { return in(ctx).RemoveNode(node) },
		},
		{
			Pattern: `^the node ` + name + ` is (cordoned|uncordoned)$`,
			Example: `the node "n1" is cordoned`,
			Meaning: "kubectl cordon: no pod is scheduled there any more; uncordoned takes it back",
			Do: func(ctx context.Context, node, how string) error {
				return changeNode(ctx, node, func(n *corev1.Node) error {
					n.Spec.Unschedulable = how == "cordoned"
					return nil
				})
			},
		},
		{
			Pattern: `^the node ` + name + ` (gets|loses) the label ` + name + `$`,
			Example: `the node "n1" gets the label "role=storage"`,
			Meaning: `kubectl label; loses takes the key alone`,
			Do: func(ctx context.Context, node, how, label string) error {
				return changeNode(ctx, node, func(n *corev1.Node) error {
					key, value, _ := strings.Cut(label, "=")
					if how == "loses" {
						delete(n.Labels, key)
						return nil
					}
					if n.Labels == nil {
						n.Labels = map[string]string{}
					}
					n.Labels[key] = value
					return nil
				})
			},
		},
		{
			Pattern: `^the node ` + name + ` (gets|loses) the taint ` + name + `$`,
			Example: `the node "n1" gets the taint "k=v:NoSchedule"`,
			Meaning: `kubectl taint; loses takes the key alone, and all its effects`,
			Do: func(ctx context.Context, node, how, taint string) error {
				return changeNode(ctx, node, func(n *corev1.Node) error { return changeTaint(n, how, taint) })
			},
		},
		{
			Pattern: `^the node ` + name + ` is drained$`,
			Example: `the node "n1" is drained`,
			Meaning: "kubectl drain begins: a cordon, then evictions that respect PodDisruptionBudgets and are tried again every 5s while refused",
			Do:      func(ctx context.Context, node string) error { return in(ctx).Drain(node) },
		},
		{
			Pattern: `^` + within + `the drain of the node ` + name + ` is done$`,
			Example: `within 5m the drain of the node "n1" is done`,
			Meaning: "no pod is left there but those of DaemonSets",
			Do: func(ctx context.Context, limit, node string) error {
				return soon(ctx, limit, func() error {
					if left := in(ctx).Draining(node); len(left) > 0 {
						return fmt.Errorf("these pods are left on %s:\n%s", node, strings.Join(left, "\n"))
					}
					return nil
				})
			},
		},
		{
			Pattern: `^the drain of the node ` + name + ` waits for a pod labelled ` + name + `$`,
			Example: `the drain of the node "n1" waits for a pod labelled "app=rook-ceph-mon"`,
			Meaning: "a budget refuses the eviction of such a pod",
			Do: func(ctx context.Context, node, labels string) error {
				pods, err := find(ctx, "Pod", Namespace, labels)
				if err != nil {
					return err
				}
				left := in(ctx).Draining(node)
				for _, p := range pods {
					if slices.ContainsFunc(left, func(l string) bool {
						return strings.HasPrefix(l, p.GetNamespace()+"/"+p.GetName()+": ") && strings.Contains(l, "disruption budget")
					}) {
						return nil
					}
				}
				return fmt.Errorf("the drain of %s waits for %q", node, left)
			},
		},
		{
			Pattern: `^the clock of the node ` + name + ` is (\S+) ahead$`,
			Example: `the clock of the node "n1" is 2s ahead`,
			Meaning: "what Ceph's daemons there think of the time, as against all others",
			Do: func(ctx context.Context, node, ahead string) error {
				d, err := time.ParseDuration(ahead)
				if err != nil {
					return err
				}
				return in(ctx).SetClock(node, d)
			},
		},
		{
			Pattern: `^the container ` + name + ` of the pod labelled ` + name + ` is killed$`,
			Example: `the container "mon" of the pod labelled "mon=a" is killed`,
			Meaning: "its process ends by SIGKILL, as in a crash, and the kubelet starts it again; the pod is one that runs",
			Do:      killContainer,
		},
	}
}

// changeNode reads a node, changes it, and writes it.
func changeNode(ctx context.Context, node string, change func(*corev1.Node) error) error {
	var n corev1.Node
	if err := in(ctx).Client().Get(ctx, client.ObjectKey{Name: node}, &n); err != nil {
		return err
	}
	if err := change(&n); err != nil {
		return err
	}
	return in(ctx).Client().Update(ctx, &n)
}

// changeTaint sets or takes away a taint "key=value:Effect".
func changeTaint(n *corev1.Node, how, taint string) error {
	kv, effect, _ := strings.Cut(taint, ":")
	key, value, _ := strings.Cut(kv, "=")
	n.Spec.Taints = slices.DeleteFunc(n.Spec.Taints, func(t corev1.Taint) bool {
		return t.Key == key && (effect == "" || string(t.Effect) == effect)
	})
	if how == "loses" {
		return nil
	}
	if effect == "" {
		return fmt.Errorf("a taint reads key=value:Effect, is %q", taint)
	}
	n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Value: value, Effect: corev1.TaintEffect(effect)})
	return nil
}

func killContainer(ctx context.Context, container, labels string) error {
	pods, err := find(ctx, "Pod", Namespace, labels)
	if err != nil {
		return err
	}
	if len(pods) == 0 {
		return fmt.Errorf("no pod has the labels %q", labels)
	}
	var all []error
	for _, p := range pods {
		err := in(ctx).KillContainer(p.GetNamespace(), p.GetName(), container)
		if err == nil {
			return nil
		}
		all = append(all, err)
	}
	return errors.Join(all...)
}
