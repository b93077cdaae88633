package mon

import (
	"context"
	"fmt"
	"path"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// pathUse is who has a host path on a node.
type pathUse struct{ hostname, path string }

// foreignPaths are the host paths that the mons of all other namespaces have.
func foreignPaths(ctx context.Context, p *pass.Pass) (map[pathUse]string, error) {
	var all appsv1.DeploymentList
	if err := p.Client.List(ctx, &all, client.MatchingLabels{daemon.AppLabel: identity.MonApp}); err != nil {
		return nil, fmt.Errorf("failed to list the mons of all clusters. %w", err)
	}
	used := map[pathUse]string{}
	for i := range all.Items {
		d := &all.Items[i]
		if d.Namespace == p.Cluster.Namespace {
			continue
		}
		pod := d.Spec.Template.Spec
		for _, volume := range pod.Volumes {
			if volume.Name == daemon.DataVolumeName && volume.HostPath != nil {
				used[pathUse{pod.NodeSelector[daemon.HostnameLabel], volume.HostPath.Path}] = fmt.Sprintf("mon %s of %s", d.Labels[daemon.IDLabel], ownerOf(d.ObjectMeta))
			}
		}
	}
	return used, nil
}

// ownerOf names the cluster that an object belongs to.
func ownerOf(o metav1.ObjectMeta) string {
	for _, ref := range o.OwnerReferences {
		if ref.Kind == v1.CephClusterKind {
			return v1.CephClusterKind + " " + o.Namespace + "/" + ref.Name
		}
	}
	return "a former cluster in namespace " + o.Namespace
}

// pathConflict refuses a mon whose data would lie where another cluster's mon
// has its own (Settled 21, B08).
func pathConflict(ctx context.Context, p *pass.Pass, m pass.Mon) error {
	used, err := foreignPaths(ctx, p)
	if err != nil {
		return err
	}
	want := pathUse{m.Node.Hostname, dataHostPath(p.Cluster.Spec.DataDirHostPath, m.Name)}
	other, taken := used[want]
	if !taken {
		if other, err = beingWiped(ctx, p, m); err != nil || other == "" {
			return err
		}
	}
	return pass.Refuse(v1.ReasonHostPathInUse,
		"mon %s of %s %s/%s would keep its data in %s on node %s, which is in use by %s; give the new cluster another dataDirHostPath or other nodes",
		m.Name, v1.CephClusterKind, p.Cluster.Namespace, p.Cluster.Name, want.path, want.hostname, other)
}

// beingWiped names the cluster whose data is being destroyed on the mon's node in
// the same data directory, "" if there is none. Its mons are gone already, and
// what this one would write there could still be taken for theirs.
func beingWiped(ctx context.Context, p *pass.Pass, m pass.Mon) (string, error) {
	var all v1.CephClusterList
	if err := p.Client.List(ctx, &all); err != nil {
		return "", fmt.Errorf("failed to list the other CephClusters. %w", err)
	}
	for i := range all.Items {
		other := &all.Items[i]
		cleanup := other.Status.Cleanup
		if other.Namespace != p.Cluster.Namespace && cleanup != nil && slices.Contains(cleanup.Nodes, m.Node.Hostname) &&
			path.Clean(other.Spec.DataDirHostPath) == path.Clean(p.Cluster.Spec.DataDirHostPath) {
			return fmt.Sprintf("%s %s/%s, which is being deleted with its data", v1.CephClusterKind, other.Namespace, other.Name), nil
		}
	}
	return "", nil
}
