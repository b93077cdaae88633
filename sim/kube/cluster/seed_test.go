package cluster_test

import (
	"bytes"
	"context"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// history is what a run of a small story leaves: its trace and its last state.
func history(t *testing.T, seed uint64) string {
	w := newSeeded(t, seed, "n1", "n2", "n3")
	var trace bytes.Buffer
	w.loop.TraceTo(&trace)
	w.create(newDeployment("web", 5, podSpec("serve", "80")), newDeployment("bad", 1, podSpec("false")), newJob("job", podSpec("false")))
	w.loop.RunFor(2 * time.Minute)
	edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "box:2" })
	w.Reboot("n1")
	w.PowerOff("n2")
	w.loop.RunFor(10 * time.Minute)
	w.PowerOn("n2")
	if err := w.client.Delete(context.Background(), get(w, &batchv1.Job{}, "job"), client.PropagationPolicy("Background")); err != nil {
		t.Fatal(err)
	}
	w.until("all is well", 10*time.Minute, rolledOut(w, "web"))
	w.until("the job's pods are gone", 10*time.Minute, func() bool { return len(w.pods("job")) == 0 })
	w.loop.RunFor(time.Minute)
	w.api.Each(&corev1.Pod{}, "default", func(o client.Object) {
		if o.GetDeletionTimestamp() != nil {
			t.Errorf("seed %d: pod %s is still on its way out", seed, o.GetName())
		}
	})
	return trace.String() + w.describe()
}

func TestSameSeedSameHistory(t *testing.T) {
	for seed := uint64(1); seed <= 4; seed++ {
		first, second := history(t, seed), history(t, seed)
		if first != second {
			t.Errorf("seed %d has two histories", seed)
		}
	}
	if history(t, 1) == history(t, 2) {
		t.Error("two seeds have one history")
	}
}
