package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"

	"github.com/cucumber/godog"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

func applySteps() []Step {
	return []Step{
		{
			Pattern: `^the CephCluster ` + name + ` is applied$`,
			Example: `the CephCluster "rook-ceph" is applied`,
			Meaning: "applies a CephCluster with image ceph/ceph:v14.2.0-20190410, data in /var/lib/rook and one mon; its namespace is made if missing",
			Do: func(ctx context.Context, named string) error {
				return applyCluster(ctx, named, "spec: {mon: {count: 1}}")
			},
		},
		{
			Pattern: `^the CephCluster ` + name + ` is applied with$`,
			Example: `the CephCluster "rook-ceph" is applied with`,
			Meaning: "the same, with what the doc string says, merged over image and data directory",
			Do: func(ctx context.Context, named string, doc *godog.DocString) error {
				return applyCluster(ctx, named, doc.Content)
			},
		},
		{
			Pattern: `^applying the CephCluster ` + name + ` is refused with ` + name + ` by$`,
			Example: `applying the CephCluster "rook-ceph" is refused with "spec.mon.count" by`,
			Meaning: "the apply with the doc string's spec fails, the message holds the text, and nothing changes",
			Do: func(ctx context.Context, named, text string, doc *godog.DocString) error {
				return refused(applyCluster(ctx, named, doc.Content), text)
			},
		},
		{
			Pattern: `^the file ` + name + ` is applied$`,
			Example: `the file "features/cluster/testdata/cluster.yaml" is applied`,
			Meaning: "kubectl apply of a file of the project as it stands; its namespaces are made if missing",
			Do:      func(ctx context.Context, file string) error { return applyFile(ctx, file) },
		},
		{
			Pattern: `^the backup ` + name + ` is restored$`,
			Example: `the backup "prod/api/v1/testdata/seed/second.yaml" is restored`,
			Meaning: "applies a file that was read from a cluster, without what the API server owns: resourceVersion, uid, generation, times, selfLink, finalizers, status",
			Do:      restore,
		},
		{
			Pattern: `^applying the file ` + name + ` is refused with ` + name + `$`,
			Example: `applying the file "features/cluster/testdata/bad.yaml" is refused with "spec.mon.count"`,
			Meaning: "the apply fails and its message holds the text",
			Do: func(ctx context.Context, file, text string) error {
				return refused(applyFile(ctx, file), text)
			},
		},
		{
			Pattern: `^this is applied$`,
			Example: `this is applied`,
			Meaning: "kubectl apply of the doc string",
			Do: func(ctx context.Context, doc *godog.DocString) error {
				return apply(ctx, doc.Content)
			},
		},
		{
			Pattern: `^applying this is refused with ` + name + `$`,
			Example: `applying this is refused with "error converting YAML to JSON"`,
			Meaning: "kubectl apply of the doc string fails and its message holds the text",
			Do: func(ctx context.Context, text string, doc *godog.DocString) error {
				return refused(apply(ctx, doc.Content), text)
			},
		},
		{
			Pattern: `^the ` + kind + ` ` + name + ` is changed with$`,
			Example: `the CephCluster "rook-ceph" is changed with`,
			Meaning: "merge-patches an object with the doc string (YAML)",
			Do: func(ctx context.Context, kind, named string, doc *godog.DocString) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				patch, err := yaml.YAMLToJSONStrict([]byte(doc.Content))
				if err != nil {
					return err
				}
				return in(ctx).Client().Patch(ctx, u, client.RawPatch(types.MergePatchType, patch))
			},
		},
		{
			Pattern: `^the ` + kind + ` ` + name + ` is deleted$`,
			Example: `the CephCluster "rook-ceph" is deleted`,
			Meaning: "deletes an object, as kubectl delete --wait=false does",
			Do: func(ctx context.Context, kind, named string) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				return in(ctx).Client().Delete(ctx, u)
			},
		},
		{
			Pattern: `^the ` + kind + ` ` + name + ` is deleted in the foreground$`,
			Example: `the CephCluster "rook-ceph" is deleted in the foreground`,
			Meaning: "deletes an object after what it owns, as kubectl delete --cascade=foreground --wait=false does",
			Do: func(ctx context.Context, kind, named string) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				return in(ctx).Client().Delete(ctx, u, client.PropagationPolicy(metav1.DeletePropagationForeground))
			},
		},
	}
}

// applyCluster applies a CephCluster that has what doc says, over the least
// that a CephCluster needs.
func applyCluster(ctx context.Context, named, doc string) error {
	k := objectKey(named)
	base := map[string]any{
		"apiVersion": "ceph.rook.io/v1",
		"kind":       "CephCluster",
		"metadata":   map[string]any{"name": k.Name, "namespace": k.Namespace},
		"spec": map[string]any{
			"cephVersion":     map[string]any{"image": "ceph/ceph:v14.2.0-20190410"},
			"dataDirHostPath": "/var/lib/rook",
		},
	}
	var over map[string]any
	if err := yaml.UnmarshalStrict([]byte(doc), &over); err != nil {
		return fmt.Errorf("the scenario's YAML: %w", err)
	}
	merge(base, over)
	manifest, err := json.Marshal(base)
	if err != nil {
		return err
	}
	return apply(ctx, string(manifest))
}

func merge(base, over map[string]any) {
	for k, v := range over {
		b, isMap := base[k].(map[string]any)
		o, alsoMap := v.(map[string]any)
		if isMap && alsoMap {
			merge(b, o)
			continue
		}
		base[k] = v
	}
}

func applyFile(ctx context.Context, file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	return apply(ctx, string(b))
}

// apply applies a manifest; namespaces that it speaks of are made first. A
// manifest that cannot be read is for kubectl to refuse.
func apply(ctx context.Context, manifest string) error {
	for _, doc := range strings.Split(manifest, "\n---") {
		u := unstructured.Unstructured{}
		if yaml.Unmarshal([]byte(doc), &u.Object) != nil || u.GetNamespace() == "" {
			continue
		}
		ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: u.GetNamespace()}}
		if err := in(ctx).Client().Create(ctx, ns); err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	return in(ctx).Apply(ctx, manifest)
}

// restore applies what a backup of a cluster holds. A real API server refuses to
// create an object that brings its resourceVersion along.
func restore(ctx context.Context, file string) error {
	b, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	u := unstructured.Unstructured{}
	if err := yaml.Unmarshal(b, &u.Object); err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for _, owned := range []string{"resourceVersion", "uid", "generation", "creationTimestamp", "selfLink", "finalizers"} {
		unstructured.RemoveNestedField(u.Object, "metadata", owned)
	}
	unstructured.RemoveNestedField(u.Object, "status")
	manifest, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	return apply(ctx, string(manifest))
}

func refused(err error, text string) error {
	if err == nil {
		return fmt.Errorf("it was accepted; want a refusal that says %q", text)
	}
	if !strings.Contains(err.Error(), text) {
		return fmt.Errorf("the refusal does not say %q:\n%w", text, err)
	}
	return nil
}
