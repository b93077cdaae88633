package cleanup

import (
	"encoding/json"
	"fmt"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// RequestEnv is the environment variable of the job that holds the [Request].
const RequestEnv = "TIDEPOOL_CLEANUP_REQUEST"

// Where the job sees the host's directories.
const dataMount = "/cleanup/data"

func directoryMount(i int) string { return fmt.Sprintf("/cleanup/directory-%d", i) }

// Request is what a node's job is asked to do.
type Request struct {
	// Node is the node's hostname label.
	Node string `json:"node"`
	// Namespace is the cluster's.
	Namespace string `json:"namespace"`
	// FSID is the cluster's; nothing of any other is touched.
	FSID string `json:"fsid"`
	// DataDir is spec.dataDirHostPath.
	DataDir string `json:"dataDir"`
	// Directories of the host are those that OSDs were made in.
	Directories []string `json:"directories,omitempty"`
	// Disks is how the OSDs' disks are wiped.
	Disks v1.SanitizeDisksSpec `json:"disks,omitzero"`
}

// Encode is the request as [RequestEnv] holds it.
func (r Request) Encode() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data: cannot be
	}
	return string(text)
}

// ParseEnv reads the job's environment.
func ParseEnv(getenv func(string) string) (Request, error) {
	text := getenv(RequestEnv)
	if text == "" {
		return Request{}, fmt.Errorf("the environment has no %s: cleanup is run by the operator's job", RequestEnv)
	}
	var r Request
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		return Request{}, fmt.Errorf("%s cannot be read: %w", RequestEnv, err)
	}
	if r.FSID == "" || r.Namespace == "" {
		return Request{}, fmt.Errorf("%s names no cluster, and nothing is wiped without knowing whose it is", RequestEnv)
	}
	return r, nil
}
