package kube

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
	crschema "github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// install shows a definition that is served already as an object.
func (a *API) install(crd *apiextensionsv1.CustomResourceDefinition) {
	k, err := a.kindOf(crd)
	if err != nil {
		return // the scheme does not know definitions, so nobody can ask for them
	}
	copied := *crd // its spec is shared by all servers, as nothing changes what is stored
	obj := &copied
	obj.Finalizers = []string{instancesFirst}
	obj.UID, obj.CreationTimestamp, obj.Generation = a.newUID(), a.now(), 1
	a.establish(obj)
	a.commit(serverUser, "create", k, &record{key: client.ObjectKeyFromObject(obj)}, image{obj: obj})
}

func defaultDefinition(crd *apiextensionsv1.CustomResourceDefinition) {
	apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
}

// definitionStrategy makes a definition that somebody creates or changes be
// served at once.
func (a *API) definitionStrategy(s *strategy) {
	s.prepare = func(obj, old client.Object) error {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		defaultDefinition(crd)
		a.establish(crd)
		if old == nil {
			crd.Finalizers = append(crd.Finalizers, instancesFirst)
		}
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		if want := crd.Spec.Names.Plural + "." + crd.Spec.Group; crd.Name != want {
			return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), crd.Name, "must be spec.names.plural+\".\"+spec.group")}
		}
		if old != nil && equal.Semantic(crd.Spec, old.(*apiextensionsv1.CustomResourceDefinition).Spec) {
			return nil
		}
		if _, err := crschema.New(crd); err != nil {
			return field.ErrorList{field.Invalid(field.NewPath("spec", "versions"), crd.Name, err.Error())}
		}
		return nil
	}
	s.committed = func(obj, old client.Object) {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		served := a.kinds[storedAs(crd)]
		switch {
		case crd.DeletionTimestamp != nil:
			if old.GetDeletionTimestamp() == nil {
				a.deleteInstances(served, crd.Name)
			}
			return
		case old == nil && served != nil && !served.withdrawn:
			return // one that the server was made with
		case old != nil && equal.Semantic(crd.Spec, old.(*apiextensionsv1.CustomResourceDefinition).Spec):
			return
		}
		validator, err := crschema.New(crd)
		if err != nil {
			panic(fmt.Sprintf("kube: %s was admitted and does not compile: %v", crd.Name, err))
		}
		if served != nil {
			served.custom, served.withdrawn = validator, false
			return
		}
		a.serveCustom(definition{crd: crd, validator: validator})
	}
	s.removed = func(obj client.Object) {
		if k := a.kinds[storedAs(obj.(*apiextensionsv1.CustomResourceDefinition))]; k != nil {
			k.withdrawn = true
		}
	}
}

// instancesFirst is the finalizer that keeps a definition until its objects are
// gone.
const instancesFirst = apiextensionsv1.CustomResourceCleanupFinalizer

// deleteInstances deletes the objects of a definition that is being deleted, and
// lets it go when none is left.
func (a *API) deleteInstances(k *kind, name string) {
	a.loop.After(a.noticing(), "delete the objects of "+name, func() {
		of := a.mustKindOf(&apiextensionsv1.CustomResourceDefinition{})
		r := of.table.byKey[client.ObjectKey{Name: name}]
		if r == nil {
			return
		}
		if k != nil {
			k.table.each("", func(instance *record) bool {
				if instance.obj.GetDeletionTimestamp() == nil {
					policy := metav1.DeletePropagationBackground
					request := Request{User: serverUser, Verb: "delete", Kind: k.gvk, Resource: k.gvr, Key: instance.key}
					// What is refused stays, and is tried again.
					_ = a.serveRequest(background(), request, func() error {
						return a.delete(serverUser, k, instance.key, &metav1.DeleteOptions{PropagationPolicy: &policy}, false)
					})
				}
				return true
			})
			if len(k.table.sorted) > 0 {
				a.deleteInstances(k, name)
				return
			}
		}
		crd := r.obj.DeepCopyObject().(*apiextensionsv1.CustomResourceDefinition)
		crd.Finalizers = slices.DeleteFunc(crd.Finalizers, func(f string) bool { return f == instancesFirst })
		if len(crd.Finalizers) == 0 {
			a.remove(serverUser, "update", of, r, image{obj: crd})
			return
		}
		a.commit(serverUser, "update", of, r, image{obj: crd})
	})
}

// storedAs is the kind of a definition's objects in the version in which they are
// stored.
func storedAs(crd *apiextensionsv1.CustomResourceDefinition) schema.GroupVersionKind {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			return schema.GroupVersionKind{Group: crd.Spec.Group, Version: v.Name, Kind: crd.Spec.Names.Kind}
		}
	}
	return schema.GroupVersionKind{}
}

// establish says in a definition's status that it is served.
func (a *API) establish(crd *apiextensionsv1.CustomResourceDefinition) {
	crd.Status.AcceptedNames = crd.Spec.Names
	for _, v := range crd.Spec.Versions {
		if v.Storage && !slices.Contains(crd.Status.StoredVersions, v.Name) {
			crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
		}
	}
	if len(crd.Status.Conditions) > 0 {
		return
	}
	crd.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{
		{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue, Reason: "NoConflicts", Message: "no conflicts found", LastTransitionTime: a.now()},
		{Type: apiextensionsv1.Established, Status: apiextensionsv1.ConditionTrue, Reason: "InitialNamesAccepted", Message: "the initial names have been accepted", LastTransitionTime: a.now()},
	}
}
