package daemon

import (
	"path"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/ptr"
)

// Names of volumes, and where containers see them (S126, S127).
const (
	ConfigVolumeName = "rook-ceph-config" // also the name of the ConfigMap
	LogVolumeName    = "rook-ceph-log"
	DataVolumeName   = "ceph-daemon-data"

	ConfigDir   = "/etc/ceph"
	KeyringDir  = "/etc/ceph/keyring-store/"
	KeyringFile = "/etc/ceph/keyring-store/keyring"
	LogDir      = "/var/log/ceph"
)

// ConfigVolume holds ceph.conf, from the ConfigMap rook-ceph-config.
func ConfigVolume() corev1.Volume {
	return corev1.Volume{Name: ConfigVolumeName, VolumeSource: corev1.VolumeSource{
		ConfigMap: &corev1.ConfigMapVolumeSource{
			LocalObjectReference: corev1.LocalObjectReference{Name: ConfigVolumeName},
			DefaultMode:          ptr.To[int32](0o644),
			Items:                []corev1.KeyToPath{{Key: "ceph.conf", Path: "ceph.conf", Mode: ptr.To[int32](0o400)}},
		},
	}}
}

// ConfigMount shows ceph.conf in /etc/ceph.
func ConfigMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: ConfigVolumeName, MountPath: ConfigDir, ReadOnly: true}
}

// KeyringVolume holds a keyring, from the Secret of that name.
func KeyringVolume(secret string) corev1.Volume {
	return corev1.Volume{Name: secret, VolumeSource: corev1.VolumeSource{
		Secret: &corev1.SecretVolumeSource{SecretName: secret, DefaultMode: ptr.To[int32](0o644)},
	}}
}

// KeyringMount shows the keyring as [KeyringFile].
func KeyringMount(secret string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: secret, MountPath: KeyringDir, ReadOnly: true}
}

// LogVolume is <dataDirHostPath>/<namespace>/log of the host.
func LogVolume(dataDirHostPath, namespace string) corev1.Volume {
	return HostVolume(LogVolumeName, path.Join(dataDirHostPath, namespace, "log"))
}

// LogMount shows the log directory in /var/log/ceph.
func LogMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: LogVolumeName, MountPath: LogDir}
}

// DataVolume is a directory of the host for what the daemon must not lose.
func DataVolume(hostPath string) corev1.Volume { return HostVolume(DataVolumeName, hostPath) }

// ScratchVolume is the data volume of a daemon that has nothing to lose.
func ScratchVolume() corev1.Volume {
	return corev1.Volume{Name: DataVolumeName, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// DataMount shows the data volume at a path.
func DataMount(at string) corev1.VolumeMount {
	return corev1.VolumeMount{Name: DataVolumeName, MountPath: at}
}

// HostVolume is a path of the host, whatever is there (type "").
func HostVolume(name, hostPath string) corev1.Volume {
	return corev1.Volume{Name: name, VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: hostPath, Type: ptr.To(corev1.HostPathUnset)},
	}}
}
