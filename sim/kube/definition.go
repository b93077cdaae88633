package kube

import (
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// installed shows a definition that is served as an object, established.
func (a *API) installed(crd *apiextensionsv1.CustomResourceDefinition) {
	obj := crd.DeepCopy()
	a.mustCreate(obj)
}
