package world

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

// World is where one scenario takes place.
type World interface {
	// Until lets time pass until check returns nil, at most limit, and returns
	// check's last error if it never did.
	Until(limit time.Duration, check func() error) error
	// Pass lets time pass.
	Pass(d time.Duration)
	// Now is the time in the world.
	Now() time.Time

	// AddNode adds a machine to the Kubernetes cluster.
	AddNode(Node) error
	// NodeFile returns the content of a file on a node.
	NodeFile(node, path string) ([]byte, error)
	// NodeDir returns the names in a directory of a node.
	NodeDir(node, path string) ([]string, error)
	// WriteNodeFile puts a file on a node, with the directories above it.
	WriteNodeFile(node, path string, data []byte) error
	// RemoveNodeFile takes away a file or directory of a node, whole.
	RemoveNodeFile(node, path string) error
	// MoveNodeFile gives a file or directory of a node another path.
	MoveNodeFile(node, from, to string) error
	// NodeHolds lists what a node holds: "/path hash" of each file, "/path/" of each
	// directory, and "disk sdb" of each disk, with what lies on it.
	NodeHolds(node string) ([]string, error)
	// Reboot cuts a node's power and starts it again.
	Reboot(node string) error
	// Readdress restarts a node, which comes back with another IP address.
	Readdress(node, addr string) error
	// PowerOff cuts a node's power, PowerOn gives it back: the node boots.
	PowerOff(node string) error
	PowerOn(node string) error
	// RemoveNode takes a node out of Kubernetes for good, its machine with it.
	RemoveNode(node string) error
	// Isolate cuts the network between a node with its pods and all other
	// machines, Rejoin makes it whole. The control plane still hears the kubelet.
	Isolate(node string) error
	Rejoin(node string) error
	// SetClock says by how much a node's clock is ahead.
	SetClock(node string, ahead time.Duration) error
	// Drain starts kubectl drain: the node is cordoned, and its pods are evicted
	// again and again until none is left but those of DaemonSets.
	Drain(node string) error
	// Draining are the pods that a drain still waits for, each with the last
	// answer to its eviction. Without a drain there is none.
	Draining(node string) []string
	// AddDevice plugs a disk into a node, WipeDevice empties one, RemoveDevice
	// takes it away.
	AddDevice(node string, d Device) error
	WipeDevice(node, device string) error
	RemoveDevice(node, device string) error
	// ProtectDevice makes a disk one that cannot be written any more.
	ProtectDevice(node, device string) error
	// KillContainer ends a container's process as a crash would.
	KillContainer(namespace, pod, container string) error
	// ContainerArgs is the command line that a container runs with, after the
	// kubelet has put in what the pod's spec refers to.
	ContainerArgs(namespace, pod, container string) ([]string, error)

	// Client is the Kubernetes client of the person in the scenario.
	Client() client.Client
	// Apply is kubectl apply; the error is what kubectl prints.
	Apply(ctx context.Context, manifest string) error
	// ChangePods makes a mutating webhook change the pods with these labels when
	// they are created.
	ChangePods(labels map[string]string, change func(*corev1.PodSpec))
	// Logs reads what containers wrote, those that have ended included.
	Logs() door.PodLogs
	// AnswerLogs pins what [World.Logs] reads of containers of that name, until it
	// is called with nil.
	AnswerLogs(container string, log *Log)

	// StartOperator starts the operator, StopOperator kills it. Starting it
	// again is a restart with empty memory.
	StartOperator() error
	StopOperator()
	// SetOperatorEnv sets an environment variable for the next start.
	SetOperatorEnv(name, value string)
	// OperatorLog is what the operator logged since the scenario began.
	OperatorLog() []LogLine
	// OperatorRuns are the programs that the operator ran, oldest first.
	OperatorRuns() []Run
	// OperatorWrites are the changes that the operator made in Kubernetes,
	// oldest first.
	OperatorWrites() []Write
	// OperatorPasses are the operator's reconciles, oldest first.
	OperatorPasses() []Pass
	// OperatorWatches are the kinds that the API server tells the operator of,
	// sorted, each as often as it does; none while it is stopped.
	OperatorWatches() []string
	// HandOperator hands the operator an object as if it had been added to the
	// kind that it watches, whatever the object is.
	HandOperator(kind string, o client.Object) error
	// OperatorFile returns the content of a file of the operator's container.
	OperatorFile(path string) ([]byte, error)
	// WriteOperatorFile writes a file of the operator's container, with the
	// directories above it.
	WriteOperatorFile(path string, data []byte) error
	// OperatorDir returns the names in a directory of the operator's container.
	OperatorDir(path string) ([]string, error)
	// AnswerOperator pins the answer to the commands of the operator that
	// contain the words, until it is called with nil.
	AnswerOperator(words string, answer *Answer)
	// OperatorEffects are what the operator did outside itself, oldest first; a
	// fault is addressed by an effect's place in it.
	OperatorEffects() []Effect
	// OperatorEvents are what the operator was told by its watches, oldest first,
	// what they listed when they began aside. A lost one is there too.
	OperatorEvents() []Event
	// FailOperator makes one of the operator's effects or events go wrong, once.
	// An operator that is killed so is started again by Kubernetes.
	FailOperator(Fault)
	// FaultsLeft are the faults that have not happened.
	FaultsLeft() []Fault
	// RefuseOperator makes the API server answer the operator's next requests
	// of that verb and kind with an error: count of them, or all if it is
	// negative; 0 takes it back.
	RefuseOperator(verb, kind string, count int, err error)
	// SlowOperator makes the operator's commands that contain the words take that
	// long before they do anything; a deadline that is over by then ends them. 0
	// takes it back.
	SlowOperator(words string, takes time.Duration)
	// DelayOperator makes the operator read what was that long ago, and hear of
	// changes that much later. 0 takes it back.
	DelayOperator(d time.Duration)

	// WatchMons counts the mons of all clusters from now on. FewestMons is how
	// few of a cluster's mons ran and reached each other at some time since, and
	// when that was.
	WatchMons()
	FewestMons() (count int, at time.Time)
	// QuorumLost says when, since, a cluster of three mons or more had no majority
	// that ran and reached each other; "" if there was no such time.
	QuorumLost() string

	// WatchPGs counts the placement groups of all clusters from now on of which
	// fewer OSDs run than they need to serve. ShortPGs is how many there were at
	// most, and when.
	WatchPGs()
	ShortPGs() (count int, at time.Time)

	// Ceph runs a command with the admin's keyring, as from a toolbox pod of
	// the cluster in a namespace.
	Ceph(ctx context.Context, namespace string, args ...string) (exec.Result, error)
	// Rados does so with the program rados.
	Rados(ctx context.Context, namespace string, args ...string) (exec.Result, error)

	// Trace returns the last lines of what happened.
	Trace(lines int) string
	// Close ends the world.
	Close()
}

// Node is a machine of the Kubernetes cluster. What is empty is chosen.
type Node struct {
	Name     string
	Hostname string // label kubernetes.io/hostname; default is the name
	Addr     string // IP address
	Labels   map[string]string
	Taints   []string // "key=value:Effect"
	CPU      string   // quantity; default 8
	Memory   string   // quantity; default 32Gi
	Devices  []Device
}

// Device is a block device of a node.
type Device struct {
	Name       string // "sdb"
	Size       string // quantity
	Filesystem string // what it holds already
	Mountpoint string
	Rotational bool
	Partitions int
	ReadOnly   bool
}

// LogLine is a line that the operator logged.
type LogLine struct {
	At       time.Time
	Severity string // debug, info, warning, error
	Text     string
}

// Run is a run of a program.
type Run struct {
	At      time.Time
	Command exec.Command
	Result  exec.Result
	Err     error
}

// Write is a change in Kubernetes.
type Write struct {
	At   time.Time
	Verb string // create, update, patch, delete
	Kind string
	Key  client.ObjectKey
}

// Pass is a reconcile of the operator.
type Pass struct {
	At         time.Time
	Controller string // its name
	Key        client.ObjectKey
}

// Log is what a pinned log reads; with Err it cannot be read.
type Log struct {
	Text string
	Err  error
}

// Answer is what a pinned command answers instead of its own.
type Answer struct {
	Stdout, Stderr string
	ExitCode       int
	// Hang makes the command run into its deadline.
	Hang bool
}
