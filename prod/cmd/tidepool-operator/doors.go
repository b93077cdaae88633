package main

import (
	"context"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/recorder"
)

// podLogs reads the logs of pods from the API server.
type podLogs struct{ clientset kubernetes.Interface }

// logLimit is how much of a log is read, in bytes: what is looked for in one is
// short, and a daemon's may be endless.
const logLimit = 1 << 20

// PodLog returns the log of a container.
func (p podLogs) PodLog(ctx context.Context, namespace, pod, container string) (string, error) {
	tail, limit := int64(1000), int64(logLimit)
	log, err := p.clientset.CoreV1().Pods(namespace).GetLogs(pod, &corev1.PodLogOptions{
		Container: container, TailLines: &tail, LimitBytes: &limit,
	}).DoRaw(ctx)
	return string(log), err
}

// events sends Kubernetes Events.
type events struct{ recorder recorder.EventRecorder }

// noteLimit is the length that the API allows for the text of an event, in bytes.
const noteLimit = 1024

// Event sends an event about an object.
func (e events) Event(about client.Object, eventType, reason, message string) {
	if len(message) > noteLimit {
		message = strings.ToValidUTF8(message[:noteLimit-3], "") + "..."
	}
	e.recorder.Eventf(about, nil, eventType, reason, "Reconcile", "%s", message)
}
