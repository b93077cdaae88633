package osd

import (
	"fmt"
	"maps"
	"path"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// App is the label app of the OSDs, and the prefix of their names.
const App = "rook-ceph-osd"

// IDLabel tells the OSDs apart, and NodeLabel says on which node one is; the
// latter is not part of the selector, since a disk may be moved.
const (
	IDLabel   = "ceph-osd-id"
	NodeLabel = "rook-ceph-node"
)

const (
	devicesVolume = "devices"
	udevVolume    = "udev"
)

func directoryVolume(i int) string { return fmt.Sprintf("directory-%d", i) }

// noUdev has LVM not wait for a udev that containers do not have.
func noUdev() corev1.EnvVar { return corev1.EnvVar{Name: "DM_DISABLE_UDEV", Value: "1"} }

// Name is the name of an OSD's Deployment.
func Name(id int) string { return App + "-" + strconv.Itoa(id) }

// labels are those of an OSD's pods.
func labels(namespace string, id int) map[string]string {
	l := daemon.Labels(App, namespace, "osd", strconv.Itoa(id))
	l[IDLabel] = strconv.Itoa(id)
	return l
}

// Deployment runs an OSD on its node.
func Deployment(p *pass.Pass, node string, osd prepare.OSD) *appsv1.Deployment {
	spec := &p.Cluster.Spec
	pod := daemon.PodSpec(spec, spec.Placement.For(v1.OSD))
	pod.NodeSelector = map[string]string{daemon.HostnameLabel: node}
	pod.Containers = []corev1.Container{container(p, node, osd)}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.LogVolume(spec.DataDirHostPath, p.Cluster.Namespace),
	}
	if osd.Directory != "" {
		pod.Volumes = append(pod.Volumes, daemon.DataVolume(prepare.DataDir(path.Clean(osd.Directory), osd.ID)))
	} else {
		pod.InitContainers = []corev1.Container{activate(p, osd)}
		pod.Volumes = append(pod.Volumes,
			activationVolume(), daemon.HostVolume(devicesVolume, "/dev"), daemon.HostVolume(udevVolume, "/run/udev"))
	}
	d := daemon.Deployment(p.Cluster.Namespace, Name(osd.ID), labels(p.Cluster.Namespace, osd.ID),
		spec.Annotations.For(v1.OSD), p.Version, pod)
	d.Labels[NodeLabel] = node
	d.Spec.Template.Labels = maps.Clone(d.Spec.Template.Labels)
	d.Spec.Template.Labels[NodeLabel] = node
	return d
}

// activationVolume is where activation leaves what ceph-osd needs to find its
// devices. It is in memory because ceph-volume would mount memory there itself
// otherwise, which the next container would not see; what already is such a
// mount it leaves alone.
func activationVolume() corev1.Volume {
	v := daemon.ScratchVolume()
	v.EmptyDir.Medium = corev1.StorageMediumMemory
	return v
}

// container runs ceph-osd.
func container(p *pass.Pass, node string, osd prepare.OSD) corev1.Container {
	spec := &p.Cluster.Spec
	data := dataDir(osd.ID)
	args := daemon.GlobalFlags(p.Identity.FSID, path.Join(data, "keyring"), p.Version)
	args = append(args, fmt.Sprintf("--id=%d", osd.ID), "--foreground", "--osd-uuid="+osd.UUID, "--crush-location="+Location(node, location(spec, node)))
	c := corev1.Container{
		Name:            "osd",
		Image:           spec.CephVersion.Image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"ceph-osd"},
		Args:            args,
		Env:             append(daemon.Env(spec.CephVersion.Image), daemon.MonEnv()...),
		Resources:       resources(spec, node),
		SecurityContext: daemon.Privileged(p.Privileged || osd.Directory == ""),
		VolumeMounts:    []corev1.VolumeMount{daemon.ConfigMount(), daemon.LogMount(), daemon.DataMount(data)},
	}
	if osd.Directory == "" {
		c.VolumeMounts = append(c.VolumeMounts, deviceMounts()...)
	}
	return c
}

// activate makes the OSD's devices known on the node and fills the data volume.
func activate(p *pass.Pass, osd prepare.OSD) corev1.Container {
	image := p.Cluster.Spec.CephVersion.Image
	return corev1.Container{
		Name:            "activate",
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"ceph-volume"},
		Args:            []string{"lvm", "activate", "--no-systemd", "--bluestore", strconv.Itoa(osd.ID), osd.UUID},
		Env:             append(append(daemon.Env(image), daemon.MonEnv()...), noUdev()),
		SecurityContext: daemon.Privileged(true), // it maps the host's devices
		VolumeMounts: append([]corev1.VolumeMount{daemon.ConfigMount(), daemon.LogMount(), daemon.DataMount(dataDir(osd.ID))},
			deviceMounts()...),
	}
}

func deviceMounts() []corev1.VolumeMount {
	return []corev1.VolumeMount{
		{Name: devicesVolume, MountPath: "/dev"},
		{Name: udevVolume, MountPath: "/run/udev"},
	}
}

func dataDir(id int) string { return fmt.Sprintf("/var/lib/ceph/osd/ceph-%d", id) }

// resources are the node's own, or else those of all OSDs (S11, S16).
func resources(spec *v1.ClusterSpec, node string) corev1.ResourceRequirements {
	if storage, ok := spec.Storage.Node(node); ok && (len(storage.Resources.Limits) > 0 || len(storage.Resources.Requests) > 0) {
		return storage.Resources
	}
	return spec.Resources[v1.OSD]
}

// location is the CRUSH location that the spec gives a node; for a node that is
// no longer in the spec, the cluster's.
func location(spec *v1.ClusterSpec, node string) string {
	if storage, ok := spec.Storage.Node(node); ok {
		return storage.Location
	}
	return spec.Storage.Location
}

// Location is the CRUSH location of an OSD: root and host, unless the spec's
// pairs say otherwise, and the pairs. Ceph takes no dots in names of buckets.
func Location(node, written string) string {
	pairs := strings.FieldsFunc(written, func(r rune) bool { return r == ',' || r == ' ' })
	all := []string{"root=default", "host=" + strings.ReplaceAll(node, ".", "-")}
	for _, pair := range pairs {
		kind, _, _ := strings.Cut(pair, "=")
		switch kind {
		case "root":
			all[0] = pair
		case "host":
			all[1] = pair
		default:
			all = append(all, pair)
		}
	}
	return strings.Join(all, " ")
}
