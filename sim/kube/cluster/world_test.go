package cluster_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/cluster"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// world is a cluster for tests, with programs that are small enough to see
// through.
type world struct {
	t       testing.TB
	loop    *loop.Loop
	network *host.Network
	api     *kube.API
	client  client.Client
	*cluster.Cluster
	// broken are images that the registry does not have.
	broken  map[string]bool
	counted map[string]bool
}

func newWorld(t testing.TB, nodes ...string) *world {
	t.Helper()
	return newSeeded(t, 1, nodes...)
}

func newSeeded(t testing.TB, seed uint64, nodes ...string) *world {
	t.Helper()
	l := loop.New(seed)
	t.Cleanup(l.Close)
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api, err := kube.New(l, scheme, nil)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, loop: l, network: host.NewNetwork(), api: api, client: api.Client("test"), broken: map[string]bool{}}
	w.Cluster = cluster.New(l, w.network, api, func(image string) (host.Image, error) {
		if w.broken[image] {
			return host.Image{}, fmt.Errorf("%s: not found", image)
		}
		return host.Image{Programs: programs()}, nil
	})
	for _, n := range nodes {
		w.AddNode(cluster.NodeSpec{Name: n})
	}
	return w
}

// programs are those of every image.
func programs() map[string]host.Program {
	return map[string]host.Program{
		"true":  func(*host.Process) int { return 0 },
		"false": func(p *host.Process) int { p.Errorf("it is false\n"); return 1 },
		"echo":  func(p *host.Process) int { p.Printf("%s\n", strings.Join(p.Args[1:], " ")); return 0 },
		"env":   func(p *host.Process) int { p.Printf("%s=%s\n", p.Args[1], p.Env[p.Args[1]]); return 0 },
		"cat": func(p *host.Process) int {
			for _, name := range p.Args[1:] {
				b, err := p.Files.ReadFile(name)
				if err != nil {
					p.Errorf("cat: %v\n", err)
					return 1
				}
				p.Printf("%s\n", b)
			}
			return 0
		},
		// sleep ignores SIGTERM, as the first process of a container does.
		"sleep": func(p *host.Process) int {
			s, _ := strconv.Atoi(p.Args[1])
			p.Sleep(time.Duration(s) * time.Second)
			return 0
		},
		// serve listens on a port and tells its name to whoever asks.
		"serve": func(p *host.Process) int {
			port, _ := strconv.Atoi(p.Args[1])
			stop, err := p.Machine.Network.Listen(p.Addr, port, p.Env["HOSTNAME"])
			if err != nil {
				p.Errorf("%v\n", err)
				return 1
			}
			p.Group.OnKill(stop)
			p.Printf("serving on %s:%d\n", p.Addr, port)
			p.Serve()
			p.Printf("asked to stop\n")
			return 0
		},
		// touch makes a file and stays.
		"touch": func(p *host.Process) int {
			if err := p.Files.WriteFile(p.Args[1], []byte("touched"), 0o644); err != nil {
				p.Errorf("%v\n", err)
				return 1
			}
			return 0
		},
	}
}

func (w *world) create(objects ...client.Object) {
	w.t.Helper()
	for _, o := range objects {
		if o.GetNamespace() == "" {
			o.SetNamespace("default")
		}
		if err := w.client.Create(context.Background(), o); err != nil {
			w.t.Fatalf("create %T %s: %v", o, o.GetName(), err)
		}
	}
}

func get[T client.Object](w *world, into T, name string) T {
	w.t.Helper()
	if err := w.client.Get(context.Background(), client.ObjectKey{Namespace: "default", Name: name}, into); err != nil {
		w.t.Fatalf("get %T %s: %v", into, name, err)
	}
	return into
}

// edit changes an object as a user would.
func edit[T client.Object](w *world, object T, name string, change func(T)) {
	w.t.Helper()
	get(w, object, name)
	change(object)
	if err := w.client.Update(context.Background(), object); err != nil {
		w.t.Fatalf("update %T %s: %v", object, name, err)
	}
}

// until lets time pass until it holds.
func (w *world) until(what string, limit time.Duration, holds func() bool) {
	w.t.Helper()
	if !w.loop.RunUntil(holds, limit) {
		w.t.Fatalf("after %v not yet: %s\n%s", limit, what, w.describe())
	}
}

// describe is what a person would look at.
func (w *world) describe() string {
	var b strings.Builder
	w.api.Each(&corev1.Pod{}, "", func(o client.Object) {
		p := o.(*corev1.Pod)
		fmt.Fprintf(&b, "pod %s on %q: %s %s %s\n", p.Name, p.Spec.NodeName, p.Status.Phase, p.Status.Reason, p.Status.Message)
		for _, c := range p.Status.Conditions {
			fmt.Fprintf(&b, "  %s=%s %s %s\n", c.Type, c.Status, c.Reason, c.Message)
		}
		for _, c := range append(p.Status.InitContainerStatuses, p.Status.ContainerStatuses...) {
			fmt.Fprintf(&b, "  %s: %v restarts %d\n", c.Name, c.State.String(), c.RestartCount)
		}
	})
	w.api.Each(&corev1.Event{}, "", func(o client.Object) {
		e := o.(*corev1.Event)
		fmt.Fprintf(&b, "event %s %s %s: %s (%d)\n", e.InvolvedObject.Name, e.Type, e.Reason, e.Message, e.Count)
	})
	return b.String()
}

// pods are the pods with a label app=name that are not on their way out.
func (w *world) pods(app string) []*corev1.Pod {
	var all []*corev1.Pod
	w.api.Each(&corev1.Pod{}, "default", func(o client.Object) {
		if p := o.(*corev1.Pod); p.Labels["app"] == app && p.DeletionTimestamp == nil {
			all = append(all, p)
		}
	})
	return all
}

func (w *world) pod(app string) *corev1.Pod {
	w.t.Helper()
	all := w.pods(app)
	if len(all) != 1 {
		w.t.Fatalf("%d pods of %s, not one\n%s", len(all), app, w.describe())
	}
	return all[0]
}

func isReady(p *corev1.Pod) bool {
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}

func (w *world) readyPods(app string) (n int) {
	for _, p := range w.pods(app) {
		if isReady(p) {
			n++
		}
	}
	return n
}

func (w *world) event(about, reason string) string {
	text := ""
	w.api.Each(&corev1.Event{}, "", func(o client.Object) {
		if e := o.(*corev1.Event); e.InvolvedObject.Name == about && e.Reason == reason {
			text = e.Message
		}
	})
	return text
}

func podSpec(command ...string) corev1.PodSpec {
	return corev1.PodSpec{Containers: []corev1.Container{{Name: "main", Image: "box:1", Command: command}}}
}

func newPod(name string, spec corev1.PodSpec) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}, Spec: spec}
}

func newDeployment(name string, replicas int32, spec corev1.PodSpec) *appsv1.Deployment {
	label := map[string]string{"app": name}
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: &replicas, Selector: &metav1.LabelSelector{MatchLabels: label},
			Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: label}, Spec: spec},
		},
	}
}

func newJob(name string, spec corev1.PodSpec) *batchv1.Job {
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyNever
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": name}}, Spec: spec,
		}},
	}
}

// ready counts the ready pods; it is asked once an event, so it keeps count.
func (w *world) ready() (n int) {
	if w.counted == nil {
		w.counted = map[string]bool{}
		w.api.Subscribe("test", &corev1.Pod{}, func(e kube.Event) {
			if e.New == nil {
				delete(w.counted, e.Old.GetName())
			} else if isReady(e.New.(*corev1.Pod)) {
				w.counted[e.New.GetName()] = true
			} else {
				delete(w.counted, e.New.GetName())
			}
		})
	}
	return len(w.counted)
}

func nodeOf(name string) cluster.NodeSpec {
	return cluster.NodeSpec{Name: name, CPU: "64", Memory: "256Gi", Pods: 200}
}

// eachNew makes a subscriber of a function for pods as they become.
func eachNew(fn func(*corev1.Pod)) func(kube.Event) {
	return func(e kube.Event) {
		if e.New != nil {
			fn(e.New.(*corev1.Pod))
		}
	}
}

type kubeEvent = kube.Event
