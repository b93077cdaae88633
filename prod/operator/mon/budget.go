package mon

import (
	"context"
	"fmt"

	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
	"github.com/tidepool-ceph/tidepool/prod/operator/identity"
	"github.com/tidepool-ceph/tidepool/prod/operator/object"
)

// BudgetName is the PodDisruptionBudget of the mons.
const BudgetName = "rook-ceph-mon-pdb"

// disposable is how many mon pods may be evicted: one, from five mons on two,
// less those that are out of quorum already.
func disposable(wanted, out int) int {
	most := 1
	if wanted >= 5 {
		most = 2
	}
	return max(most-out, 0)
}

// budget keeps the PodDisruptionBudget of the mons, for more than two of them and
// if the spec says so. While they do not answer it stays as it is.
func (s *step) budget(ctx context.Context) error {
	owner := object.OwnedBy(s.Cluster)
	b := &policyv1.PodDisruptionBudget{ObjectMeta: metav1.ObjectMeta{Namespace: s.Cluster.Namespace, Name: BudgetName}}
	if !s.Cluster.Spec.DisruptionManagement.ManagePodBudgets || s.wanted <= 2 {
		deleted, err := object.Delete(ctx, s.Client, b, owner)
		if err != nil {
			return fmt.Errorf("failed to remove the disruption budget of the mons. %w", err)
		}
		if deleted {
			s.Log.Infof("removed PodDisruptionBudget %s of namespace %s", BudgetName, s.Cluster.Namespace)
		}
		return nil
	}
	if s.view.quorum == nil {
		return nil
	}
	allowed := disposable(s.wanted, len(s.view.quorum.MonMap.Mons)-len(s.view.quorum.Ranks))
	b.Labels = daemon.AppLabels(identity.MonApp, s.Cluster.Namespace)
	b.Spec = policyv1.PodDisruptionBudgetSpec{
		MaxUnavailable: ptr.To(intstr.FromInt32(int32(allowed))),
		Selector:       &metav1.LabelSelector{MatchLabels: daemon.AppLabels(identity.MonApp, s.Cluster.Namespace)},
	}
	changed, err := object.Ensure(ctx, s.Client, b, owner)
	if err != nil {
		return fmt.Errorf("failed to keep the disruption budget of the mons. %w", err)
	}
	if changed {
		s.Log.Infof("PodDisruptionBudget %s of namespace %s lets %d mons be evicted", BudgetName, s.Cluster.Namespace, allowed)
	}
	return nil
}
