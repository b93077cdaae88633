package sim

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/prod/api/crd"
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	operatorcluster "github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/sim/ceph"
	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/cluster"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Users of the API server, as the trace names them.
const (
	operatorUser = "operator"
	personUser   = "person"
)

// World is a simulated world.
type World struct {
	loop    *loop.Loop
	network *host.Network
	api     *kube.API
	cluster *cluster.Cluster
	ceph    *ceph.Sim
	toolbox *host.Machine
	last    *ring

	operator      *loop.Group // nil while it is stopped
	cache         *kube.Cache // of the operator
	delay         time.Duration
	operatorHost  *host.Machine
	operatorFiles *host.View
	operatorEnv   map[string]string
	managers      []*manager // of the operator that runs, or ran last

	log      []world.LogLine
	runs     []world.Run
	writes   []world.Write
	passes   []world.Pass
	pins     []pin
	logPins  map[string]*world.Log // by container
	refusals []refusal
	slow     []slowness
	events   []world.Event
	effects  []world.Effect
	faults   []world.Fault
	drains   map[string]*drain // by node
	mons     *monWatch         // nil: nobody looks
	pgs      *pgWatch          // nil: nobody looks
	nodes    int
}

type pin struct {
	words  string
	answer *world.Answer
}

type slowness struct {
	words string
	takes time.Duration
}

type refusal struct {
	verb, kind string
	count      int
	err        error
}

var _ world.World = (*World)(nil)

// definitions compiles the CRDs once a process; they never change.
var definitions = sync.OnceValues(func() (*kube.Definitions, error) {
	crds, err := crd.All()
	if err != nil {
		return nil, err
	}
	return kube.Compile(crds)
})

// scheme is made once a process as well; nobody adds to it.
var scheme = sync.OnceValues(func() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	return s, errors.Join(clientscheme.AddToScheme(s), apiextensionsv1.AddToScheme(s), v1.AddToScheme(s))
})

// New makes a world in which the operator runs and there is no node yet. The
// trace goes to trace.
func New(seed uint64, trace io.Writer) (*World, error) {
	defs, err := definitions()
	if err != nil {
		return nil, err
	}
	s, err := scheme()
	if err != nil {
		return nil, err
	}
	l := loop.New(seed)
	w := &World{loop: l, network: host.NewNetwork(), last: &ring{next: trace}, logPins: map[string]*world.Log{}, drains: map[string]*drain{}, operatorEnv: map[string]string{operatorcluster.EnvNamespace: "rook-ceph-system"}}
	l.TraceTo(w.last)
	w.api = kube.NewWith(l, s, defs)
	w.ceph = ceph.New(l, w.network)
	w.cluster = cluster.New(l, w.network, w.api, w.pull)
	w.toolbox = host.NewMachine(l, w.network, "toolbox", "192.168.72.250")
	w.operatorHost = host.NewMachine(l, w.network, "operator", "192.168.72.251")
	w.api.OnRequest(w.request)
	return w, w.StartOperator()
}

// request sees what the operator asks of the API server.
func (w *World) request(r kube.Request) error {
	if r.User != operatorUser {
		return nil
	}
	for i := range w.refusals {
		f := &w.refusals[i]
		if f.count == 0 || f.verb != r.Verb || f.kind != r.Kind.Kind {
			continue
		}
		if f.count > 0 {
			f.count--
		}
		if apierrors.ReasonForError(f.err) != metav1.StatusReasonUnknown {
			return f.err
		}
		return apierrors.NewInternalError(f.err)
	}
	if r.Writes() {
		if w.loop.InProcess() {
			w.loop.Sleep(requestLatency)
		}
		if r.Kind.Kind != "Event" {
			w.writes = append(w.writes, world.Write{At: w.loop.Now(), Verb: r.Verb, Kind: r.Kind.Kind, Key: r.Key})
		}
	}
	return nil
}

// requestLatency is how long the API server takes for a write.
const requestLatency = 2 * time.Millisecond

// Until lets virtual time pass until check returns nil. It looks whenever
// something has changed in Kubernetes, and at least every lookAgain.
func (w *World) Until(limit time.Duration, check func() error) error {
	var (
		err      error
		revision int64 = -1
		looked   time.Time
	)
	done := w.loop.RunUntil(func() bool {
		w.observe()
		w.observePGs()
		if r := w.api.Revision(); r == revision && w.loop.Since(looked) < lookAgain {
			return false
		}
		err = check()
		revision, looked = w.api.Revision(), w.loop.Now()
		return err == nil
	}, limit)
	if done {
		return nil
	}
	return check()
}

// lookAgain is how long something that does not show in Kubernetes, such as
// Ceph's own state, may stay unnoticed.
const lookAgain = 500 * time.Millisecond

// Pass lets virtual time pass.
func (w *World) Pass(d time.Duration) {
	w.loop.RunUntil(func() bool {
		w.observe()
		w.observePGs()
		return false
	}, d)
}

// Now is the virtual time.
func (w *World) Now() time.Time { return w.loop.Now() }

// AddNode adds a machine with a kubelet.
func (w *World) AddNode(n world.Node) error {
	w.nodes++
	spec := cluster.NodeSpec{
		Name: n.Name, Hostname: n.Hostname, Addr: n.Addr, Labels: n.Labels, CPU: n.CPU, Memory: n.Memory,
	}
	if spec.Hostname == "" {
		spec.Hostname = n.Name
	}
	if spec.Addr == "" {
		spec.Addr = fmt.Sprintf("192.168.72.%d", 100+w.nodes)
	}
	if spec.CPU == "" {
		spec.CPU = "8"
	}
	if spec.Memory == "" {
		spec.Memory = "32Gi"
	}
	for _, t := range n.Taints {
		taint, err := parseTaint(t)
		if err != nil {
			return err
		}
		spec.Taints = append(spec.Taints, taint)
	}
	for _, d := range n.Devices {
		dev, err := device(d)
		if err != nil {
			return fmt.Errorf("node %q: %w", n.Name, err)
		}
		spec.Devices = append(spec.Devices, dev)
	}
	w.cluster.AddNode(spec)
	return nil
}

func parseTaint(s string) (corev1.Taint, error) {
	kv, effect, ok := strings.Cut(s, ":")
	if !ok {
		return corev1.Taint{}, fmt.Errorf("a taint reads key=value:Effect, is %q", s)
	}
	k, v, _ := strings.Cut(kv, "=")
	return corev1.Taint{Key: k, Value: v, Effect: corev1.TaintEffect(effect)}, nil
}

func device(d world.Device) (*host.Device, error) {
	size, err := resource.ParseQuantity(d.Size)
	if err != nil {
		return nil, fmt.Errorf("disk %q: size %q: %w", d.Name, d.Size, err)
	}
	dev := &host.Device{
		Name: d.Name, Size: uint64(size.Value()), Type: "disk", Rotational: d.Rotational, ReadOnly: d.ReadOnly,
		Filesystem: d.Filesystem, Mountpoint: d.Mountpoint, Serial: "S-" + d.Name,
	}
	for i := range d.Partitions {
		dev.Partitions = append(dev.Partitions, &host.Device{
			Name: fmt.Sprintf("%s%d", d.Name, i+1), Size: dev.Size / uint64(d.Partitions), Type: "part", Rotational: d.Rotational,
		})
	}
	return dev, nil
}

// NodeFile returns the content of a file on a node.
func (w *World) NodeFile(node, file string) ([]byte, error) {
	m := w.cluster.Machine(node)
	if m == nil {
		return nil, fmt.Errorf("there is no node %q", node)
	}
	return m.Files.ReadFile(file)
}

// NodeDir returns the names in a directory of a node.
func (w *World) NodeDir(node, dir string) ([]string, error) {
	m := w.cluster.Machine(node)
	if m == nil {
		return nil, fmt.Errorf("there is no node %q", node)
	}
	return m.Files.ReadDir(dir)
}

// WriteNodeFile puts a file on a node.
func (w *World) WriteNodeFile(node, file string, data []byte) error {
	m := w.cluster.Machine(node)
	if m == nil {
		return fmt.Errorf("there is no node %q", node)
	}
	if err := m.Files.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	return m.Files.WriteFile(file, data, 0o644)
}

// RemoveNodeFile takes away a file or directory of a node.
func (w *World) RemoveNodeFile(node, file string) error {
	m := w.cluster.Machine(node)
	if m == nil {
		return fmt.Errorf("there is no node %q", node)
	}
	return m.Files.RemoveAll(file)
}

// ContainerArgs is the command line that a container runs with.
func (w *World) ContainerArgs(namespace, pod, container string) ([]string, error) {
	p := w.cluster.Process(namespace, pod, container)
	if p == nil {
		return nil, fmt.Errorf("container %q of pod %s/%s is not running", container, namespace, pod)
	}
	return p.Args, nil
}

// Client is the person's Kubernetes client.
func (w *World) Client() client.Client { return w.api.Client(personUser) }

// Apply is kubectl apply.
func (w *World) Apply(ctx context.Context, manifest string) error {
	_, err := w.api.Apply(ctx, personUser, []byte(manifest))
	return err
}

// ChangePods changes pods when they are created.
func (w *World) ChangePods(labels map[string]string, change func(*corev1.PodSpec)) {
	w.api.OnCreate(&corev1.Pod{}, func(o client.Object) {
		for k, v := range labels {
			if o.GetLabels()[k] != v {
				return
			}
		}
		change(&o.(*corev1.Pod).Spec)
	})
}

// Logs reads what containers wrote.
func (w *World) Logs() door.PodLogs { return podLogs{w} }

// AnswerLogs pins the logs of containers of that name; nil takes it back.
func (w *World) AnswerLogs(container string, log *world.Log) { w.logPins[container] = log }

// SetOperatorEnv sets an environment variable for the next start.
func (w *World) SetOperatorEnv(name, value string) { w.operatorEnv[name] = value }

// OperatorLog is what the operator logged.
func (w *World) OperatorLog() []world.LogLine { return w.log }

// OperatorRuns are the programs that the operator ran.
func (w *World) OperatorRuns() []world.Run { return w.runs }

// OperatorWrites are the operator's changes in Kubernetes.
func (w *World) OperatorWrites() []world.Write { return w.writes }

// OperatorFile returns the content of a file of the operator's container.
func (w *World) OperatorFile(file string) ([]byte, error) { return w.operatorFiles.ReadFile(file) }

// WriteOperatorFile writes a file of the operator's container.
func (w *World) WriteOperatorFile(file string, data []byte) error {
	if err := w.operatorFiles.MkdirAll(path.Dir(file), 0o755); err != nil {
		return err
	}
	return w.operatorFiles.WriteFile(file, data, 0o600)
}

// OperatorDir returns the names in a directory of the operator's container.
func (w *World) OperatorDir(dir string) ([]string, error) { return w.operatorFiles.ReadDir(dir) }

// AnswerOperator pins an answer; nil takes it away.
func (w *World) AnswerOperator(words string, answer *world.Answer) {
	w.pins = slices.DeleteFunc(w.pins, func(p pin) bool { return p.words == words })
	if answer != nil {
		w.pins = append(w.pins, pin{words, answer})
	}
}

// RefuseOperator makes the API server refuse the operator's next requests.
func (w *World) RefuseOperator(verb, kind string, count int, err error) {
	if count == 0 {
		w.refusals = slices.DeleteFunc(w.refusals, func(f refusal) bool { return f.verb == verb && f.kind == kind })
		return
	}
	w.refusals = append(w.refusals, refusal{verb, kind, count, err})
}

// SlowOperator makes commands of the operator slow; 0 takes it back.
func (w *World) SlowOperator(words string, takes time.Duration) {
	w.slow = slices.DeleteFunc(w.slow, func(s slowness) bool { return s.words == words })
	if takes > 0 {
		w.slow = append(w.slow, slowness{words, takes})
	}
}

// DelayOperator makes the operator read what was some time ago.
func (w *World) DelayOperator(d time.Duration) {
	w.delay = d
	if w.operator != nil {
		w.cache.Delay(d)
	}
}

// Ceph runs ceph in a toolbox: a container with the cluster's configuration and
// the admin's keyring.
func (w *World) Ceph(ctx context.Context, namespace string, args ...string) (exec.Result, error) {
	return w.runInToolbox(ctx, namespace, exec.Command{Program: "ceph", Args: append([]string{"--connect-timeout=5"}, args...)})
}

// Rados does so with the program rados.
func (w *World) Rados(ctx context.Context, namespace string, args ...string) (exec.Result, error) {
	return w.runInToolbox(ctx, namespace, exec.Command{Program: "rados", Args: args})
}

func (w *World) runInToolbox(ctx context.Context, namespace string, cmd exec.Command) (exec.Result, error) {
	var config, keyring corev1.Secret
	c := w.Client()
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "rook-ceph-config"}, &config); err != nil {
		return exec.Result{}, err
	}
	if err := c.Get(ctx, client.ObjectKey{Namespace: namespace, Name: "rook-ceph-admin-keyring"}, &keyring); err != nil {
		return exec.Result{}, err
	}
	files := host.NewFS()
	err := errors.Join(
		files.MkdirAll("/etc/ceph", 0o755),
		files.MkdirAll("/tmp", 0o777),
		files.WriteFile("/etc/ceph/ceph.conf", fmt.Appendf(nil, "[global]\nmon host = %s\n", config.Data["mon_host"]), 0o644),
		files.WriteFile("/etc/ceph/keyring", keyring.Data["keyring"], 0o600),
	)
	if err != nil {
		return exec.Result{}, err
	}
	ex := &host.Executor{
		Machine: w.toolbox, Files: host.NewView(files), Addr: w.toolbox.Addr,
		Image: w.ceph.Image(operatorCeph), Group: w.toolbox.Running,
	}
	var res exec.Result
	done := false
	w.loop.Go("toolbox", func() {
		res, err = ex.Run(ctx, cmd)
		done = true
	})
	if !w.loop.RunUntil(func() bool { return done }, 2*exec.DefaultTimeout) {
		return res, fmt.Errorf("%s: %w in the toolbox", cmd, exec.ErrTimeout)
	}
	return res, err
}

// Trace returns the last lines of what happened.
func (w *World) Trace(lines int) string { return w.last.tail(lines) }

// Close ends all that runs.
func (w *World) Close() { w.loop.Close() }
