package scheduler

import (
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	resources "k8s.io/component-helpers/resource"
)

// Amounts are quantities by resource: CPU in thousandths of a core, everything
// else in whole units (bytes, pieces).
type Amounts map[corev1.ResourceName]int64

func amountsOf(list corev1.ResourceList) Amounts {
	if len(list) == 0 {
		return nil
	}
	a := make(Amounts, len(list))
	for name, q := range list {
		if name == corev1.ResourceCPU {
			a[name] = q.MilliValue()
		} else {
			a[name] = q.Value()
		}
	}
	return a
}

// A container that asks for no CPU or memory counts for this much when nodes
// are compared (not when they are excluded), as in the real scheduler.
const (
	assumedCPU    = 100       // thousandths of a core
	assumedMemory = 200 << 20 // bytes
)

// placed is a pod on a node with what follows from its spec.
type placed struct {
	pod      *corev1.Pod
	requests Amounts
	cpu, mem int64 // requests, or what is assumed for them
	ports    []port
}

type port struct {
	ip       string
	protocol corev1.Protocol
	number   int32
}

func place(pod *corev1.Pod) *placed {
	p := &placed{pod: pod, ports: portsOf(pod)}
	if asks(pod) {
		p.requests = amountsOf(resources.PodRequests(pod, resources.PodResourcesOptions{}))
	}
	p.cpu, p.mem = assumedCPU*int64(len(pod.Spec.Containers)), assumedMemory*int64(len(pod.Spec.Containers))
	if v, ok := p.requests[corev1.ResourceCPU]; ok {
		p.cpu = v
	}
	if v, ok := p.requests[corev1.ResourceMemory]; ok {
		p.mem = v
	}
	return p
}

// asks says whether anything in the pod has requests: most pods have none.
func asks(pod *corev1.Pod) bool {
	has := func(c corev1.Container) bool { return len(c.Resources.Requests) > 0 }
	return pod.Spec.Overhead != nil || pod.Spec.Resources != nil ||
		slices.ContainsFunc(pod.Spec.Containers, has) || slices.ContainsFunc(pod.Spec.InitContainers, has)
}

func portsOf(pod *corev1.Pod) []port {
	var all []port
	for _, c := range pod.Spec.Containers {
		for _, p := range c.Ports {
			number := p.HostPort
			if number == 0 && pod.Spec.HostNetwork {
				number = p.ContainerPort
			}
			if number == 0 {
				continue
			}
			protocol, ip := p.Protocol, p.HostIP
			if protocol == "" {
				protocol = corev1.ProtocolTCP
			}
			if ip == "" {
				ip = "0.0.0.0"
			}
			all = append(all, port{ip, protocol, number})
		}
	}
	return all
}

func (p port) conflicts(q port) bool {
	const any = "0.0.0.0"
	return p.number == q.number && p.protocol == q.protocol && (p.ip == q.ip || p.ip == any || q.ip == any)
}

// Node is a node and the pods that are on it or about to be.
type Node struct {
	Object      *corev1.Node
	allocatable Amounts
	pods        map[types.UID]*placed
	requested   Amounts
	cpu, mem    int64 // as [placed] counts them
}

// NewNode makes a node with the pods that are on it.
func NewNode(object *corev1.Node, pods ...*corev1.Pod) *Node {
	n := &Node{pods: map[types.UID]*placed{}, requested: Amounts{}}
	n.set(object)
	for _, p := range pods {
		n.add(place(p))
	}
	return n
}

func (n *Node) set(object *corev1.Node) {
	n.Object = object
	n.allocatable = amountsOf(object.Status.Allocatable)
}

func (n *Node) add(p *placed) {
	n.remove(p.pod.UID)
	n.pods[p.pod.UID] = p
	n.count(p, 1)
}

func (n *Node) remove(uid types.UID) {
	if p, ok := n.pods[uid]; ok {
		delete(n.pods, uid)
		n.count(p, -1)
	}
}

func (n *Node) count(p *placed, sign int64) {
	for name, v := range p.requests {
		n.requested[name] += sign * v
	}
	n.cpu += sign * p.cpu
	n.mem += sign * p.mem
}
