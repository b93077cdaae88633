package health

import (
	"time"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// Next is the status after a check: health and its details, and the time of the
// check. Where health is another than before, lastChanged becomes that time and
// previousHealth the former health; the first health ever is no change (S53).
func Next(before *v1.CephStatus, report ceph.HealthReport, now time.Time) *v1.CephStatus {
	next := &v1.CephStatus{Health: report.Status, LastChecked: now.UTC().Format(time.RFC3339)}
	for code, check := range report.Checks {
		if next.Details == nil {
			next.Details = map[string]v1.HealthCheck{}
		}
		next.Details[code] = v1.HealthCheck{Severity: check.Severity, Message: check.Message}
	}
	if before == nil {
		return next
	}
	next.LastChanged, next.PreviousHealth = before.LastChanged, before.PreviousHealth
	if before.Health != "" && before.Health != next.Health {
		next.LastChanged, next.PreviousHealth = next.LastChecked, before.Health
	}
	return next
}
