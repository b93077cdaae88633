package filesystem

import (
	"fmt"
	"maps"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// App is the label app of the MDS, and the prefix of their names.
const App = "rook-ceph-mds"

// FilesystemLabel names the file system that an MDS is for.
const FilesystemLabel = "rook_file_system"

// mds is the key of what a CephFilesystem says of its MDS.
const mds v1.Daemon = "mds"

func deploymentName(id string) string { return App + "-" + id }
func keyringSecret(id string) string  { return deploymentName(id) + "-keyring" }
func entity(id string) string         { return "mds." + id }

// caps are what an MDS may do.
func caps() []ceph.Cap {
	return []ceph.Cap{{Type: "mon", Allow: "allow profile mds"}, {Type: "osd", Allow: "allow *"}, {Type: "mds", Allow: "allow"}}
}

// selector finds the MDS of one file system.
func selector(fs *v1.CephFilesystem) map[string]string {
	labels := daemon.AppLabels(App, fs.Namespace)
	labels[FilesystemLabel] = fs.Name
	return labels
}

// Deployment is that of one MDS of a file system.
func Deployment(p *pass.Pass, fs *v1.CephFilesystem, id string) *appsv1.Deployment {
	spec, server := &p.Cluster.Spec, &fs.Spec.MetadataServer
	labels := daemon.Labels(App, fs.Namespace, "mds", id)
	labels[FilesystemLabel] = fs.Name
	pod := daemon.PodSpec(spec, placement(spec, fs))
	pod.PriorityClassName = server.PriorityClassName
	pod.Containers = []corev1.Container{{
		Name:            "mds",
		Image:           spec.CephVersion.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"ceph-mds"},
		Args:            append(append(daemon.Flags(p.Identity.FSID, p.Version, id), "--foreground"), options(p.Version, fs)...),
		Env:             append(daemon.Env(spec.CephVersion.Image), daemon.MonEnv()...),
		Resources:       server.Resources,
		SecurityContext: daemon.Privileged(p.Privileged),
		VolumeMounts: []corev1.VolumeMount{
			daemon.ConfigMount(),
			daemon.KeyringMount(keyringSecret(id)),
			daemon.LogMount(),
			daemon.DataMount("/var/lib/ceph/mds/ceph-" + id),
		},
	}}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.KeyringVolume(keyringSecret(id)),
		daemon.LogVolume(spec.DataDirHostPath, fs.Namespace),
		daemon.ScratchVolume(),
	}
	d := daemon.Deployment(fs.Namespace, deploymentName(id), labels, annotations(spec, fs), p.Version, pod)
	// A person's labels do not select pods: they may change.
	own := maps.Clone(server.Labels)
	if own == nil {
		own = map[string]string{}
	}
	maps.Copy(own, labels)
	d.Spec.Template.Labels = own
	return d
}

// options are what the MDS is told of its file system.
func options(v ceph.Version, fs *v1.CephFilesystem) []string {
	var args []string
	if v.Has(ceph.MDSJoinFS) {
		args = append(args, "--mds-join-fs="+fs.Name)
	}
	// An MDS needs about half as much again as its cache holds.
	if memory := fs.Spec.MetadataServer.Resources.Limits.Memory().Value(); memory > 0 {
		args = append(args, fmt.Sprintf("--mds-cache-memory-limit=%d", memory/2))
	}
	return args
}

// placement is the file system's own over what the cluster says for all daemons.
// Where neither says which pods to keep away from, the MDS of a file system keep
// to different nodes as far as there are such.
func placement(spec *v1.ClusterSpec, fs *v1.CephFilesystem) v1.Placement {
	merged := v1.Placements{v1.All: spec.Placement.For(v1.All), mds: fs.Spec.MetadataServer.Placement}.For(mds)
	if merged.PodAntiAffinity == nil {
		const most = 100
		merged.PodAntiAffinity = &corev1.PodAntiAffinity{
			PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
				Weight: most,
				PodAffinityTerm: corev1.PodAffinityTerm{
					LabelSelector: &metav1.LabelSelector{MatchLabels: map[string]string{daemon.AppLabel: App, FilesystemLabel: fs.Name}},
					TopologyKey:   daemon.HostnameLabel,
				},
			}},
		}
	}
	return merged
}

func annotations(spec *v1.ClusterSpec, fs *v1.CephFilesystem) map[string]string {
	return v1.Annotations{v1.All: spec.Annotations.For(v1.All), mds: fs.Spec.MetadataServer.Annotations}.For(mds)
}
