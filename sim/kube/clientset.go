package kube

import (
	"context"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// clientsetUser is in whose name a plain Clientset asks.
const clientsetUser = "clientset"

// Clientset is client-go's clientset of this server. What its hooks see as the
// user is "clientset"; see [API.ClientsetFor].
func (a *API) Clientset() kubernetes.Interface { return a.ClientsetFor(clientsetUser) }

// ClientsetFor is client-go's clientset in the name of user. It is client-go's
// fake one, with every action answered by this server. It takes one request at a
// time: a hook that lets time pass while two processes share a clientset would
// stop them both, so each process gets its own.
func (a *API) ClientsetFor(user string) kubernetes.Interface {
	cs := fake.NewClientset()
	r := &reactor{api: a, c: &apiClient{API: a, user: user}}
	cs.PrependReactor("*", "*", r.react)
	cs.PrependWatchReactor("*", r.watch)
	cs.Resources = a.discovery()
	return cs
}

type reactor struct {
	api *API
	c   *apiClient
}

func (r *reactor) react(action clienttesting.Action) (bool, runtime.Object, error) {
	k, err := r.api.kindForResource(action.GetResource())
	if err != nil {
		return true, nil, err
	}
	obj, list, err := r.api.listed(k, action.GetResource())
	if err != nil {
		return true, nil, err
	}
	key := client.ObjectKey{Namespace: action.GetNamespace()}
	ctx := context.Background()
	var out runtime.Object
	switch action := action.(type) {
	case clienttesting.GetActionImpl:
		key.Name = action.Name
		out, err = obj, r.c.Get(ctx, key, obj)
	case clienttesting.ListActionImpl:
		var o client.ListOptions
		if o, err = listOptions(key.Namespace, action.ListOptions); err == nil {
			out, err = list, r.c.List(ctx, list, &o)
		}
	case clienttesting.CreateActionImpl:
		out, err = r.create(ctx, k, action)
	case clienttesting.UpdateActionImpl:
		obj := action.Object.DeepCopyObject().(client.Object)
		obj.SetNamespace(key.Namespace)
		out, err = obj, r.c.put(ctx, obj, editionOf(action.Subresource), dry(action.UpdateOptions.DryRun), action.UpdateOptions.FieldValidation)
	case clienttesting.PatchActionImpl:
		obj.SetNamespace(key.Namespace)
		obj.SetName(action.Name)
		out, err = obj, r.c.patch(ctx, obj, action.PatchType, action.Patch, editionOf(action.Subresource), &action.PatchOptions)
	case clienttesting.DeleteActionImpl:
		obj.SetNamespace(key.Namespace)
		obj.SetName(action.Name)
		err = r.c.Delete(ctx, obj, deleteOptions(action.DeleteOptions))
	case clienttesting.DeleteCollectionActionImpl:
		o := &client.DeleteAllOfOptions{DeleteOptions: *deleteOptions(action.DeleteOptions)}
		if o.ListOptions, err = listOptions(key.Namespace, action.ListOptions); err == nil {
			err = r.c.DeleteAllOf(ctx, obj, o)
		}
	default: // a pod's log, whose request does not say which pod
		err = absent()
	}
	if err != nil {
		return true, nil, err
	}
	return true, out, nil
}

func (r *reactor) create(ctx context.Context, k *kind, action clienttesting.CreateActionImpl) (runtime.Object, error) {
	if action.Subresource == "" {
		obj := action.Object.DeepCopyObject().(client.Object)
		if obj.GetNamespace() == "" {
			obj.SetNamespace(action.Namespace)
		}
		return obj, r.c.Create(ctx, obj, &client.CreateOptions{DryRun: action.CreateOptions.DryRun})
	}
	body, ok := action.Object.(client.Object)
	if !ok {
		return nil, absent()
	}
	of := k.newObject()
	of.SetNamespace(action.Namespace)
	of.SetName(action.Name)
	if action.Name == "" {
		of.SetName(body.GetName())
	}
	return body, r.c.SubResource(action.Subresource).Create(ctx, of, body)
}

func (r *reactor) watch(action clienttesting.Action) (bool, watch.Interface, error) {
	w, ok := action.(clienttesting.WatchActionImpl)
	if !ok {
		return false, nil, nil
	}
	k, err := r.api.kindForResource(w.GetResource())
	if err != nil {
		return true, nil, err
	}
	_, list, err := r.api.listed(k, w.GetResource())
	if err != nil {
		return true, nil, err
	}
	o, err := listOptions(w.GetNamespace(), w.ListOptions)
	if err != nil {
		return true, nil, err
	}
	stream, err := r.c.Watch(context.Background(), list, &o)
	return true, stream, err
}

func editionOf(subresource string) edition {
	if subresource == statusName {
		return statusOnly
	}
	return wholeObject
}

func deleteOptions(o metav1.DeleteOptions) *client.DeleteOptions {
	return &client.DeleteOptions{
		Raw: &o, GracePeriodSeconds: o.GracePeriodSeconds, Preconditions: o.Preconditions, PropagationPolicy: o.PropagationPolicy, DryRun: o.DryRun,
	}
}

func listOptions(namespace string, o metav1.ListOptions) (client.ListOptions, error) {
	out := client.ListOptions{Namespace: namespace, Limit: o.Limit, Continue: o.Continue, Raw: &o}
	var err error
	if out.LabelSelector, err = labels.Parse(o.LabelSelector); err != nil {
		return out, err
	}
	out.FieldSelector, err = fields.ParseSelector(o.FieldSelector)
	return out, err
}

// discovery is the list of what is served, by group and version.
func (a *API) discovery() []*metav1.APIResourceList {
	var lists []*metav1.APIResourceList
	for _, k := range a.order {
		gv := k.gvk.GroupVersion().String()
		i := slices.IndexFunc(lists, func(l *metav1.APIResourceList) bool { return l.GroupVersion == gv })
		if i < 0 {
			lists, i = append(lists, &metav1.APIResourceList{GroupVersion: gv}), len(lists)
		}
		lists[i].APIResources = append(lists[i].APIResources, metav1.APIResource{
			Name: k.gvr.Resource, SingularName: k.singular, Namespaced: k.namespaced, Kind: k.gvk.Kind, ShortNames: k.shortNames,
			Verbs: metav1.Verbs{"create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"},
		})
	}
	return lists
}
