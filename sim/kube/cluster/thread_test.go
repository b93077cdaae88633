package cluster_test

import (
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
)

// S132, S111: Deployment → ReplicaSet → Pod, with an init container before the
// container.
func TestDeploymentRuns(t *testing.T) {
	w := newWorld(t, "n1")
	spec := podSpec("serve", "80")
	spec.InitContainers = []corev1.Container{{Name: "init", Image: "box:1", Command: []string{"echo", "init done"}}}
	w.create(newDeployment("web", 1, spec))
	w.until("the deployment is available", time.Minute, func() bool {
		d := get(w, &appsv1.Deployment{}, "web")
		return d.Status.AvailableReplicas == 1
	})
	pod := w.pod("web")
	hash := pod.Labels["pod-template-hash"]
	rs := get(w, &appsv1.ReplicaSet{}, "web-"+hash)
	owner := pod.OwnerReferences[0]
	if owner.Kind != "ReplicaSet" || owner.UID != rs.UID || !*owner.Controller || !*owner.BlockOwnerDeletion {
		t.Errorf("the pod's owner is %+v", owner)
	}
	owner = rs.OwnerReferences[0]
	if owner.Kind != "Deployment" || owner.Name != "web" || !*owner.Controller || !*owner.BlockOwnerDeletion {
		t.Errorf("the ReplicaSet's owner is %+v", owner)
	}
	if len(pod.Name) != len(rs.Name)+6 || pod.Name[:len(rs.Name)+1] != rs.Name+"-" {
		t.Errorf("pod name %q of ReplicaSet %q", pod.Name, rs.Name)
	}
	if text, err := w.Log("default", pod.Name, "init"); err != nil || text != "init done\n" {
		t.Errorf("log of the init container: %q, %v", text, err)
	}
	if text, err := w.Log("default", pod.Name, "main"); err != nil || text != "serving on "+pod.Status.PodIP+":80\n" {
		t.Errorf("log of the container: %q, %v", text, err)
	}
	if pod.Status.PodIP == pod.Status.HostIP || pod.Status.PodIP == "" {
		t.Errorf("pod IP %q, host IP %q", pod.Status.PodIP, pod.Status.HostIP)
	}
}

func TestJobCompletes(t *testing.T) {
	w := newWorld(t, "n1")
	w.create(newJob("once", podSpec("echo", "hello")))
	w.until("the job is complete", time.Minute, func() bool {
		j := get(w, &batchv1.Job{}, "once")
		return j.Status.Succeeded == 1 && len(j.Status.Conditions) > 0 && j.Status.CompletionTime != nil
	})
	pod := w.pod("once")
	if text, err := w.Log("default", pod.Name, ""); err != nil || text != "hello\n" {
		t.Errorf("log: %q, %v", text, err)
	}
	if got := pod.Status.ContainerStatuses[0].State.Terminated; got == nil || got.ExitCode != 0 || got.Reason != "Completed" {
		t.Errorf("terminated %+v", got)
	}
	if pod.Status.Phase != corev1.PodSucceeded || pod.Labels["job-name"] != "once" {
		t.Errorf("phase %s, labels %v", pod.Status.Phase, pod.Labels)
	}
}
