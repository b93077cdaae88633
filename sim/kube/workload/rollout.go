package workload

import (
	"math"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// revisionSet is what a rollout looks at in a ReplicaSet.
type revisionSet struct {
	replicas  int // asked for
	available int
}

func revisionOf(rs *appsv1.ReplicaSet) revisionSet {
	return revisionSet{
		replicas: int(value(rs.Spec.Replicas, 1)), available: int(rs.Status.AvailableReplicas),
	}
}

func revisionsOf(sets []*appsv1.ReplicaSet) []revisionSet {
	all := make([]revisionSet, 0, len(sets))
	for _, rs := range sets {
		all = append(all, revisionOf(rs))
	}
	return all
}

// limits are how far a rolling update may go beyond and below the wanted number.
type limits struct{ surge, unavailable int }

// limitsOf resolves maxSurge (rounded up) and maxUnavailable (rounded down), 25%
// each by default. Both 0 would stand still, so then one may be unavailable.
func limitsOf(d *appsv1.Deployment) limits {
	wanted := int(value(d.Spec.Replicas, 1))
	if recreates(d) {
		return limits{}
	}
	quarter := intstr.FromString("25%")
	surge, unavailable := &quarter, &quarter
	if r := d.Spec.Strategy.RollingUpdate; r != nil {
		if r.MaxSurge != nil {
			surge = r.MaxSurge
		}
		if r.MaxUnavailable != nil {
			unavailable = r.MaxUnavailable
		}
	}
	// The API server has checked that these are numbers or percentages.
	up, _ := intstr.GetScaledValueFromIntOrPercent(surge, wanted, true)
	down, _ := intstr.GetScaledValueFromIntOrPercent(unavailable, wanted, false)
	if up == 0 && down == 0 {
		down = 1
	}
	return limits{surge: up, unavailable: min(down, wanted)}
}

func recreates(d *appsv1.Deployment) bool {
	return d.Spec.Strategy.Type == appsv1.RecreateDeploymentStrategyType
}

// rollingStep says how many replicas the new set and each old one, oldest first,
// are to ask for at this point, where wanted is the number altogether.
func rollingStep(wanted int, by limits, current revisionSet, old []revisionSet) (newReplicas int, oldReplicas []int) {
	total := current.replicas
	for _, o := range old {
		total += o.replicas
	}
	newReplicas = current.replicas
	switch {
	case current.replicas > wanted:
		newReplicas = wanted
	case current.replicas < wanted && total < wanted+by.surge:
		newReplicas = current.replicas + min(wanted+by.surge-total, wanted-current.replicas)
	}
	oldReplicas = make([]int, len(old))
	for i, o := range old {
		oldReplicas[i] = o.replicas
	}
	if newReplicas != current.replicas {
		return newReplicas, oldReplicas // one thing at a time
	}
	// Pods of the new set that are not available yet hold their places.
	spare := total - (wanted - by.unavailable) - max(current.replicas-current.available, 0)
	for i, o := range old { // the broken ones go first: nobody misses them
		n := min(spare, max(o.replicas-o.available, 0))
		if n > 0 {
			oldReplicas[i] -= n
			spare -= n
		}
	}
	for i := range old {
		n := min(spare, oldReplicas[i])
		if n > 0 {
			oldReplicas[i] -= n
			spare -= n
		}
	}
	return newReplicas, oldReplicas
}

// hasDeadline says whether the deployment has a time by which it must progress.
func hasDeadline(d *appsv1.Deployment) bool {
	return value(d.Spec.ProgressDeadlineSeconds, 600) != math.MaxInt32
}
