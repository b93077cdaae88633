package kubelet

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// world is what a pod's spec may refer to.
type world interface {
	secret(namespace, name string) (*corev1.Secret, bool)
	configMap(namespace, name string) (*corev1.ConfigMap, bool)
	// services are those whose addresses a pod of the namespace gets as
	// environment; links says whether its own namespace's are wanted.
	services(namespace string, links bool) []*corev1.Service
	allocatable() corev1.ResourceList
}

// environment is what a container finds in its environment. The error is what
// holds the container back as CreateContainerConfigError.
func environment(pod *corev1.Pod, c *corev1.Container, at place, w world) (map[string]string, error) {
	links := pod.Spec.EnableServiceLinks == nil || *pod.Spec.EnableServiceLinks
	env := map[string]string{}
	for _, s := range w.services(pod.Namespace, links) {
		serviceEnv(env, s)
	}
	own := map[string]string{}
	for _, from := range c.EnvFrom {
		if err := takeAll(own, pod.Namespace, from, w); err != nil {
			return nil, err
		}
	}
	lookup := func(name string) (string, bool) {
		if v, ok := own[name]; ok {
			return v, true
		}
		v, ok := env[name]
		return v, ok
	}
	for _, e := range c.Env {
		if e.ValueFrom == nil {
			own[e.Name] = expand(e.Value, lookup)
			continue
		}
		value, set, err := envSource(pod, c, e.ValueFrom, at, w)
		if err != nil {
			return nil, err
		}
		if set {
			own[e.Name] = value
		}
	}
	maps.Copy(env, own)
	return env, nil
}

// envSource is the value of one variable; set is false for an optional one that
// is not there.
func envSource(pod *corev1.Pod, c *corev1.Container, from *corev1.EnvVarSource, at place, w world) (value string, set bool, err error) {
	switch {
	case from.FieldRef != nil:
		value, err = fieldValue(pod, from.FieldRef.FieldPath, at)
		return value, true, err
	case from.ResourceFieldRef != nil:
		of := c
		if name := from.ResourceFieldRef.ContainerName; name != "" {
			if of = containerNamed(pod, name); of == nil {
				return "", false, fmt.Errorf("container %s not found", name)
			}
		}
		value, err = resourceValue(of, from.ResourceFieldRef, w.allocatable())
		return value, true, err
	case from.SecretKeyRef != nil:
		ref := from.SecretKeyRef
		optional := ref.Optional != nil && *ref.Optional
		s, ok := w.secret(pod.Namespace, ref.Name)
		if !ok {
			return missing(optional, "secret %q not found", ref.Name)
		}
		v, ok := s.Data[ref.Key]
		if !ok {
			return missing(optional, "couldn't find key %v in Secret %v/%v", ref.Key, pod.Namespace, ref.Name)
		}
		return string(v), true, nil
	case from.ConfigMapKeyRef != nil:
		ref := from.ConfigMapKeyRef
		optional := ref.Optional != nil && *ref.Optional
		m, ok := w.configMap(pod.Namespace, ref.Name)
		if !ok {
			return missing(optional, "configmap %q not found", ref.Name)
		}
		v, ok := m.Data[ref.Key]
		if !ok {
			return missing(optional, "couldn't find key %v in ConfigMap %v/%v", ref.Key, pod.Namespace, ref.Name)
		}
		return v, true, nil
	}
	return "", false, nil
}

func missing(optional bool, format string, args ...any) (string, bool, error) {
	if optional {
		return "", false, nil
	}
	return "", false, fmt.Errorf(format, args...)
}

func takeAll(env map[string]string, namespace string, from corev1.EnvFromSource, w world) error {
	switch {
	case from.SecretRef != nil:
		s, ok := w.secret(namespace, from.SecretRef.Name)
		if !ok {
			_, _, err := missing(from.SecretRef.Optional != nil && *from.SecretRef.Optional, "secret %q not found", from.SecretRef.Name)
			return err
		}
		for k, v := range s.Data {
			env[from.Prefix+k] = string(v)
		}
	case from.ConfigMapRef != nil:
		m, ok := w.configMap(namespace, from.ConfigMapRef.Name)
		if !ok {
			_, _, err := missing(from.ConfigMapRef.Optional != nil && *from.ConfigMapRef.Optional, "configmap %q not found", from.ConfigMapRef.Name)
			return err
		}
		for k, v := range m.Data {
			env[from.Prefix+k] = v
		}
	}
	return nil
}

// containerNamed is a container or init container of the pod.
func containerNamed(pod *corev1.Pod, name string) *corev1.Container {
	for _, list := range [][]corev1.Container{pod.Spec.Containers, pod.Spec.InitContainers} {
		if i := slices.IndexFunc(list, func(c corev1.Container) bool { return c.Name == name }); i >= 0 {
			return &list[i]
		}
	}
	return nil
}

// serviceEnv adds the variables by which a pod finds a service (Kubernetes
// documentation, "Accessing the Service: environment variables").
func serviceEnv(env map[string]string, s *corev1.Service) {
	ip := s.Spec.ClusterIP
	if ip == "" || ip == corev1.ClusterIPNone || len(s.Spec.Ports) == 0 {
		return
	}
	name := envName(s.Name)
	first := s.Spec.Ports[0]
	env[name+"_SERVICE_HOST"] = ip
	env[name+"_SERVICE_PORT"] = strconv.Itoa(int(first.Port))
	env[name+"_PORT"] = link(ip, first)
	for _, p := range s.Spec.Ports {
		number := strconv.Itoa(int(p.Port))
		if p.Name != "" {
			env[name+"_SERVICE_PORT_"+envName(p.Name)] = number
		}
		protocol := protocolOf(p)
		prefix := name + "_PORT_" + number + "_" + strings.ToUpper(protocol)
		env[prefix] = link(ip, p)
		env[prefix+"_PROTO"] = protocol
		env[prefix+"_PORT"] = number
		env[prefix+"_ADDR"] = ip
	}
}

func link(ip string, p corev1.ServicePort) string {
	return fmt.Sprintf("%s://%s:%d", protocolOf(p), ip, p.Port)
}

func protocolOf(p corev1.ServicePort) string {
	if p.Protocol == "" {
		return "tcp"
	}
	return strings.ToLower(string(p.Protocol))
}

func envName(name string) string {
	return strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}
