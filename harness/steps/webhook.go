package steps

import (
	"context"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// webhookSteps let a mutating webhook make pods other than the operator asked
// for, as a policy engine or a wrong hand may.
func webhookSteps() []Step {
	return []Step{
		{
			Pattern: `^a webhook takes the argument ` + name + ` away from pods labelled ` + name + `$`,
			Example: `a webhook takes the argument "--fsid" away from pods labelled "app=rook-ceph-mon"`,
			Meaning: "from now on such pods are created without the argument in any container",
			Do: func(ctx context.Context, flag, labels string) {
				changeContainers(ctx, labels, func(c *corev1.Container) {
					c.Args = slices.DeleteFunc(c.Args, func(a string) bool { return isFlag(a, flag) })
				})
			},
		},
		{
			Pattern: `^a webhook gives the argument ` + name + ` the value ` + name + ` in pods labelled ` + name + `$`,
			Example: `a webhook gives the argument "--public-addr" the value "10.9.9.9" in pods labelled "app=rook-ceph-mon"`,
			Meaning: "from now on such pods are created with another value of the argument",
			Do: func(ctx context.Context, flag, value, labels string) {
				changeContainers(ctx, labels, func(c *corev1.Container) {
					for i, a := range c.Args {
						if isFlag(a, flag) {
							c.Args[i] = flag + "=" + value
						}
					}
				})
			},
		},
		{
			Pattern: `^a webhook takes the mount ` + name + ` away from pods labelled ` + name + `$`,
			Example: `a webhook takes the mount "/etc/ceph" away from pods labelled "app=rook-ceph-mon"`,
			Meaning: "from now on such pods are created without what is mounted there",
			Do: func(ctx context.Context, path, labels string) {
				changeContainers(ctx, labels, func(c *corev1.Container) {
					c.VolumeMounts = slices.DeleteFunc(c.VolumeMounts, func(m corev1.VolumeMount) bool {
						return strings.TrimSuffix(m.MountPath, "/") == path
					})
				})
			},
		},
		{
			Pattern: `^a webhook runs the image ` + name + ` in (the init containers of )?pods labelled ` + name + `$`,
			Example: `a webhook runs the image "quay.io/ceph/ceph:v99" in pods labelled "mon=b"`,
			Meaning: "from now on the containers of such pods, or only their init containers, are created with another image",
			Do: func(ctx context.Context, image, initOnly, labels string) {
				in(ctx).ChangePods(labelMap(labels), func(p *corev1.PodSpec) {
					for i := range p.InitContainers {
						p.InitContainers[i].Image = image
					}
					for i := range p.Containers {
						if initOnly == "" {
							p.Containers[i].Image = image
						}
					}
				})
			},
		},
		{
			Pattern: `^a webhook keeps pods labelled ` + name + ` from every node$`,
			Example: `a webhook keeps pods labelled "job=rook-ceph-osd-prepare-n2" from every node`,
			Meaning: "from now on such pods are created so that they are never scheduled",
			Do: func(ctx context.Context, labels string) {
				in(ctx).ChangePods(labelMap(labels), func(p *corev1.PodSpec) {
					p.NodeSelector = map[string]string{"nowhere": "true"}
				})
			},
		},
		{
			Pattern: `^a webhook mounts the Secret ` + name + ` in place of ` + name + ` in pods labelled ` + name + `$`,
			Example: `a webhook mounts the Secret "rook-ceph-admin-keyring" in place of "rook-ceph-mons-keyring" in pods labelled "app=rook-ceph-mon"`,
			Meaning: "from now on such pods are created with another Secret in that volume",
			Do: func(ctx context.Context, secret, instead, labels string) {
				in(ctx).ChangePods(labelMap(labels), func(spec *corev1.PodSpec) {
					for i := range spec.Volumes {
						if s := spec.Volumes[i].Secret; s != nil && s.SecretName == instead {
							s.SecretName = secret
						}
					}
				})
			},
		},
	}
}

func isFlag(arg, flag string) bool { return arg == flag || strings.HasPrefix(arg, flag+"=") }

func changeContainers(ctx context.Context, labels string, change func(*corev1.Container)) {
	in(ctx).ChangePods(labelMap(labels), func(spec *corev1.PodSpec) {
		for i := range spec.InitContainers {
			change(&spec.InitContainers[i])
		}
		for i := range spec.Containers {
			change(&spec.Containers[i])
		}
	})
}
