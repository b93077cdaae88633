package kube

import (
	"fmt"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	crschema "github.com/tidepool-ceph/tidepool/sim/kube/schema"
)

// install shows a definition that is served already as an object.
func (a *API) install(crd *apiextensionsv1.CustomResourceDefinition) {
	k, err := a.kindOf(crd)
	if err != nil {
		return // the scheme does not know definitions, so nobody can ask for them
	}
	obj := crd.DeepCopy()
	apiextensionsv1.SetDefaults_CustomResourceDefinition(obj)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&obj.Spec)
	obj.UID, obj.CreationTimestamp, obj.Generation = a.newUID(), a.now(), 1
	a.establish(obj)
	a.commit(serverUser, "create", k, &record{key: client.ObjectKeyFromObject(obj)}, image{obj: obj})
}

// definitionStrategy makes a definition that somebody creates or changes be
// served at once.
func (a *API) definitionStrategy(s *strategy) {
	s.prepare = func(obj, _ client.Object) error {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		apiextensionsv1.SetDefaults_CustomResourceDefinition(crd)
		apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&crd.Spec)
		a.establish(crd)
		return nil
	}
	s.validate = func(obj, old client.Object) field.ErrorList {
		crd := obj.(*apiextensionsv1.CustomResourceDefinition)
		if want := crd.Spec.Names.Plural + "." + crd.Spec.Group; crd.Name != want {
			return field.ErrorList{field.Invalid(field.NewPath("metadata", "name"), crd.Name, "must be spec.names.plural+\".\"+spec.group")}
		}
		if old != nil && apiequality.Semantic.DeepEqual(crd.Spec, old.(*apiextensionsv1.CustomResourceDefinition).Spec) {
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
		case old == nil && served != nil:
			return // one that the server was made with
		case old != nil && apiequality.Semantic.DeepEqual(crd.Spec, old.(*apiextensionsv1.CustomResourceDefinition).Spec):
			return
		}
		validator, err := crschema.New(crd)
		if err != nil {
			panic(fmt.Sprintf("kube: %s was admitted and does not compile: %v", crd.Name, err))
		}
		if served != nil {
			served.custom = validator
			return
		}
		a.serveCustom(definition{crd: crd, validator: validator})
	}
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
