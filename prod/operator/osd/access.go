package osd

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// access is what the jobs need to write their results: an account, and leave to
// read and write ConfigMaps of the cluster's namespace.
func access(namespace string) []client.Object {
	meta := metav1.ObjectMeta{Namespace: namespace, Name: ServiceAccount}
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: meta},
		&rbacv1.Role{ObjectMeta: meta, Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{""}, Resources: []string{"configmaps"}, Verbs: []string{"get", "update"}},
		}},
		&rbacv1.RoleBinding{
			ObjectMeta: meta,
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: ServiceAccount},
			Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: namespace, Name: ServiceAccount}},
		},
	}
}

func ensureAccess(ctx context.Context, p *pass.Pass) error {
	for _, o := range access(p.Cluster.Namespace) {
		if _, err := object.Ensure(ctx, p.Client, o, object.OwnedBy(p.Cluster)); err != nil {
			return err
		}
	}
	return nil
}
