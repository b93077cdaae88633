package record_test

import (
	"context"
	"errors"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/kube/record"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

func TestRepeatsAreCounted(t *testing.T) {
	l := loop.New(1)
	scheme := runtime.NewScheme()
	if err := clientgoscheme.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api, err := kube.New(l, scheme, nil)
	if err != nil {
		t.Fatal(err)
	}
	node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1"}}
	if err := api.Client("test").Create(context.Background(), node); err != nil {
		t.Fatal(err)
	}
	all := func() (events []*corev1.Event) {
		api.Each(&corev1.Event{}, "", func(o client.Object) { events = append(events, o.(*corev1.Event)) })
		return events
	}
	r := record.New(l, api, "test", "kubelet", "n1")
	r.Event(node, corev1.EventTypeWarning, "Late", "the tide is late")
	r.EventAt(node, "spec.x", corev1.EventTypeWarning, "Late", "the tide is late")
	l.RunFor(time.Minute)
	r.Event(node, corev1.EventTypeWarning, "Late", "the tide is late")
	events := all()
	if len(events) != 2 || events[0].Count+events[1].Count != 3 {
		t.Fatalf("%d events: %+v", len(events), events)
	}
	for _, e := range events {
		if e.Namespace != "default" || e.InvolvedObject.Kind != "Node" || e.InvolvedObject.UID != node.UID || e.Source.Host != "n1" {
			t.Errorf("%+v", e)
		}
		if e.Count == 2 && e.LastTimestamp.Sub(e.FirstTimestamp.Time) != time.Minute {
			t.Errorf("from %v to %v", e.FirstTimestamp, e.LastTimestamp)
		}
	}

	if err := api.Client("test").DeleteAllOf(context.Background(), &corev1.Event{}, client.InNamespace("default")); err != nil {
		t.Fatal(err)
	}
	r.Event(node, corev1.EventTypeWarning, "Late", "the tide is late")
	if events := all(); len(events) != 1 || events[0].Count != 1 {
		t.Errorf("after they were deleted: %+v", events)
	}
	api.OnRequest(func(kube.Request) error { return errors.New("no") })
	r.Event(node, corev1.EventTypeWarning, "Other", "nobody hears it") // dropped, as everywhere in Kubernetes
}
