package kubelet

import (
	"bytes"

	"k8s.io/apimachinery/pkg/types"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Disk is what a machine's kubelet and container runtime keep over a boot.
type Disk struct {
	images map[string]host.Image
	logs   map[types.UID]map[string]*logs
}

// NewDisk is an empty disk.
func NewDisk() *Disk {
	return &Disk{images: map[string]host.Image{}, logs: map[types.UID]map[string]*logs{}}
}

// logs are those of a container that runs and of the one before it.
type logs struct{ current, previous *output }

func (d *Disk) logsOf(pod types.UID, container string) *logs {
	of := d.logs[pod]
	if of == nil {
		of = map[string]*logs{}
		d.logs[pod] = of
	}
	l := of[container]
	if l == nil {
		l = &logs{}
		of[container] = l
	}
	return l
}

// next begins the log of a new run of the container.
func (l *logs) next() *output {
	l.previous, l.current = l.current, &output{}
	return l.current
}

// outputMost bounds a container's log: beyond twice that the oldest half goes,
// as in a rotation.
const outputMost = 1 << 20 // bytes

// output is what a container wrote.
type output struct{ text []byte }

func (o *output) line(text string) {
	o.text = append(o.text, text...)
	o.text = append(o.text, '\n')
	if len(o.text) > 2*outputMost {
		rest := o.text[len(o.text)-outputMost:]
		if _, whole, found := bytes.Cut(rest, []byte("\n")); found {
			rest = whole
		}
		o.text = bytes.Clone(rest)
	}
}

// Bounds of a termination message that is taken from the log (Kubernetes API
// reference, Container v1, terminationMessagePolicy).
const (
	messageLines = 80
	messageBytes = 2048
)

// tail is the end of the output for a termination message.
func (o *output) tail() string {
	text := o.text
	if len(text) > messageBytes {
		text = text[len(text)-messageBytes:]
	}
	lines := bytes.SplitAfter(text, []byte("\n"))
	if len(lines) > messageLines+1 { // the last is what follows the last line's end
		lines = lines[len(lines)-messageLines-1:]
	}
	return string(bytes.Join(lines, nil))
}
