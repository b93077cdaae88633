package kubelet

import (
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/queue"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Config is what a kubelet needs to know.
type Config struct {
	Loop    *loop.Loop
	API     *kube.API
	Machine *host.Machine
	// Node is the name of the machine's Node object.
	Node string
	// Registry finds an image by its name. An error of it is ErrImagePull.
	Registry func(image string) (host.Image, error)
	// Addresses are those for the node's pods.
	Addresses *Addresses
	Disk      *Disk
}

// Kubelet is one boot of a machine's kubelet. It ends with the machine's
// [host.Machine.Running].
type Kubelet struct {
	Config
	group  *loop.Group
	client client.Client
	events *record.Recorder
	delays *rand.Rand
	ids    *rand.Rand
	pods   map[types.UID]*pod
	writes *queue.Queue[types.UID]
	// users are the pods that refer to an object, by namespace.
	users map[referent]map[types.UID]*pod
}

// referent is an object that pods refer to.
type referent struct {
	namespace string
	reference
}

// Start boots the kubelet: the node is Ready, and the pods that are bound to it
// are taken up where they were.
func Start(c Config) *Kubelet {
	user := "system:node:" + c.Node
	k := &Kubelet{
		Config: c, group: c.Machine.Running.NewGroup("kubelet"), client: c.API.Client(user),
		events: record.New(c.Loop, c.API, user, "kubelet", c.Node),
		delays: c.Loop.Rand("delays of node " + c.Node), ids: c.Loop.Rand("container ids of node " + c.Node),
		pods: map[types.UID]*pod{}, users: map[referent]map[types.UID]*pod{},
	}
	k.writes = queue.New(c.Loop, "kubelet "+c.Node, k.writeStatus)
	k.postReady()
	var mine []*corev1.Pod
	c.API.Each(&corev1.Pod{}, "", func(o client.Object) {
		if p := o.(*corev1.Pod); p.Spec.NodeName == c.Node {
			mine = append(mine, p)
		}
	})
	for _, p := range mine {
		k.Changed(p)
	}
	return k
}

// Changed tells the kubelet of a pod that is bound to its node, as it is now.
func (k *Kubelet) Changed(now *corev1.Pod) {
	if k.group.Dead() {
		return
	}
	if current, ok := k.API.View(now, client.ObjectKeyFromObject(now)); !ok || current.GetUID() != now.UID {
		return // it is gone by now; Gone comes
	}
	p, known := k.pods[now.UID]
	if !known {
		p = k.take(now)
	}
	p.object = now
	switch {
	case now.DeletionTimestamp != nil:
		p.end(graceOf(now))
	case !known && !p.over:
		p.begin()
	}
}

func graceOf(pod *corev1.Pod) time.Duration {
	if s := pod.DeletionGracePeriodSeconds; s != nil {
		return time.Duration(*s) * time.Second
	}
	return 30 * time.Second
}

// Gone tells the kubelet that a pod is not in the API any more.
func (k *Kubelet) Gone(was *corev1.Pod) {
	if k.group.Dead() {
		return
	}
	if p, ok := k.pods[was.UID]; ok {
		p.removed = true
		p.end(0)
	}
}

// Referred tells the kubelet of a Secret or ConfigMap that was made, changed or
// taken away.
func (k *Kubelet) Referred(kind, namespace, name string) {
	if k.group.Dead() {
		return
	}
	users := k.users[referent{namespace, reference{kind, name}}]
	for _, p := range inOrder(users) {
		p.referred()
	}
}

// inOrder are pods by UID.
func inOrder(set map[types.UID]*pod) []*pod {
	all := make([]*pod, 0, len(set))
	for _, p := range set {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *pod) int { return strings.Compare(string(a.uid), string(b.uid)) })
	return all
}

// within draws a delay.
func (k *Kubelet) within(least, most time.Duration) time.Duration {
	return least + time.Duration(k.delays.Int64N(int64(most-least)))
}

// newID is an id as the container runtime gives it.
func (k *Kubelet) newID() string {
	var b [32]byte
	for i := 0; i < len(b); i += 8 {
		v := k.ids.Uint64()
		for j := range 8 {
			b[i+j] = byte(v >> (8 * j))
		}
	}
	return hex.EncodeToString(b[:])
}

// Log is what a container of a pod wrote, or, for previous, the run of it
// before the current one. Errors are worded as the API server's answers.
func (k *Kubelet) Log(pod *corev1.Pod, container string, previous bool) (string, error) {
	if containerNamed(pod, container) == nil {
		return "", fmt.Errorf("container %s is not valid for pod %s", container, pod.Name)
	}
	l := k.Disk.logsOf(pod.UID, container)
	switch {
	case previous && l.previous == nil:
		return "", fmt.Errorf("previous terminated container %q in pod %q not found", container, pod.Name)
	case previous:
		return string(l.previous.text), nil
	case l.current == nil:
		reason := "ContainerCreating"
		if p, ok := k.pods[pod.UID]; ok {
			if w := p.named(container).status.State.Waiting; w != nil {
				reason = w.Reason
			}
		}
		return "", fmt.Errorf("container %q in pod %q is waiting to start: %s", container, pod.Name, reason)
	}
	return string(l.current.text), nil
}

// Process is the running process of a container; nil if it does not run.
func (k *Kubelet) Process(pod *corev1.Pod, container string) *host.Process {
	if p, ok := k.pods[pod.UID]; ok && !k.group.Dead() {
		if c := p.named(container); c != nil {
			return c.process
		}
	}
	return nil
}

// Kill ends a container's process by SIGKILL; reason is what its status says,
// "Error" or "OOMKilled". False if it does not run.
func (k *Kubelet) Kill(pod *corev1.Pod, container, reason string) bool {
	if k.Process(pod, container) == nil {
		return false
	}
	c := k.pods[pod.UID].named(container)
	c.killedFor = reason
	c.attempt.Kill()
	return true
}

func (k *Kubelet) secret(namespace, name string) (*corev1.Secret, bool) {
	o, ok := k.API.View(&corev1.Secret{}, client.ObjectKey{Namespace: namespace, Name: name})
	if !ok {
		return nil, false
	}
	return o.(*corev1.Secret), true
}

func (k *Kubelet) configMap(namespace, name string) (*corev1.ConfigMap, bool) {
	o, ok := k.API.View(&corev1.ConfigMap{}, client.ObjectKey{Namespace: namespace, Name: name})
	if !ok {
		return nil, false
	}
	return o.(*corev1.ConfigMap), true
}

func (k *Kubelet) services(namespace string, links bool) []*corev1.Service {
	var all []*corev1.Service
	if o, ok := k.API.View(&corev1.Service{}, client.ObjectKey{Namespace: "default", Name: "kubernetes"}); ok {
		all = append(all, o.(*corev1.Service))
	}
	if links {
		k.API.Each(&corev1.Service{}, namespace, func(o client.Object) { all = append(all, o.(*corev1.Service)) })
	}
	return all
}

func (k *Kubelet) allocatable() corev1.ResourceList {
	if o, ok := k.API.View(&corev1.Node{}, client.ObjectKey{Name: k.Node}); ok {
		return o.(*corev1.Node).Status.Allocatable
	}
	return nil
}
