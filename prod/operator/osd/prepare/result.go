package prepare

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// ResultKey is the data key of the result in its ConfigMap.
const ResultKey = "status"

// AgainKey is the data key, in the same ConfigMap, of a mark that has the node
// looked at again whenever it changes.
const AgainKey = "again"

// Phase is how far a node's job has come.
type Phase string

// The phases of a job.
const (
	Orchestrating Phase = "orchestrating"
	Completed     Phase = "completed"
	Failed        Phase = "failed"
)

// Result is what became of a node's devices and directories.
type Result struct {
	Phase Phase `json:"status"`
	// Hash is that of the request that the job worked on.
	Hash string `json:"hash"`
	// Message says why it failed.
	Message string `json:"message,omitempty"`
	// OSDs are all OSDs of this cluster on the node.
	OSDs []OSD `json:"osds"`
	// Lost are OSDs that earlier runs found and this one did not, and that Ceph
	// still has: their disks were wiped, replaced, or moved.
	Lost []OSD `json:"lost,omitempty"`
	// Unused are the devices and directories without an OSD, with the reason.
	Unused []v1.UnusedDevice `json:"unused,omitempty"`
	// Again is the mark that stands beside the result under [AgainKey].
	Again string `json:"-"`
}

// OSD is an OSD that is ready to be started.
type OSD struct {
	ID   int    `json:"id"`
	UUID string `json:"uuid"`
	// Store is bluestore or filestore.
	Store v1.Setting `json:"store"`
	// Device is the name of the device that carries it; empty for a directory.
	Device string `json:"device,omitempty"`
	// Directory is the host directory that carries it; empty for a device.
	Directory string `json:"directory,omitempty"`
}

// On is what carries the OSD, for people.
func (o OSD) On() string {
	if o.Directory != "" {
		return o.Directory
	}
	return o.Device
}

// maxName is how long a name may be that also becomes the value of a label.
const maxName = 63

// Name is prefix, node and suffix joined by "-"; a node's name that would make
// it too long is replaced by its hash.
func Name(prefix, node, suffix string) string {
	if suffix != "" {
		suffix = "-" + suffix
	}
	if len(prefix)+1+len(node)+len(suffix) > maxName {
		sum := sha256.Sum256([]byte(node))
		node = hex.EncodeToString(sum[:8])
	}
	return prefix + "-" + node + suffix
}

// ResultName is the name of a node's ConfigMap.
func ResultName(node string) string { return Name(resultPrefix, node, resultSuffix) }

// ResultNode is the node that stands in the name of a ConfigMap, "" if none
// does. Where [Name] has put a hash, that comes back.
func ResultNode(name string) string {
	node, ok := strings.CutPrefix(name, resultPrefix+"-")
	if node, ends := strings.CutSuffix(node, "-"+resultSuffix); ok && ends {
		return node
	}
	return ""
}

const (
	resultPrefix = "rook-ceph-osd"
	resultSuffix = "status"
)

// DecodeResult reads a node's ConfigMap. One in which nothing is written yet is
// the zero result.
func DecodeResult(cm *corev1.ConfigMap) (Result, error) {
	text := cm.Data[ResultKey]
	if text == "" {
		return Result{}, nil
	}
	var r Result
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Result{}, fmt.Errorf("ConfigMap %s/%s has a %q that cannot be read: %w", cm.Namespace, cm.Name, ResultKey, err)
	}
	return r, nil
}

// tries is how often a report is written again after a lost race.
const tries = 5

// report changes the result in the ConfigMap, which the operator has made
// before it started the job.
func report(ctx context.Context, c client.Client, env Env, change func(*Result)) error {
	key := client.ObjectKey{Namespace: env.Namespace, Name: ResultName(env.Request.Node)}
	var err error
	for range tries {
		var cm corev1.ConfigMap
		if err := c.Get(ctx, key, &cm); err != nil {
			return fmt.Errorf("failed to get ConfigMap %s: %w", key, err)
		}
		result, err := DecodeResult(&cm)
		if err != nil {
			result = Result{} // whatever it was, it is written anew
		}
		change(&result)
		text, err := json.Marshal(result)
		if err != nil {
			return err
		}
		if cm.Data == nil {
			cm.Data = map[string]string{}
		}
		cm.Data[ResultKey] = string(text)
		if err = c.Update(ctx, &cm); err == nil {
			return nil
		}
		if !apierrors.IsConflict(err) {
			return fmt.Errorf("failed to write ConfigMap %s: %w", key, err)
		}
	}
	return fmt.Errorf("failed to write ConfigMap %s %d times: %w", key, tries, err)
}

// RemovedReason is why a device is not used that still carries an OSD which was
// removed from the cluster.
func RemovedReason(id int) string {
	return fmt.Sprintf("it carries osd.%d, which was removed from the cluster: wipe it to use it again", id)
}
