package kube_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

func TestRequestsAreSeen(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	var seen []string
	cancel := w.OnRequest(func(r kube.Request) error {
		seen = append(seen, fmt.Sprintf("%s %s %s/%s %s %v %v", r.User, r.Verb, r.Resource.Resource, r.Subresource, r.Key, r.Object != nil, r.Writes()))
		return nil
	})
	cm := configMap("x")
	w.create(t, cm)
	w.get(t, cm, "x")
	w.update(t, cm)
	_ = w.c.Patch(ctx, cm, client.RawPatch(types.MergePatchType, []byte("{}")))
	_ = w.c.List(ctx, &corev1.ConfigMapList{}, client.InNamespace("sea"))
	_ = w.c.Status().Update(ctx, cluster("c"))
	_ = w.c.DeleteAllOf(ctx, cm, client.InNamespace("sea"))
	_ = w.c.Delete(ctx, cm)
	cancel()
	_ = w.c.Delete(ctx, cm)
	want := []string{
		"tester create configmaps/ sea/x true true",
		"tester get configmaps/ sea/x false false",
		"tester update configmaps/ sea/x true true",
		"tester patch configmaps/ sea/x false true",
		"tester list configmaps/ sea/ false false",
		"tester update cephclusters/status sea/c true true",
		"tester deletecollection configmaps/ sea/ false true",
		"tester delete configmaps/ sea/x false true",
	}
	if diff := cmp.Diff(want, seen); diff != "" {
		t.Error(diff)
	}
}

func TestRefusedAndLost(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	refusal := apierrors.NewForbidden(corev1.Resource("configmaps"), "x", errors.New("not yours"))
	cancel := w.OnRequest(func(r kube.Request) error {
		if r.User == "tester" && r.Verb == "create" {
			return refusal
		}
		return nil
	})
	if err := w.c.Create(ctx, configMap("x")); !errors.Is(err, refusal) || w.has(configMap("x")) {
		t.Errorf("refused: %v, there: %v", err, w.has(configMap("x")))
	}
	if err := w.Client("other").Create(ctx, configMap("y")); err != nil {
		t.Errorf("another user: %v", err)
	}
	cancel()

	lost := apierrors.NewTimeoutError("the sea took it", 1)
	cancel = w.OnAnswer(func(r kube.Request, err error) error {
		if r.Verb == "create" && err == nil {
			return lost
		}
		return err
	})
	if err := w.c.Create(ctx, configMap("x")); !apierrors.IsTimeout(err) || !w.has(configMap("x")) {
		t.Errorf("lost: %v, there: %v", err, w.has(configMap("x")))
	}
	cancel()
	if err := w.c.Create(ctx, configMap("x")); !apierrors.IsAlreadyExists(err) {
		t.Errorf("afterwards: %v", err)
	}
	ended, stop := context.WithCancel(ctx)
	stop()
	if err := w.c.Create(ended, configMap("z")); !errors.Is(err, context.Canceled) || w.has(configMap("z")) {
		t.Errorf("with a context that has ended: %v", err)
	}
}

func TestHooksMayLetTimePass(t *testing.T) {
	w := newWorld(t)
	w.OnRequest(func(r kube.Request) error {
		if w.loop.InProcess() {
			w.loop.Sleep(time.Second)
		}
		return nil
	})
	var took time.Duration
	w.loop.Go("reader", func() {
		start := w.loop.Now()
		_ = w.c.List(context.Background(), &corev1.PodList{})
		took = w.loop.Since(start)
	})
	w.loop.RunFor(time.Minute)
	if took != time.Second {
		t.Errorf("the request took %s", took)
	}
}
