package door

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/log"
)

// Doors are all the ways out of the operator.
type Doors struct {
	Client client.Client
	Pods   PodLogs
	Exec   exec.Executor
	Files  host.Files
	Clock  clock.PassiveClock
	IDs    id.Source
	Log    log.Logger
	Events Events
}

// PodLogs reads what a container wrote.
type PodLogs interface {
	// PodLog returns the log of a pod's container so far. A pod that is not
	// there is a Kubernetes NotFound error; a container that has not started
	// is a BadRequest.
	PodLog(ctx context.Context, namespace, pod, container string) (string, error)
}

// Events tells people what they must know, as Kubernetes Events.
type Events interface {
	// Event is about an object; eventType is corev1.EventTypeNormal or
	// corev1.EventTypeWarning; reason is one word in CamelCase. Repeats of one
	// text are counted, not piled up.
	Event(about client.Object, eventType, reason, message string)
}

// Types of event, repeated here so that callers need not import core/v1.
const (
	Normal  = corev1.EventTypeNormal
	Warning = corev1.EventTypeWarning
)
