package upgrade

import (
	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// AtRisk says in the CephCluster, by condition and Event, that a daemon is
// stopped which Ceph does not let go, and why.
func AtRisk(p *pass.Pass, why string) {
	p.Log.Warningf("cluster in namespace %s: %s", p.Cluster.Namespace, why)
	p.Events.Event(p.Cluster, door.Warning, v1.ConditionUpgradeAtRisk, why)
	apimeta.SetStatusCondition(&p.Cluster.Status.Conditions, metav1.Condition{
		Type: v1.ConditionUpgradeAtRisk, Status: metav1.ConditionTrue, Reason: v1.ReasonNotOkToStop, Message: why,
		ObservedGeneration: p.Cluster.Generation, LastTransitionTime: metav1.NewTime(p.Clock.Now()),
	})
}
