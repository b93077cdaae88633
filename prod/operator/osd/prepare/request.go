package prepare

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// RequestEnv is the environment variable of the job that holds the [Request].
const RequestEnv = "TIDEPOOL_OSD_REQUEST"

// NamespaceEnv is the environment variable that names the job's namespace (S120).
const NamespaceEnv = "POD_NAMESPACE"

// Request is what a node's job is asked to do.
type Request struct {
	// Node is the node's hostname label.
	Node string `json:"node"`
	// NodeUID is the UID of the Node: what was found on a machine says nothing
	// about another that took its name.
	NodeUID types.UID `json:"nodeUID,omitempty"`
	// FSID is the cluster's; OSDs of any other are left alone.
	FSID string `json:"fsid"`
	// Version is that of the image the job runs in.
	Version ceph.Version `json:"version"`
	// Storage is what holds for the node, all levels merged (S16).
	Storage v1.Node `json:"storage"`
	// Again is the mark of the last wish to look at the node's devices once more
	// (AgainKey of its ConfigMap), "" for none.
	Again string `json:"again,omitempty"`
}

// Hash tells whether two requests ask for the same OSDs. The version and the
// resources of the daemons do not count: they change nothing on the devices.
func (r Request) Hash() string {
	r.Version = ceph.Version{}
	r.Storage.Resources = corev1.ResourceRequirements{}
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data: cannot be
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// Encode is the request as [RequestEnv] holds it.
func (r Request) Encode() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data: cannot be
	}
	return string(text)
}

// Env is what the job is told by its environment.
type Env struct {
	Request   Request
	Namespace string
}

// ParseEnv reads the job's environment.
func ParseEnv(getenv func(string) string) (Env, error) {
	env := Env{Namespace: getenv(NamespaceEnv)}
	if env.Namespace == "" {
		return Env{}, fmt.Errorf("the environment has no %s: osd-prepare is run by the operator's job", NamespaceEnv)
	}
	text := getenv(RequestEnv)
	if text == "" {
		return Env{}, fmt.Errorf("the environment has no %s: osd-prepare is run by the operator's job", RequestEnv)
	}
	if err := json.Unmarshal([]byte(text), &env.Request); err != nil {
		return Env{}, fmt.Errorf("%s cannot be read: %w", RequestEnv, err)
	}
	return env, nil
}
