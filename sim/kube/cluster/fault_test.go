package cluster_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// An API server that refuses a third of all requests, or loses their answers,
// slows the cluster down and changes nothing else.
func TestUnreliableAPIServer(t *testing.T) {
	for seed := uint64(1); seed <= 5; seed++ {
		w := newSeeded(t, seed, "n1", "n2")
		draw := w.loop.Rand("faults")
		refused := errors.New("the server is not what it was")
		fails := func(r kube.Request) bool { return strings.HasPrefix(r.User, "system:") && draw.IntN(3) == 0 }
		w.api.OnRequest(func(r kube.Request) error {
			if fails(r) {
				return refused
			}
			return nil
		})
		w.api.OnAnswer(func(r kube.Request, err error) error {
			if err == nil && fails(r) {
				return refused
			}
			return err
		})
		w.create(newDeployment("web", 3, podSpec("serve", "80")), newJob("job", podSpec("true")))
		w.until("the deployment is rolled out", 10*time.Minute, rolledOut(w, "web"))
		w.until("the job is complete", 10*time.Minute, func() bool { return get(w, &batchv1.Job{}, "job").Status.CompletionTime != nil })
		edit(w, &appsv1.Deployment{}, "web", func(d *appsv1.Deployment) { d.Spec.Template.Spec.Containers[0].Image = "box:2" })
		w.Reboot("n1")
		w.until("the second template is rolled out", 20*time.Minute, rolledOut(w, "web"))
		w.until("nothing else is left", 10*time.Minute, func() bool {
			n := 0
			w.api.Each(&corev1.Pod{}, "default", func(client.Object) { n++ })
			return n == 4 // three of the deployment, one of the job
		})
		if pods := w.pods("job"); len(pods) != 1 {
			t.Errorf("seed %d: %d pods of the job", seed, len(pods))
		}
		w.loop.Close()
	}
}
