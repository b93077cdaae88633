package workload

import (
	"slices"
	"strings"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/sim/kube"
)

// owned finds the objects of one kind by the controller that owns them.
type owned[T client.Object] struct {
	api     *kube.API
	kind    T
	byOwner map[types.UID]map[client.ObjectKey]bool
}

func newOwned[T client.Object](api *kube.API, kind T) *owned[T] {
	return &owned[T]{api: api, kind: kind, byOwner: map[types.UID]map[client.ObjectKey]bool{}}
}

// add takes an object in; drop out.
func (o *owned[T]) add(object client.Object) {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil {
		return
	}
	of := o.byOwner[owner.UID]
	if of == nil {
		of = map[client.ObjectKey]bool{}
		o.byOwner[owner.UID] = of
	}
	of[client.ObjectKeyFromObject(object)] = true
}

func (o *owned[T]) drop(object client.Object) {
	owner := metav1.GetControllerOfNoCopy(object)
	if owner == nil {
		return
	}
	delete(o.byOwner[owner.UID], client.ObjectKeyFromObject(object))
	if len(o.byOwner[owner.UID]) == 0 {
		delete(o.byOwner, owner.UID)
	}
}

// of are the objects that the owner has now, by name. They are read-only.
func (o *owned[T]) of(owner types.UID) []T {
	var all []T
	for key := range o.byOwner[owner] {
		object, ok := o.api.View(o.kind, key)
		if !ok {
			continue
		}
		if ref := metav1.GetControllerOfNoCopy(object); ref != nil && ref.UID == owner {
			all = append(all, object.(T))
		}
	}
	slices.SortFunc(all, func(a, b T) int { return strings.Compare(a.GetName(), b.GetName()) })
	return all
}
