package object

import (
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// OwnedBy is the owner reference of everything made for a cluster: the CR's own
// API version, name and uid, so that garbage collection finds it, and no
// controller mark (S65, Settled 9).
func OwnedBy(cluster *v1.CephCluster) metav1.OwnerReference {
	block := true
	return metav1.OwnerReference{
		APIVersion:         v1.SchemeGroupVersion().String(),
		Kind:               v1.CephClusterKind,
		Name:               cluster.Name,
		UID:                cluster.UID,
		BlockOwnerDeletion: &block,
	}
}

// Owns says whether an object belongs to the owner.
func Owns(owner metav1.OwnerReference, object client.Object) bool {
	for _, ref := range object.GetOwnerReferences() {
		if ref.UID == owner.UID {
			return true
		}
	}
	return false
}

// ForeignError says that an object of the wanted name belongs to someone else.
type ForeignError struct {
	Object string // "ConfigMap rook-ceph/rook-config-override"
	Owner  string // who has it: "CephCluster other (uid 1)"
	Wanted string // who wants it, in the same form
}

func (e *ForeignError) Error() string {
	return fmt.Sprintf("%s belongs to %s, not to %s: it is left as it is; remove it, or use another namespace", e.Object, e.Owner, e.Wanted)
}

// foreign returns a ForeignError if another object, which is not the owner,
// controls or owns the object. An object without any owner is taken over.
func foreign(owner metav1.OwnerReference, kind string, object client.Object) error {
	if Owns(owner, object) {
		return nil
	}
	for _, ref := range object.GetOwnerReferences() {
		if ref.Kind == owner.Kind || ref.Controller != nil && *ref.Controller {
			return &ForeignError{Object: name(kind, object), Owner: describe(ref), Wanted: describe(owner)}
		}
	}
	return nil
}

func describe(ref metav1.OwnerReference) string {
	return fmt.Sprintf("%s %s (uid %s)", ref.Kind, ref.Name, ref.UID)
}

func name(kind string, object client.Object) string {
	if object.GetNamespace() == "" {
		return kind + " " + object.GetName()
	}
	return kind + " " + object.GetNamespace() + "/" + object.GetName()
}
