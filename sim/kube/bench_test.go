package kube_test

import (
	"context"
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/sim/kube"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// populated is a world with n pods and n Deployments.
func populated(b *testing.B, n int) *world {
	b.Helper()
	w := newWorld(b)
	for i := range n {
		p := pod(fmt.Sprintf("p%05d", i))
		p.Labels = map[string]string{"app": fmt.Sprint(i % 10)}
		w.create(b, p)
		w.create(b, deployment(fmt.Sprintf("d%05d", i)))
	}
	return w
}

func BenchmarkWorld(b *testing.B) {
	scheme, d := testScheme(b), definitions()
	for b.Loop() {
		kube.NewWith(loop.New(1), scheme, d)
	}
}

func BenchmarkRequests(b *testing.B) {
	ctx := context.Background()
	for _, n := range []int{100, 5000} {
		w := populated(b, n)
		key := client.ObjectKey{Namespace: "sea", Name: "d00007"}
		run := func(name string, fn func(i int) error) {
			b.Run(fmt.Sprintf("%s/%d", name, n), func(b *testing.B) {
				b.ReportAllocs()
				i := 0
				for b.Loop() {
					i++
					if err := fn(i); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		d := deployment("d00007")
		run("get", func(int) error { return w.c.Get(ctx, key, d) })
		serial := 0
		run("create", func(int) error {
			serial++
			return w.c.Create(ctx, configMap(fmt.Sprint("c", serial)))
		})
		run("create and delete of a Deployment", func(int) error {
			fresh := deployment("fresh")
			if err := w.c.Create(ctx, fresh); err != nil {
				return err
			}
			return w.c.Delete(ctx, fresh)
		})
		run("update", func(i int) error {
			d.Labels = map[string]string{"n": fmt.Sprint(i)}
			return w.c.Update(ctx, d)
		})
		run("update of nothing", func(int) error { return w.c.Update(ctx, d) })
		run("status patch", func(i int) error {
			base := d.DeepCopy()
			d.Status.ObservedGeneration = int64(i)
			return w.c.Status().Patch(ctx, d, client.MergeFrom(base))
		})
		run("list", func(int) error { return w.c.List(ctx, &corev1.PodList{}, client.InNamespace("sea")) })
		run("list of a tenth", func(int) error {
			return w.c.List(ctx, &corev1.PodList{}, client.InNamespace("sea"), client.MatchingLabels{"app": "3"})
		})
		run("each", func(int) error {
			w.Each(&corev1.Pod{}, "sea", func(client.Object) {})
			return nil
		})
	}
}

func BenchmarkCephCluster(b *testing.B) {
	ctx := context.Background()
	w := newWorld(b)
	cr := cluster("rook")
	w.create(b, cr)
	b.Run("get", func(b *testing.B) {
		for b.Loop() {
			w.get(b, &v1.CephCluster{}, "rook")
		}
	})
	b.Run("update", func(b *testing.B) {
		for b.Loop() {
			cr.Spec.Mon.Count = 8 - cr.Spec.Mon.Count
			w.update(b, cr)
		}
	})
	b.Run("status update", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			cr.Status.Message = fmt.Sprint(i)
			if err := w.c.Status().Update(ctx, cr); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("status patch", func(b *testing.B) {
		i := 0
		for b.Loop() {
			i++
			base := cr.DeepCopy()
			cr.Status.Message = fmt.Sprint(-i)
			if err := w.c.Status().Patch(ctx, cr, client.MergeFrom(base)); err != nil {
				b.Fatal(err)
			}
		}
	})
}
