package kube

import (
	"encoding/json"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/mergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
)

// modifiedConfiguration is an object of a manifest as kubectl apply sends and
// remembers it: the annotation of what was applied last holds the object without
// that annotation.
func modifiedConfiguration(u *unstructured.Unstructured) ([]byte, error) {
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	delete(annotations, corev1.LastAppliedConfigAnnotation)
	bare := u.DeepCopy()
	// Not SetAnnotations, which drops an empty map: kubectl writes it.
	if err := unstructured.SetNestedStringMap(bare.Object, annotations, "metadata", "annotations"); err != nil {
		return nil, err
	}
	config, err := json.Marshal(bare.Object)
	return append(config, '\n'), err
}

func annotate(u *unstructured.Unstructured, config []byte) {
	annotations := u.GetAnnotations()
	if annotations == nil {
		annotations = map[string]string{}
	}
	annotations[corev1.LastAppliedConfigAnnotation] = string(config)
	u.SetAnnotations(annotations)
}

func (k *kind) applyPatchType() types.PatchType {
	if k.custom != nil {
		return types.MergePatchType
	}
	return types.StrategicMergePatchType
}

// applyPatch is the patch that brings current to what a manifest asks for: its
// fields are set, those that it had when it was applied last and has no more are
// removed, all others stay. "{}" is no change.
func (k *kind) applyPatch(current *unstructured.Unstructured, config []byte) ([]byte, error) {
	modified := &unstructured.Unstructured{}
	if err := modified.UnmarshalJSON(config); err != nil {
		return nil, err
	}
	annotate(modified, config)
	after, err := json.Marshal(modified.Object)
	if err != nil {
		return nil, err
	}
	before := []byte(current.GetAnnotations()[corev1.LastAppliedConfigAnnotation])
	now, err := json.Marshal(current.Object)
	if err != nil {
		return nil, err
	}
	if k.custom != nil {
		return jsonmergepatch.CreateThreeWayJSONMergePatch(before, after, now,
			mergepatch.RequireKeyUnchanged("apiVersion"), mergepatch.RequireKeyUnchanged("kind"), mergepatch.RequireMetadataKeyUnchanged("name"))
	}
	lookup, err := strategicpatch.NewPatchMetaFromStruct(k.newObject())
	if err != nil {
		return nil, err
	}
	return strategicpatch.CreateThreeWayMergePatch(before, after, now, lookup, true)
}
