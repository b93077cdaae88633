package workload

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/rand"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// podFrom is a new pod of a template, owned by its controller (S132). The API
// server completes its name.
func podFrom(owner client.Object, kind schema.GroupVersionKind, template *corev1.PodTemplateSpec) *corev1.Pod {
	t := template.DeepCopy()
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: owner.GetNamespace(), GenerateName: owner.GetName() + "-",
			Labels: t.Labels, Annotations: t.Annotations, Finalizers: t.Finalizers,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(owner, kind)},
		},
		Spec: t.Spec,
	}
}

// templateHash is the hash of a pod template that stands in names and labels.
// collisions makes it another one where a name was taken.
func templateHash(template *corev1.PodTemplateSpec, collisions *int32) string {
	text, err := json.Marshal(template)
	if err != nil {
		panic(fmt.Sprintf("workload: a pod template is JSON: %v", err))
	}
	h := fnv.New32a()
	_, _ = h.Write(text) // a hash never refuses bytes
	if collisions != nil {
		_, _ = h.Write([]byte(strconv.Itoa(int(*collisions))))
	}
	return rand.SafeEncodeString(strconv.FormatUint(uint64(h.Sum32()), 10))
}
