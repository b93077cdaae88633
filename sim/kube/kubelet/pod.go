package kubelet

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube/scheduler"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// How long things take, between two bounds each.
const (
	networkLeast, networkMost = 100 * time.Millisecond, 400 * time.Millisecond
	refreshLeast, refreshMost = 5 * time.Second, 75 * time.Second // of a mounted secret or config map
	mountRetryFirst           = 500 * time.Millisecond
	mountRetryMost            = 122 * time.Second
)

// pod is a pod on this node.
type pod struct {
	k      *Kubelet
	uid    types.UID
	key    client.ObjectKey
	object *corev1.Pod // as last heard of
	group  *loop.Group // of its containers

	started metav1.Time
	addr    string
	volumes map[string]volume
	// mounting is the timer of the next attempt to set volumes up.
	mounting   *loop.Timer
	mountRetry time.Duration
	inits      []*container
	mains      []*container
	next       int // index of the init container whose turn it is

	failed  *failure // the pod as a whole has failed
	over    bool     // it was over before this kubelet knew it
	done    bool     // nothing of it will run any more
	ending  bool
	removed bool // it is not in the API any more
	killer  *loop.Timer
}

// failure is why a pod failed apart from its containers.
type failure struct{ reason, message string }

// take makes the kubelet's record of a pod.
func (k *Kubelet) take(object *corev1.Pod) *pod {
	p := &pod{
		k: k, uid: object.UID, key: client.ObjectKeyFromObject(object), object: object,
		group: k.Machine.Running.NewGroup(object.Namespace + "/" + object.Name), started: metav1.NewTime(k.Loop.Now()),
		mountRetry: mountRetryFirst,
	}
	if t := object.Status.StartTime; t != nil {
		p.started = *t
	}
	for i := range object.Spec.InitContainers {
		p.inits = append(p.inits, newContainer(p, &object.Spec.InitContainers[i], true))
	}
	for i := range object.Spec.Containers {
		p.mains = append(p.mains, newContainer(p, &object.Spec.Containers[i], false))
	}
	if phase := object.Status.Phase; phase == corev1.PodSucceeded || phase == corev1.PodFailed {
		p.done, p.over = true, true
	} else {
		p.restore()
	}
	k.pods[p.uid] = p
	for _, r := range references(object) {
		at := referent{p.key.Namespace, r}
		if k.users[at] == nil {
			k.users[at] = map[types.UID]*pod{}
		}
		k.users[at][p.uid] = p
	}
	return p
}

func (p *pod) named(container string) *container {
	for _, c := range p.all() {
		if c.spec.Name == container {
			return c
		}
	}
	return nil
}

func (p *pod) all() []*container { return slices.Concat(p.inits, p.mains) }

func (p *pod) place() place { return place{podIP: p.addr, hostIP: p.k.Machine.Addr} }

func (p *pod) home() string { return path.Join("/var/lib/kubelet/pods", string(p.uid)) }

// publish writes the pod's status a little later.
func (p *pod) publish() { p.k.writes.Add(p.uid) }

// begin takes a pod up: a new one, or one that was here before the boot.
func (p *pod) begin() {
	if reason, message := p.admission(); reason != "" {
		p.fail(reason, message)
		return
	}
	if s := p.object.Spec.ActiveDeadlineSeconds; s != nil {
		left := p.started.Add(time.Duration(*s) * time.Second).Sub(p.k.Loop.Now())
		p.group.After(left, "pod deadline", func() {
			p.fail("DeadlineExceeded", "Pod was active on the node longer than the specified deadline")
		})
	}
	p.publish()
	p.setUp()
}

// admission checks whether the node can have the pod beside those it has.
func (p *pod) admission() (reason, message string) {
	node, ok := p.k.API.View(&corev1.Node{}, client.ObjectKey{Name: p.k.Node})
	if !ok {
		return "", ""
	}
	var others []*corev1.Pod
	for _, other := range inOrder(p.k.pods) {
		if other != p && !other.done {
			others = append(others, other.object)
		}
	}
	return scheduler.NewNode(node.(*corev1.Node), others...).Admit(p.object)
}

// fail ends the pod for a reason that is not a container's.
func (p *pod) fail(reason, message string) {
	if p.done || p.ending {
		return
	}
	p.failed = &failure{reason, message}
	p.k.events.Event(p.object, corev1.EventTypeWarning, reason, message)
	p.finish()
}

// finish ends whatever of the pod still runs, and says so.
func (p *pod) finish() {
	p.done = true
	for _, c := range p.all() {
		c.attempt.Kill()
	}
	p.group.Kill()
	p.releaseAddr()
	p.publish()
}

func (p *pod) releaseAddr() {
	if p.addr != "" && !p.object.Spec.HostNetwork {
		p.k.Addresses.giveBack(p.addr)
	}
}

// setUp sets the volumes up; if that fails, again later, and at once when an
// object that the pod refers to changes.
func (p *pod) setUp() {
	p.mounting.Stop()
	p.mounting = nil
	made := map[string]volume{}
	for i := range p.object.Spec.Volumes {
		v := &p.object.Spec.Volumes[i]
		m, err := makeVolume(p.object, v, p.place(), p.k.Machine, p.home(), p.k)
		if err != nil {
			p.notMounted(v.Name, err)
			return
		}
		made[v.Name] = m
	}
	p.volumes = made
	p.group.After(p.k.within(networkLeast, networkMost), "pod network", p.connect)
}

func (p *pod) notMounted(name string, err error) {
	text := fmt.Sprintf("MountVolume.SetUp failed for volume %q : %v", name, err)
	if errors.Is(err, errVolume) {
		text = fmt.Sprintf("Unable to attach or mount volumes: unmounted volumes=[%s]: %v", name, err)
	}
	p.k.events.Event(p.object, corev1.EventTypeWarning, "FailedMount", text)
	p.mounting = p.group.After(p.mountRetry, "mount volumes again", p.setUp)
	p.mountRetry = min(2*p.mountRetry, mountRetryMost)
}

// connect gives the pod its address and starts its first container.
func (p *pod) connect() {
	if p.object.Spec.HostNetwork {
		p.addr = p.k.Machine.Addr
	} else if p.addr = p.k.Addresses.take(); p.addr == "" {
		p.k.events.Event(p.object, corev1.EventTypeWarning, "FailedCreatePodSandBox",
			"Failed to create pod sandbox: no IP addresses available in range set: "+p.k.Addresses.CIDR())
		p.group.After(backoffFirst, "pod network again", p.connect)
		return
	}
	p.proceed()
}

// proceed starts what is due: the next init container, or all containers.
func (p *pod) proceed() {
	p.publish()
	if p.next < len(p.inits) {
		p.inits[p.next].start()
		return
	}
	for _, c := range p.mains {
		c.start()
	}
}

// settled finds out whether nothing of the pod will run any more.
func (p *pod) settled() {
	over := func(c *container) bool { return c.status.State.Terminated != nil && !c.restarts() }
	if p.next < len(p.inits) {
		if over(p.inits[p.next]) {
			p.finish()
		}
		return
	}
	if !slices.ContainsFunc(p.mains, func(c *container) bool { return !over(c) }) {
		p.finish()
	}
}

// referred is called when an object that the pod refers to has changed.
func (p *pod) referred() {
	switch {
	case p.done || p.ending:
	case p.mounting != nil:
		p.setUp()
	default:
		for _, c := range p.all() {
			c.referred()
		}
		if p.volumes != nil {
			p.group.After(p.k.within(refreshLeast, refreshMost), "refresh volumes", p.refresh)
		}
	}
}

// refresh brings mounted secrets and config maps up to date. An object that is
// gone, or lacks a key, leaves what was there.
func (p *pod) refresh() {
	for i := range p.object.Spec.Volumes {
		v := &p.object.Spec.Volumes[i]
		if v.ConfigMap == nil && v.Secret == nil && v.Projected == nil {
			continue
		}
		files, err := content(p.object, v, p.place(), p.k)
		if err != nil {
			continue
		}
		to := p.volumes[v.Name].fs
		keep := map[string]bool{}
		for _, f := range files {
			keep[firstElement(f.path)] = true
		}
		names, _ := to.ReadDir("/") // a root can be read
		for _, name := range names {
			if !keep[name] && !p.mountsInto(v.Name, name) {
				_ = to.RemoveAll("/" + name) // nothing holds it
			}
		}
		_ = writeAll(to, files) // it could be written when it was made
	}
}

// mountsInto says whether a container mounts another volume at that name inside
// the volume, so that a mount point stands there.
func (p *pod) mountsInto(volumeName, name string) bool {
	for _, c := range p.all() {
		outer := slices.DeleteFunc(slices.Clone(c.spec.VolumeMounts), func(m corev1.VolumeMount) bool { return m.Name != volumeName })
		for _, m := range outer {
			point := path.Join(m.MountPath, name)
			if slices.ContainsFunc(c.spec.VolumeMounts, func(in corev1.VolumeMount) bool {
				in.MountPath = path.Clean(in.MountPath)
				return in.MountPath == point || len(in.MountPath) > len(point) && in.MountPath[:len(point)+1] == point+"/"
			}) {
				return true
			}
		}
	}
	return false
}

func firstElement(name string) string {
	for dir := path.Dir(name); dir != "." && dir != "/"; dir = path.Dir(name) {
		name = dir
	}
	return path.Base(name)
}

// forget drops everything that the node has of the pod.
func (p *pod) forget() {
	k := p.k
	delete(k.pods, p.uid)
	delete(k.Disk.logs, p.uid)
	for _, r := range references(p.object) {
		delete(k.users[referent{p.key.Namespace, r}], p.uid)
	}
	maps.DeleteFunc(k.users, func(_ referent, users map[types.UID]*pod) bool { return len(users) == 0 })
	_ = k.Machine.Files.RemoveAll(p.home()) // its own directory
}
