package osd

import (
	"path"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Names of the jobs and what belongs to them.
const (
	// PrepareApp is the label app of the jobs, and the prefix of their names.
	PrepareApp = "rook-ceph-osd-prepare"
	// HashAnnotation is on a job: which request it works on.
	HashAnnotation = "ceph.rook.io/osd-request"
	// ServiceAccount is what the jobs run as: it may write the results.
	ServiceAccount = "rook-ceph-osd"

	adminKeyringSecret = "rook-ceph-admin-keyring" // S84
)

// request is what the job of a node is asked to do. again is the mark of the
// last wish to look at its devices once more.
func request(p *pass.Pass, t Target, again string) prepare.Request {
	return prepare.Request{Node: t.Name, NodeUID: t.UID, FSID: p.Identity.FSID, Version: p.Version, Storage: t.Storage, Again: again}
}

// JobName is the name of a node's job.
func JobName(node string) string { return prepare.Name(PrepareApp, node, "") }

// jobLabels are those of a node's job and its pods.
func jobLabels(namespace, node string) map[string]string {
	labels := daemon.AppLabels(PrepareApp, namespace)
	labels["job"] = JobName(node)
	return labels
}

// Job prepares a node: an init container brings the operator's program into the
// Ceph image, where the programs of that release are.
func Job(p *pass.Pass, r prepare.Request) *batchv1.Job {
	spec := &p.Cluster.Spec
	pod := daemon.PodSpec(spec, preparePlacement(spec))
	pod.RestartPolicy = corev1.RestartPolicyOnFailure
	pod.ServiceAccountName = ServiceAccount
	pod.NodeSelector = map[string]string{daemon.HostnameLabel: r.Node}
	pod.InitContainers = []corev1.Container{daemon.CopyBinary(p.OperatorImage)}
	pod.Containers = []corev1.Container{provision(p, r)}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.KeyringVolume(adminKeyringSecret),
		daemon.LogVolume(spec.DataDirHostPath, p.Cluster.Namespace),
		daemon.BinaryVolume(),
		daemon.HostVolume(devicesVolume, "/dev"),
		daemon.HostVolume(udevVolume, "/run/udev"),
	}
	for i, d := range r.Storage.Directories {
		pod.Volumes = append(pod.Volumes, daemon.HostVolume(directoryVolume(i), path.Clean(d.Path)))
	}
	labels := jobLabels(p.Cluster.Namespace, r.Node)
	annotations := spec.Annotations.For(v1.OSD)
	return &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: p.Cluster.Namespace, Name: JobName(r.Node),
			Labels:      daemon.WithVersions(labels, p.Version),
			Annotations: map[string]string{HashAnnotation: r.Hash()},
		},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: labels, Annotations: annotations},
			Spec:       pod,
		}},
	}
}

func provision(p *pass.Pass, r prepare.Request) corev1.Container {
	spec := &p.Cluster.Spec
	env := append(daemon.Env(spec.CephVersion.Image), daemon.MonEnv()...)
	env = append(env, noUdev(), corev1.EnvVar{Name: prepare.RequestEnv, Value: r.Encode()})
	mounts := []corev1.VolumeMount{
		daemon.ConfigMount(),
		daemon.KeyringMount(adminKeyringSecret),
		daemon.LogMount(),
		daemon.BinaryMount(),
		{Name: devicesVolume, MountPath: "/dev"},
		{Name: udevVolume, MountPath: "/run/udev"},
	}
	for i, d := range r.Storage.Directories {
		mounts = append(mounts, corev1.VolumeMount{Name: directoryVolume(i), MountPath: path.Clean(d.Path)})
	}
	return corev1.Container{
		Name:            "provision",
		Image:           spec.CephVersion.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{daemon.Binary},
		Args:            []string{"osd-prepare"},
		Env:             env,
		Resources:       spec.Resources[v1.PrepareOSD],
		SecurityContext: daemon.Privileged(true), // it partitions the host's devices
		VolumeMounts:    mounts,
	}
}

// preparePlacement is that of the jobs if one is written, and that of the OSDs
// otherwise.
func preparePlacement(spec *v1.ClusterSpec) v1.Placement {
	if _, written := spec.Placement[v1.PrepareOSD]; written {
		return spec.Placement.For(v1.PrepareOSD)
	}
	return spec.Placement.For(v1.OSD)
}
