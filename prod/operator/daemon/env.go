package daemon

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// ConfigSecret is the Secret that holds the mons' addresses for the pods'
// environment (S82, S122).
const ConfigSecret = "rook-ceph-config"

// Env is what a container is told of itself, in the seed's order (S120, S121).
func Env(image string) []corev1.EnvVar {
	return []corev1.EnvVar{
		{Name: "CONTAINER_IMAGE", Value: image},
		field("POD_NAME", "metadata.name"),
		field("POD_NAMESPACE", "metadata.namespace"),
		field("NODE_NAME", "spec.nodeName"),
		limit("POD_MEMORY_LIMIT", "limits.memory", "0"),
		limit("POD_MEMORY_REQUEST", "requests.memory", "0"),
		limit("POD_CPU_LIMIT", "limits.cpu", "1"),
		limit("POD_CPU_REQUEST", "requests.cpu", "0"),
	}
}

// MonEnv is how a daemon finds the mons: ROOK_CEPH_MON_HOST and
// ROOK_CEPH_MON_INITIAL_MEMBERS (S122).
func MonEnv() []corev1.EnvVar {
	return []corev1.EnvVar{
		fromConfig("ROOK_CEPH_MON_HOST", "mon_host"),
		fromConfig("ROOK_CEPH_MON_INITIAL_MEMBERS", "mon_initial_members"),
	}
}

// PodIPEnv is ROOK_POD_IP (S123).
func PodIPEnv() corev1.EnvVar { return field("ROOK_POD_IP", "status.podIP") }

func field(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		FieldRef: &corev1.ObjectFieldSelector{APIVersion: "v1", FieldPath: path},
	}}
}

func limit(name, of, divisor string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		ResourceFieldRef: &corev1.ResourceFieldSelector{Resource: of, Divisor: resource.MustParse(divisor)},
	}}
}

func fromConfig(name, key string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{
		SecretKeyRef: &corev1.SecretKeySelector{
			LocalObjectReference: corev1.LocalObjectReference{Name: ConfigSecret}, Key: key,
		},
	}}
}
