package kube_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// told is a cache of ConfigMaps and what its handler was told.
type told struct {
	*kube.Cache
	w     *world
	heard []string
}

func newCache(t *testing.T) *told {
	t.Helper()
	w := newWorld(t)
	c := &told{Cache: w.NewCache("me"), w: w}
	c.Watch(&corev1.ConfigMap{}, func(e kube.Event) { c.heard = append(c.heard, words(e)) })
	return c
}

// words are an event as "a: 1>2".
func words(e kube.Event) string {
	of := func(o client.Object) string {
		if o == nil {
			return ""
		}
		return o.(*corev1.ConfigMap).Data["n"]
	}
	about := e.New
	if about == nil {
		about = e.Old
	}
	return fmt.Sprintf("%s: %s>%s", about.GetName(), of(e.Old), of(e.New))
}

func (c *told) set(t *testing.T, cm *corev1.ConfigMap, n string) {
	t.Helper()
	cm.Data = map[string]string{"n": n}
	c.w.update(t, cm)
}

// reads is what the cache's client reads of "a", and of the list.
func (c *told) reads() string {
	cm, list := &corev1.ConfigMap{}, &corev1.ConfigMapList{}
	switch err := c.Client().Get(context.Background(), client.ObjectKey{Namespace: "sea", Name: "a"}, cm); {
	case apierrors.IsNotFound(err):
		cm.Data = map[string]string{"n": "none"}
	case err != nil:
		return err.Error()
	}
	if err := c.Client().List(context.Background(), list); err != nil {
		return err.Error()
	}
	return fmt.Sprint(cm.Data["n"], " of ", len(list.Items))
}

func TestALostEventIsRepairedByAList(t *testing.T) {
	for name, c := range map[string]struct {
		lost  string // words of the event
		act   func(t *testing.T, c *told, cm *corev1.ConfigMap)
		soon  string // heard at once
		reads string
		late  string // heard within the time of a list
	}{
		"a change": {
			"a: 1>2", func(t *testing.T, c *told, cm *corev1.ConfigMap) { c.set(t, cm, "2") },
			"", "1 of 1", "a: 1>2",
		},
		"a change before another": {
			"a: 1>2", func(t *testing.T, c *told, cm *corev1.ConfigMap) { c.set(t, cm, "2"); c.set(t, cm, "3") },
			"a: 1>3", "3 of 1", "a: 1>3",
		},
		"a deletion": {
			"a: 1>", func(t *testing.T, c *told, cm *corev1.ConfigMap) { c.w.delete(t, cm) },
			"", "1 of 1", "a: 1>",
		},
		"a creation": {
			"b: >", func(t *testing.T, c *told, _ *corev1.ConfigMap) { c.w.create(t, configMap("b")) },
			"", "1 of 1", "b: >",
		},
	} {
		t.Run(name, func(t *testing.T) {
			w := newCache(t)
			cm := configMap("a")
			cm.Data = map[string]string{"n": "1"}
			w.w.create(t, cm)
			w.w.loop.RunFor(time.Second)
			w.heard = nil
			w.Lose(func(kind string, e kube.Event) bool { return kind == "ConfigMap" && words(e) == c.lost })
			c.act(t, w, cm)
			w.w.loop.RunFor(time.Second)
			if got := strings.Join(w.heard, ", "); got != c.soon {
				t.Errorf("heard %q at once, want %q", got, c.soon)
			}
			if got := w.reads(); got != c.reads {
				t.Errorf("reads %q, want %q", got, c.reads)
			}
			w.w.loop.RunFor(5 * time.Minute)
			if got := strings.Join(w.heard, ", "); got != c.late {
				t.Errorf("heard %q in the end, want %q", got, c.late)
			}
		})
	}
}

func TestADelayedCacheReadsWhatWas(t *testing.T) {
	c := newCache(t)
	cm := configMap("a")
	cm.Data = map[string]string{"n": "1"}
	c.w.create(t, cm)
	c.w.loop.RunFor(time.Second)
	c.Delay(30 * time.Second)
	c.set(t, cm, "2")
	c.w.loop.RunFor(29 * time.Second)
	if got := fmt.Sprint(c.reads(), c.heard); got != "1 of 1[a: >1]" {
		t.Errorf("29s later: %s", got)
	}
	c.w.loop.RunFor(2 * time.Second)
	if got := fmt.Sprint(c.reads(), c.heard); got != "2 of 1[a: >1 a: 1>2]" {
		t.Errorf("31s later: %s", got)
	}
	c.w.delete(t, cm)
	c.Delay(0)
	c.w.loop.RunFor(20 * time.Millisecond)
	if got := fmt.Sprint(c.reads(), c.heard); got != "none of 0[a: >1 a: 1>2 a: 2>]" {
		t.Errorf("without delay: %s", got)
	}
}

func TestAClosedCacheTellsNothing(t *testing.T) {
	c := newCache(t)
	c.w.create(t, configMap("a"))
	c.Close()
	c.w.loop.RunFor(time.Second)
	if len(c.heard) > 0 {
		t.Errorf("heard %q", c.heard)
	}
}
