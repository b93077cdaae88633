package kube

import (
	"slices"

	"sigs.k8s.io/controller-runtime/pkg/client"
)

// webhook is a mutating admission webhook.
type webhook struct {
	kind *kind
	fn   func(client.Object)
}

// OnCreate calls fn with each built-in object of the kind of object that is about
// to be created, before defaulting and validation: a mutating admission webhook.
// fn may change it; whoever creates the object sees the change in the answer. The
// result takes fn away again.
func (a *API) OnCreate(object client.Object, fn func(client.Object)) (cancel func()) {
	w := &webhook{a.mustKindOf(object), fn}
	a.webhooks = append(a.webhooks, w)
	return func() {
		a.webhooks = slices.DeleteFunc(slices.Clone(a.webhooks), func(o *webhook) bool { return o == w })
	}
}

func (a *API) mutate(k *kind, obj client.Object) {
	for _, w := range a.webhooks {
		if w.kind == k {
			w.fn(obj)
		}
	}
}
