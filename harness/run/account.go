package run

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// How much an account tells.
const (
	lastHappened = 25
	lastEvents   = 8
	lastLogLines = 6
	mostLogs     = 6
)

// account tells of a world what a person needs who asks why a step failed: the
// last Events, the last words of the containers that do not run as they should,
// and what happened last, in virtual time.
func account(w world.World, began time.Time) string {
	ctx := context.Background()
	var text strings.Builder
	section := func(title string, lines []string) {
		if len(lines) == 0 {
			return
		}
		fmt.Fprintf(&text, "%s:\n", title)
		for _, line := range lines {
			fmt.Fprintf(&text, "  %s\n", line)
		}
	}
	section("the last Events", events(ctx, w, began))
	logged := 0
	var pods corev1.PodList
	if err := w.Client().List(ctx, &pods); err != nil {
		section("pods", []string{err.Error()})
	}
	for i := range pods.Items {
		for _, container := range troubled(&pods.Items[i]) {
			if logged == mostLogs {
				break
			}
			pod := &pods.Items[i]
			log, err := w.Logs().PodLog(ctx, pod.Namespace, pod.Name, container)
			if err != nil || strings.TrimSpace(log) == "" {
				continue
			}
			section(fmt.Sprintf("the log of container %s of pod %s/%s ends", container, pod.Namespace, pod.Name), tail(log, lastLogLines))
			logged++
		}
	}
	section("the last that happened", tail(w.Trace(lastHappened), lastHappened))
	return text.String()
}

// events are the last Events of all namespaces.
func events(ctx context.Context, w world.World, began time.Time) []string {
	var all corev1.EventList
	if err := w.Client().List(ctx, &all); err != nil {
		return []string{err.Error()}
	}
	slices.SortStableFunc(all.Items, func(a, b corev1.Event) int { return a.LastTimestamp.Compare(b.LastTimestamp.Time) })
	var lines []string
	for _, e := range all.Items[max(len(all.Items)-lastEvents, 0):] {
		lines = append(lines, fmt.Sprintf("%s %s %s %s/%s: %s", e.LastTimestamp.Sub(began).Round(time.Second),
			e.Type, e.InvolvedObject.Kind, e.InvolvedObject.Namespace, e.InvolvedObject.Name, e.Reason+": "+e.Message))
	}
	return lines
}

// troubled are the containers of a pod that have ended badly, or that should be
// ready and are not.
func troubled(pod *corev1.Pod) []string {
	var names []string
	for _, s := range slices.Concat(pod.Status.InitContainerStatuses, pod.Status.ContainerStatuses) {
		ended, before := s.State.Terminated, s.LastTerminationState.Terminated
		failed := ended != nil && ended.ExitCode != 0 || ended == nil && !s.Ready && before != nil && before.ExitCode != 0
		if failed || s.State.Running != nil && !s.Ready {
			names = append(names, s.Name)
		}
	}
	return names
}

// tail are the last lines of a text.
func tail(text string, n int) []string {
	lines := strings.Split(strings.TrimRight(text, "\n"), "\n")
	return lines[max(len(lines)-n, 0):]
}
