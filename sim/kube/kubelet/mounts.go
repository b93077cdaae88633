package kubelet

import (
	"fmt"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// rootDirs are in every image.
var rootDirs = []string{"/bin", "/dev", "/etc", "/proc", "/run", "/tmp", "/usr/bin", "/var/lib", "/var/log", "/var/run"}

// fileSystem is what a container sees: a fresh root with the image's
// directories and the volumes that the container mounts.
func fileSystem(image host.Image, c *corev1.Container, volumes map[string]volume, env map[string]string) (*host.View, error) {
	root := host.NewFS()
	for _, list := range [][]string{rootDirs, image.Dirs} {
		for _, dir := range list {
			if err := root.MkdirAll(dir, 0o755); err != nil {
				return nil, err
			}
		}
	}
	view := host.NewView(root)
	mounts := slices.Clone(c.VolumeMounts)
	slices.SortStableFunc(mounts, func(a, b corev1.VolumeMount) int { // the outer before what is mounted into it
		return len(path.Clean("/"+a.MountPath)) - len(path.Clean("/"+b.MountPath))
	})
	for _, m := range mounts {
		v, ok := volumes[m.Name]
		if !ok {
			return nil, fmt.Errorf("cannot find volume %q to mount into container %q", m.Name, c.Name)
		}
		dir := v.dir
		sub := m.SubPath
		if m.SubPathExpr != "" {
			sub = expand(m.SubPathExpr, func(name string) (string, bool) { value, ok := env[name]; return value, ok })
		}
		if sub != "" {
			if path.IsAbs(sub) || slices.Contains(strings.Split(sub, "/"), "..") {
				return nil, fmt.Errorf("failed to prepare subPath for volumeMount %q of container %q", m.Name, c.Name)
			}
			dir = path.Join(dir, sub)
			if _, err := v.fs.Stat(dir); err != nil && !v.readOnly {
				if err := v.fs.MkdirAll(dir, 0o755); err != nil {
					return nil, fmt.Errorf("failed to create subPath directory for volumeMount %q of container %q", m.Name, c.Name)
				}
			}
		}
		view.Mount(m.MountPath, v.fs, dir, v.readOnly || m.ReadOnly)
	}
	messages := messagePath(c)
	if err := view.MkdirAll(path.Dir(messages), 0o755); err != nil {
		return nil, err
	}
	return view, view.WriteFile(messages, nil, 0o666)
}

// messagePath is where a container may say why it ends.
func messagePath(c *corev1.Container) string {
	if c.TerminationMessagePath == "" {
		return corev1.TerminationMessagePathDefault
	}
	return c.TerminationMessagePath
}

// security is what the container may do.
func security(pod *corev1.Pod, c *corev1.Container) *host.Container {
	s := &host.Container{}
	if p := pod.Spec.SecurityContext; p != nil && p.RunAsUser != nil {
		s.RunAsUser = *p.RunAsUser
	}
	if own := c.SecurityContext; own != nil {
		s.Privileged = own.Privileged != nil && *own.Privileged
		if own.RunAsUser != nil {
			s.RunAsUser = *own.RunAsUser
		}
		if own.Capabilities != nil {
			for _, name := range own.Capabilities.Add {
				s.Capabilities = append(s.Capabilities, string(name))
			}
		}
	}
	for _, m := range c.VolumeMounts {
		if path.Clean(m.MountPath) != "/dev" {
			continue
		}
		for _, v := range pod.Spec.Volumes {
			if v.Name == m.Name && v.HostPath != nil && path.Clean(v.HostPath.Path) == "/dev" {
				s.HostDev = true
			}
		}
	}
	return s
}

// argv is the command line of a container: its command, or the image's
// entrypoint, and its arguments, expanded.
func argv(c *corev1.Container, image host.Image, env map[string]string) []string {
	lookup := func(name string) (string, bool) { value, ok := env[name]; return value, ok }
	var all []string
	for _, s := range c.Command {
		all = append(all, expand(s, lookup))
	}
	if len(all) == 0 {
		all = slices.Clone(image.Entrypoint)
	}
	for _, s := range c.Args {
		all = append(all, expand(s, lookup))
	}
	return all
}
