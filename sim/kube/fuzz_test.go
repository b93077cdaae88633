package kube_test

import (
	"context"
	"testing"
)

// Whatever is applied, the server answers and does not panic.
func FuzzApply(f *testing.F) {
	for _, seed := range []string{
		rook, boats, "", "a: b: c", "apiVersion: v1\nkind: List\nitems: [1, {}]\n", "apiVersion: v1\nkind: ConfigMap\nmetadata: 3\n",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, labels: [1]}\n", "apiVersion: 1\nkind: {}\n", "[]", "- apiVersion: v1", "\x00",
		"apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, annotations: {b: 1}}\ndata: []\n",
		"apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {ports: [{port: 1, targetPort: x}], clusterIP: None}\n",
		"apiVersion: ceph.rook.io/v1\nkind: CephCluster\nmetadata: {name: a, ownerReferences: 1}\nspec: []\nstatus: 1\n",
		"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: a}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: b}}, spec: {containers: [{name: a, image: b, livenessProbe: {httpGet: {port: 1}}}]}}}\n",
		"apiVersion: batch/v1\nkind: Job\nmetadata: {name: a}\nspec: {template: {spec: {}}}\n",
		"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: a}\nspec: {}\n", "apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: a}\n",
		"apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: [{}], volumes: [{hostPath: {}}, {configMap: {}}]}\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, manifest string) {
		w := newWorld(t)
		for range 2 {
			_, err := w.Apply(context.Background(), "kubectl", []byte(manifest))
			if err != nil && err.Error() == "" {
				t.Error("an error without a text")
			}
		}
		w.loop.RunFor(1e9)
	})
}
