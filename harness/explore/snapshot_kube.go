package explore

import (
	"context"
	"encoding/base64"
	"fmt"
	"regexp"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// compared are the kinds of objects that make up the state. Of a pod only what
// matters, see [podState]; a ReplicaSet is an account of the past.
func compared() []schema.GroupVersionKind {
	of := func(group, version string, kinds ...string) []schema.GroupVersionKind {
		var out []schema.GroupVersionKind
		for _, k := range kinds {
			out = append(out, schema.GroupVersionKind{Group: group, Version: version, Kind: k})
		}
		return out
	}
	var all []schema.GroupVersionKind
	all = append(all, of("", "v1", "ConfigMap", "Secret", "Service", "Node", "Pod")...)
	all = append(all, of("apps", "v1", "Deployment", "DaemonSet")...)
	all = append(all, of("batch", "v1", "Job")...)
	all = append(all, of("policy", "v1", "PodDisruptionBudget")...)
	return append(all, of("ceph.rook.io", "v1", "CephCluster", "CephBlockPool", "CephFilesystem")...)
}

func (t *taker) kubernetes(ctx context.Context, w world.World) {
	for _, gvk := range compared() {
		l := &unstructured.UnstructuredList{}
		l.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		switch err := w.Client().List(ctx, l); {
		case meta.IsNoMatchError(err):
			continue // the kind is not served
		case err != nil:
			t.lines = append(t.lines, gvk.Kind+": cannot be listed: "+err.Error())
			continue
		}
		for i := range l.Items {
			t.object(gvk.Kind, &l.Items[i])
		}
	}
}

func (t *taker) object(kind string, u *unstructured.Unstructured) {
	o := u.Object
	for _, field := range []string{"uid", "resourceVersion", "creationTimestamp", "generation", "managedFields", "selfLink"} {
		unstructured.RemoveNestedField(o, "metadata", field)
	}
	if owners, ok, _ := unstructured.NestedSlice(o, "metadata", "ownerReferences"); ok {
		for _, owner := range owners {
			delete(owner.(map[string]any), "uid")
		}
		_ = unstructured.SetNestedSlice(o, owners, "metadata", "ownerReferences") // of what it was
	}
	delete(o, "apiVersion")
	delete(o, "kind")
	name := kind + " " + u.GetName()
	if ns := u.GetNamespace(); ns != "" {
		name = kind + " " + ns + "/" + u.GetName()
	}
	switch kind {
	case "Secret":
		decodeData(o)
	case "Node":
		o = nodeState(o)
	case "Pod":
		name, o = podState(u)
	case "Deployment", "DaemonSet", "Job":
		workloadState(kind, o)
	case "CephCluster":
		// Which generation is the last, and what was before, are matters of the past.
		unstructured.RemoveNestedField(o, "status", "observedGeneration")
		unstructured.RemoveNestedField(o, "status", "ceph", "previousHealth")
		unstructured.RemoveNestedField(o, "status", "ceph", "lastChanged")
		dropObserved(o)
	}
	if o == nil {
		return
	}
	t.numberOSDs(o, u.GetLabels()["ceph-osd-id"])
	t.add(name, o)
}

// decodeData shows what is in a Secret.
func decodeData(o map[string]any) {
	data, _ := o["data"].(map[string]any)
	for k, v := range data {
		text, ok := v.(string)
		if !ok {
			continue
		}
		plain, err := base64.StdEncoding.DecodeString(text)
		if err != nil {
			continue
		}
		data[k] = string(plain)
		if k == "password" {
			data[k] = "<password>"
		}
	}
}

// nodeState is what the operator may change of a node.
func nodeState(o map[string]any) map[string]any {
	meta, _ := o["metadata"].(map[string]any)
	specOf, _ := o["spec"].(map[string]any)
	return map[string]any{"labels": meta["labels"], "annotations": meta["annotations"], "unschedulable": specOf["unschedulable"]}
}

// podState is what matters of a pod: whose it is, where it is, whether it runs.
// One that has ended is of no account.
func podState(u *unstructured.Unstructured) (string, map[string]any) {
	labels := u.GetLabels()
	// A node that the scheduler chose may be another.
	node, pinned, _ := unstructured.NestedString(u.Object, "spec", "nodeSelector", corev1.LabelHostname)
	if !pinned {
		node = "any"
	}
	phase, _, _ := unstructured.NestedString(u.Object, "status", "phase")
	if phase == "Succeeded" || phase == "Failed" {
		return "", nil
	}
	who := labels["app"]
	for _, key := range []string{"ceph_daemon_id", "ceph-osd-id", "mon", "mgr", "instance"} {
		if v := labels[key]; v != "" {
			who += "-" + v
			break
		}
	}
	return "Pod of " + who, map[string]any{"node": node, "phase": phase}
}

// workloadState leaves out what counts how often something was changed.
func workloadState(kind string, o map[string]any) {
	for _, field := range []string{"observedGeneration", "conditions", "collisionCount", "startTime", "completionTime", "uncountedTerminatedPods", "failed", "terminating"} {
		unstructured.RemoveNestedField(o, "status", field)
	}
	unstructured.RemoveNestedField(o, "metadata", "annotations", "deployment.kubernetes.io/revision")
	if kind == "Job" {
		for _, at := range [][]string{{"spec", "selector"}, {"metadata", "labels"}, {"spec", "template", "metadata", "labels"}} {
			unstructured.RemoveNestedField(o, append(at, "controller-uid")...)
			unstructured.RemoveNestedField(o, append(at, "batch.kubernetes.io/controller-uid")...)
			unstructured.RemoveNestedField(o, append(at, "matchLabels")...)
		}
	}
}

// dropObserved takes away of which generation each condition speaks.
func dropObserved(o map[string]any) {
	conditions, ok, _ := unstructured.NestedSlice(o, "status", "conditions")
	if !ok {
		return
	}
	for _, c := range conditions {
		delete(c.(map[string]any), "observedGeneration")
	}
	_ = unstructured.SetNestedSlice(o, conditions, "status", "conditions") // of what it was
}

// osdNumber is what names an OSD by its number alone, where it stands for itself.
var osdNumber = map[string]bool{"ceph-osd-id": true, "ceph_daemon_id": true, "osd": true, "id": true, "ROOK_OSD_ID": true, "--id": true, "--osd-id": true}

// numberOSDs replaces OSDs' numbers, which are drawn by lot, by their places. own
// is the number of the OSD that the object is about, "" for none: that may stand
// as a word of a command line.
func (t *taker) numberOSDs(v any, own string) any {
	number := func(v any) any {
		if where, ok := t.names.osds[fmt.Sprint(v)]; ok {
			return where
		}
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		name, _ := v["name"].(string)
		for k := range v {
			if osdNumber[k] || k == "value" && osdNumber[name] {
				v[k] = number(v[k])
				continue
			}
			v[k] = t.numberOSDs(v[k], own)
		}
	case []any:
		for i := range v {
			word, isWord := v[i].(string)
			before, _ := v[max(i-1, 0)].(string)
			if isWord && (word == own || i > 0 && osdNumber[before]) {
				v[i] = number(word)
				continue
			}
			v[i] = t.numberOSDs(v[i], own)
		}
	case string:
		return osdText.ReplaceAllStringFunc(v, func(s string) string {
			m := osdText.FindStringSubmatch(s)
			return m[1] + fmt.Sprint(number(m[2]))
		})
	}
	return v
}

// osdText is an OSD's number in JSON or on a command line.
var osdText = regexp.MustCompile(`("id":|--id=)(\d+)\b`)
