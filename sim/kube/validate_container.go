package kube

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/apimachinery/pkg/util/sets"
	utilvalidation "k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// validateContainer says what is wrong with a container. volumes are those of its
// pod, names those of the containers before it.
func validateContainer(c *corev1.Container, volumes, names sets.Set[string], hostNetwork bool, path *field.Path) (errs field.ErrorList) {
	switch {
	case c.Name == "":
		errs = append(errs, field.Required(path.Child("name"), ""))
	case names.Has(c.Name):
		errs = append(errs, field.Duplicate(path.Child("name"), c.Name))
	default:
		errs = append(errs, dnsLabel(c.Name, path.Child("name"))...)
	}
	names.Insert(c.Name)
	switch {
	case c.Image == "":
		errs = append(errs, field.Required(path.Child("image"), ""))
	case c.Image != strings.TrimSpace(c.Image):
		errs = append(errs, field.Invalid(path.Child("image"), c.Image, "must not have leading or trailing whitespace"))
	}
	errs = append(errs, oneOf(c.ImagePullPolicy, path.Child("imagePullPolicy"), corev1.PullAlways, corev1.PullIfNotPresent, corev1.PullNever)...)
	errs = append(errs, validateContainerPorts(c.Ports, hostNetwork, path.Child("ports"))...)
	errs = append(errs, validateEnv(c.Env, path.Child("env"))...)
	errs = append(errs, validateMounts(c.VolumeMounts, volumes, path.Child("volumeMounts"))...)
	for _, p := range []struct {
		name  string
		probe *corev1.Probe
	}{{"livenessProbe", c.LivenessProbe}, {"readinessProbe", c.ReadinessProbe}, {"startupProbe", c.StartupProbe}} {
		errs = append(errs, validateProbe(p.probe, path.Child(p.name))...)
	}
	return append(errs, validateResources(c.Resources, path.Child("resources"))...)
}

func validateContainerPorts(ports []corev1.ContainerPort, hostNetwork bool, path *field.Path) (errs field.ErrorList) {
	names := sets.New[string]()
	for i, p := range ports {
		at := path.Index(i)
		if p.Name != "" {
			for _, msg := range utilvalidation.IsValidPortName(p.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), p.Name, msg))
			}
			if names.Has(p.Name) {
				errs = append(errs, field.Duplicate(at.Child("name"), p.Name))
			}
			names.Insert(p.Name)
		}
		if p.ContainerPort == 0 {
			errs = append(errs, field.Required(at.Child("containerPort"), ""))
		} else {
			errs = append(errs, portNumber(p.ContainerPort, at.Child("containerPort"))...)
		}
		if p.HostPort != 0 {
			errs = append(errs, portNumber(p.HostPort, at.Child("hostPort"))...)
			if hostNetwork && p.HostPort != p.ContainerPort {
				errs = append(errs, field.Invalid(at.Child("containerPort"), p.ContainerPort, "must match `hostPort` when `hostNetwork` is true"))
			}
		}
		errs = append(errs, oneOf(p.Protocol, at.Child("protocol"), corev1.ProtocolTCP, corev1.ProtocolUDP, corev1.ProtocolSCTP)...)
	}
	return errs
}

func validateEnv(env []corev1.EnvVar, path *field.Path) (errs field.ErrorList) {
	for i, e := range env {
		at := path.Index(i)
		if e.Name == "" {
			errs = append(errs, field.Required(at.Child("name"), ""))
		} else {
			for _, msg := range utilvalidation.IsRelaxedEnvVarName(e.Name) {
				errs = append(errs, field.Invalid(at.Child("name"), e.Name, msg))
			}
		}
		if e.ValueFrom != nil {
			errs = append(errs, validateEnvSource(e, at.Child("valueFrom"))...)
		}
	}
	return errs
}

func validateEnvSource(e corev1.EnvVar, path *field.Path) (errs field.ErrorList) {
	from := e.ValueFrom
	sources := 0
	if from.FieldRef != nil {
		sources++
		errs = append(errs, validateFieldRef(from.FieldRef, path.Child("fieldRef"))...)
	}
	if from.ResourceFieldRef != nil {
		sources++
		if from.ResourceFieldRef.Resource == "" {
			errs = append(errs, field.Required(path.Child("resourceFieldRef", "resource"), ""))
		}
	}
	for name, ref := range map[string]*string{"configMapKeyRef": configMapKey(from), "secretKeyRef": secretKey(from)} {
		if ref == nil {
			continue
		}
		sources++
		if *ref == "" {
			errs = append(errs, field.Required(path.Child(name, "key"), ""))
		}
	}
	switch {
	case sources == 0:
		errs = append(errs, field.Invalid(path, "", "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, `secretKeyRef` or `fileKeyRef`"))
	case sources > 1:
		errs = append(errs, field.Invalid(path, "", "may not have more than one field specified at a time"))
	case e.Value != "":
		errs = append(errs, field.Invalid(path, "", "may not be specified when `value` is not empty"))
	}
	return errs
}

func configMapKey(from *corev1.EnvVarSource) *string {
	if from.ConfigMapKeyRef == nil {
		return nil
	}
	return &from.ConfigMapKeyRef.Key
}

func secretKey(from *corev1.EnvVarSource) *string {
	if from.SecretKeyRef == nil {
		return nil
	}
	return &from.SecretKeyRef.Key
}

// validateFieldRef checks a field of the pod against those that an environment
// variable can take (https://kubernetes.io/docs/concepts/workloads/pods/downward-api/).
func validateFieldRef(ref *corev1.ObjectFieldSelector, path *field.Path) field.ErrorList {
	at := path.Child("fieldPath")
	if ref.FieldPath == "" {
		return field.ErrorList{field.Required(at, "")}
	}
	known := []string{"metadata.name", "metadata.namespace", "metadata.uid", "spec.nodeName", "spec.serviceAccountName", "status.hostIP", "status.hostIPs", "status.podIP", "status.podIPs"}
	for _, m := range []string{"metadata.annotations['", "metadata.labels['"} {
		if strings.HasPrefix(ref.FieldPath, m) && strings.HasSuffix(ref.FieldPath, "']") {
			return nil
		}
	}
	if slices.Contains(known, ref.FieldPath) {
		return nil
	}
	return field.ErrorList{field.Invalid(at, ref.FieldPath, "error converting fieldPath: field label not supported: "+ref.FieldPath)}
}

func validateMounts(mounts []corev1.VolumeMount, volumes sets.Set[string], path *field.Path) (errs field.ErrorList) {
	paths := sets.New[string]()
	for i, m := range mounts {
		at := path.Index(i)
		switch {
		case m.Name == "":
			errs = append(errs, field.Required(at.Child("name"), ""))
		case !volumes.Has(m.Name):
			errs = append(errs, field.NotFound(at.Child("name"), m.Name))
		}
		if m.MountPath == "" {
			errs = append(errs, field.Required(at.Child("mountPath"), ""))
		}
		if paths.Has(m.MountPath) {
			errs = append(errs, field.Invalid(at.Child("mountPath"), m.MountPath, "must be unique"))
		}
		paths.Insert(m.MountPath)
		if m.SubPath != "" && m.SubPathExpr != "" {
			errs = append(errs, field.Invalid(at.Child("subPathExpr"), m.SubPathExpr, "subPathExpr and subPath are mutually exclusive"))
		}
		if strings.HasPrefix(m.SubPath, "/") {
			errs = append(errs, field.Invalid(at.Child("subPath"), m.SubPath, "must be a relative path"))
		}
		errs = append(errs, noBacksteps(m.SubPath, at.Child("subPath"))...)
	}
	return errs
}

func validateProbe(p *corev1.Probe, path *field.Path) (errs field.ErrorList) {
	if p == nil {
		return nil
	}
	handlers := 0
	if p.Exec != nil {
		handlers++
		if len(p.Exec.Command) == 0 {
			errs = append(errs, field.Required(path.Child("exec", "command"), ""))
		}
	}
	if p.HTTPGet != nil {
		handlers++
		errs = append(errs, portOrName(p.HTTPGet.Port, path.Child("httpGet", "port"))...)
	}
	if p.TCPSocket != nil {
		handlers++
		errs = append(errs, portOrName(p.TCPSocket.Port, path.Child("tcpSocket", "port"))...)
	}
	if p.GRPC != nil {
		handlers++
		errs = append(errs, portNumber(p.GRPC.Port, path.Child("grpc", "port"))...)
	}
	switch {
	case handlers == 0:
		errs = append(errs, field.Required(path, "must specify a handler type"))
	case handlers > 1:
		errs = append(errs, field.Forbidden(path, "may not specify more than 1 handler type"))
	}
	return errs
}

func portOrName(port intstr.IntOrString, path *field.Path) (errs field.ErrorList) {
	if port.Type == intstr.Int {
		return portNumber(port.IntVal, path)
	}
	for _, msg := range utilvalidation.IsValidPortName(port.StrVal) {
		errs = append(errs, field.Invalid(path, port.StrVal, msg))
	}
	return errs
}

// validateResources refuses requests above limits and amounts below zero.
func validateResources(r corev1.ResourceRequirements, path *field.Path) (errs field.ErrorList) {
	for _, list := range []struct {
		name  string
		items corev1.ResourceList
	}{{"limits", r.Limits}, {"requests", r.Requests}} {
		for _, name := range slices.Sorted(maps.Keys(list.items)) {
			if q := list.items[name]; q.Sign() < 0 {
				errs = append(errs, field.Invalid(path.Child(list.name).Key(string(name)), q.String(), "must be greater than or equal to 0"))
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(r.Requests)) {
		request := r.Requests[name]
		if limit, ok := r.Limits[name]; ok && request.Cmp(limit) > 0 {
			errs = append(errs, field.Invalid(path.Child("requests"), request.String(), fmt.Sprintf("must be less than or equal to %s limit of %s", name, limit.String())))
		}
	}
	return errs
}
