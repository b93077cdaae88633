package mon

import (
	"context"
	"fmt"

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
		return nil
	}
	return pass.Refuse(v1.ReasonHostPathInUse,
		"mon %s of %s %s/%s would keep its data in %s on node %s, which is in use by %s; give the new cluster another dataDirHostPath or other nodes",
		m.Name, v1.CephClusterKind, p.Cluster.Namespace, p.Cluster.Name, want.path, want.hostname, other)
}
