package cleanup

import (
	"path"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// App is the label app of the jobs, and the prefix of their names.
const App = "rook-ceph-cleanup"

// container is the name of the container that wipes.
const container = "cleanup"

// JobName is the name of a node's job.
func JobName(hostname string) string { return prepare.Name(App, hostname, "") }

// Job wipes a node, whatever its taints. It needs nothing of the cluster: neither
// its configuration nor its keys, which may be gone.
func Job(p *pass.Pass, r Request) *batchv1.Job {
	image := p.Cluster.Spec.CephVersion.Image
	if known := p.Cluster.Status.Version; known != nil && known.Image != "" {
		image = known.Image // which has been pulled, whatever the spec asks for by now
	}
	labels := daemon.AppLabels(App, r.Namespace)
	labels["job"] = JobName(r.Node)
	volumes := []corev1.Volume{
		daemon.BinaryVolume(),
		daemon.HostVolume("data", path.Clean(r.DataDir)),
		daemon.HostVolume("devices", "/dev"),
		daemon.HostVolume("udev", "/run/udev"),
	}
	mounts := []corev1.VolumeMount{
		daemon.BinaryMount(),
		{Name: "data", MountPath: dataMount},
		{Name: "devices", MountPath: "/dev"},
		{Name: "udev", MountPath: "/run/udev"},
	}
	for i, directory := range r.Directories {
		name := path.Base(directoryMount(i))
		volumes = append(volumes, daemon.HostVolume(name, path.Clean(directory)))
		mounts = append(mounts, corev1.VolumeMount{Name: name, MountPath: directoryMount(i)})
	}
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: r.Namespace, Name: JobName(r.Node), Labels: labels},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels},
			Spec: corev1.PodSpec{
				RestartPolicy:      corev1.RestartPolicyOnFailure,
				ServiceAccountName: daemon.ServiceAccount,
				NodeSelector:       map[string]string{daemon.HostnameLabel: r.Node},
				Tolerations:        []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				InitContainers:     []corev1.Container{daemon.CopyBinary(p.OperatorImage)},
				Containers: []corev1.Container{{
					Name:            container,
					Image:           image,
					ImagePullPolicy: corev1.PullIfNotPresent,
					Command:         []string{daemon.Binary},
					Args:            []string{"cleanup"},
					Env: []corev1.EnvVar{
						{Name: RequestEnv, Value: r.Encode()},
						{Name: "DM_DISABLE_UDEV", Value: "1"}, // LVM waits for a udev that containers do not have
					},
					SecurityContext: daemon.Privileged(true), // it wipes the host's devices
					VolumeMounts:    mounts,
				}},
				Volumes: volumes,
			},
		}},
	}
}
