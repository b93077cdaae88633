package kube

import (
	"context"
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/watch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// Client is a client of this server in the name of user, as an operator has one:
// objects typed, unstructured or metadata-only, every one handed out a copy.
// Requests go through the hooks; an answer costs no virtual time of its own.
func (a *API) Client(user string) client.WithWatch {
	return &apiClient{API: a, user: user}
}

type apiClient struct {
	*API
	user  string
	cache *Cache // where it reads; nil: from the server
}

func (c *apiClient) GroupVersionKindFor(obj runtime.Object) (schema.GroupVersionKind, error) {
	return c.gvkOf(obj)
}

func (c *apiClient) IsObjectNamespaced(obj runtime.Object) (bool, error) {
	k, err := c.kindOf(obj)
	if err != nil {
		return false, err
	}
	return k.namespaced, nil
}

// Apply hides API.Apply: on a client it is server-side apply.
func (c *apiClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.ApplyOption) error {
	return c.serverSideApply(ctx, obj, "", (&client.ApplyOptions{}).ApplyOptions(opts))
}

func (c *apiClient) request(verb string, k *kind, key client.ObjectKey, sent client.Object) Request {
	return Request{User: c.user, Verb: verb, Kind: k.gvk, Resource: k.gvr, Key: key, Object: sent}
}

// keyFor is the key of an object as a URL can say it.
func (k *kind) keyFor(key client.ObjectKey) (client.ObjectKey, error) {
	if key.Name == "" {
		return key, fmt.Errorf("resource name may not be empty")
	}
	if !k.namespaced {
		key.Namespace = ""
	} else if key.Namespace == "" {
		return key, fmt.Errorf("an empty namespace may not be set when a resource name is provided")
	}
	return key, nil
}

func (c *apiClient) Get(ctx context.Context, key client.ObjectKey, obj client.Object, _ ...client.GetOption) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	if key, err = k.keyFor(key); err != nil {
		return err
	}
	return c.serveRequest(ctx, c.request("get", k, key, nil), func() error {
		r := c.cache.table(k).byKey[key]
		if r == nil {
			return notFound(k, key)
		}
		return k.give(r.obj, r.raw, obj)
	})
}

func (c *apiClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	k, err := c.kindOf(list)
	if err != nil {
		return err
	}
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	return c.serveRequest(ctx, c.request("list", k, client.ObjectKey{Namespace: o.Namespace}, nil), func() error {
		return c.list(k, c.cache.table(k), list, o)
	})
}

func (c *apiClient) Watch(ctx context.Context, list client.ObjectList, opts ...client.ListOption) (watch.Interface, error) {
	k, err := c.kindOf(list)
	if err != nil {
		return nil, err
	}
	o := client.ListOptions{}
	o.ApplyOptions(opts)
	gvk, err := c.gvkOf(list)
	if err != nil {
		return nil, err
	}
	var w watch.Interface
	err = c.serveRequest(ctx, c.request("watch", k, client.ObjectKey{Namespace: o.Namespace}, nil), func() error {
		w, err = c.stream(k, o, copyLike(k, list, gvk.GroupVersion()))
		return err
	})
	return w, err
}

func (c *apiClient) Create(ctx context.Context, obj client.Object, opts ...client.CreateOption) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	o := (&client.CreateOptions{}).ApplyOptions(opts)
	return c.serveRequest(ctx, c.request("create", k, client.ObjectKeyFromObject(obj), obj), func() error {
		if err := k.checkStrict(obj, o.FieldValidation); err != nil {
			return err
		}
		img, err := k.imageOf(obj)
		if err != nil {
			return err
		}
		stored, err := c.create(c.user, k, obj.GetNamespace(), img, dry(o.DryRun))
		if err != nil {
			return err
		}
		return k.give(stored.obj, stored.raw, obj)
	})
}

func (c *apiClient) Update(ctx context.Context, obj client.Object, opts ...client.UpdateOption) error {
	o := (&client.UpdateOptions{}).ApplyOptions(opts)
	return c.put(ctx, obj, wholeObject, dry(o.DryRun), o.FieldValidation)
}

// put replaces an object, or its status, by what the caller sends.
func (c *apiClient) put(ctx context.Context, obj client.Object, part edition, dryRun bool, validation string) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	key, err := k.keyFor(client.ObjectKeyFromObject(obj))
	if err != nil {
		return err
	}
	r := c.request("update", k, key, obj)
	r.Subresource = part.subresource()
	return c.serveRequest(ctx, r, func() error {
		if err := k.checkStrict(obj, validation); err != nil {
			return err
		}
		img, err := k.sentImage(obj, part)
		if err != nil {
			return err
		}
		stored, _, err := c.update(c.user, verbOf(r), k, key, img, part, dryRun)
		if err != nil {
			return err
		}
		return k.give(stored.obj, stored.raw, obj)
	})
}

func (c *apiClient) Delete(ctx context.Context, obj client.Object, opts ...client.DeleteOption) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	key, err := k.keyFor(client.ObjectKeyFromObject(obj))
	if err != nil {
		return err
	}
	o := (&client.DeleteOptions{}).ApplyOptions(opts)
	return c.serveRequest(ctx, c.request("delete", k, key, nil), func() error {
		return c.delete(c.user, k, key, o.AsDeleteOptions(), dry(o.DryRun))
	})
}

func (c *apiClient) DeleteAllOf(ctx context.Context, obj client.Object, opts ...client.DeleteAllOfOption) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	o := (&client.DeleteAllOfOptions{}).ApplyOptions(opts)
	return c.serveRequest(ctx, c.request("deletecollection", k, client.ObjectKey{Namespace: o.Namespace}, nil), func() error {
		matches, err := k.matcher(o.ListOptions)
		if err != nil {
			return err
		}
		k.table.each(o.Namespace, func(r *record) bool {
			if matches(r.obj) {
				err = client.IgnoreNotFound(c.delete(c.user, k, r.key, o.AsDeleteOptions(), dry(o.DeleteOptions.DryRun)))
			}
			return err == nil
		})
		return err
	})
}

func dry(run []string) bool { return len(run) > 0 }

// copyLike is how a watch of list shows an object: in the representation of the
// list's items.
func copyLike(k *kind, list client.ObjectList, gv schema.GroupVersion) func(client.Object) (client.Object, error) {
	return func(obj client.Object) (client.Object, error) {
		var out client.Object
		switch list.(type) {
		case *metav1.PartialObjectMetadataList:
			out = &metav1.PartialObjectMetadata{}
		case runtime.Unstructured:
			out = &unstructured.Unstructured{Object: map[string]any{}}
		default:
			out = k.newObject()
			if s := k.sibling; s != nil && s.gvk.GroupVersion() == gv {
				out = reflect.New(s.goType).Interface().(client.Object)
			}
		}
		var raw map[string]any
		if r := k.table.byKey[client.ObjectKeyFromObject(obj)]; r != nil && r.obj == obj {
			raw = r.raw
		}
		return out, k.give(obj, raw, out)
	}
}

var _ client.WithWatch = (*apiClient)(nil)

// RESTMapper knows the kinds that are served.
func (c *apiClient) RESTMapper() meta.RESTMapper { return c.mapper }
