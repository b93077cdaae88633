package record

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Recorder writes the Events of one component.
type Recorder struct {
	loop    *loop.Loop
	client  client.Client
	source  corev1.EventSource
	written map[text]*written
	ordinal int64
}

// text is what makes two events the same.
type text struct {
	about                            types.UID
	fieldPath, kind, reason, message string
}

type written struct {
	key   client.ObjectKey
	count int32
}

// New makes a recorder for a component, such as "kubelet", on a host ("" for
// one that runs on none in particular).
func New(l *loop.Loop, api *kube.API, user, component, host string) *Recorder {
	return &Recorder{
		loop: l, client: api.Client(user), written: map[text]*written{},
		source: corev1.EventSource{Component: component, Host: host},
	}
}

// Event says something about an object: kind is corev1.EventTypeNormal or
// corev1.EventTypeWarning, reason one word. An Event that cannot be written is
// dropped, as everywhere in Kubernetes.
func (r *Recorder) Event(about client.Object, kind, reason, message string) {
	r.EventAt(about, "", kind, reason, message)
}

// EventAt is [Recorder.Event] about a part of the object, such as
// "spec.containers{mon}".
func (r *Recorder) EventAt(about client.Object, fieldPath, kind, reason, message string) {
	ctx := context.Background()
	same := text{about.GetUID(), fieldPath, kind, reason, message}
	if r.loop.Tracing() {
		r.loop.Trace(r.source.Component, "%s %s %s/%s: %s", kind, reason, about.GetNamespace(), about.GetName(), message)
	}
	if w, ok := r.written[same]; ok && r.repeat(ctx, w) {
		return
	}
	gvk, err := apiutil.GVKForObject(about, r.client.Scheme())
	if err != nil {
		return
	}
	namespace := about.GetNamespace()
	if namespace == "" {
		namespace = metav1.NamespaceDefault
	}
	now := metav1.NewTime(r.loop.Now())
	r.ordinal++ // two at one instant have different names
	e := &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace,
			Name:      fmt.Sprintf("%s.%x", about.GetName(), r.loop.Now().UnixNano()+r.ordinal),
		},
		InvolvedObject: corev1.ObjectReference{
			APIVersion: gvk.GroupVersion().String(), Kind: gvk.Kind,
			Namespace: about.GetNamespace(), Name: about.GetName(), UID: about.GetUID(),
			ResourceVersion: about.GetResourceVersion(), FieldPath: fieldPath,
		},
		Reason: reason, Message: message, Type: kind, Source: r.source,
		FirstTimestamp: now, LastTimestamp: now, Count: 1,
		ReportingController: r.source.Component, ReportingInstance: r.source.Host,
	}
	if r.client.Create(ctx, e) == nil {
		r.written[same] = &written{client.ObjectKeyFromObject(e), 1}
	}
}

// repeat counts one more of an event; false if it is not there any more.
func (r *Recorder) repeat(ctx context.Context, w *written) bool {
	e := &corev1.Event{}
	if r.client.Get(ctx, w.key, e) != nil {
		return false
	}
	w.count++
	e.Count = w.count
	e.LastTimestamp = metav1.NewTime(r.loop.Now())
	return r.client.Update(ctx, e) == nil
}
