package identity

import (
	"context"
	"fmt"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	"sigs.k8s.io/controller-runtime/pkg/client"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
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
	for _, look := range []func(context.Context, *pass.Pass) ([]string, error){listed, daemons, reported, keyrings} {
		more, err := look(ctx, p)
		if err != nil {
			return "", err
		}
		found = append(found, more...)
	}
	if apimeta.FindStatusCondition(p.Cluster.Status.Conditions, v1.ConditionMonsInQuorum) != nil || p.Cluster.Status.Ceph != nil {
		found = append(found, "the status of the CephCluster tells of its mons")
	}
	return strings.Join(found, "; "), nil
}

// listed are the mons in their ConfigMap.
func listed(ctx context.Context, p *pass.Pass) ([]string, error) {
	var stored corev1.ConfigMap
	err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: EndpointsName}, &stored)
	if client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("failed to get configmap %s. %w", EndpointsName, err)
	}
	if mons := stored.Data[dataKey]; err == nil && mons != "" {
		return []string{fmt.Sprintf("ConfigMap %s lists the mons %s", EndpointsName, mons)}, nil
	}
	return nil, nil
}

// daemons are the Deployments of mons and all others.
func daemons(ctx context.Context, p *pass.Pass) ([]string, error) {
	var deployments appsv1.DeploymentList
	if err := p.Client.List(ctx, &deployments, client.InNamespace(p.Cluster.Namespace)); err != nil {
		return nil, fmt.Errorf("failed to list deployments. %w", err)
	}
	var found []string
	for i := range deployments.Items {
		if app := deployments.Items[i].Labels["app"]; strings.HasPrefix(app, "rook-ceph-") && deployments.Items[i].Labels["ceph_daemon_id"] != "" {
			found = append(found, "there is Deployment "+deployments.Items[i].Name)
		}
	}
	return found, nil
}

// reported are what the jobs have told of OSDs.
func reported(ctx context.Context, p *pass.Pass) ([]string, error) {
	var results corev1.ConfigMapList
	if err := p.Client.List(ctx, &results, client.InNamespace(p.Cluster.Namespace)); err != nil {
		return nil, fmt.Errorf("failed to list configmaps. %w", err)
	}
	var found []string
	for i := range results.Items {
		name := results.Items[i].Name
		if strings.HasPrefix(name, "rook-ceph-osd-") && strings.HasSuffix(name, "-status") && ours(p, &results.Items[i]) {
			found = append(found, "ConfigMap "+name+" tells of OSDs")
		}
	}
	return found, nil
}

// keyrings are made after the Secret, and from it.
func keyrings(ctx context.Context, p *pass.Pass) ([]string, error) {
	var found []string
	for _, name := range []string{MonsKeyringName, AdminKeyringName} {
		var keyring corev1.Secret
		err := p.Client.Get(ctx, client.ObjectKey{Namespace: p.Cluster.Namespace, Name: name}, &keyring)
		if client.IgnoreNotFound(err) != nil {
			return nil, fmt.Errorf("failed to get secret %s. %w", name, err)
		}
		if err == nil && ours(p, &keyring) {
			found = append(found, "Secret "+name+" has its keys")
		}
	}
	return found, nil
}

// ours says whether an object belongs to the cluster or to nobody; those of a
// former cluster are about to go.
func ours(p *pass.Pass, o client.Object) bool {
	return len(o.GetOwnerReferences()) == 0 || object.Owns(object.OwnedBy(p.Cluster), o)
}
