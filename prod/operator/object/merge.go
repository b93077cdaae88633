package object

import (
	"reflect"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Merge returns what the existing object is to become: a copy of it in which
// the fields that desired sets have desired's values. Both are of one type.
//
// A field that desired leaves empty keeps its value, since the API server or
// somebody else has set it, with these exceptions, where empty means empty: the
// parts of a pod that a spec may drop again (affinity, tolerations, resources,
// …), the kinds of a volume or variable, of which there can be only one, and
// the data of Secrets and ConfigMaps. Lists are desired's, in desired's order;
// an element keeps what the element of the same name had in it beyond that.
// Labels and annotations are added to those that are there; an annotation that
// an earlier desired object had and this one has not is removed. The status is
// never touched.
func Merge(existing, desired client.Object) client.Object {
	merged := existing.DeepCopyObject().(client.Object)
	into, from := reflect.ValueOf(merged).Elem(), reflect.ValueOf(desired.DeepCopyObject()).Elem()
	for i := range from.NumField() {
		switch from.Type().Field(i).Name {
		case "TypeMeta", "Status":
		case "ObjectMeta":
			mergeMeta(merged, desired)
		default:
			overlay(into.Field(i), from.Field(i), emptyMeansEmpty(from.Type(), from.Type().Field(i).Name))
		}
	}
	forget(merged, desired)
	return merged
}

// mergeMeta adds desired's labels, annotations and owners.
func mergeMeta(merged, desired metav1.Object) {
	merged.SetLabels(union(merged.GetLabels(), desired.GetLabels()))
	merged.SetAnnotations(union(merged.GetAnnotations(), desired.GetAnnotations()))
	owners := merged.GetOwnerReferences()
wanted:
	for _, owner := range desired.GetOwnerReferences() {
		for i := range owners {
			if owners[i].UID == owner.UID {
				owners[i] = owner
				continue wanted
			}
		}
		owners = append(owners, owner)
	}
	merged.SetOwnerReferences(owners)
}

func union(into, from map[string]string) map[string]string {
	for key, value := range from {
		if into == nil {
			into = make(map[string]string, len(from))
		}
		into[key] = value
	}
	return into
}

// overlay puts from over into. whole says that an empty from empties into.
func overlay(into, from reflect.Value, whole bool) {
	if from.IsZero() && !whole {
		return
	}
	switch from.Kind() {
	case reflect.Pointer:
		if from.IsNil() || into.IsNil() {
			into.Set(from)
			return
		}
		overlay(into.Elem(), from.Elem(), true)
	case reflect.Slice:
		overlaySlice(into, from)
	case reflect.Struct:
		overlayStruct(into, from)
	default:
		into.Set(from)
	}
}

func overlayStruct(into, from reflect.Value) {
	t := from.Type()
	switch t {
	case reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[intstr.IntOrString]():
		if !equality.Semantic.DeepEqual(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	case reflect.TypeFor[metav1.ObjectMeta](): // of a pod template
		meta := into.Addr().Interface().(*metav1.ObjectMeta)
		mergeMeta(meta, from.Addr().Interface().(*metav1.ObjectMeta))
		return
	case reflect.TypeFor[corev1.Affinity](), reflect.TypeFor[corev1.ResourceRequirements](), reflect.TypeFor[corev1.Toleration]():
		// The API server fills in nothing here, so that what is there is ours.
		if !equality.Semantic.DeepEqual(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	}
	for i := range t.NumField() {
		overlay(into.Field(i), from.Field(i), emptyMeansEmpty(t, t.Field(i).Name))
	}
}

// overlaySlice makes into have from's elements. An element's counterpart is the
// one of the same name, or the one at the same place where elements have none.
func overlaySlice(into, from reflect.Value) {
	if from.Type().Elem().Kind() != reflect.Struct {
		if !equality.Semantic.DeepEqual(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	}
	merged := reflect.MakeSlice(from.Type(), from.Len(), from.Len())
	for i := range from.Len() {
		if before, ok := counterpart(into, from.Index(i), i); ok {
			merged.Index(i).Set(before)
			overlay(merged.Index(i), from.Index(i), true)
			continue
		}
		merged.Index(i).Set(from.Index(i))
	}
	if from.Len() == 0 && into.Len() == 0 {
		return // nil and empty are the same to the API
	}
	into.Set(merged)
}

func counterpart(among, element reflect.Value, place int) (reflect.Value, bool) {
	for _, field := range []string{"MountPath", "Name"} {
		name := element.FieldByName(field)
		if !name.IsValid() {
			continue
		}
		for i := range among.Len() {
			if among.Index(i).FieldByName(field).Interface() == name.Interface() {
				return among.Index(i), true
			}
		}
		return reflect.Value{}, false
	}
	if place < among.Len() {
		return among.Index(place), true
	}
	return reflect.Value{}, false
}

// emptyMeansEmpty says for which fields an empty value is meant: those which
// the API server never fills in by itself, and which we may stop setting.
func emptyMeansEmpty(t reflect.Type, field string) bool {
	switch t {
	case reflect.TypeFor[corev1.PodSpec]():
		switch field {
		case "Affinity", "Tolerations", "NodeSelector", "HostNetwork", "HostPID", "HostIPC", "InitContainers", "Volumes", "PriorityClassName":
			return true
		}
	case reflect.TypeFor[corev1.Container]():
		switch field {
		case "Args", "Command", "Env", "EnvFrom", "Ports", "Resources", "VolumeMounts", "VolumeDevices", "LivenessProbe", "ReadinessProbe", "StartupProbe", "Lifecycle":
			return true
		}
	case reflect.TypeFor[corev1.VolumeMount]():
		return field == "ReadOnly" || field == "SubPath"
	case reflect.TypeFor[corev1.VolumeSource](), reflect.TypeFor[corev1.ProbeHandler](), reflect.TypeFor[corev1.EnvVarSource](), reflect.TypeFor[corev1.EnvVar]():
		return true
	case reflect.TypeFor[corev1.ConfigMap](), reflect.TypeFor[corev1.Secret]():
		return field == "Data" || field == "BinaryData"
	case reflect.TypeFor[appsv1.DeploymentStrategy]():
		return field == "RollingUpdate" // which the API refuses beside Recreate
	}
	return false
}
