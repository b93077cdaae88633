package kube

import (
	"encoding/json"
	"fmt"
	"maps"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/jsonmergepatch"
	"k8s.io/apimachinery/pkg/util/strategicpatch"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// applyConfiguration is server-side apply: what a manager says is merged in, what
// it said before and no longer says goes away, and an object that is not there is
// created. Who owns which field is kept per manager and not shown as
// managedFields; two managers that write one field are not told of each other, as
// if each had forced it.
func (a *API) applyConfiguration(user string, k *kind, key client.ObjectKey, data []byte, part edition, o *metav1.PatchOptions) (image, error) {
	if o.FieldManager == "" {
		return image{}, apierrors.NewBadRequest("PatchOptions.meta.k8s.io \"\" is invalid: fieldManager: Required value: is required for apply patch")
	}
	asJSON, err := yaml.YAMLToJSON(data)
	if err != nil {
		return image{}, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	var config map[string]any
	if err := kjson.Unmarshal(asJSON, &config); err != nil {
		return image{}, apierrors.NewBadRequest(fmt.Sprintf("error decoding YAML: %v", err))
	}
	manager := o.FieldManager + "/" + part.subresource()
	r := k.table.byKey[key]
	if r == nil {
		if part == statusOnly {
			return image{}, notFound(k, key)
		}
		return a.applyNew(user, k, key, config, manager, dry(o.DryRun))
	}
	stored := k.json(r.obj, r.raw)
	before := r.applied[manager]
	merged, err := k.threeWay(before, withEmptied(before, config), stored)
	if err != nil {
		return image{}, err
	}
	dropEmptied(before, config, merged)
	img, err := k.imageOfJSON(merged)
	if err != nil {
		return image{}, err
	}
	out, _, err := a.update(user, "apply", k, key, img, part, dry(o.DryRun))
	if err == nil && !dry(o.DryRun) {
		r.remember(manager, config)
	}
	return out, err
}

func (a *API) applyNew(user string, k *kind, key client.ObjectKey, config map[string]any, manager string, dryRun bool) (image, error) {
	img, err := k.imageOfJSON(runtime.DeepCopyJSON(config))
	if err != nil {
		return image{}, err
	}
	out, err := a.create(user, k, key.Namespace, img, dryRun)
	if err == nil && !dryRun {
		k.table.byKey[key].remember(manager, config)
	}
	return out, err
}

// withEmptied is config with an empty map for each map of before that it leaves
// out: what is in such a map goes field by field, as others may have fields there.
func withEmptied(before, config map[string]any) map[string]any {
	out := maps.Clone(config)
	for name, value := range before {
		was, ok := value.(map[string]any)
		if !ok {
			continue
		}
		switch is := config[name].(type) {
		case nil:
			out[name] = withEmptied(was, map[string]any{})
		case map[string]any:
			out[name] = withEmptied(was, is)
		}
	}
	return out
}

// dropEmptied takes maps out of merged that config left out and in which nobody
// has a field.
func dropEmptied(before, config, merged map[string]any) {
	for name, value := range before {
		was, ok := value.(map[string]any)
		left, there := merged[name].(map[string]any)
		if !ok || !there {
			continue
		}
		is, kept := config[name].(map[string]any)
		dropEmptied(was, is, left)
		if !kept && len(left) == 0 {
			delete(merged, name)
		}
	}
}

func (r *record) remember(manager string, config map[string]any) {
	if r.applied == nil {
		r.applied = map[string]map[string]any{}
	}
	r.applied[manager] = config
}

// threeWay merges what was applied before, what is applied now and what is there,
// by the merge keys of built-in kinds, or as a JSON merge for custom resources.
func (k *kind) threeWay(before, config, stored map[string]any) (map[string]any, error) {
	if before == nil {
		before = map[string]any{}
	}
	var documents [3][]byte
	for i, m := range []map[string]any{before, config, stored} {
		data, err := json.Marshal(m)
		if err != nil {
			return nil, err
		}
		documents[i] = data
	}
	var patch []byte
	var err error
	if k.custom != nil {
		patch, err = jsonmergepatch.CreateThreeWayJSONMergePatch(documents[0], documents[1], documents[2])
	} else {
		var lookup strategicpatch.PatchMetaFromStruct
		lookup, err = strategicpatch.NewPatchMetaFromStruct(k.newObject())
		if err == nil {
			patch, err = strategicpatch.CreateThreeWayMergePatch(documents[0], documents[1], documents[2], lookup, true)
		}
	}
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	var changes map[string]any
	if err := kjson.Unmarshal(patch, &changes); err != nil {
		return nil, err
	}
	if k.custom != nil {
		merged, _ := mergePatched(stored, changes).(map[string]any)
		return merged, nil
	}
	merged, err := strategicpatch.StrategicMergeMapPatch(stored, changes, k.newObject())
	if err != nil {
		return nil, apierrors.NewBadRequest(err.Error())
	}
	return merged, nil
}
