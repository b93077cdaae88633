package kube

import (
	"fmt"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	crschema "github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// kind is one resource that the server serves.
type kind struct {
	gvk        schema.GroupVersionKind
	gvr        schema.GroupVersionResource
	singular   string
	shortNames []string
	namespaced bool
	// status: it has a status subresource.
	status bool
	// generation: the server counts changes of what is asked for.
	generation bool
	// strict: an update has to say which resourceVersion it is based on.
	strict bool

	goType    reflect.Type        // what a stored object points to; nil for one kept unstructured
	custom    *crschema.Validator // admits custom resources; nil for built-in kinds
	selectors []string            // JSON paths of a custom resource that field selectors may name
	shapes    *shapes
	times     func(v reflect.Value) // rounds times to what JSON can say; see roundTimes
	parts     []string              // JSON names of the fields of goType, once somebody asked
	strategy  strategy
	sibling   *sibling // another version of the same objects; nil for most
	// withdrawn: its definition has been deleted. Clients do not find it any more;
	// who subscribed to it would hear of it again.
	withdrawn bool
	table     table
	watchers  []watcher
}

func (k *kind) resource() schema.GroupResource { return k.gvr.GroupResource() }

// newObject is an empty object as the server stores it.
func (k *kind) newObject() client.Object {
	if k.goType == nil {
		u := &unstructured.Unstructured{Object: map[string]any{}}
		u.SetGroupVersionKind(k.gvk)
		return u
	}
	return reflect.New(k.goType).Interface().(client.Object)
}

// builtin is a row of the table of built-in resources.
type builtin struct {
	groupVersion, plural, kind string
	flags                      string // n: namespaced, s: status subresource, g: generation, u: update needs a resourceVersion
	short                      string
}

// builtins are the built-in resources that are served: what the server of a
// current release has switched on by default, as far as an operator or a CSI
// driver and its sidecars meet it.
func builtins() []builtin {
	return []builtin{
		{"v1", "configmaps", "ConfigMap", "n", "cm"},
		{"v1", "endpoints", "Endpoints", "n", "ep"},
		{"v1", "events", "Event", "n", "ev"},
		{"v1", "limitranges", "LimitRange", "n", "limits"},
		{"v1", "namespaces", "Namespace", "s", "ns"},
		{"v1", "nodes", "Node", "s", "no"},
		{"v1", "persistentvolumeclaims", "PersistentVolumeClaim", "ns", "pvc"},
		{"v1", "persistentvolumes", "PersistentVolume", "s", "pv"},
		{"v1", "pods", "Pod", "nsg", "po"},
		{"v1", "podtemplates", "PodTemplate", "ng", ""},
		{"v1", "replicationcontrollers", "ReplicationController", "nsg", "rc"},
		{"v1", "resourcequotas", "ResourceQuota", "ns", "quota"},
		{"v1", "secrets", "Secret", "n", ""},
		{"v1", "serviceaccounts", "ServiceAccount", "n", "sa"},
		{"v1", "services", "Service", "ns", "svc"},
		{"apps/v1", "controllerrevisions", "ControllerRevision", "n", ""},
		{"apps/v1", "daemonsets", "DaemonSet", "nsg", "ds"},
		{"apps/v1", "deployments", "Deployment", "nsg", "deploy"},
		{"apps/v1", "replicasets", "ReplicaSet", "nsg", "rs"},
		{"apps/v1", "statefulsets", "StatefulSet", "nsg", "sts"},
		{"autoscaling/v2", "horizontalpodautoscalers", "HorizontalPodAutoscaler", "ns", "hpa"},
		{"batch/v1", "cronjobs", "CronJob", "nsg", "cj"},
		{"batch/v1", "jobs", "Job", "nsg", ""},
		{"coordination.k8s.io/v1", "leases", "Lease", "nu", ""},
		{"discovery.k8s.io/v1", "endpointslices", "EndpointSlice", "ng", ""},
		{"networking.k8s.io/v1", "ingressclasses", "IngressClass", "g", ""},
		{"networking.k8s.io/v1", "ingresses", "Ingress", "nsg", "ing"},
		{"networking.k8s.io/v1", "networkpolicies", "NetworkPolicy", "ng", "netpol"},
		{"node.k8s.io/v1", "runtimeclasses", "RuntimeClass", "u", ""},
		{"policy/v1", "poddisruptionbudgets", "PodDisruptionBudget", "nsgu", "pdb"},
		{"rbac.authorization.k8s.io/v1", "clusterrolebindings", "ClusterRoleBinding", "", ""},
		{"rbac.authorization.k8s.io/v1", "clusterroles", "ClusterRole", "", ""},
		{"rbac.authorization.k8s.io/v1", "rolebindings", "RoleBinding", "n", ""},
		{"rbac.authorization.k8s.io/v1", "roles", "Role", "n", ""},
		{"scheduling.k8s.io/v1", "priorityclasses", "PriorityClass", "g", "pc"},
		{"storage.k8s.io/v1", "csidrivers", "CSIDriver", "gu", ""},
		{"storage.k8s.io/v1", "csinodes", "CSINode", "u", ""},
		{"storage.k8s.io/v1", "csistoragecapacities", "CSIStorageCapacity", "n", ""},
		{"storage.k8s.io/v1", "storageclasses", "StorageClass", "", "sc"},
		{"storage.k8s.io/v1", "volumeattachments", "VolumeAttachment", "su", ""},
		{"apiextensions.k8s.io/v1", "customresourcedefinitions", "CustomResourceDefinition", "sgu", "crd"},
	}
}

func (b builtin) is(flag string) bool { return strings.Contains(b.flags, flag) }

// serveBuiltins adds the built-in kinds that the scheme knows a Go type for.
func (a *API) serveBuiltins() {
	for _, b := range builtins() {
		gv, err := schema.ParseGroupVersion(b.groupVersion)
		if err != nil {
			panic(err) // the table above is wrong
		}
		k := &kind{
			gvk: gv.WithKind(b.kind), gvr: gv.WithResource(b.plural), singular: strings.ToLower(b.kind),
			namespaced: b.is("n"), status: b.is("s"), generation: b.is("g"), strict: b.is("u"),
		}
		if b.short != "" {
			k.shortNames = []string{b.short}
		}
		if !a.scheme.Recognizes(k.gvk) {
			continue
		}
		a.serve(k)
	}
}

// serveCustom adds the kind of a CustomResourceDefinition, in its storage
// version. The scheme need not know it.
func (a *API) serveCustom(d definition) {
	spec := d.crd.Spec
	for _, v := range spec.Versions {
		if !v.Storage {
			continue
		}
		gv := schema.GroupVersion{Group: spec.Group, Version: v.Name}
		k := &kind{
			gvk: gv.WithKind(spec.Names.Kind), gvr: gv.WithResource(spec.Names.Plural),
			singular: spec.Names.Singular, shortNames: spec.Names.ShortNames,
			namespaced: spec.Scope == apiextensionsv1.NamespaceScoped,
			status:     v.Subresources != nil && v.Subresources.Status != nil,
			generation: true, strict: true, custom: d.validator,
		}
		if k.singular == "" {
			k.singular = strings.ToLower(k.gvk.Kind)
		}
		for _, f := range v.SelectableFields {
			k.selectors = append(k.selectors, strings.TrimPrefix(f.JSONPath, "."))
		}
		a.serve(k)
	}
}

func (a *API) serve(k *kind) {
	if a.kinds[k.gvk] != nil {
		return
	}
	if a.scheme.Recognizes(k.gvk) {
		obj, err := a.scheme.New(k.gvk)
		if _, ok := obj.(client.Object); err == nil && ok {
			k.goType = reflect.TypeOf(obj).Elem()
			a.byType[k.goType] = k
		}
	}
	k.shapes = a.shapes
	k.table.byKey = map[client.ObjectKey]*record{}
	k.strategy = a.strategyOf(k)
	if k.goType == reflect.TypeFor[corev1.Event]() {
		k.sibling = eventSibling()
	}
	a.kinds[k.gvk] = k
	a.order = append(a.order, k)
	scope := meta.RESTScopeRoot
	if k.namespaced {
		scope = meta.RESTScopeNamespace
	}
	a.mapper.AddSpecific(k.gvk, k.gvr, k.gvr.GroupVersion().WithResource(k.singular), scope)
	if s := k.sibling; s != nil && a.scheme.Recognizes(s.gvk) {
		a.kinds[s.gvk], a.byType[s.goType] = k, k
		a.mapper.AddSpecific(s.gvk, s.gvr, s.gvr.GroupVersion().WithResource(k.singular), scope)
	}
}

// listed is an empty object and an empty list of a resource, in the version that
// the resource names.
func (a *API) listed(k *kind, gvr schema.GroupVersionResource) (client.Object, client.ObjectList, error) {
	gvk := k.gvk
	if k.sibling != nil && k.sibling.gvr == gvr {
		gvk = k.sibling.gvk
	}
	obj, err := a.scheme.New(gvk)
	if err != nil {
		return nil, nil, err
	}
	gvk.Kind += "List"
	list, err := a.scheme.New(gvk)
	if err != nil {
		return nil, nil, err
	}
	return obj.(client.Object), list.(client.ObjectList), nil
}

// kindOf is the kind of an object or list of any representation.
func (a *API) kindOf(obj runtime.Object) (*kind, error) {
	if k := a.byType[reflect.TypeOf(obj).Elem()]; k != nil {
		return k.ifServed()
	}
	gvk, err := a.gvkOf(obj)
	if err != nil {
		return nil, err
	}
	if _, ok := obj.(client.ObjectList); ok {
		gvk.Kind = strings.TrimSuffix(gvk.Kind, "List")
	}
	return a.kindFor(gvk)
}

func (a *API) kindFor(gvk schema.GroupVersionKind) (*kind, error) {
	if k := a.kinds[gvk]; k != nil {
		return k.ifServed()
	}
	return nil, &meta.NoKindMatchError{GroupKind: gvk.GroupKind(), SearchedVersions: []string{gvk.Version}}
}

func (k *kind) ifServed() (*kind, error) {
	if k.withdrawn {
		return nil, &meta.NoKindMatchError{GroupKind: k.gvk.GroupKind(), SearchedVersions: []string{k.gvk.Version}}
	}
	return k, nil
}

func (a *API) kindForResource(gvr schema.GroupVersionResource) (*kind, error) {
	for _, k := range a.order {
		if k.gvr == gvr || k.sibling != nil && k.sibling.gvr == gvr {
			return k, nil
		}
	}
	return nil, &meta.NoResourceMatchError{PartialResource: gvr}
}

// mustKindOf is kindOf for the simulation's own use, which goes on with a kind
// that has been withdrawn.
func (a *API) mustKindOf(obj runtime.Object) *kind {
	if k := a.byType[reflect.TypeOf(obj).Elem()]; k != nil {
		return k
	}
	k, err := a.kindOf(obj)
	if err != nil {
		panic(fmt.Sprintf("kube: %T: %v", obj, err))
	}
	return k
}
