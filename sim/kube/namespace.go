package kube

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// namespaceUser is in whose name namespaces are emptied.
const namespaceUser = "system:serviceaccount:kube-system:namespace-controller"

// How often a namespace with content left is looked at again.
const emptyAgain = 500 * time.Millisecond

// background is for requests that nobody outside waits for.
func background() context.Context { return context.Background() }

// emptyLater begins to empty a namespace that is being deleted.
func (a *API) emptyLater(name string) {
	a.loop.After(a.noticing(), "empty namespace "+name, func() { a.empty(name) })
}

// empty deletes what is in a namespace, and the namespace when nothing is left.
func (a *API) empty(name string) {
	k := a.mustKindOf(&corev1.Namespace{})
	r := k.table.byKey[client.ObjectKey{Name: name}]
	if r == nil || r.obj.GetDeletionTimestamp() == nil {
		return
	}
	left := a.deleteContent(name)
	ns := r.obj.DeepCopyObject().(*corev1.Namespace)
	if len(left) > 0 {
		if conditions := contentConditions(left, a.now()); !sameConditions(ns.Status.Conditions, conditions) {
			ns.Status.Conditions = conditions
			a.commit(namespaceUser, "update status", k, r, image{obj: ns})
		}
		a.loop.After(emptyAgain, "empty namespace "+name, func() { a.empty(name) })
		return
	}
	ns.Spec.Finalizers = slices.DeleteFunc(ns.Spec.Finalizers, func(f corev1.FinalizerName) bool { return f == corev1.FinalizerKubernetes })
	if len(ns.Spec.Finalizers) == 0 && len(ns.Finalizers) == 0 {
		a.remove(namespaceUser, "update finalize", k, r, image{obj: ns})
		return
	}
	a.commit(namespaceUser, "update finalize", k, r, image{obj: ns})
}

// remainder is what is left of one kind in a namespace.
type remainder struct {
	kind       *kind
	count      int
	finalizers map[string]int
}

// deleteContent asks for the deletion of all objects in a namespace, kind by kind
// in the order of their names, and says what is still there after that.
func (a *API) deleteContent(namespace string) []remainder {
	kinds := slices.Clone(a.order)
	slices.SortFunc(kinds, func(x, y *kind) int { return strings.Compare(x.resource().String(), y.resource().String()) })
	var left []remainder
	for _, k := range kinds {
		if !k.namespaced {
			continue
		}
		k.table.each(namespace, func(r *record) bool {
			if r.obj.GetDeletionTimestamp() == nil {
				policy := metav1.DeletePropagationBackground
				request := Request{User: namespaceUser, Verb: "delete", Kind: k.gvk, Resource: k.gvr, Key: r.key}
				// What is refused stays, and is tried again.
				_ = a.serveRequest(background(), request, func() error {
					return a.delete(namespaceUser, k, r.key, &metav1.DeleteOptions{PropagationPolicy: &policy}, false)
				})
			}
			return true
		})
		rest := remainder{kind: k, finalizers: map[string]int{}}
		k.table.each(namespace, func(r *record) bool {
			rest.count++
			for _, f := range r.obj.GetFinalizers() {
				rest.finalizers[f]++
			}
			return true
		})
		if rest.count > 0 {
			left = append(left, rest)
		}
	}
	return left
}

// contentConditions are the conditions of a namespace that cannot go yet.
func contentConditions(left []remainder, now metav1.Time) []corev1.NamespaceCondition {
	var content, kept []string
	total := map[string]int{}
	for _, rest := range left {
		content = append(content, fmt.Sprintf("%s has %d resource instances", rest.kind.resource(), rest.count))
		for f, n := range rest.finalizers {
			total[f] += n
		}
	}
	for f, n := range total {
		kept = append(kept, fmt.Sprintf("%s in %d resource instances", f, n))
	}
	slices.Sort(kept)
	conditions := []corev1.NamespaceCondition{{
		Type: corev1.NamespaceContentRemaining, Status: corev1.ConditionTrue, LastTransitionTime: now,
		Reason: "SomeResourcesRemain", Message: "Some resources are remaining: " + strings.Join(content, ", "),
	}}
	if len(kept) > 0 {
		conditions = append(conditions, corev1.NamespaceCondition{
			Type: corev1.NamespaceFinalizersRemaining, Status: corev1.ConditionTrue, LastTransitionTime: now,
			Reason: "SomeFinalizersRemain", Message: "Some content in the namespace has finalizers remaining: " + strings.Join(kept, ", "),
		})
	}
	return conditions
}

func sameConditions(a, b []corev1.NamespaceCondition) bool {
	return slices.EqualFunc(a, b, func(x, y corev1.NamespaceCondition) bool {
		return x.Type == y.Type && x.Status == y.Status && x.Message == y.Message
	})
}
