package dependent

import (
	"context"
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Attributes by which volumes name their cluster: those of CSI drivers the first
// one, those of the old flex driver the second. Its value is the namespace.
const (
	clusterID        = "clusterID"
	clusterNamespace = "clusterNamespace"
)

// legacyVolume are the attachments of the driver that came before CSI: one object
// a volume, with the list of nodes that have it attached.
func legacyVolume() schema.GroupVersionKind {
	return schema.GroupVersionKind{Group: "rook.io", Version: "v1alpha2", Kind: "Volume"}
}

// volumes says in words which volumes are on the cluster.
func volumes(ctx context.Context, c client.Client, cluster *v1.CephCluster) ([]string, error) {
	var found []string
	persistent, err := list(ctx, c, corev1.SchemeGroupVersion.WithKind("PersistentVolume"))
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range persistent {
		var volume corev1.PersistentVolume
		if err := read(&persistent[i], &volume); err != nil {
			return nil, err
		}
		if on(cluster, volume.Spec.PersistentVolumeSource) {
			names = append(names, volume.Name)
		}
	}
	found = add(found, "PersistentVolume", names)
	attached, err := attachments(ctx, c, cluster, names)
	if err != nil {
		return nil, err
	}
	found = add(found, "VolumeAttachment", attached)
	legacy, err := legacyAttachments(ctx, c, cluster)
	if err != nil {
		return nil, err
	}
	return add(found, "Volume (rook.io/v1alpha2)", legacy), nil
}

// on says whether a volume is one of the cluster.
func on(cluster *v1.CephCluster, source corev1.PersistentVolumeSource) bool {
	return source.CSI != nil && source.CSI.VolumeAttributes[clusterID] == cluster.Namespace ||
		source.FlexVolume != nil && source.FlexVolume.Options[clusterNamespace] == cluster.Namespace
}

// attachments are the VolumeAttachments of those volumes, and of volumes that
// stand in a pod's own spec.
func attachments(ctx context.Context, c client.Client, cluster *v1.CephCluster, persistent []string) ([]string, error) {
	all, err := list(ctx, c, storagev1.SchemeGroupVersion.WithKind("VolumeAttachment"))
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range all {
		var attachment storagev1.VolumeAttachment
		if err := read(&all[i], &attachment); err != nil {
			return nil, err
		}
		source := attachment.Spec.Source
		if source.PersistentVolumeName != nil && slices.Contains(persistent, *source.PersistentVolumeName) ||
			source.InlineVolumeSpec != nil && on(cluster, source.InlineVolumeSpec.PersistentVolumeSource) {
			names = append(names, attachment.Name)
		}
	}
	return names, nil
}

// legacyAttachments are the attached volumes of the driver that came before CSI.
func legacyAttachments(ctx context.Context, c client.Client, cluster *v1.CephCluster) ([]string, error) {
	all, err := list(ctx, c, legacyVolume())
	if err != nil {
		return nil, err
	}
	var names []string
	for i := range all {
		attached, _, err := unstructured.NestedSlice(all[i].Object, "attachments")
		if err != nil {
			return nil, fmt.Errorf("the Volume %s cannot be read: %w", client.ObjectKeyFromObject(&all[i]), err)
		}
		for _, each := range attached {
			if fields, ok := each.(map[string]any); ok && fields["clusterName"] == cluster.Namespace {
				names = append(names, all[i].GetName())
				break
			}
		}
	}
	return names, nil
}

func read(from *unstructured.Unstructured, into client.Object) error {
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(from.Object, into); err != nil {
		return fmt.Errorf("%s %s cannot be read: %w", from.GetKind(), from.GetName(), err)
	}
	return nil
}
