package daemon

import (
	corev1 "k8s.io/api/core/v1"
)

const (
	binaryVolume = "tidepool-binary"
	binaryDir    = "/tidepool"
)

// Binary is the operator's own program in the containers of jobs that have
// [BinaryMount].
const Binary = binaryDir + "/tidepool-operator"

// CopyBinary is an init container that brings the operator's program into a pod
// whose other containers run from another image.
func CopyBinary(operatorImage string) corev1.Container {
	return corev1.Container{
		Name:            "copy-binary",
		Image:           operatorImage,
		ImagePullPolicy: corev1.PullIfNotPresent,
		Command:         []string{"tidepool-operator"},
		Args:            []string{"copy-binary", "--to=" + binaryDir},
		VolumeMounts:    []corev1.VolumeMount{{Name: binaryVolume, MountPath: binaryDir}},
	}
}

// BinaryVolume is what the program is handed over in.
func BinaryVolume() corev1.Volume {
	return corev1.Volume{Name: binaryVolume, VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}}
}

// BinaryMount shows the program as [Binary].
func BinaryMount() corev1.VolumeMount {
	return corev1.VolumeMount{Name: binaryVolume, MountPath: binaryDir, ReadOnly: true}
}
