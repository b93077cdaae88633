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
	// WriteNodeFile puts a file on a node, with the directories above it.
	WriteNodeFile(node, path string, data []byte) error
	// RemoveNodeFile takes away a file or directory of a node, whole.
	RemoveNodeFile(node, path string) error
	// Reboot cuts a node's power and starts it again.
	Reboot(node string) error
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
	// FailOperator makes one of the operator's effects go wrong, once. An operator
	// that is killed so is started again by Kubernetes.
	FailOperator(Fault)
	// FaultsLeft are the faults that have not happened.
	FaultsLeft() []Fault
	// RefuseOperator makes the API server answer the operator's next requests
	// of that verb and kind with an error; count 0 takes it back.
	RefuseOperator(verb, kind string, count int, err error)

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
