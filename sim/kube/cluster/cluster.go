package cluster

import (
	"context"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/kubelet"
	"github.com/tidepool-ceph/tidepool/sim/kube/scheduler"
	"github.com/tidepool-ceph/tidepool/sim/kube/workload"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Registry finds an image by its name. An error shows as ErrImagePull and then
// ImagePullBackOff.
type Registry func(image string) (host.Image, error)

// bootTime is how long a machine takes from power on to a kubelet that is up:
// between these.
const bootLeast, bootMost = 20 * time.Second, 35 * time.Second

// Cluster is a running cluster.
type Cluster struct {
	API *kube.API

	loop     *loop.Loop
	network  *host.Network
	registry Registry
	nodes    map[string]*node
	names    []string // in the order in which they were added
	life     *lifecycle
}

type node struct {
	name      string
	machine   *host.Machine
	kubelet   *kubelet.Kubelet
	addresses *kubelet.Addresses
	disk      *kubelet.Disk
	booting   *loop.Timer
}

// New starts the control plane of a cluster on l. Its scheme has to know the
// kinds of core/v1, apps/v1 and batch/v1. Addresses of services are translated on
// network from now on.
func New(l *loop.Loop, network *host.Network, api *kube.API, registry Registry) *Cluster {
	c := &Cluster{API: api, loop: l, network: network, registry: registry, nodes: map[string]*node{}}
	workload.Start(l, api)
	scheduler.Start(l, api)
	c.life = startLifecycle(l, api)
	network.Translate = startProxy(l, api).translate
	c.watch()
	return c
}

// watch hands the events that matter to kubelets on to them.
func (c *Cluster) watch() {
	const user = "kubelets"
	c.API.Subscribe(user, &corev1.Pod{}, func(e kube.Event) {
		if e.New == nil {
			if n := c.nodes[e.Old.(*corev1.Pod).Spec.NodeName]; n != nil && n.kubelet != nil {
				n.kubelet.Gone(e.Old.(*corev1.Pod))
			}
			return
		}
		pod := e.New.(*corev1.Pod)
		if n := c.nodes[pod.Spec.NodeName]; n != nil && n.kubelet != nil {
			n.kubelet.Changed(pod)
		}
	})
	referred := func(kind string) func(kube.Event) {
		return func(e kube.Event) {
			object := e.New
			if object == nil {
				object = e.Old
			}
			for _, name := range c.names {
				if k := c.nodes[name].kubelet; k != nil {
					k.Referred(kind, object.GetNamespace(), object.GetName())
				}
			}
		}
	}
	c.API.Subscribe(user, &corev1.Secret{}, referred("Secret"))
	c.API.Subscribe(user, &corev1.ConfigMap{}, referred("ConfigMap"))
}

// AddNode adds a machine to the cluster. Its kubelet is up at once. A node of
// that name must not be there; a spec that the API server refuses panics.
func (c *Cluster) AddNode(spec NodeSpec) *host.Machine {
	if c.nodes[spec.Name] != nil {
		panic(fmt.Sprintf("cluster: node %q is there already", spec.Name))
	}
	spec.complete(len(c.names))
	m := host.NewMachine(c.loop, c.network, spec.Hostname, spec.Addr)
	m.Devices = spec.Devices
	furnish(m)
	n := &node{name: spec.Name, machine: m, addresses: kubelet.NewAddresses(len(c.names)), disk: kubelet.NewDisk()}
	c.nodes[spec.Name] = n
	c.names = append(c.names, spec.Name)

	object := spec.object(n.addresses.CIDR())
	status := object.Status
	admin := c.API.Client("system:node:" + spec.Name)
	if err := admin.Create(context.Background(), object); err != nil {
		panic(fmt.Sprintf("cluster: create node %q: %v", spec.Name, err))
	}
	object.Status = status
	if err := admin.Status().Update(context.Background(), object); err != nil {
		panic(fmt.Sprintf("cluster: write status of node %q: %v", spec.Name, err))
	}
	c.boot(n)
	return m
}

// boot starts the kubelet of a machine that is up.
func (c *Cluster) boot(n *node) {
	n.addresses.Reset()
	running := n.machine.Running
	n.kubelet = kubelet.Start(kubelet.Config{
		Loop: c.loop, API: c.API, Machine: n.machine, Node: n.name, Registry: c.registry,
		Addresses: n.addresses, Disk: n.disk,
	})
	running.OnKill(func() {
		c.life.lost(n.name, func() bool { return n.machine.Running != running && n.booting == nil && n.machine.Up() })
	})
}

// Nodes are the names of the nodes, in the order in which they were added.
func (c *Cluster) Nodes() []string { return slices.Clone(c.names) }

// Machine is the machine of a node; nil if there is no such node.
func (c *Cluster) Machine(node string) *host.Machine {
	if n := c.nodes[node]; n != nil {
		return n.machine
	}
	return nil
}

// Holds says whether an IP address is that of a node's machine or of a pod there.
func (c *Cluster) Holds(node, ip string) bool {
	n := c.nodes[node]
	return n != nil && (n.machine.Addr == ip || n.addresses.Hold(ip))
}

// PowerOff cuts the power of a node's machine: what runs there ends where it
// stands. Files and devices stay.
func (c *Cluster) PowerOff(node string) {
	n := c.mustNode(node)
	n.booting.Stop()
	n.booting = nil
	n.machine.PowerOff()
}

// PowerOn starts a machine that is down. Its kubelet is up 20 to 35 s later, and
// runs the node's containers again.
func (c *Cluster) PowerOn(node string) {
	n := c.mustNode(node)
	if n.machine.Up() {
		return
	}
	n.machine.PowerOn()
	took := bootLeast + time.Duration(c.loop.Rand("boots").Int64N(int64(bootMost-bootLeast)))
	n.booting = c.loop.After(took, "boot "+node, func() {
		n.booting = nil
		c.boot(n)
	})
}

// Reboot is [Cluster.PowerOff] and [Cluster.PowerOn].
func (c *Cluster) Reboot(node string) {
	c.PowerOff(node)
	c.PowerOn(node)
}

// RemoveNode takes a node out of the cluster for good: its machine goes down, and
// its Node object is deleted. Its pods follow 40 s later.
func (c *Cluster) RemoveNode(name string) error {
	c.PowerOff(name)
	delete(c.nodes, name)
	c.names = slices.DeleteFunc(c.names, func(n string) bool { return n == name })
	object := &corev1.Node{}
	object.Name = name
	return client.IgnoreNotFound(c.API.Client("system:admin").Delete(context.Background(), object))
}

func (c *Cluster) mustNode(name string) *node {
	n := c.nodes[name]
	if n == nil {
		panic(fmt.Sprintf("cluster: there is no node %q", name))
	}
	return n
}

// find is a pod and its node's kubelet, nil if it has none.
func (c *Cluster) find(namespace, name string) (*corev1.Pod, *node, error) {
	o, ok := c.API.View(&corev1.Pod{}, client.ObjectKey{Namespace: namespace, Name: name})
	if !ok {
		return nil, nil, apierrors.NewNotFound(corev1.Resource("pods"), name)
	}
	pod := o.(*corev1.Pod)
	return pod, c.nodes[pod.Spec.NodeName], nil
}

// Log is what the current run of a container has written so far; container may
// be "" if the pod has only one. A pod that is not there is a NotFound error, one
// that has not started a BadRequest, as with kubectl logs.
func (c *Cluster) Log(namespace, pod, container string) (string, error) {
	return c.log(namespace, pod, container, false)
}

// PreviousLog is the log of the run before the current one.
func (c *Cluster) PreviousLog(namespace, pod, container string) (string, error) {
	return c.log(namespace, pod, container, true)
}

func (c *Cluster) log(namespace, name, container string, previous bool) (string, error) {
	pod, n, err := c.find(namespace, name)
	if err != nil {
		return "", err
	}
	if container == "" {
		if len(pod.Spec.Containers)+len(pod.Spec.InitContainers) > 1 {
			return "", apierrors.NewBadRequest(fmt.Sprintf("a container name must be specified for pod %s", name))
		}
		container = pod.Spec.Containers[0].Name
	}
	switch {
	case n == nil:
		return "", apierrors.NewBadRequest(fmt.Sprintf("pod %s does not have a host assigned", name))
	case !n.machine.Up() || n.booting != nil:
		return "", apierrors.NewInternalError(fmt.Errorf("get logs of pod %s/%s: dial tcp %s:10250: connect: no route to host", namespace, name, n.machine.Addr))
	}
	text, err := n.kubelet.Log(pod, container, previous)
	if err != nil {
		return "", apierrors.NewBadRequest(err.Error())
	}
	return text, nil
}

// Process is the running process of a pod's container; nil if it does not run.
func (c *Cluster) Process(namespace, pod, container string) *host.Process {
	object, n, err := c.find(namespace, pod)
	if err != nil || n == nil {
		return nil
	}
	return n.kubelet.Process(object, container)
}

// Executor runs programs in a container, as kubectl exec does. The error says
// that it does not run.
func (c *Cluster) Executor(namespace, pod, container string) (*host.Executor, error) {
	p := c.Process(namespace, pod, container)
	if p == nil {
		return nil, fmt.Errorf("container %s of pod %s/%s is not running", container, namespace, pod)
	}
	return p.Executor(), nil
}

// KillContainer ends a container's process by SIGKILL, as a crash would. The
// error says that it does not run.
func (c *Cluster) KillContainer(namespace, pod, container string) error {
	return c.kill(namespace, pod, container, "")
}

// OOMKillContainer is [Cluster.KillContainer] by the kernel, for lack of memory.
func (c *Cluster) OOMKillContainer(namespace, pod, container string) error {
	return c.kill(namespace, pod, container, "OOMKilled")
}

func (c *Cluster) kill(namespace, name, container, reason string) error {
	pod, n, err := c.find(namespace, name)
	if err != nil {
		return err
	}
	if n == nil || !n.kubelet.Kill(pod, container, reason) {
		return fmt.Errorf("container %s of pod %s/%s is not running", container, namespace, name)
	}
	return nil
}
