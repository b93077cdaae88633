package daemon

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// ServiceAccount is what daemons run as that need nothing of Kubernetes (S115).
const ServiceAccount = "default"

// PodSpec is the frame of a daemon's pod: network, placement and restart policy
// of the cluster's spec, without containers and volumes (S113, S115).
func PodSpec(spec *v1.ClusterSpec, placement v1.Placement) corev1.PodSpec {
	pod := corev1.PodSpec{
		RestartPolicy:      corev1.RestartPolicyAlways,
		DNSPolicy:          corev1.DNSClusterFirst,
		ServiceAccountName: ServiceAccount,
		Affinity:           Affinity(placement),
		Tolerations:        placement.Tolerations,
	}
	if spec.Network.IsHost() {
		pod.HostNetwork = true
		pod.DNSPolicy = corev1.DNSClusterFirstWithHostNet
	}
	return pod
}

// Affinity is a placement's affinity in a pod, nil where none is written.
func Affinity(placement v1.Placement) *corev1.Affinity {
	if placement.NodeAffinity == nil && placement.PodAffinity == nil && placement.PodAntiAffinity == nil {
		return nil
	}
	return &corev1.Affinity{
		NodeAffinity:    placement.NodeAffinity,
		PodAffinity:     placement.PodAffinity,
		PodAntiAffinity: placement.PodAntiAffinity,
	}
}

// Privileged is the security context of a container that is privileged or
// expressly not (S125).
func Privileged(yes bool) *corev1.SecurityContext {
	return &corev1.SecurityContext{Privileged: ptr.To(yes)}
}

// Deployment is the frame that all daemons share: one pod, never two at once,
// the pod's labels on the Deployment too, there with the versions, and the
// user's annotations on both (S112).
func Deployment(namespace, name string, labels, annotations map[string]string, v ceph.Version, pod corev1.PodSpec) *appsv1.Deployment {
	return &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: namespace, Name: name, Labels: WithVersions(labels, v), Annotations: annotations,
		},
		Spec: appsv1.DeploymentSpec{
			Replicas: ptr.To[int32](1),
			Strategy: appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType},
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
				Spec:       pod,
			},
		},
	}
}
