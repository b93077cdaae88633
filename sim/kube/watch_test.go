package kube_test

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

type kubeEvent = kube.Event

func TestSubscribe(t *testing.T) {
	w := newWorld(t)
	w.create(t, configMap("b"))
	w.create(t, configMap("a"))
	var heard []string
	start := w.loop.Now()
	var delays []time.Duration
	cancel := w.Subscribe("me", &corev1.ConfigMap{}, func(e kube.Event) {
		delays = append(delays, w.loop.Since(start))
		switch {
		case e.Old == nil:
			heard = append(heard, "+"+e.New.GetName())
		case e.New == nil:
			heard = append(heard, "-"+e.Old.GetName())
		default:
			heard = append(heard, "~"+e.New.GetName()+":"+e.New.(*corev1.ConfigMap).Data["n"])
		}
	})
	if len(heard) != 0 {
		t.Fatal("events came at once")
	}
	cm := configMap("a")
	for n := range 20 {
		cm.Data = map[string]string{"n": fmt.Sprint(n)}
		w.update(t, cm)
	}
	w.delete(t, cm)
	w.loop.RunFor(10 * time.Millisecond)
	want := []string{"+a", "+b"}
	for n := range 20 {
		want = append(want, fmt.Sprintf("~a:%d", n))
	}
	if diff := cmp.Diff(append(want, "-a"), heard); diff != "" {
		t.Error(diff)
	}
	for _, d := range delays {
		if d < time.Millisecond || d > 10*time.Millisecond {
			t.Errorf("an event after %s", d)
		}
	}
	w.create(t, configMap("c"))
	cancel()
	w.loop.RunFor(time.Second)
	if heard[len(heard)-1] == "+c" {
		t.Error("an event after cancel")
	}
}

func TestEachAndView(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"b", "c", "a"} {
		w.create(t, configMap(name))
	}
	other := configMap("z")
	other.Namespace = "default"
	w.create(t, other)
	var seen []string
	w.Each(&corev1.ConfigMap{}, "", func(obj client.Object) {
		seen = append(seen, obj.GetNamespace()+"/"+obj.GetName())
		if obj.GetName() == "a" { // fn may write: what it deletes is not visited, nor what it adds
			w.delete(t, configMap("b"))
			w.create(t, configMap("bb"))
		}
	})
	if diff := cmp.Diff([]string{"default/z", "sea/a", "sea/c"}, seen); diff != "" {
		t.Error(diff)
	}
	seen = nil
	w.Each(&corev1.ConfigMap{}, "sea", func(obj client.Object) { seen = append(seen, obj.GetName()) })
	if diff := cmp.Diff([]string{"a", "bb", "c"}, seen); diff != "" {
		t.Error(diff)
	}
	if _, ok := w.View(&corev1.ConfigMap{}, client.ObjectKey{Namespace: "sea", Name: "b"}); ok {
		t.Error("a deleted object in view")
	}
}

func TestWatchStream(t *testing.T) {
	w := newWorld(t)
	ctx := context.Background()
	red := func(name string) *corev1.ConfigMap {
		cm := configMap(name)
		cm.Labels = map[string]string{"colour": "red"}
		return cm
	}
	w.create(t, red("a"))
	stream, err := w.c.Watch(ctx, &corev1.ConfigMapList{}, client.InNamespace("sea"), client.MatchingLabels{"colour": "red"})
	if err != nil {
		t.Fatal(err)
	}
	w.create(t, configMap("b"))
	b := red("b")
	w.update(t, b) // begins to match
	b.Data = map[string]string{"x": "y"}
	w.update(t, b)
	b.Labels = nil
	w.update(t, b) // ceases to
	w.delete(t, red("a"))
	stream.Stop()
	var got []string
	for e := range stream.ResultChan() {
		got = append(got, string(e.Type)+" "+e.Object.(*corev1.ConfigMap).Name)
	}
	want := []string{"ADDED a", "ADDED b", "MODIFIED b", "DELETED b", "DELETED a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	w.create(t, red("c")) // nobody listens: nothing happens
}

func TestSlowWatcherIsCutOff(t *testing.T) {
	w := newWorld(t)
	stream, err := w.c.Watch(context.Background(), &corev1.ConfigMapList{})
	if err != nil {
		t.Fatal(err)
	}
	cm := configMap("a")
	w.create(t, cm)
	for n := range 5000 {
		cm.Data = map[string]string{"n": fmt.Sprint(n)}
		w.update(t, cm)
	}
	n := 0
	for e := range stream.ResultChan() {
		if e.Type == watch.Modified {
			n++
		}
	}
	if n == 0 || n >= 5000 {
		t.Errorf("%d events before the end", n)
	}
}

func TestTraceIsTheSameForASeed(t *testing.T) {
	rv := 0 // of the Deployment; what is there before depends on the product
	run := func() string {
		var trace strings.Builder
		w := newWorld(t)
		w.loop.TraceTo(&trace)
		owner := deployment("d")
		w.create(t, owner)
		if n, err := strconv.Atoi(owner.ResourceVersion); err == nil {
			rv = n
		}
		for i := range 5 {
			cm := configMap(fmt.Sprint("c", i))
			own(cm, owner, "apps/v1", "Deployment")
			w.create(t, cm)
		}
		owner.Labels = map[string]string{"a": "b"}
		w.update(t, owner)
		_ = w.c.Create(context.Background(), configMap("c1"))
		w.delete(t, owner)
		w.delete(t, &corev1.Namespace{ObjectMeta: namespaced("sea")})
		w.loop.RunFor(time.Minute)
		return trace.String()
	}
	first := run()
	if diff := cmp.Diff(first, run()); diff != "" {
		t.Error(diff)
	}
	for _, line := range []string{
		fmt.Sprintf("    0.000000 kube: tester create Deployment sea/d rv=%d generation=1\n", rv),
		fmt.Sprintf("    0.000000 kube: tester update Deployment sea/d rv=%d generation=1 metadata\n", rv+6),
		`    0.000000 kube: tester create ConfigMap sea/c1: configmaps "c1" already exists` + "\n",
		fmt.Sprintf("    0.000000 kube: tester delete Deployment sea/d rv=%d gone\n", rv+7),
		"kube: system:serviceaccount:kube-system:generic-garbage-collector delete ConfigMap sea/c2 rv=",
		"kube: system:serviceaccount:kube-system:namespace-controller update finalize Namespace sea rv=",
	} {
		if !strings.Contains(first, line) {
			t.Errorf("no line %q in\n%s", line, first)
		}
	}
}
