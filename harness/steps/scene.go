package steps

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// Namespace is where objects are that a scenario names without one.
const Namespace = "rook-ceph"

type key struct{}

// Begin returns the context of a scenario that takes place in w.
func Begin(ctx context.Context, w world.World) context.Context {
	return context.WithValue(ctx, key{}, w)
}

// in returns the world of the scenario.
func in(ctx context.Context) world.World { return ctx.Value(key{}).(world.World) }

// soon waits until check returns nil; an empty limit looks once.
func soon(ctx context.Context, limit string, check func() error) error {
	if limit == "" {
		return check()
	}
	d, err := time.ParseDuration(limit)
	if err != nil {
		return err
	}
	if err := in(ctx).Until(d, check); err != nil {
		return fmt.Errorf("not within %s: %w", limit, err)
	}
	return nil
}

// The parts of patterns that many steps share.
const (
	within = `(?:within (\S+) )?`
	name   = `"([^"]*)"`
	names  = `("[^"]*"(?:(?:, | and )"[^"]*")*)`
	kind   = `([A-Z]\w+)`
)

var inQuotes = regexp.MustCompile(`"([^"]*)"`)

// list splits `"a", "b" and "c"`.
func list(s string) []string {
	var out []string
	for _, m := range inQuotes.FindAllStringSubmatch(s, -1) {
		out = append(out, m[1])
	}
	return out
}

// objectKey reads "name" or "namespace/name".
func objectKey(s string) client.ObjectKey {
	if ns, n, ok := strings.Cut(s, "/"); ok {
		return client.ObjectKey{Namespace: ns, Name: n}
	}
	return client.ObjectKey{Namespace: Namespace, Name: s}
}

// groupVersions of the kinds that scenarios speak of.
func groupVersion(kind string) (gv schema.GroupVersion, namespaced bool, err error) {
	switch kind {
	case "CephCluster", "CephBlockPool", "CephFilesystem":
		return schema.GroupVersion{Group: "ceph.rook.io", Version: "v1"}, true, nil
	case "Cluster":
		return schema.GroupVersion{Group: "cluster.rook.io", Version: "v1beta1"}, true, nil
	case "Deployment", "ReplicaSet", "DaemonSet":
		return schema.GroupVersion{Group: "apps", Version: "v1"}, true, nil
	case "Job":
		return schema.GroupVersion{Group: "batch", Version: "v1"}, true, nil
	case "ConfigMap", "Secret", "Service", "Pod", "Event":
		return schema.GroupVersion{Version: "v1"}, true, nil
	case "Node", "Namespace", "PersistentVolume":
		return schema.GroupVersion{Version: "v1"}, false, nil
	case "PodDisruptionBudget":
		return schema.GroupVersion{Group: "policy", Version: "v1"}, true, nil
	case "VolumeAttachment":
		return schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}, false, nil
	case "Volume": // of the driver that came before CSI
		return schema.GroupVersion{Group: "rook.io", Version: "v1alpha2"}, true, nil
	}
	if strings.HasPrefix(kind, "Ceph") {
		return schema.GroupVersion{Group: "ceph.rook.io", Version: "v1"}, true, nil
	}
	return gv, false, fmt.Errorf("the steps do not know kind %q", kind)
}

// errAbsent: the object is not there, as opposed to one that cannot be read.
var errAbsent = errors.New("there is no")

// get reads an object; errAbsent if it is not there.
func get(ctx context.Context, kind, named string) (*unstructured.Unstructured, error) {
	gv, namespaced, err := groupVersion(kind)
	if err != nil {
		return nil, err
	}
	k := objectKey(named)
	if !namespaced {
		k.Namespace = ""
	}
	u := &unstructured.Unstructured{}
	u.SetGroupVersionKind(gv.WithKind(kind))
	if err := in(ctx).Client().Get(ctx, k, u); err != nil {
		if apierrors.IsNotFound(err) {
			return nil, fmt.Errorf("%w %s %q", errAbsent, kind, k)
		}
		return nil, err
	}
	return u, nil
}

// find lists objects of a kind in a namespace by labels "a=b,c=d".
func find(ctx context.Context, kind, namespace, labels string) ([]unstructured.Unstructured, error) {
	gv, namespaced, err := groupVersion(kind)
	if err != nil {
		return nil, err
	}
	l := &unstructured.UnstructuredList{}
	l.SetGroupVersionKind(gv.WithKind(kind + "List"))
	opts := []client.ListOption{}
	if namespaced {
		opts = append(opts, client.InNamespace(namespace))
	}
	if labels != "" {
		opts = append(opts, client.MatchingLabels(labelMap(labels)))
	}
	if err := in(ctx).Client().List(ctx, l, opts...); err != nil {
		return nil, err
	}
	return l.Items, nil
}

// labelMap reads "a=b,c=d".
func labelMap(labels string) map[string]string {
	m := map[string]string{}
	for _, kv := range strings.Split(labels, ",") {
		k, v, _ := strings.Cut(kv, "=")
		m[k] = v
	}
	return m
}
