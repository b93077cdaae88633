package version

import (
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
)

// JobName is the Job that asks an image for its version, and the value of the
// label "job" of its pods (S41).
const JobName = "rook-ceph-detect-version"

const (
	podLabel  = "job"
	container = "version"
)

// job is the Job for the cluster's image.
func job(cluster *v1.CephCluster) *batchv1.Job {
	placement := cluster.Spec.Placement.For(v1.Mon)
	placement.PodAffinity, placement.PodAntiAffinity = nil, nil
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: cluster.Namespace, Name: JobName,
			Labels:          daemon.WithVersions(nil, ceph.Version{}),
			OwnerReferences: []metav1.OwnerReference{object.OwnedBy(cluster)},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{podLabel: JobName}},
			Spec: corev1.PodSpec{
				RestartPolicy: corev1.RestartPolicyOnFailure,
				Affinity:      daemon.Affinity(placement),
				Tolerations:   placement.Tolerations,
				Containers: []corev1.Container{{
					Name:    container,
					Image:   cluster.Spec.CephVersion.Image,
					Command: []string{"ceph"},
					Args:    []string{"--version"},
				}},
			},
		}},
	}
}
