package daemon

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// lastWords is how much of a log is shown, in bytes.
const lastWords = 400

// Ready says whether a Deployment's pod is the one that its spec asks for, and
// is ready.
func Ready(d *appsv1.Deployment) bool {
	wanted := int32(1)
	if d.Spec.Replicas != nil {
		wanted = *d.Spec.Replicas
	}
	return d.Status.ObservedGeneration >= d.Generation &&
		d.Status.UpdatedReplicas >= wanted && d.Status.ReadyReplicas >= wanted
}

// Running returns nil if the Deployment of that name is [Ready], and otherwise
// a [*pass.Waiting] that tells what a person can see of its pods.
func Running(ctx context.Context, doors door.Doors, namespace, name string) error {
	var d appsv1.Deployment
	if err := doors.Client.Get(ctx, client.ObjectKey{Namespace: namespace, Name: name}, &d); err != nil {
		return fmt.Errorf("failed to get Deployment %s/%s: %w", namespace, name, err)
	}
	if Ready(&d) {
		return nil
	}
	trouble, err := Trouble(ctx, doors, namespace, d.Spec.Selector.MatchLabels)
	switch {
	case err != nil:
		return err
	case trouble != "":
		return pass.WaitFor(v1.ReasonFailed, 0, "deployment %s: %s", name, trouble)
	}
	return pass.WaitFor(v1.ReasonWaiting, 0, "deployment %s to be ready", name)
}

// Trouble says in a sentence why the first of the pods with these labels that
// has trouble does not run; "" if all run or are on their way.
func Trouble(ctx context.Context, doors door.Doors, namespace string, labels map[string]string) (string, error) {
	var pods corev1.PodList
	if err := doors.Client.List(ctx, &pods, client.InNamespace(namespace), client.MatchingLabels(labels)); err != nil {
		return "", fmt.Errorf("failed to list the pods of %s/%s: %w", namespace, labels[AppLabel], err)
	}
	for i := range pods.Items {
		if pods.Items[i].DeletionTimestamp != nil {
			continue
		}
		if trouble := podTrouble(ctx, doors, &pods.Items[i]); trouble != "" {
			return trouble, nil
		}
	}
	return "", nil
}

func podTrouble(ctx context.Context, doors door.Doors, pod *corev1.Pod) string {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodScheduled && condition.Status == corev1.ConditionFalse {
			return fmt.Sprintf("pod %s cannot be scheduled: %s", pod.Name, condition.Message)
		}
	}
	statuses := append(append([]corev1.ContainerStatus{}, pod.Status.InitContainerStatuses...), pod.Status.ContainerStatuses...)
	for _, status := range statuses {
		if ended := failed(status); ended != nil {
			words, err := doors.Pods.PodLog(ctx, pod.Namespace, pod.Name, status.Name)
			if err != nil {
				words = fmt.Sprintf("its log cannot be read: %v", err)
			}
			return fmt.Sprintf("container %s of pod %s exited with code %d: %s", status.Name, pod.Name, ended.ExitCode, LastWords(words))
		}
		if waiting := status.State.Waiting; waiting != nil && !onItsWay(waiting.Reason) {
			return fmt.Sprintf("container %s of pod %s: %s: %s", status.Name, pod.Name, waiting.Reason, waiting.Message)
		}
	}
	return ""
}

// failed is how a container that does not run now last ended, if it failed.
func failed(status corev1.ContainerStatus) *corev1.ContainerStateTerminated {
	for _, ended := range []*corev1.ContainerStateTerminated{status.State.Terminated, status.LastTerminationState.Terminated} {
		if ended != nil && ended.ExitCode != 0 && status.State.Running == nil {
			return ended
		}
		if ended != nil {
			return nil
		}
	}
	return nil
}

func onItsWay(reason string) bool {
	return reason == "" || reason == "ContainerCreating" || reason == "PodInitializing"
}

// LastWords is the end of a log on one line, stripped of keys: whole lines from
// the end, as many as fit into 400 bytes, at least a part of the last one.
func LastWords(log string) string {
	lines := strings.Split(strings.TrimSpace(exec.Strip(log)), "\n")
	words := ""
	for i := len(lines) - 1; i >= 0; i-- {
		line := strings.TrimSpace(lines[i])
		if words != "" && len(line)+len(words)+3 > lastWords {
			break
		}
		if words != "" {
			line += " | "
		}
		words = line + words
	}
	if len(words) > lastWords {
		words = "…" + strings.ToValidUTF8(words[len(words)-lastWords:], "")
	}
	if words == "" {
		return "it wrote nothing"
	}
	return words
}
