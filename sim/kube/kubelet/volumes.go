package kubelet

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// volume is what a volume shows: a directory (or, for a hostPath, a file) of a
// file system.
type volume struct {
	fs       *host.FS
	dir      string
	readOnly bool
}

// errVolume is a volume of a kind that this kubelet has no plugin for.
var errVolume = errors.New("no volume plugin matched")

// makeVolume sets one volume of a pod up. home is the pod's directory on the
// machine. The error is worded as the kubelet's, for the pod's event.
func makeVolume(pod *corev1.Pod, v *corev1.Volume, at place, machine *host.Machine, home string, w world) (volume, error) {
	switch {
	case v.HostPath != nil:
		return hostPath(v.HostPath, machine.Files)
	case v.EmptyDir != nil:
		if v.EmptyDir.Medium == corev1.StorageMediumMemory {
			return volume{fs: host.NewFS(), dir: "/"}, nil
		}
		dir := path.Join(home, "volumes/kubernetes.io~empty-dir", v.Name)
		return volume{fs: machine.Files, dir: dir}, machine.Files.MkdirAll(dir, 0o777)
	}
	files, err := content(pod, v, at, w)
	if err != nil {
		return volume{}, err
	}
	made := volume{fs: host.NewFS(), dir: "/", readOnly: true}
	return made, writeAll(made.fs, files)
}

// file is a file of a volume that is made from objects of the API.
type file struct {
	path string
	data []byte
	mode fs.FileMode
}

func writeAll(to *host.FS, files []file) error {
	for _, f := range files {
		if err := to.MkdirAll(path.Dir(path.Join("/", f.path)), 0o755); err != nil {
			return err
		}
		if err := to.WriteFile(path.Join("/", f.path), f.data, f.mode); err != nil {
			return err
		}
	}
	return nil
}

// content is the files of a volume that is made from objects of the API.
func content(pod *corev1.Pod, v *corev1.Volume, at place, w world) ([]file, error) {
	switch {
	case v.ConfigMap != nil:
		s := v.ConfigMap
		return configMapFiles(pod.Namespace, s.Name, s.Items, mode(s.DefaultMode), optional(s.Optional), w)
	case v.Secret != nil:
		s := v.Secret
		return secretFiles(pod.Namespace, s.SecretName, s.Items, mode(s.DefaultMode), optional(s.Optional), w)
	case v.DownwardAPI != nil:
		return downwardFiles(pod, v.DownwardAPI.Items, mode(v.DownwardAPI.DefaultMode), at, w)
	case v.Projected != nil:
		var all []file
		for _, s := range v.Projected.Sources {
			files, err := projectedFiles(pod, s, mode(v.Projected.DefaultMode), at, w)
			if err != nil {
				return nil, err
			}
			all = append(all, files...)
		}
		return all, nil
	}
	return nil, errVolume
}

func projectedFiles(pod *corev1.Pod, s corev1.VolumeProjection, m fs.FileMode, at place, w world) ([]file, error) {
	switch {
	case s.ConfigMap != nil:
		return configMapFiles(pod.Namespace, s.ConfigMap.Name, s.ConfigMap.Items, m, optional(s.ConfigMap.Optional), w)
	case s.Secret != nil:
		return secretFiles(pod.Namespace, s.Secret.Name, s.Secret.Items, m, optional(s.Secret.Optional), w)
	case s.DownwardAPI != nil:
		return downwardFiles(pod, s.DownwardAPI.Items, m, at, w)
	case s.ServiceAccountToken != nil:
		account, _ := fieldValue(pod, "spec.serviceAccountName", at) // a known field
		token := fmt.Sprintf("system:serviceaccount:%s:%s:%s", pod.Namespace, account, pod.UID)
		return []file{{s.ServiceAccountToken.Path, []byte(token), m}}, nil
	}
	return nil, errVolume
}

func configMapFiles(namespace, name string, items []corev1.KeyToPath, m fs.FileMode, optional bool, w world) ([]file, error) {
	object, ok := w.configMap(namespace, name)
	if !ok {
		if optional {
			return nil, nil
		}
		return nil, fmt.Errorf("configmap %q not found", name)
	}
	data := map[string][]byte{}
	for k, v := range object.Data {
		data[k] = []byte(v)
	}
	for k, v := range object.BinaryData {
		data[k] = v
	}
	return keyed(data, items, m, optional, "configmap references non-existent config key: %s")
}

func secretFiles(namespace, name string, items []corev1.KeyToPath, m fs.FileMode, optional bool, w world) ([]file, error) {
	object, ok := w.secret(namespace, name)
	if !ok {
		if optional {
			return nil, nil
		}
		return nil, fmt.Errorf("secret %q not found", name)
	}
	return keyed(object.Data, items, m, optional, "references non-existent secret key: %s")
}

// keyed picks the items, or everything where there are none.
func keyed(data map[string][]byte, items []corev1.KeyToPath, m fs.FileMode, optional bool, absent string) ([]file, error) {
	var files []file
	if len(items) == 0 {
		for k, v := range data {
			files = append(files, file{k, v, m})
		}
		return files, nil
	}
	for _, item := range items {
		v, ok := data[item.Key]
		if !ok {
			if optional {
				continue
			}
			return nil, fmt.Errorf(absent, item.Key)
		}
		files = append(files, file{item.Path, v, itemMode(item.Mode, m)})
	}
	return files, nil
}

func downwardFiles(pod *corev1.Pod, items []corev1.DownwardAPIVolumeFile, m fs.FileMode, at place, w world) ([]file, error) {
	var files []file
	for _, item := range items {
		value, err := downwardValue(pod, item, at, w)
		if err != nil {
			return nil, err
		}
		files = append(files, file{item.Path, []byte(value), itemMode(item.Mode, m)})
	}
	return files, nil
}

func downwardValue(pod *corev1.Pod, item corev1.DownwardAPIVolumeFile, at place, w world) (string, error) {
	if item.FieldRef != nil {
		return fieldValue(pod, item.FieldRef.FieldPath, at)
	}
	c := containerNamed(pod, item.ResourceFieldRef.ContainerName)
	if c == nil {
		return "", fmt.Errorf("container %s not found", item.ResourceFieldRef.ContainerName)
	}
	return resourceValue(c, item.ResourceFieldRef, w.allocatable())
}

// mode is a volume's default mode: 0644 where the spec does not say.
func mode(m *int32) fs.FileMode {
	if m == nil {
		return 0o644
	}
	return fs.FileMode(*m).Perm()
}

func itemMode(m *int32, otherwise fs.FileMode) fs.FileMode {
	if m == nil {
		return otherwise
	}
	return fs.FileMode(*m).Perm()
}

func optional(o *bool) bool { return o != nil && *o }

// hostPath checks what is at the path, or makes it, as its type asks.
func hostPath(s *corev1.HostPathVolumeSource, files *host.FS) (volume, error) {
	made := volume{fs: files, dir: s.Path}
	kind := corev1.HostPathUnset
	if s.Type != nil {
		kind = *s.Type
	}
	info, err := files.Stat(s.Path)
	there := err == nil
	switch kind {
	case corev1.HostPathUnset: // the container runtime makes a directory
		if !there {
			return made, files.MkdirAll(s.Path, 0o755)
		}
	case corev1.HostPathDirectoryOrCreate:
		if !there {
			return made, files.MkdirAll(s.Path, 0o755)
		}
		if !info.Dir {
			return made, fmt.Errorf("hostPath type check failed: %s is not a directory", s.Path)
		}
	case corev1.HostPathDirectory:
		if !there || !info.Dir {
			return made, fmt.Errorf("hostPath type check failed: %s is not a directory", s.Path)
		}
	case corev1.HostPathFileOrCreate:
		if !there {
			return made, files.WriteFile(s.Path, nil, 0o644)
		}
		if info.Dir {
			return made, fmt.Errorf("hostPath type check failed: %s is not a file", s.Path)
		}
	case corev1.HostPathFile:
		if !there || info.Dir {
			return made, fmt.Errorf("hostPath type check failed: %s is not a file", s.Path)
		}
	default:
		if !there {
			return made, fmt.Errorf("hostPath type check failed: %s is not a %s", s.Path, kind)
		}
	}
	return made, nil
}

// reference is an object of the pod's namespace.
type reference struct{ kind, name string }

// references are the secrets and config maps that a pod is made from.
func references(pod *corev1.Pod) []reference {
	var refs []reference
	secret := func(name string) { refs = append(refs, reference{"Secret", name}) }
	configMap := func(name string) { refs = append(refs, reference{"ConfigMap", name}) }
	for _, v := range pod.Spec.Volumes {
		switch {
		case v.Secret != nil:
			secret(v.Secret.SecretName)
		case v.ConfigMap != nil:
			configMap(v.ConfigMap.Name)
		case v.Projected != nil:
			for _, s := range v.Projected.Sources {
				if s.Secret != nil {
					secret(s.Secret.Name)
				}
				if s.ConfigMap != nil {
					configMap(s.ConfigMap.Name)
				}
			}
		}
	}
	for _, list := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, c := range list {
			for _, from := range c.EnvFrom {
				if from.SecretRef != nil {
					secret(from.SecretRef.Name)
				}
				if from.ConfigMapRef != nil {
					configMap(from.ConfigMapRef.Name)
				}
			}
			for _, e := range c.Env {
				if e.ValueFrom == nil {
					continue
				}
				if r := e.ValueFrom.SecretKeyRef; r != nil {
					secret(r.Name)
				}
				if r := e.ValueFrom.ConfigMapKeyRef; r != nil {
					configMap(r.Name)
				}
			}
		}
	}
	slices.SortFunc(refs, func(a, b reference) int {
		return cmp.Or(strings.Compare(a.kind, b.kind), strings.Compare(a.name, b.name))
	})
	return slices.Compact(refs)
}
