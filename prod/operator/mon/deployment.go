package mon

import (
	"path"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// dataHostPath is where a mon's data lies on its node (S87, Settled 21).
func dataHostPath(dataDirHostPath, mon string) string {
	return path.Join(dataDirHostPath, "mon-"+mon, "data")
}

// deployment is the Deployment of a mon that has an address and a node
// (S111-S130). Its pod is the seed's to the letter.
func deployment(p *pass.Pass, m pass.Mon) *appsv1.Deployment {
	spec := &p.Cluster.Spec
	placement := spec.Placement.For(v1.Mon)
	// A mon is pinned to a node; affinity to other pods could only keep it away.
	placement.PodAffinity, placement.PodAntiAffinity = nil, nil
	pod := daemon.PodSpec(spec, placement)
	if pod.Affinity == nil {
		pod.Affinity = &corev1.Affinity{}
	}
	pod.HostNetwork, pod.DNSPolicy = false, corev1.DNSClusterFirst
	if onHost(p, m) {
		pod.HostNetwork, pod.DNSPolicy = true, corev1.DNSClusterFirstWithHostNet
	}
	pod.NodeSelector = map[string]string{daemon.HostnameLabel: m.Node.Hostname}
	pod.Volumes = []corev1.Volume{
		daemon.ConfigVolume(),
		daemon.KeyringVolume(identity.MonsKeyringName),
		daemon.LogVolume(spec.DataDirHostPath, p.Cluster.Namespace),
		daemon.DataVolume(dataHostPath(spec.DataDirHostPath, m.Name)),
	}
	pod.InitContainers = []corev1.Container{mkfs(p, m)}
	pod.Containers = []corev1.Container{container(p, m)}
	return daemon.Deployment(p.Cluster.Namespace, resourceName(m.Name), labels(p.Cluster.Namespace, m.Name),
		spec.Annotations.For(v1.Mon), p.Version, pod)
}

// mkfs is the init container that makes a mon's store, or finds it made (S128).
func mkfs(p *pass.Pass, m pass.Mon) corev1.Container {
	ip, port := split(m.Endpoint)
	c := frame(p, m, "init-mon-fs")
	c.Args = append(c.Args, "--public-addr="+withPort(p, ip, port), "--mkfs")
	return c
}

// container is the mon itself (S116-S126).
func container(p *pass.Pass, m pass.Mon) corev1.Container {
	ip, port := split(m.Endpoint)
	c := frame(p, m, "mon")
	c.Args = append(c.Args, "--foreground", "--public-addr="+withPort(p, ip, port), "--public-bind-addr="+withPort(p, "$(ROOK_POD_IP)", port))
	c.Env = append(c.Env, daemon.PodIPEnv())
	c.Ports = []corev1.ContainerPort{{Name: "client", ContainerPort: port, Protocol: corev1.ProtocolTCP}}
	return c
}

// frame is what both containers have.
func frame(p *pass.Pass, m pass.Mon, name string) corev1.Container {
	image := p.Cluster.Spec.CephVersion.Image
	return corev1.Container{
		Name:            name,
		Image:           image,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"ceph-mon"},
		Args:            daemon.Flags(p.Identity.FSID, p.Version, m.Name),
		Env:             append(daemon.Env(image), daemon.MonEnv()...),
		Resources:       p.Cluster.Spec.Resources[v1.Mon],
		SecurityContext: daemon.Privileged(p.Privileged),
		VolumeMounts: []corev1.VolumeMount{
			daemon.ConfigMount(),
			daemon.KeyringMount(identity.MonsKeyringName),
			daemon.LogMount(),
			daemon.DataMount("/var/lib/ceph/mon/ceph-" + m.Name),
		},
	}
}

// withPort is an address as an argument: the port stands in it only if it is not
// the standard one (Settled 25). Where the release knows two protocols it would
// take another port for one of msgr2, so that the protocol stands there as well.
func withPort(p *pass.Pass, ip string, port int32) string {
	switch {
	case port == identity.DefaultMonPort:
		return ip
	case p.Version.Has(ceph.Msgr2):
		return "v1:" + hostPort(ip, port)
	}
	return hostPort(ip, port)
}
