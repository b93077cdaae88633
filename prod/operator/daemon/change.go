package daemon

import (
	"time"

	appsv1 "k8s.io/api/apps/v1"
)

// LastChange is since when a Deployment's daemon is as it is: since it was made,
// or its pod became available or ceased to be.
func LastChange(d *appsv1.Deployment) time.Time {
	at := d.CreationTimestamp.Time
	for _, c := range d.Status.Conditions {
		if c.Type == appsv1.DeploymentAvailable && c.LastTransitionTime.After(at) {
			at = c.LastTransitionTime.Time
		}
	}
	return at
}
