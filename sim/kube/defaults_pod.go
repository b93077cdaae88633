package kube

import (
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// orElse sets a pointer that is not set.
func orElse[T any](field **T, value T) {
	if *field == nil {
		*field = &value
	}
}

// defaultPodSpec fills in what the API documents as a pod's defaults
// (https://kubernetes.io/docs/reference/kubernetes-api/workload-resources/pod-v1/).
func defaultPodSpec(spec *corev1.PodSpec) {
	if spec.RestartPolicy == "" {
		spec.RestartPolicy = corev1.RestartPolicyAlways
	}
	if spec.DNSPolicy == "" {
		spec.DNSPolicy = corev1.DNSClusterFirst
	}
	if spec.SchedulerName == "" {
		spec.SchedulerName = corev1.DefaultSchedulerName
	}
	if spec.SecurityContext == nil {
		spec.SecurityContext = &corev1.PodSecurityContext{}
	}
	orElse(&spec.TerminationGracePeriodSeconds, int64(corev1.DefaultTerminationGracePeriodSeconds))
	orElse(&spec.EnableServiceLinks, corev1.DefaultEnableServiceLinks)
	if spec.ServiceAccountName == "" {
		spec.ServiceAccountName = spec.DeprecatedServiceAccount
	}
	spec.DeprecatedServiceAccount = spec.ServiceAccountName
	for i := range spec.InitContainers {
		defaultContainer(&spec.InitContainers[i], spec.HostNetwork)
	}
	for i := range spec.Containers {
		defaultContainer(&spec.Containers[i], spec.HostNetwork)
	}
	for i := range spec.Volumes {
		defaultVolume(&spec.Volumes[i].VolumeSource)
	}
}

// defaultRequests has a pod ask for what it is limited to, where it does not say.
// That is done to pods alone: a template stays as it was written.
func defaultRequests(spec *corev1.PodSpec) {
	for _, containers := range [][]corev1.Container{spec.InitContainers, spec.Containers} {
		for i := range containers {
			r := &containers[i].Resources
			for name, limit := range r.Limits {
				if _, ok := r.Requests[name]; ok {
					continue
				}
				if r.Requests == nil {
					r.Requests = corev1.ResourceList{}
				}
				r.Requests[name] = limit.DeepCopy()
			}
		}
	}
}

func defaultContainer(c *corev1.Container, hostNetwork bool) {
	if c.ImagePullPolicy == "" {
		c.ImagePullPolicy = corev1.PullIfNotPresent
		if tag := imageTag(c.Image); tag == "" || tag == "latest" {
			c.ImagePullPolicy = corev1.PullAlways
		}
	}
	if c.TerminationMessagePath == "" {
		c.TerminationMessagePath = corev1.TerminationMessagePathDefault
	}
	if c.TerminationMessagePolicy == "" {
		c.TerminationMessagePolicy = corev1.TerminationMessageReadFile
	}
	for i := range c.Ports {
		p := &c.Ports[i]
		if p.Protocol == "" {
			p.Protocol = corev1.ProtocolTCP
		}
		if hostNetwork && p.HostPort == 0 {
			p.HostPort = p.ContainerPort
		}
	}
	for i := range c.Env {
		if from := c.Env[i].ValueFrom; from != nil && from.FieldRef != nil && from.FieldRef.APIVersion == "" {
			from.FieldRef.APIVersion = "v1"
		}
	}
	for _, probe := range []*corev1.Probe{c.LivenessProbe, c.ReadinessProbe, c.StartupProbe} {
		defaultProbe(probe)
	}
	if l := c.Lifecycle; l != nil {
		for _, h := range []*corev1.LifecycleHandler{l.PostStart, l.PreStop} {
			if h != nil {
				defaultHTTPGet(h.HTTPGet)
			}
		}
	}
}

func defaultProbe(p *corev1.Probe) {
	if p == nil {
		return
	}
	for _, field := range []struct {
		at    *int32
		value int32
	}{{&p.TimeoutSeconds, 1}, {&p.PeriodSeconds, 10}, {&p.SuccessThreshold, 1}, {&p.FailureThreshold, 3}} {
		if *field.at == 0 {
			*field.at = field.value
		}
	}
	defaultHTTPGet(p.HTTPGet)
	if p.GRPC != nil {
		orElse(&p.GRPC.Service, "")
	}
}

func defaultHTTPGet(get *corev1.HTTPGetAction) {
	if get == nil {
		return
	}
	if get.Path == "" {
		get.Path = "/"
	}
	if get.Scheme == "" {
		get.Scheme = corev1.URISchemeHTTP
	}
	if get.Port == intstr.FromString("") {
		get.Port = intstr.FromInt32(0)
	}
}

func defaultVolume(v *corev1.VolumeSource) {
	const files = corev1.ConfigMapVolumeSourceDefaultMode
	switch {
	case v.Secret != nil:
		orElse(&v.Secret.DefaultMode, files)
	case v.ConfigMap != nil:
		orElse(&v.ConfigMap.DefaultMode, files)
	case v.DownwardAPI != nil:
		orElse(&v.DownwardAPI.DefaultMode, files)
		defaultDownward(v.DownwardAPI.Items)
	case v.Projected != nil:
		orElse(&v.Projected.DefaultMode, files)
		for _, source := range v.Projected.Sources {
			if source.DownwardAPI != nil {
				defaultDownward(source.DownwardAPI.Items)
			}
			if source.ServiceAccountToken != nil {
				orElse(&source.ServiceAccountToken.ExpirationSeconds, 60*60)
			}
		}
	case v.HostPath != nil:
		orElse(&v.HostPath.Type, corev1.HostPathUnset)
	}
}

func defaultDownward(items []corev1.DownwardAPIVolumeFile) {
	for _, item := range items {
		if item.FieldRef != nil && item.FieldRef.APIVersion == "" {
			item.FieldRef.APIVersion = "v1"
		}
	}
}

// imageTag is the tag of an image reference, or else its digest; "" if it has
// neither and so means "latest".
func imageTag(image string) string {
	name, digest, _ := strings.Cut(image, "@")
	last := name[strings.LastIndex(name, "/")+1:] // a colon before that is of a port
	if _, tag, ok := strings.Cut(last, ":"); ok {
		return tag
	}
	return digest
}
