package steps

import (
	"context"
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func namespaceSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `nothing is left in the namespace ` + name + `$`,
			Example: `within 1m nothing is left in the namespace "rook-ceph"`,
			Meaning: "it has no object but those that Kubernetes keeps in every namespace, and events",
			Do: func(ctx context.Context, limit, namespace string) error {
				return soon(ctx, limit, func() error { return nothingLeft(ctx, namespace) })
			},
		},
		{
			Pattern: `^` + within + `there is no pod labelled ` + name + ` in the namespace ` + name + `$`,
			Example: `within 1m there is no pod labelled "app=rook-ceph-mon" in the namespace "other"`,
			Meaning: "all such pods are gone",
			Do: func(ctx context.Context, limit, labels, namespace string) error {
				return soon(ctx, limit, func() error {
					pods, err := find(ctx, "Pod", namespace, labels)
					if err == nil && len(pods) > 0 {
						err = fmt.Errorf("there is the pod %s", pods[0].GetName())
					}
					return err
				})
			},
		},
		{
			Pattern: `^everything in the namespace ` + name + ` but the CephCluster is deleted$`,
			Example: `everything in the namespace "rook-ceph" but the CephCluster is deleted`,
			Meaning: "deletes all Deployments, Jobs, ConfigMaps, Secrets and Services in it",
			Do: func(ctx context.Context, namespace string) error {
				for _, kind := range []string{"Deployment", "Job", "ConfigMap", "Secret", "Service"} {
					objects, err := find(ctx, kind, namespace, "")
					if err != nil {
						return err
					}
					for i := range objects {
						if err := in(ctx).Client().Delete(ctx, &objects[i]); err != nil {
							return err
						}
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the CephClusters ` + names + ` are applied, each in a data directory of its own$`,
			Example: `the CephClusters "one/one" and "two/two" are applied, each in a data directory of its own`,
			Meaning: "each has image ceph/ceph:v14.2.0-20190410, one mon, and its data in /data/<namespace>",
			Do: func(ctx context.Context, named string) error {
				for _, n := range list(named) {
					spec := fmt.Sprintf("spec: {mon: {count: 1}, dataDirHostPath: /data/%s}", objectKey(n).Namespace)
					if err := applyCluster(ctx, n, spec); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the CephBlockPool ` + name + ` is applied$`,
			Example: `the CephBlockPool "replicapool" is applied`,
			Meaning: "applies a pool that keeps three copies",
			Do: func(ctx context.Context, named string) error {
				k := objectKey(named)
				return apply(ctx, fmt.Sprintf("{apiVersion: ceph.rook.io/v1, kind: CephBlockPool, metadata: {name: %s, namespace: %s}, spec: {replicated: {size: 3}}}", k.Name, k.Namespace))
			},
		},
		{
			Pattern: `^the CephCluster ` + name + ` is to be destroyed with its data$`,
			Example: `the CephCluster "rook-ceph" is to be destroyed with its data`,
			Meaning: "sets spec.cleanupPolicy.confirmation to yes-really-destroy-data",
			Do: func(ctx context.Context, named string) error {
				u, err := get(ctx, "CephCluster", named)
				if err != nil {
					return err
				}
				patch := []byte(`{"spec":{"cleanupPolicy":{"confirmation":"yes-really-destroy-data"}}}`)
				return in(ctx).Client().Patch(ctx, u, client.RawPatch(types.MergePatchType, patch))
			},
		},
		{
			Pattern: `^the resource ` + name + ` of ` + name + ` is installed$`,
			Example: `the resource "CephObjectStore" of "ceph.rook.io/v1" is installed`,
			Meaning: "applies a CustomResourceDefinition of that kind, namespaced and without a schema",
			Do: func(ctx context.Context, kind, groupVersion string) error {
				gv, err := schema.ParseGroupVersion(groupVersion)
				if err != nil {
					return err
				}
				singular := strings.ToLower(kind)
				return apply(ctx, fmt.Sprintf(`{apiVersion: apiextensions.k8s.io/v1, kind: CustomResourceDefinition, metadata: {name: %ss.%s},
spec: {group: %s, scope: Namespaced, names: {kind: %s, plural: %ss, singular: %s, listKind: %sList},
versions: [{name: %s, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]}}`,
					singular, gv.Group, gv.Group, kind, singular, singular, kind, gv.Version))
			},
		},
	}
}

// nothingLeft lists all kinds that an operator could leave behind.
func nothingLeft(ctx context.Context, namespace string) error {
	var left []string
	for _, gvk := range []schema.GroupVersionKind{
		{Group: "ceph.rook.io", Version: "v1", Kind: "CephCluster"},
		{Group: "ceph.rook.io", Version: "v1", Kind: "CephBlockPool"},
		{Group: "ceph.rook.io", Version: "v1", Kind: "CephFilesystem"},
		{Group: "apps", Version: "v1", Kind: "Deployment"},
		{Group: "apps", Version: "v1", Kind: "ReplicaSet"},
		{Group: "apps", Version: "v1", Kind: "DaemonSet"},
		{Group: "batch", Version: "v1", Kind: "Job"},
		{Group: "batch", Version: "v1", Kind: "CronJob"},
		{Group: "policy", Version: "v1", Kind: "PodDisruptionBudget"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "Role"},
		{Group: "rbac.authorization.k8s.io", Version: "v1", Kind: "RoleBinding"},
		{Version: "v1", Kind: "ConfigMap"},
		{Version: "v1", Kind: "Secret"},
		{Version: "v1", Kind: "Service"},
		{Version: "v1", Kind: "ServiceAccount"},
		{Version: "v1", Kind: "Pod"},
	} {
		var all unstructured.UnstructuredList
		all.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		err := in(ctx).Client().List(ctx, &all, client.InNamespace(namespace))
		if meta.IsNoMatchError(err) {
			continue
		}
		if err != nil {
			return err
		}
		for _, o := range all.Items {
			if o.GetName() != "kube-root-ca.crt" && o.GetName() != "default" {
				left = append(left, gvk.Kind+" "+o.GetName())
			}
		}
	}
	if len(left) > 0 {
		return fmt.Errorf("there is left: %s", strings.Join(left, ", "))
	}
	return nil
}
