package kube

import (
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/api/equal"
)

// admit makes img what the server stores for it, or says why it does not. old is
// nil for a create.
func (a *API) admit(k *kind, img, old *image) error {
	m := img.meta()
	errs := a.validateMetadata(k, m, old)
	if k.custom != nil {
		more, err := k.admitCustom(img, old)
		if err != nil {
			return err
		}
		return invalid(k, m, append(errs, more...))
	}
	var before client.Object
	if old == nil && k.status && !k.strategy.statusOnCreate {
		clearField(img.obj, "Status")
	}
	if old != nil {
		before = old.obj
	}
	if err := k.strategy.prepare(img.obj, before); err != nil {
		return err
	}
	return invalid(k, m, append(errs, k.strategy.validate(img.obj, before)...))
}

// admitCustom takes a custom resource through its schema.
func (k *kind) admitCustom(img, old *image) (field.ErrorList, error) {
	var before map[string]any
	if old != nil {
		before = old.raw
	}
	raw, errs := k.custom.Admit(img.raw, before)
	if len(errs) > 0 {
		return errs, nil
	}
	if u := reflect.TypeOf(img.obj).Elem(); u == k.goType && equal.Semantic(raw, img.raw) {
		return nil, nil
	}
	obj, err := k.decode(raw)
	if err != nil {
		return nil, apierrors.NewInternalError(fmt.Errorf("%s %q is valid by its schema but does not fit %s: %w", k.gvk.Kind, img.obj.GetName(), k.goType, err))
	}
	*img = image{obj: obj, raw: raw}
	return nil, nil
}

// admitStatus is admit for the status subresource. img is old but for its status.
func (a *API) admitStatus(k *kind, img *image, old image) error {
	m := img.meta()
	if k.custom == nil {
		if !k.strategy.statusCarriesMetadata {
			return nil // it is old's, which was admitted
		}
		return invalid(k, m, validation.ValidateObjectMetaAccessorUpdate(m, metaOf(old.obj), field.NewPath("metadata")))
	}
	raw, errs := k.custom.AdmitStatus(img.raw, old.raw)
	if len(errs) > 0 {
		return invalid(k, m, errs)
	}
	if k.goType != nil && k.decodeStatus(img.obj, raw["status"]) {
		img.raw = raw
		return nil
	}
	obj, err := k.decode(raw)
	if err != nil {
		return apierrors.NewInternalError(fmt.Errorf("the status of %s %q is valid by its schema but does not fit %s: %w", k.gvk.Kind, m.Name, k.goType, err))
	}
	*img = image{obj: obj, raw: raw}
	return nil
}

// invalid is the server's answer for errs; nil if there are none.
func invalid(k *kind, m *metav1.ObjectMeta, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(k.gvk.GroupKind(), m.Name, errs)
}

// validateMetadata checks what all kinds have in common.
func (a *API) validateMetadata(k *kind, m *metav1.ObjectMeta, old *image) field.ErrorList {
	path := field.NewPath("metadata")
	var errs field.ErrorList
	if old == nil {
		errs = validation.ValidateObjectMetaAccessor(m, k.namespaced, k.strategy.validName, path)
	} else {
		errs = validation.ValidateObjectMetaAccessorUpdate(m, metaOf(old.obj), path)
	}
	// Labels and annotations are maps, so their errors come in any order.
	sortErrors(errs)
	return errs
}

// mayCreateIn refuses a create in a namespace that is not there or is on its way
// out.
func (a *API) mayCreateIn(k *kind, m *metav1.ObjectMeta) error {
	if !k.namespaced {
		return nil
	}
	obj, ok := a.View(&corev1.Namespace{}, client.ObjectKey{Name: m.Namespace})
	if !ok {
		return apierrors.NewNotFound(corev1.Resource("namespaces"), m.Namespace)
	}
	if ns := obj.(*corev1.Namespace); ns.DeletionTimestamp == nil {
		return nil
	}
	err := apierrors.NewForbidden(k.resource(), m.Name, fmt.Errorf("unable to create new content in namespace %s because it is being terminated", m.Namespace))
	err.ErrStatus.Details.Causes = append(err.ErrStatus.Details.Causes, metav1.StatusCause{
		Type:    corev1.NamespaceTerminatingCause,
		Message: fmt.Sprintf("namespace %s is being terminated", m.Namespace),
		Field:   "metadata.namespace",
	})
	return err
}

// generatedName is a name from generateName that is free.
func (a *API) generatedName(k *kind, m *metav1.ObjectMeta) string {
	const alphabet, random, longest = "bcdfghjklmnpqrstvwxz2456789", 5, 63
	base := m.GenerateName
	if len(base) > longest-random {
		base = base[:longest-random]
	}
	for {
		suffix := make([]byte, random)
		for i := range suffix {
			suffix[i] = alphabet[a.names.IntN(len(alphabet))]
		}
		name := base + string(suffix)
		if k.table.byKey[client.ObjectKey{Namespace: m.Namespace, Name: name}] == nil {
			return name
		}
	}
}

func clearField(obj client.Object, name string) {
	reflect.ValueOf(obj).Elem().FieldByName(name).SetZero()
}
