package identity

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// EndpointsName is the ConfigMap that lists the mons (S80).
const EndpointsName = "rook-ceph-mon-endpoints"

// MonApp is the label app of everything that belongs to mons (S111).
const MonApp = "rook-ceph-mon"

// evidence says what there is of a former cluster in the namespace, in words; ""
// if there is nothing. With any of it, a missing Secret is a lost one (B14).
func evidence(ctx context.Context, p *pass.Pass) (string, error) {
	var found []string
	var recorded corev1.ConfigMap
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: EndpointsName}, &recorded)
	if client.IgnoreNotFound(err) != nil {
		return "", fmt.Errorf("failed to get configmap %s. %w", EndpointsName, err)
	}
	if mons := recorded.Data[dataKey]; !apierrors.IsNotFound(err) && mons != "" {
		found = append(found, fmt.Sprintf("ConfigMap %s lists the mons %s", EndpointsName, mons))
	}
	var deployments appsv1.DeploymentList
	if err := p.Client.List(ctx, &deployments, client.InNamespace(p.Cluster.Namespace)); err != nil {
		return "", fmt.Errorf("failed to list deployments. %w", err)
	}
	for i := range deployments.Items {
		if app := deployments.Items[i].Labels["app"]; strings.HasPrefix(app, "rook-ceph-") && deployments.Items[i].Labels["ceph_daemon_id"] != "" {
			found = append(found, "there is Deployment "+deployments.Items[i].Name)
		}
	}
	return strings.Join(found, "; "), nil
}
