package object

import (
	"fmt"
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
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
	empty := emptiesOf(from.Type())
	for i := range from.NumField() {
		switch from.Type().Field(i).Name {
		case "TypeMeta", "Status":
		case "ObjectMeta":
			mergeMeta(merged, desired)
		default:
			overlay(into.Field(i), from.Field(i), empty.mean(i))
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
		if !equal.Semantic(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	case reflect.TypeFor[metav1.ObjectMeta](): // of a pod template
		meta := into.Addr().Interface().(*metav1.ObjectMeta)
		mergeMeta(meta, from.Addr().Interface().(*metav1.ObjectMeta))
		return
	case reflect.TypeFor[corev1.Affinity](), reflect.TypeFor[corev1.ResourceRequirements](), reflect.TypeFor[corev1.Toleration]():
		// The API server fills in nothing here, so that what is there is ours.
		if !equal.Semantic(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	}
	empty := emptiesOf(t)
	for i := range t.NumField() {
		overlay(into.Field(i), from.Field(i), empty.mean(i))
	}
}

// overlaySlice makes into have from's elements. An element's counterpart is the
// one of the same name, or the one at the same place where elements have none.
func overlaySlice(into, from reflect.Value) {
	if from.Type().Elem().Kind() != reflect.Struct {
		if !equal.Semantic(into.Interface(), from.Interface()) {
			into.Set(from)
		}
		return
	}
	merged, by := reflect.MakeSlice(from.Type(), from.Len(), from.Len()), tellsApart(from.Type().Elem())
	for i := range from.Len() {
		if at, ok := counterpart(into, from.Index(i), by, i); ok {
			merged.Index(i).Set(into.Index(at))
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

// counterpart is the place of the element that stands for the same thing. by is
// the field that tells elements apart.
func counterpart(among, element reflect.Value, by, place int) (int, bool) {
	if by < 0 {
		return place, place < among.Len()
	}
	name := element.Field(by).String()
	if place < among.Len() && among.Index(place).Field(by).String() == name {
		return place, true // also where several have no name, as ports may
	}
	for i := range among.Len() {
		if among.Index(i).Field(by).String() == name {
			return i, true
		}
	}
	return 0, false
}

// tellsApart is the field by which elements of a list are known, -1 if only their
// place tells.
func tellsApart(element reflect.Type) int {
	for _, name := range []string{"MountPath", "Name"} {
		if field, ok := element.FieldByName(name); ok && len(field.Index) == 1 {
			return field.Index[0]
		}
	}
	return -1
}

// empties says for each field of a struct of type t whether an empty value is
// meant to be empty; nil says it of none.
type empties []bool

func emptiesOf(t reflect.Type) empties { return meantEmpty[t] }

func (e empties) mean(field int) bool { return e != nil && e[field] }

// meantEmpty are the fields of which an empty value is meant: those which the API
// server never fills in by itself, and which we may stop setting.
var meantEmpty = map[reflect.Type]empties{
	reflect.TypeFor[corev1.PodSpec](): fields[corev1.PodSpec](
		"Affinity", "Tolerations", "NodeSelector", "HostNetwork", "HostPID", "HostIPC", "InitContainers", "Volumes", "PriorityClassName"),
	reflect.TypeFor[corev1.Container](): fields[corev1.Container](
		"Args", "Command", "Env", "EnvFrom", "Ports", "Resources", "VolumeMounts", "VolumeDevices", "LivenessProbe", "ReadinessProbe", "StartupProbe", "Lifecycle"),
	reflect.TypeFor[corev1.VolumeMount]():  fields[corev1.VolumeMount]("ReadOnly", "SubPath"),
	reflect.TypeFor[corev1.VolumeSource](): allFields[corev1.VolumeSource](),
	reflect.TypeFor[corev1.ProbeHandler](): allFields[corev1.ProbeHandler](),
	reflect.TypeFor[corev1.EnvVarSource](): allFields[corev1.EnvVarSource](),
	reflect.TypeFor[corev1.EnvVar]():       allFields[corev1.EnvVar](),
	reflect.TypeFor[corev1.ConfigMap]():    fields[corev1.ConfigMap]("Data", "BinaryData"),
	reflect.TypeFor[corev1.Secret]():       fields[corev1.Secret]("Data"),
	// Which the API refuses beside Recreate.
	reflect.TypeFor[appsv1.DeploymentStrategy](): fields[appsv1.DeploymentStrategy]("RollingUpdate"),
}

// fields marks fields of T by name.
func fields[T any](names ...string) empties {
	t := reflect.TypeFor[T]()
	marks := make(empties, t.NumField())
	for _, name := range names {
		field, ok := t.FieldByName(name)
		if !ok {
			panic(fmt.Sprintf("%v has no field %s", t, name)) // the table above is wrong
		}
		marks[field.Index[0]] = true
	}
	return marks
}

func allFields[T any]() empties {
	return slices.Repeat(empties{true}, reflect.TypeFor[T]().NumField())
}
