package mgr

import (
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// App is the label app of everything of the mgr, and the prefix of its names.
const App = "rook-ceph-mgr"

// MetricsPort is where the module prometheus serves.
const MetricsPort = 9283

// id is the mgr's name; there is one.
const id = "a"

func keyringSecret() string { return App + "-" + id + "-keyring" }

// Deployment is that of mgr.a.
func Deployment(p *pass.Pass) *appsv1.Deployment {
	spec := &p.Cluster.Spec
	labels := daemon.Labels(App, p.Cluster.Namespace, "mgr", id)
	labels["instance"] = id
	pod := daemon.PodSpec(spec, spec.Placement.For(v1.Mgr))
	pod.Containers = []corev1.Container{container(p)}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.KeyringVolume(keyringSecret()),
		daemon.LogVolume(spec.DataDirHostPath, p.Cluster.Namespace),
		daemon.ScratchVolume(),
	}
	return daemon.Deployment(p.Cluster.Namespace, App+"-"+id, labels, annotations(spec), p.Version, pod)
}

func container(p *pass.Pass) corev1.Container {
	spec := &p.Cluster.Spec
	ports := []corev1.ContainerPort{
		{Name: "mgr", ContainerPort: 6800, Protocol: corev1.ProtocolTCP},
		{Name: "http-metrics", ContainerPort: MetricsPort, Protocol: corev1.ProtocolTCP},
	}
	if spec.Dashboard.Enabled {
		ports = append(ports, corev1.ContainerPort{
			Name: "dashboard", ContainerPort: int32(spec.Dashboard.ServedPort()), Protocol: corev1.ProtocolTCP,
		})
	}
	return corev1.Container{
		Name:            "mgr",
		Image:           spec.CephVersion.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"ceph-mgr"},
		Args:            append(daemon.Flags(p.Identity.FSID, p.Version, id), "--foreground"),
		Env:             append(daemon.Env(spec.CephVersion.Image), daemon.MonEnv()...),
		Ports:           ports,
		Resources:       spec.Resources[v1.Mgr],
		SecurityContext: daemon.Privileged(p.Privileged),
		VolumeMounts: []corev1.VolumeMount{
			daemon.ConfigMount(),
			daemon.KeyringMount(keyringSecret()),
			daemon.LogMount(),
			daemon.DataMount("/var/lib/ceph/mgr/ceph-" + id),
		},
	}
}

// annotations are the user's for the mgr, and where there are none those that
// have Prometheus fetch the metrics (S10).
func annotations(spec *v1.ClusterSpec) map[string]string {
	if written := spec.Annotations.For(v1.Mgr); written != nil {
		return written
	}
	return map[string]string{"prometheus.io/scrape": "true", "prometheus.io/port": "9283"}
}
