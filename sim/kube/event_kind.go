package kube

import (
	"reflect"

	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// events.k8s.io/v1 is another view of the Events that are stored as v1.
func eventSibling() *sibling {
	gv := eventsv1.SchemeGroupVersion
	return &sibling{
		gvk: gv.WithKind("Event"), gvr: gv.WithResource("events"), goType: reflect.TypeFor[eventsv1.Event](),
		from: func(obj client.Object) client.Object { return coreEvent(obj.(*eventsv1.Event)) },
		to:   func(obj client.Object) client.Object { return newerEvent(obj.(*corev1.Event)) },
	}
}

func coreEvent(e *eventsv1.Event) *corev1.Event {
	out := &corev1.Event{
		ObjectMeta: e.ObjectMeta, InvolvedObject: e.Regarding, Related: e.Related,
		Reason: e.Reason, Message: e.Note, Type: e.Type, Action: e.Action, EventTime: e.EventTime,
		Source: e.DeprecatedSource, FirstTimestamp: e.DeprecatedFirstTimestamp, LastTimestamp: e.DeprecatedLastTimestamp, Count: e.DeprecatedCount,
		ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
	}
	if e.Series != nil {
		out.Series = &corev1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func newerEvent(e *corev1.Event) *eventsv1.Event {
	out := &eventsv1.Event{
		ObjectMeta: e.ObjectMeta, Regarding: e.InvolvedObject, Related: e.Related,
		Reason: e.Reason, Note: e.Message, Type: e.Type, Action: e.Action, EventTime: e.EventTime,
		DeprecatedSource: e.Source, DeprecatedFirstTimestamp: e.FirstTimestamp, DeprecatedLastTimestamp: e.LastTimestamp, DeprecatedCount: e.Count,
		ReportingController: e.ReportingController, ReportingInstance: e.ReportingInstance,
	}
	if e.Series != nil {
		out.Series = &eventsv1.EventSeries{Count: e.Series.Count, LastObservedTime: e.Series.LastObservedTime}
	}
	return out
}

func eventStrategy(s *strategy) {
	s.validate = func(obj, _ client.Object) field.ErrorList {
		e := obj.(*corev1.Event)
		about, at := e.InvolvedObject.Namespace, field.NewPath("involvedObject", "namespace")
		// What an event about a cluster-scoped object is kept in.
		if about == "" && (e.Namespace == corev1.NamespaceDefault || e.Namespace == "kube-system") {
			return nil
		}
		if about != e.Namespace {
			return field.ErrorList{field.Invalid(at, about, "does not match event.namespace")}
		}
		return nil
	}
}
