package kube

import (
	"context"
	"slices"

	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Request is what somebody asks of the server.
type Request struct {
	// User is who asks: the name given to [API.Client].
	User string
	// Verb is as in RBAC rules: get, list, watch, create, update, patch,
	// delete, deletecollection.
	Verb string
	// Kind is that of the object, Resource its plural as RBAC rules name it.
	Kind     schema.GroupVersionKind
	Resource schema.GroupVersionResource
	// Subresource is "status", "binding", "eviction", ... or "".
	Subresource string
	// Key names the object; the name is empty for lists and for a create with
	// generateName.
	Key client.ObjectKey
	// Object is what was sent with a create or an update, read-only; else nil.
	Object client.Object
}

// Writes says whether the request may change something.
func (r Request) Writes() bool {
	switch r.Verb {
	case "get", "list", "watch":
		return false
	}
	return true
}

// OnRequest calls fn before each request is looked at. An error of fn is the
// answer, and nothing has happened: a refusal. fn may let virtual time pass when
// the caller is a process. Functions are called in order until one refuses. The
// result takes fn away again.
func (a *API) OnRequest(fn func(Request) error) (cancel func()) {
	at := &fn
	a.onRequest = append(a.onRequest, at)
	return func() {
		a.onRequest = slices.DeleteFunc(slices.Clone(a.onRequest), func(f *func(Request) error) bool { return f == at })
	}
}

// OnAnswer calls fn after each request has had its effect (or none, where err
// says so), and before the caller hears of it. What fn returns is what the caller
// gets instead of err: an error in place of nil is an answer lost on the way, with
// the effect already there. Functions are called in order. The result takes fn
// away again.
func (a *API) OnAnswer(fn func(r Request, err error) error) (cancel func()) {
	at := &fn
	a.onAnswer = append(a.onAnswer, at)
	return func() {
		a.onAnswer = slices.DeleteFunc(slices.Clone(a.onAnswer), func(f *func(Request, error) error) bool { return f == at })
	}
}

// serveRequest takes a request through the hooks. All requests of clients come
// through here; a reader that is to see an older world would be given it here.
func (a *API) serveRequest(ctx context.Context, r Request, act func() error) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	for _, fn := range a.onRequest {
		if err := (*fn)(r); err != nil {
			a.traceRefused(r, err)
			return err
		}
	}
	err := act()
	if err != nil && r.Writes() {
		a.traceRefused(r, err)
	}
	for _, fn := range a.onAnswer {
		err = (*fn)(r, err)
	}
	return err
}

func (a *API) traceRefused(r Request, err error) {
	if a.loop.Tracing() {
		a.loop.Trace("kube", "%s %s %s %s: %v", r.User, verbOf(r), r.Kind.Kind, keyText(r.Key), err)
	}
}

func verbOf(r Request) string {
	if r.Subresource == "" {
		return r.Verb
	}
	return r.Verb + " " + r.Subresource
}

func keyText(key client.ObjectKey) string {
	if key.Namespace == "" {
		return key.Name
	}
	return key.Namespace + "/" + key.Name
}
