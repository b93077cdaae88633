package pass

import (
	"context"
	"fmt"
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// Pass is what the steps of one pass share. Each pass has its own deep copy of
// the cluster (S62).
type Pass struct {
	door.Doors
	// Cluster carries the spec in effect: what the user wrote, with the
	// defaults of S36-S37 applied in memory (S39), and with the image in effect
	// where the one that the user wrote is not known yet or may not run.
	Cluster *v1.CephCluster
	// Settings are those of the operator itself.
	Settings
	// Version is that of the image in effect, as detected (S41-S48).
	Version ceph.Version
	// NextImage is the image that the spec asks for, as long as its version is not
	// known: nothing is replaced meanwhile for the sake of another one.
	NextImage string
	// Identity is filled by the identity step (S67-S74).
	Identity Identity
	// Ceph administers the cluster; usable once the identity step has written
	// the operator's configuration (S75).
	Ceph *ceph.Admin
	// SaveStatus writes the status of Cluster at once, for what must be known
	// before the pass goes on (design rule 4). At the end of a pass it is written
	// anyway.
	SaveStatus func(ctx context.Context) error

	pending []*Waiting
	held    error
	again   time.Duration
}

// Identity is what makes the cluster this one and no other.
type Identity struct {
	FSID     string
	MonKey   secret.Value
	AdminKey secret.Value
	// Mons by name, as recorded in rook-ceph-mon-endpoints (S80).
	Mons map[string]Mon
	// MaxMonID is the highest mon id ever given out, -1 for none; ids are not
	// given out again (S86).
	MaxMonID int
	// Record is the ConfigMap that the mons were read from, or written to last; nil
	// if there is none. What is decided by it is not written over a newer one.
	Record *corev1.ConfigMap
	// Ports is the "port" part of the recorded mapping (S80), kept as it is.
	Ports map[string]int32
}

// Mon is a mon as recorded.
type Mon struct {
	Name string
	// Endpoint is "ip:port".
	Endpoint string
	// Node is where it is pinned to; nil if not recorded.
	Node *MonNode
}

// MonNode is the node a mon is pinned to (S80: Name, Hostname, Address).
type MonNode struct {
	Name     string
	Hostname string
	Address  string
}

// Waiting says what a step waits for.
type Waiting struct {
	// Reason is one CamelCase word for the condition.
	Reason string
	// For is the sentence that follows "waiting for ".
	For string
	// Again is when to look again if no event comes before; 0 leaves it to the
	// reconciler's back-off.
	Again time.Duration
}

func (w *Waiting) Error() string { return "waiting for " + w.For }

// WaitFor makes a Waiting.
func WaitFor(reason string, again time.Duration, format string, args ...any) *Waiting {
	return &Waiting{Reason: reason, Again: again, For: fmt.Sprintf(format, args...)}
}
