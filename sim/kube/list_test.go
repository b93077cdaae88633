package kube_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestListSelects(t *testing.T) {
	w := newWorld(t)
	for _, name := range []string{"c", "a", "b"} {
		p := bound(t, w, name)
		p.Labels = map[string]string{"app": name}
		w.update(t, p)
	}
	free := pod("free")
	free.Namespace = "default"
	w.create(t, free)
	for name, c := range map[string]struct {
		opts []client.ListOption
		want string
	}{
		"all, sorted":       {nil, "default/free sea/a sea/b sea/c"},
		"namespace":         {[]client.ListOption{client.InNamespace("sea")}, "sea/a sea/b sea/c"},
		"no such namespace": {[]client.ListOption{client.InNamespace("se")}, ""},
		"label":             {[]client.ListOption{client.MatchingLabels{"app": "b"}}, "sea/b"},
		"has label":         {[]client.ListOption{client.HasLabels{"app"}}, "sea/a sea/b sea/c"},
		"name":              {[]client.ListOption{client.MatchingFields{"metadata.name": "c"}}, "sea/c"},
		"field: namespace":  {[]client.ListOption{client.MatchingFields{"metadata.namespace": "default"}}, "default/free"},
		"node":              {[]client.ListOption{client.MatchingFields{"spec.nodeName": "n1"}}, "sea/a sea/b sea/c"},
		"no node":           {[]client.ListOption{client.MatchingFields{"spec.nodeName": ""}}, "default/free"},
		"phase":             {[]client.ListOption{client.MatchingFields{"status.phase": "Running"}}, ""},
		"both":              {[]client.ListOption{client.MatchingFields{"status.phase": "Pending"}, client.MatchingLabels{"app": "a"}}, "sea/a"},
	} {
		t.Run(name, func(t *testing.T) {
			var list corev1.PodList
			if err := w.c.List(context.Background(), &list, c.opts...); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, p := range list.Items {
				got = append(got, p.Namespace+"/"+p.Name)
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("got %v, want %s", got, c.want)
			}
			if list.ResourceVersion == "" {
				t.Error("the list has no resourceVersion")
			}
		})
	}
	err := w.c.List(context.Background(), &corev1.PodList{}, client.MatchingFields{"spec.foo": "x"})
	errorIs(t, err, metav1.StatusReasonBadRequest, `Unable to find "/v1, Resource=pods" that match label selector "", field selector "spec.foo=x": field label not supported: spec.foo`)
}

func TestListInParts(t *testing.T) {
	w := newWorld(t)
	for i := range 7 {
		w.create(t, configMap(fmt.Sprint("c", i)))
	}
	var got []string
	token := ""
	for parts := 1; ; parts++ {
		var list corev1.ConfigMapList
		if err := w.c.List(context.Background(), &list, client.InNamespace("sea"), client.Limit(3), client.Continue(token)); err != nil {
			t.Fatal(err)
		}
		for _, cm := range list.Items {
			got = append(got, cm.Name)
		}
		if token = list.Continue; token == "" {
			if parts != 3 {
				t.Errorf("%d parts", parts)
			}
			break
		}
	}
	if strings.Join(got, " ") != "c0 c1 c2 c3 c4 c5 c6" {
		t.Error(got)
	}
}
