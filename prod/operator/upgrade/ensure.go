package upgrade

import (
	"context"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/operator/object"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// Ensure has the Deployment of one daemon be as desired. One that is to get
// another image is changed when it may be stopped ([MayStop]).
func Ensure(ctx context.Context, p *pass.Pass, kind, id string, desired *appsv1.Deployment) error {
	var existing appsv1.Deployment
	err := p.Client.Get(ctx, client.ObjectKeyFromObject(desired), &existing)
	switch {
	case client.IgnoreNotFound(err) != nil:
		return fmt.Errorf("failed to get Deployment %s: %w", desired.Name, err)
	case err == nil && OnTheWay(&existing, desired):
		if err := MayStop(ctx, p, kind, id); err != nil {
			return err
		}
	}
	if _, err := object.Ensure(ctx, p.Client, desired, object.OwnedBy(p.Cluster)); err != nil {
		return fmt.Errorf("failed to start %s: %w", named(kind, []string{id}), err)
	}
	return nil
}
