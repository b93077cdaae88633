package object

import (
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// RecordAnnotation holds the keys of the annotations that the operator has set
// on an object and on its pods, so that it knows which to remove when the user
// takes them out of the spec again (S10), and never removes another's.
const RecordAnnotation = "ceph.rook.io/operator-annotations"

// keys are those of the annotations that an object sets, sorted.
func keys(object client.Object) []string {
	set := map[string]string{}
	maps.Copy(set, object.GetAnnotations())
	if template := template(object); template != nil {
		maps.Copy(set, template.Annotations)
	}
	delete(set, RecordAnnotation)
	return slices.Sorted(maps.Keys(set))
}

// record writes down which annotations are ours. No record means none.
func record(object client.Object, keys []string) {
	annotations := object.GetAnnotations()
	if len(keys) == 0 {
		delete(annotations, RecordAnnotation)
	} else {
		annotations = union(annotations, map[string]string{RecordAnnotation: strings.Join(keys, ",")})
	}
	object.SetAnnotations(annotations)
}

// forget removes the annotations that are recorded on merged and that desired
// no longer has, and writes the new record.
func forget(merged, desired client.Object) {
	for _, key := range strings.Split(merged.GetAnnotations()[RecordAnnotation], ",") {
		if _, wanted := desired.GetAnnotations()[key]; !wanted {
			annotations := merged.GetAnnotations()
			delete(annotations, key)
			merged.SetAnnotations(annotations)
		}
		if ours, theirs := template(desired), template(merged); ours != nil && theirs != nil {
			if _, wanted := ours.Annotations[key]; !wanted {
				delete(theirs.Annotations, key)
			}
		}
	}
	record(merged, keys(desired))
}

// template is the metadata of the pods that an object leads to, nil if none.
func template(object client.Object) *metav1.ObjectMeta {
	switch object := object.(type) {
	case *appsv1.Deployment:
		return &object.Spec.Template.ObjectMeta
	case *batchv1.Job:
		return &object.Spec.Template.ObjectMeta
	case *appsv1.DaemonSet:
		return &object.Spec.Template.ObjectMeta
	}
	return nil
}
