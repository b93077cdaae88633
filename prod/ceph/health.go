package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"maps"
	"slices"
)

// HealthReport is the cluster's health (`ceph health`, and a part of `status`).
type HealthReport struct {
	// Status is HEALTH_OK, HEALTH_WARN or HEALTH_ERR.
	Status string
	// Checks are what is amiss, by code such as OSD_DOWN.
	Checks map[string]HealthCheck
	// Mutes are the codes that people have muted.
	Mutes []string
}

// HealthCheck is one thing that is amiss.
type HealthCheck struct {
	// Severity is HEALTH_WARN or HEALTH_ERR.
	Severity string
	Message  string
	// Count is how many things are affected; 0 up to mimic.
	Count int
	Muted bool
	// Details are the lines that `health detail` adds.
	Details []string
}

// Codes are the codes of the checks, sorted.
func (h HealthReport) Codes() []string { return slices.Sorted(maps.Keys(h.Checks)) }

// Health asks for the cluster's health with the details of each check.
func (a *Admin) Health(ctx context.Context) (HealthReport, error) {
	return ask[HealthReport](ctx, a, nil, "health", "detail")
}

// UnmarshalJSON reads the object of checks that luminous and later print, and
// the list of summaries that a luminous cluster prints for the tools of its
// predecessor (mon_health_preluminous_compat).
func (h *HealthReport) UnmarshalJSON(data []byte) error {
	var wire struct {
		Status        string `json:"status"`
		OverallStatus string `json:"overall_status"`
		Checks        map[string]struct {
			Severity string `json:"severity"`
			Summary  struct {
				Message string `json:"message"`
				Count   int    `json:"count"`
			} `json:"summary"`
			Detail []struct {
				Message string `json:"message"`
			} `json:"detail"`
			Muted bool `json:"muted"`
		} `json:"checks"`
		Summary []struct {
			Severity string `json:"severity"`
			Summary  string `json:"summary"`
		} `json:"summary"`
		Mutes []struct {
			Code string `json:"code"`
		} `json:"mutes"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	out := HealthReport{Status: wire.Status, Checks: map[string]HealthCheck{}}
	if out.Status == "" {
		out.Status = wire.OverallStatus
		for _, s := range wire.Summary {
			out.Checks[s.Summary] = HealthCheck{Severity: s.Severity, Message: s.Summary}
		}
	}
	if out.Status == "" {
		return errors.New("it has no health status")
	}
	for code, c := range wire.Checks {
		check := HealthCheck{Severity: c.Severity, Message: c.Summary.Message, Count: c.Summary.Count, Muted: c.Muted}
		for _, d := range c.Detail {
			check.Details = append(check.Details, d.Message)
		}
		out.Checks[code] = check
	}
	for _, m := range wire.Mutes {
		out.Mutes = append(out.Mutes, m.Code)
	}
	*h = out
	return nil
}
