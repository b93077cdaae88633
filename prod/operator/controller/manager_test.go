package controller_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"

	"github.com/tidepool-ceph/tidepool/prod/operator/controller"
)

// apiServer serves Clusters of cluster.rook.io, of which there is one, or not.
type apiServer struct {
	serves   bool
	watching atomic.Int32 // watches that are open
}

func (s *apiServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	group := metav1.APIGroup{
		Name:     "cluster.rook.io",
		Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "cluster.rook.io/v1beta1", Version: "v1beta1"}},
	}
	answer := func(v any) {
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(v) // a client that has gone reads nothing
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	switch {
	case path == "/api":
		answer(metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}})
	case path == "/apis" && s.serves:
		answer(metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}, Groups: []metav1.APIGroup{group}})
	case path == "/apis":
		answer(metav1.APIGroupList{TypeMeta: metav1.TypeMeta{Kind: "APIGroupList", APIVersion: "v1"}})
	case path == "/apis/cluster.rook.io" && s.serves:
		group.TypeMeta = metav1.TypeMeta{Kind: "APIGroup", APIVersion: "v1"}
		answer(group)
	case path == "/apis/cluster.rook.io/v1beta1" && s.serves:
		answer(metav1.APIResourceList{
			TypeMeta: metav1.TypeMeta{Kind: "APIResourceList", APIVersion: "v1"}, GroupVersion: "cluster.rook.io/v1beta1",
			APIResources: []metav1.APIResource{{Name: "clusters", Kind: "Cluster", Namespaced: true, Verbs: metav1.Verbs{"list", "watch"}}},
		})
	case strings.HasSuffix(path, "/clusters") && s.serves && r.URL.Query().Get("watch") != "":
		s.watching.Add(1)
		defer s.watching.Add(-1)
		w.Header().Set("Content-Type", "application/json")
		object := `{"apiVersion":"cluster.rook.io/v1beta1","kind":"Cluster","metadata":{"name":"old","namespace":"rook","uid":"u","resourceVersion":"6"}}`
		if r.URL.Query().Get("sendInitialEvents") == "true" {
			_, _ = w.Write([]byte(`{"type":"ADDED","object":` + object + `}` + "\n" +
				`{"type":"BOOKMARK","object":{"apiVersion":"cluster.rook.io/v1beta1","kind":"Cluster","metadata":{"resourceVersion":"7","annotations":{"k8s.io/initial-events-end":"true"}}}}` + "\n"))
		}
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case strings.HasSuffix(path, "/clusters") && s.serves:
		answer(map[string]any{
			"apiVersion": "cluster.rook.io/v1beta1", "kind": "ClusterList", "metadata": map[string]any{"resourceVersion": "7"},
			"items": []any{map[string]any{
				"apiVersion": "cluster.rook.io/v1beta1", "kind": "Cluster",
				"metadata": map[string]any{"name": "old", "namespace": "rook", "uid": "u", "resourceVersion": "6"},
			}},
		})
	default:
		w.WriteHeader(http.StatusNotFound)
		answer(metav1.Status{TypeMeta: metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}, Status: metav1.StatusFailure, Reason: metav1.StatusReasonNotFound, Code: http.StatusNotFound})
	}
}

// TestAWatchOfAKindThatNeedNotBeThere: with controller-runtime's own manager, a
// kind that is not served is told of and watched by nobody, one that is served
// leads to reconciles, and a manager that is told to stop leaves no watch open
// (S24, S25).
func TestAWatchOfAKindThatNeedNotBeThere(t *testing.T) {
	for name, serves := range map[string]bool{"served": true, "not served": false} {
		t.Run(name, func(t *testing.T) {
			api := &apiServer{serves: serves}
			server := httptest.NewServer(api)
			defer server.Close()
			m, err := manager.New(&rest.Config{Host: server.URL}, manager.Options{
				Scheme: runtime.NewScheme(), Metrics: metricsserver.Options{BindAddress: "0"}, HealthProbeBindAddress: "0",
			})
			if err != nil {
				t.Fatal(err)
			}
			cluster := &unstructured.Unstructured{}
			cluster.SetAPIVersion("cluster.rook.io/v1beta1")
			cluster.SetKind("Cluster")
			told := []error{}
			reconciled := make(chan string, 10)
			c := controller.Controller{
				Name: "optional-" + strings.ReplaceAll(name, " ", "-"),
				Reconciler: reconcile.Func(func(_ context.Context, r reconcile.Request) (reconcile.Result, error) {
					reconciled <- r.String()
					return reconcile.Result{}, nil
				}),
				Watches: []controller.Watch{{
					Object: cluster, IfServed: func(err error) { told = append(told, err) },
					Requests: func(_ context.Context, o client.Object) []reconcile.Request {
						return []reconcile.Request{{NamespacedName: client.ObjectKeyFromObject(o)}}
					},
				}},
			}
			if err := c.Register(m); err != nil {
				t.Fatal(err)
			}
			if len(told) != 1 || (told[0] == nil) != serves {
				t.Fatalf("told %v", told)
			}
			ctx, stop := context.WithCancel(t.Context())
			ended := make(chan error)
			go func() { ended <- m.Start(ctx) }()
			if serves {
				if got := <-reconciled; got != "rook/old" {
					t.Errorf("reconciled %s", got)
				}
			} else {
				<-m.Elected() // all has started
			}
			stop()
			if err := <-ended; err != nil {
				t.Errorf("the manager ended with %v", err)
			}
			for deadline := time.Now().Add(10 * time.Second); api.watching.Load() > 0; time.Sleep(time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatal("a watch is still open")
				}
			}
		})
	}
}
