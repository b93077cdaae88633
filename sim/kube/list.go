package kube

import (
	"encoding/base64"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// list writes copies of the objects of a table that match into a list of any
// representation, sorted by namespace and name.
func (a *API) list(k *kind, t *table, into client.ObjectList, opts client.ListOptions) error {
	matches, err := k.matcher(opts)
	if err != nil {
		return err
	}
	after, err := continueFrom(opts.Continue)
	if err != nil {
		return err
	}
	var found []*record
	t.each(opts.Namespace, func(r *record) bool {
		if opts.Continue != "" && compareKeys(r.key, after) <= 0 || !matches(r.obj) {
			return true
		}
		found = append(found, r)
		return opts.Limit == 0 || int64(len(found)) <= opts.Limit
	})
	token := ""
	if opts.Limit > 0 && int64(len(found)) > opts.Limit {
		found = found[:opts.Limit]
		token = continueAt(found[len(found)-1].key)
	}
	if err := k.fill(into, found, opts.UnsafeDisableDeepCopy != nil && *opts.UnsafeDisableDeepCopy); err != nil {
		return err
	}
	into.SetResourceVersion(strconv.FormatInt(a.version, 10))
	into.SetContinue(token)
	into.SetRemainingItemCount(nil)
	return nil
}

// fill sets the items of a list. Shared ones of a Go type are the stored objects
// themselves, which the caller has promised not to change.
func (k *kind) fill(into client.ObjectList, found []*record, shared bool) error {
	switch into := into.(type) {
	case *unstructured.UnstructuredList:
		into.Object = map[string]any{"apiVersion": k.gvk.GroupVersion().String(), "kind": k.gvk.Kind + "List"}
		into.Items = make([]unstructured.Unstructured, len(found))
		for i, r := range found {
			into.Items[i].Object = k.json(r.obj, r.raw)
		}
		return nil
	case *metav1.PartialObjectMetadataList:
		into.Items = make([]metav1.PartialObjectMetadata, len(found))
		for i, r := range found {
			into.Items[i].ObjectMeta = *metaOf(r.obj).DeepCopy()
			into.Items[i].SetGroupVersionKind(k.gvk)
		}
		return nil
	}
	items, err := meta.GetItemsPtr(into)
	if err != nil {
		return err
	}
	slice := reflect.ValueOf(items).Elem()
	element := slice.Type().Elem()
	byValue := element.Kind() == reflect.Struct
	show := func(obj client.Object) client.Object { return obj }
	if s := k.sibling; s != nil && (element == s.goType || element == reflect.PointerTo(s.goType)) {
		show = s.to
	} else if byValue && element != k.goType || !byValue && element != reflect.PointerTo(k.goType) {
		return fmt.Errorf("%s is kept as %s and cannot be listed into %T", k.gvk.Kind, k.goType, into)
	}
	out := reflect.MakeSlice(slice.Type(), len(found), len(found))
	for i, r := range found {
		obj := show(r.obj)
		if !shared {
			obj = obj.DeepCopyObject().(client.Object)
		}
		v := reflect.ValueOf(obj)
		if byValue {
			v = v.Elem()
		}
		out.Index(i).Set(v)
	}
	slice.Set(out)
	return nil
}

func continueAt(key client.ObjectKey) string {
	return base64.RawURLEncoding.EncodeToString([]byte(key.Namespace + "/" + key.Name))
}

func continueFrom(token string) (client.ObjectKey, error) {
	if token == "" {
		return client.ObjectKey{}, nil
	}
	text, err := base64.RawURLEncoding.DecodeString(token)
	namespace, name, ok := strings.Cut(string(text), "/")
	if err != nil || !ok {
		return client.ObjectKey{}, apierrors.NewBadRequest("continue key is not valid")
	}
	return client.ObjectKey{Namespace: namespace, Name: name}, nil
}

// matcher is the condition that an object of a list or a watch has to meet.
func (k *kind) matcher(opts client.ListOptions) (func(client.Object) bool, error) {
	conditions := []func(client.Object) bool{}
	if s := opts.LabelSelector; s != nil && !s.Empty() {
		conditions = append(conditions, func(obj client.Object) bool { return s.Matches(labels.Set(obj.GetLabels())) })
	}
	if s := opts.FieldSelector; s != nil && !s.Empty() {
		for _, r := range s.Requirements() {
			if !k.selectable(r.Field) {
				return nil, apierrors.NewBadRequest(fmt.Sprintf("Unable to find %q that match label selector %q, field selector %q: field label not supported: %s",
					k.gvr.String(), text(opts.LabelSelector), s.String(), r.Field))
			}
		}
		conditions = append(conditions, func(obj client.Object) bool { return s.Matches(fieldsOf{k, obj}) })
	}
	return func(obj client.Object) bool {
		for _, holds := range conditions {
			if !holds(obj) {
				return false
			}
		}
		return true
	}, nil
}

func text(s labels.Selector) string {
	if s == nil {
		return ""
	}
	return s.String()
}

// selectable says whether a field selector may name a field of this kind.
func (k *kind) selectable(name string) bool {
	if name == "metadata.name" || name == "metadata.namespace" && k.namespaced || slices.Contains(k.selectors, name) {
		return true
	}
	_, ok := selectorFields(k.newObject())[name]
	return ok
}

// fieldsOf are the fields of an object by which it can be selected.
type fieldsOf struct {
	k   *kind
	obj client.Object
}

var _ fields.Fields = fieldsOf{}

func (f fieldsOf) Has(name string) bool { return f.k.selectable(name) }

func (f fieldsOf) Get(name string) string {
	switch name {
	case "metadata.name":
		return f.obj.GetName()
	case "metadata.namespace":
		return f.obj.GetNamespace()
	}
	if slices.Contains(f.k.selectors, name) {
		return f.custom(name)
	}
	return selectorFields(f.obj)[name]
}

// custom reads a field that a CustomResourceDefinition made selectable.
func (f fieldsOf) custom(name string) string {
	path := jsonpath.New(name).AllowMissingKeys(true)
	if err := path.Parse("{." + name + "}"); err != nil {
		return ""
	}
	found, err := path.FindResults(f.k.json(f.obj, nil))
	if err != nil || len(found) == 0 || len(found[0]) == 0 {
		return ""
	}
	return fmt.Sprint(found[0][0].Interface())
}

// selectorFields are the fields other than name and namespace by which a
// built-in kind can be selected
// (https://kubernetes.io/docs/concepts/overview/working-with-objects/field-selectors/).
func selectorFields(obj client.Object) fields.Set {
	switch o := obj.(type) {
	case *corev1.Pod:
		return fields.Set{
			"spec.nodeName": o.Spec.NodeName, "spec.restartPolicy": string(o.Spec.RestartPolicy),
			"spec.schedulerName": o.Spec.SchedulerName, "spec.serviceAccountName": o.Spec.ServiceAccountName,
			"spec.hostNetwork": strconv.FormatBool(o.Spec.HostNetwork), "status.phase": string(o.Status.Phase),
			"status.podIP": o.Status.PodIP, "status.nominatedNodeName": o.Status.NominatedNodeName,
		}
	case *corev1.Event:
		source := o.Source.Component
		if source == "" {
			source = o.ReportingController
		}
		about := o.InvolvedObject
		return fields.Set{
			"involvedObject.kind": about.Kind, "involvedObject.namespace": about.Namespace, "involvedObject.name": about.Name,
			"involvedObject.uid": string(about.UID), "involvedObject.apiVersion": about.APIVersion,
			"involvedObject.resourceVersion": about.ResourceVersion, "involvedObject.fieldPath": about.FieldPath,
			"reason": o.Reason, "reportingComponent": source, "source": source, "type": o.Type,
		}
	case *corev1.Secret:
		return fields.Set{"type": string(o.Type)}
	case *corev1.Namespace:
		return fields.Set{"status.phase": string(o.Status.Phase)}
	case *corev1.Node:
		return fields.Set{"spec.unschedulable": strconv.FormatBool(o.Spec.Unschedulable)}
	case *batchv1.Job:
		return fields.Set{"status.successful": strconv.Itoa(int(o.Status.Succeeded))}
	case *corev1.Service:
		return fields.Set{"spec.clusterIP": o.Spec.ClusterIP, "spec.type": string(o.Spec.Type)}
	}
	return nil
}
