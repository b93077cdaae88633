package kube

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	crschema "github.com/tidepool-ceph/tidepool/sim/kube/schema"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// API is one Kubernetes API server with its store.
type API struct {
	loop   *loop.Loop
	scheme *runtime.Scheme
	mapper *meta.DefaultRESTMapper

	kinds  map[schema.GroupVersionKind]*kind
	byType map[reflect.Type]*kind
	order  []*kind // as served first, for walks over all kinds

	version int64      // the last resourceVersion given out
	ids     *rand.Rand // of uids
	names   *rand.Rand // of generated names
	delays  *rand.Rand // of the built-in controllers

	onRequest []*func(Request) error
	onAnswer  []*func(Request, error) error
	webhooks  []*webhook

	shapes    *shapes
	addresses addresses
	gc        collector
}

// Definitions are CustomResourceDefinitions, compiled. They are for any number
// of servers, at the same time.
type Definitions struct {
	all    []definition
	shapes shapes
}

type definition struct {
	crd       *apiextensionsv1.CustomResourceDefinition
	validator *crschema.Validator
}

// Compile compiles the definitions, which takes tens of milliseconds each: a
// process that makes many servers does it once. It fails on a definition whose
// schema the server would refuse.
func Compile(crds []*apiextensionsv1.CustomResourceDefinition) (*Definitions, error) {
	d := &Definitions{}
	for _, crd := range crds {
		v, err := crschema.New(crd)
		if err != nil {
			return nil, fmt.Errorf("CustomResourceDefinition %q: %w", crd.Name, err)
		}
		crd = crd.DeepCopy()
		defaultDefinition(crd)
		crd.Status = apiextensionsv1.CustomResourceDefinitionStatus{}
		d.all = append(d.all, definition{crd: crd, validator: v})
	}
	return d, nil
}

// New makes a server that lives on l and serves the built-in kinds that scheme
// knows, which must have those of core/v1, and the kinds of crds, which need not be
// in the scheme. It starts with the namespaces of a fresh cluster. It fails on a definition that does not compile.
func New(l *loop.Loop, scheme *runtime.Scheme, crds []*apiextensionsv1.CustomResourceDefinition) (*API, error) {
	d, err := Compile(crds)
	if err != nil {
		return nil, err
	}
	return NewWith(l, scheme, d), nil
}

// NewWith is [New] for definitions that are compiled already.
func NewWith(l *loop.Loop, scheme *runtime.Scheme, definitions *Definitions) *API {
	a := &API{
		loop: l, scheme: scheme, mapper: meta.NewDefaultRESTMapper(nil),
		kinds: map[schema.GroupVersionKind]*kind{}, byType: map[reflect.Type]*kind{},
		ids: l.Rand("kube: uids"), names: l.Rand("kube: generated names"), delays: l.Rand("kube: built-in controllers"),
		shapes: &definitions.shapes, addresses: newAddresses(),
	}
	a.gc = newCollector(a)
	a.serveBuiltins()
	for _, d := range definitions.all {
		a.serveCustom(d)
	}
	for _, name := range []string{corev1.NamespaceDefault, "kube-node-lease", "kube-public", "kube-system"} {
		ns := &corev1.Namespace{}
		ns.Name = name
		a.mustCreate(ns)
	}
	a.makePriorityClasses()
	for _, d := range definitions.all {
		a.install(d.crd)
	}
	return a
}

// serverUser is in whose name the server itself writes.
const serverUser = "kube-apiserver"

// mustCreate stores an object of the server's own, if its kind is served.
func (a *API) mustCreate(obj client.Object) {
	k, err := a.kindOf(obj)
	if err != nil {
		return // nobody can ask for it
	}
	if _, err := a.create(serverUser, k, obj.GetNamespace(), image{obj: obj}, false); err != nil {
		panic(err) // what the server makes for itself is right
	}
}

// Scheme is what the server was made with.
func (a *API) Scheme() *runtime.Scheme { return a.scheme }

// RESTMapper knows the kinds that are served.
func (a *API) RESTMapper() meta.RESTMapper { return a.mapper }

// gvkOf is the group, version and kind that obj says it is, or that the scheme
// knows its type by.
func (a *API) gvkOf(obj runtime.Object) (schema.GroupVersionKind, error) {
	return apiutil.GVKForObject(obj, a.scheme)
}

// now is the virtual time as the server writes it: UTC, whole seconds.
func (a *API) now() metav1.Time { return metav1.Time{Time: a.loop.Now().UTC().Truncate(1e9)} }

// nextVersion is the resourceVersion of the next write.
func (a *API) nextVersion() string {
	a.version++
	return strconv.FormatInt(a.version, 10)
}

// Revision moves with every write, so that who looks again and again need look
// only when it has moved.
func (a *API) Revision() int64 { return a.version }

// View is the object of that key as it is stored: read-only, shared, and replaced
// rather than changed by the next write. object says which kind is meant. It is
// for the simulation's own controllers; a kind that is not served panics.
func (a *API) View(object client.Object, key client.ObjectKey) (client.Object, bool) {
	r := a.mustKindOf(object).table.byKey[key]
	if r == nil {
		return nil, false
	}
	return r.obj, true
}

// Each calls fn for each object of the kind of object in a namespace ("" for
// all), sorted by namespace and name. What fn gets is read-only as with
// [API.View]; fn may write to the API meanwhile.
func (a *API) Each(object client.Object, namespace string, fn func(client.Object)) {
	a.mustKindOf(object).table.each(namespace, func(r *record) bool {
		fn(r.obj)
		return true
	})
}

// newUID is a random (version 4) UUID of the seed.
func (a *API) newUID() types.UID {
	return types.UID(uuidOf(a.ids.Uint64(), a.ids.Uint64()))
}
