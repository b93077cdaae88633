package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func (c *apiClient) Patch(ctx context.Context, obj client.Object, patch client.Patch, opts ...client.PatchOption) error {
	o := (&client.PatchOptions{}).ApplyOptions(opts)
	data, err := patch.Data(obj)
	if err != nil {
		return err
	}
	return c.patch(ctx, obj, patch.Type(), data, wholeObject, o.AsPatchOptions())
}

// patch changes the stored object that obj names and writes the result into obj.
func (c *apiClient) patch(ctx context.Context, obj client.Object, t types.PatchType, data []byte, part edition, o *metav1.PatchOptions) error {
	k, err := c.kindOf(obj)
	if err != nil {
		return err
	}
	key, err := k.keyFor(client.ObjectKeyFromObject(obj))
	if err != nil {
		return err
	}
	r := c.request("patch", k, key, nil)
	r.Subresource = part.subresource()
	return c.serveRequest(ctx, r, func() error {
		var stored image
		if t == types.ApplyPatchType {
			stored, err = c.applyConfiguration(c.user, k, key, data, part, o)
		} else {
			stored, _, err = c.patchStored(c.user, k, key, t, data, part, o)
		}
		if err != nil {
			return err
		}
		return k.give(stored.obj, stored.raw, obj)
	})
}

// patchStored is a patch that changes what is there.
func (a *API) patchStored(user string, k *kind, key client.ObjectKey, t types.PatchType, data []byte, part edition, o *metav1.PatchOptions) (image, bool, error) {
	r := k.table.byKey[key]
	if r == nil {
		return image{}, false, notFound(k, key)
	}
	patched, err := k.patched(r, t, data)
	if err != nil {
		return image{}, false, err
	}
	if err := k.checkStrictPatch(patched, o.FieldValidation); err != nil {
		return image{}, false, err
	}
	img, err := k.imageOfJSON(patched)
	if err != nil {
		return image{}, false, err
	}
	verb := "patch"
	if part == statusOnly {
		verb = "patch status"
	}
	return a.update(user, verb, k, key, img, part, dry(o.DryRun))
}

// patched is what is stored at r with a patch applied.
func (k *kind) patched(r *record, t types.PatchType, data []byte) (map[string]any, error) {
	if t == types.JSONPatchType {
		return jsonPatched(k.json(r.obj, r.raw), data)
	}
	var patch map[string]any
	if err := kjson.Unmarshal(data, &patch); err != nil {
		return nil, apierrors.NewBadRequest(fmt.Sprintf("error decoding patch: %v", err))
	}
	switch t {
	case types.MergePatchType:
		stored := r.raw
		if stored == nil {
			stored = k.json(r.obj, nil)
		}
		merged, _ := mergePatched(stored, patch).(map[string]any)
		return merged, nil
	case types.StrategicMergePatchType:
		if k.custom != nil {
			return nil, unsupportedMediaType()
		}
		merged, err := strategicpatch.StrategicMergeMapPatch(k.json(r.obj, r.raw), patch, k.newObject())
		if err != nil {
			return nil, apierrors.NewBadRequest(err.Error())
		}
		return merged, nil
	}
	return nil, unsupportedMediaType()
}

// unsupportedMediaType is the server's answer to a kind of patch that a resource
// does not take: strategic merge patches are for built-in kinds.
func unsupportedMediaType() error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 415, Reason: metav1.StatusReasonUnsupportedMediaType,
		Message: "the body of the request was in an unknown format - accepted media types include: application/json-patch+json, application/merge-patch+json, application/apply-patch+yaml",
	}}
}

func jsonPatched(stored map[string]any, data []byte) (map[string]any, error) {
	patch, err := jsonpatch.DecodePatch(data)
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	before, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	after, err := patch.Apply(before)
	if err != nil {
		return nil, unprocessable(err)
	}
	var out map[string]any
	if err := kjson.Unmarshal(after, &out); err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return out, nil
}

// mergePatched is target with a JSON merge patch (RFC 7386) applied. What the
// patch leaves alone is shared with target, which is not changed.
func mergePatched(target, patch any) any {
	changes, ok := patch.(map[string]any)
	if !ok {
		return patch
	}
	before, _ := target.(map[string]any)
	out := make(map[string]any, len(before)+len(changes))
	maps.Copy(out, before)
	for name, value := range changes {
		if value == nil {
			delete(out, name)
			continue
		}
		out[name] = mergePatched(out[name], value)
	}
	return out
}

// serverSideApply is an apply patch that is sent as an apply configuration.
func (c *apiClient) serverSideApply(ctx context.Context, config runtime.ApplyConfiguration, subresource string, o *client.ApplyOptions) error {
	data, err := json.Marshal(config)
	if err != nil {
		return err
	}
	u := &unstructured.Unstructured{}
	if err := u.UnmarshalJSON(data); err != nil {
		return err
	}
	part := wholeObject
	if subresource == statusName {
		part = statusOnly
	}
	if err := c.patch(ctx, u, types.ApplyPatchType, data, part, o.AsPatchOptions()); err != nil {
		return err
	}
	// As the real client does: the answer is read into what was handed in.
	answer, err := u.MarshalJSON()
	if err != nil {
		return err
	}
	return json.Unmarshal(answer, config)
}

// unprocessable is the server's answer to a JSON patch whose paths or tests do
// not fit the object.
func unprocessable(err error) error {
	return &apierrors.StatusError{ErrStatus: metav1.Status{
		Status: metav1.StatusFailure, Code: 422, Reason: metav1.StatusReasonInvalid, Message: err.Error(),
	}}
}
