package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// fieldValue is the value of a pod's field by its path in the downward API.
func fieldValue(pod *corev1.Pod, path string, at place) (string, error) {
	if name, key, ok := subscript(path); ok {
		switch name {
		case "metadata.labels":
			return pod.Labels[key], nil
		case "metadata.annotations":
			return pod.Annotations[key], nil
		}
		return "", fmt.Errorf("fieldPath %q does not support subscript", path)
	}
	switch path {
	case "metadata.name":
		return pod.Name, nil
	case "metadata.namespace":
		return pod.Namespace, nil
	case "metadata.uid":
		return string(pod.UID), nil
	case "metadata.labels":
		return listed(pod.Labels), nil
	case "metadata.annotations":
		return listed(pod.Annotations), nil
	case "spec.nodeName":
		return pod.Spec.NodeName, nil
	case "spec.serviceAccountName":
		if pod.Spec.ServiceAccountName == "" {
			return "default", nil
		}
		return pod.Spec.ServiceAccountName, nil
	case "status.podIP", "status.podIPs":
		return at.podIP, nil
	case "status.hostIP", "status.hostIPs":
		return at.hostIP, nil
	}
	return "", fmt.Errorf("unsupported fieldPath: %s", path)
}

// place is where a pod runs.
type place struct{ podIP, hostIP string }

func subscript(path string) (name, key string, ok bool) {
	name, rest, found := strings.Cut(path, "['")
	if !found || !strings.HasSuffix(rest, "']") {
		return "", "", false
	}
	return name, strings.TrimSuffix(rest, "']"), true
}

// listed is a map as a downward API volume shows it.
func listed(m map[string]string) string {
	lines := make([]string, 0, len(m))
	for _, k := range slices.Sorted(maps.Keys(m)) {
		lines = append(lines, k+"="+strconv.Quote(m[k]))
	}
	return strings.Join(lines, "\n")
}

// resourceValue is the value of a container's resource field, in units of the
// divisor, rounded up. A limit that is not set is what the node has to give; a
// request that is not set is 0.
func resourceValue(c *corev1.Container, ref *corev1.ResourceFieldSelector, allocatable corev1.ResourceList) (string, error) {
	kind, name, ok := strings.Cut(ref.Resource, ".")
	var q resource.Quantity
	switch {
	case ok && kind == "limits":
		var set bool
		if q, set = c.Resources.Limits[corev1.ResourceName(name)]; !set {
			q = allocatable[corev1.ResourceName(name)]
		}
	case ok && kind == "requests":
		q = c.Resources.Requests[corev1.ResourceName(name)]
	default:
		return "", fmt.Errorf("unsupported container resource : %v", ref.Resource)
	}
	divisor := ref.Divisor
	if divisor.IsZero() {
		divisor = resource.MustParse("1")
	}
	value, by := q.Value(), divisor.Value()
	if corev1.ResourceName(name) == corev1.ResourceCPU {
		value, by = q.MilliValue(), divisor.MilliValue()
	}
	return strconv.FormatInt((value+by-1)/by, 10), nil
}
