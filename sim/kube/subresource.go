package kube

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const statusName = "status"

func (e edition) subresource() string {
	if e == statusOnly {
		return statusName
	}
	return ""
}

func notFound(k *kind, key client.ObjectKey) error {
	return apierrors.NewNotFound(k.resource(), key.Name)
}

// Status is the client of the status subresource.
func (c *apiClient) Status() client.SubResourceWriter { return c.SubResource(statusName) }

// SubResource is the client of a subresource: status of all kinds that have one,
// and binding and eviction of pods.
func (c *apiClient) SubResource(name string) client.SubResourceClient {
	return &subClient{c, name}
}

type subClient struct {
	c    *apiClient
	name string
}

// absent is the server's answer for a path that it does not serve.
func absent() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 404, Reason: metav1.StatusReasonNotFound,
		Message: "the server could not find the requested resource",
		Details: &metav1.StatusDetails{},
	}}
}

// kindWithStatus is the kind of obj if this is its status subresource.
func (s *subClient) kindWithStatus(obj runtime.Object) (*kind, error) {
	k, err := s.c.kindOf(obj)
	if err != nil {
		return nil, err
	}
	if s.name != statusName || !k.status {
		return nil, absent()
	}
	return k, nil
}

func (s *subClient) Get(ctx context.Context, obj, into client.Object, _ ...client.SubResourceGetOption) error {
	if _, err := s.kindWithStatus(obj); err != nil {
		return err
	}
	return s.c.Get(ctx, client.ObjectKeyFromObject(obj), into)
}

func (s *subClient) Update(ctx context.Context, obj client.Object, opts ...client.SubResourceUpdateOption) error {
	o := (&client.SubResourceUpdateOptions{}).ApplyOptions(opts)
	if o.SubResourceBody != nil {
		obj = o.SubResourceBody
	}
	if _, err := s.kindWithStatus(obj); err != nil {
		return err
	}
	return s.c.put(ctx, obj, statusOnly, dry(o.DryRun), o.FieldValidation)
}

func (s *subClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
	o := (&client.SubResourcePatchOptions{}).ApplyOptions(opts)
	if _, err := s.kindWithStatus(obj); err != nil {
		return err
	}
	body := obj
	if o.SubResourceBody != nil {
		body = o.SubResourceBody
	}
	data, err := patch.Data(body)
	if err != nil {
		return err
	}
	return s.c.patch(ctx, obj, patch.Type(), data, statusOnly, o.AsPatchOptions())
}

func (s *subClient) Apply(ctx context.Context, obj runtime.ApplyConfiguration, opts ...client.SubResourceApplyOption) error {
	if s.name != statusName {
		return absent()
	}
	o := (&client.SubResourceApplyOptions{}).ApplyOpts(opts)
	if o.SubResourceBody != nil {
		obj = o.SubResourceBody
	}
	return s.c.serverSideApply(ctx, obj, statusName, &o.ApplyOptions)
}

// Create binds a pod to a node or evicts it.
func (s *subClient) Create(ctx context.Context, obj, body client.Object, opts ...client.SubResourceCreateOption) error {
	k, err := s.c.kindOf(obj)
	if err != nil {
		return err
	}
	if k.gvk != corev1.SchemeGroupVersion.WithKind("Pod") {
		return absent()
	}
	o := (&client.SubResourceCreateOptions{}).ApplyOptions(opts)
	key := client.ObjectKeyFromObject(obj)
	r := s.c.request("create", k, key, body)
	r.Subresource = s.name
	return s.c.serveRequest(ctx, r, func() error {
		switch body := body.(type) {
		case *corev1.Binding:
			return s.c.bind(s.c.user, k, key, body, dry(o.DryRun))
		case *policyv1.Eviction:
			return s.c.evict(s.c.user, k, key, body, dry(o.DryRun))
		}
		return absent()
	})
}

// bind gives a pod its node.
func (a *API) bind(user string, k *kind, key client.ObjectKey, b *corev1.Binding, dryRun bool) error {
	r := k.table.byKey[key]
	if r == nil {
		return notFound(k, key)
	}
	pod := r.obj.DeepCopyObject().(*corev1.Pod)
	conflict := func(format string, args ...any) error {
		return apierrors.NewConflict(schema.GroupResource{Resource: "pods/binding"}, key.Name, fmt.Errorf(format, args...))
	}
	switch {
	case b.UID != "" && b.UID != pod.UID:
		return conflict("Precondition failed: UID in precondition: %v, UID in object meta: %v", b.UID, pod.UID)
	case pod.DeletionTimestamp != nil:
		return conflict("pod %s is being deleted, cannot be assigned to a host", pod.Name)
	case pod.Spec.NodeName != "":
		return conflict("pod %v is already assigned to node %q", pod.Name, pod.Spec.NodeName)
	}
	pod.Spec.NodeName = b.Target.Name
	setPodCondition(pod, corev1.PodCondition{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: a.now()})
	if !dryRun {
		a.commit(user, "create binding", k, r, image{obj: pod})
	}
	return nil
}
