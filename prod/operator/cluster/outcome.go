package cluster

import (
	"errors"
	"strings"
	"time"

	apimeta "k8s.io/apimachinery/pkg/api/meta"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// outcome is how a pass has ended.
type outcome struct {
	// err ended it: a [*pass.Waiting], a [*pass.Refused] or another error; nil if
	// all steps were done.
	err error
	// held is what the pass went on without.
	held error
	// pending is what it waits for besides.
	pending []*pass.Waiting
}

// refused is what a person has to change before the cluster can become as the
// spec asks, nil if there is nothing.
func (o outcome) refused() *pass.Refused {
	for _, err := range []error{o.held, o.err} {
		if refused := (*pass.Refused)(nil); errors.As(err, &refused) {
			return refused
		}
	}
	return nil
}

// failed are the errors that are neither a wait nor a refusal.
func (o outcome) failed() error {
	var failures []error
	for _, err := range []error{o.held, o.err} {
		_, waiting := pass.IsWaiting(err)
		if refused := (*pass.Refused)(nil); err != nil && !waiting && !errors.As(err, &refused) {
			failures = append(failures, err)
		}
	}
	switch len(failures) {
	case 0:
		return nil
	case 1:
		return failures[0]
	}
	return errors.Join(failures...)
}

// waits are what is waited for, in order.
func (o outcome) waits() []*pass.Waiting {
	waits := o.pending
	if w, ok := pass.IsWaiting(o.err); ok {
		waits = append([]*pass.Waiting{w}, waits...)
	}
	return waits
}

// unfinished is why a pass is not done, "" if it is.
func (o outcome) unfinished() (reason, message string) {
	var texts []string
	for _, err := range []error{o.held, o.err} {
		if err == nil {
			continue
		}
		if reason == "" {
			reason = reasonOf(err)
		}
		texts = append(texts, err.Error())
	}
	for _, w := range o.pending {
		if o.err == nil && o.held == nil {
			reason = w.Reason
		}
		texts = append(texts, w.Error())
	}
	return reason, strings.Join(texts, "; ")
}

func reasonOf(err error) string {
	if w, ok := pass.IsWaiting(err); ok {
		return w.Reason
	}
	if refused := (*pass.Refused)(nil); errors.As(err, &refused) {
		return refused.Reason
	}
	return v1.ReasonFailed
}

// again is when the next pass is due, 0 for when an event comes. asked is when
// the steps want to look again, backOff the time for what does not say one
// itself. A pass that took long is not followed by the next before as much time
// has gone by, up to [longestRest].
func (o outcome) again(asked, backOff, took time.Duration) time.Duration {
	next := asked
	wants := func(after time.Duration) {
		if after == 0 {
			after = backOff
		}
		if next == 0 || after < next {
			next = after
		}
	}
	for _, w := range o.waits() {
		wants(w.Again)
	}
	if o.failed() != nil {
		wants(backOff)
	}
	if next == 0 {
		return 0
	}
	return max(next, min(took, longestRest))
}

// tellUpgrade keeps the conditions of an upgrade: what blocks it, and, as long
// as it goes on, that it goes on at a risk.
func (o outcome) tellUpgrade(s *v1.ClusterStatus, at scene) {
	reason, message := "", ""
	for _, w := range o.waits() {
		if w.Reason == v1.ReasonUpgradeBlocked || w.Reason == v1.ReasonNotOkToStop {
			reason, message = w.Reason, w.Error()
			break
		}
	}
	if c := apimeta.FindStatusCondition(s.Conditions, v1.ConditionUpgradeBlocked); c != nil && c.Reason != reason {
		// So that its transition time is since when Ceph says no.
		apimeta.RemoveStatusCondition(&s.Conditions, v1.ConditionUpgradeBlocked)
	}
	note(s, at, v1.ConditionUpgradeBlocked, reason, message)
	if risk := apimeta.FindStatusCondition(s.Conditions, v1.ConditionUpgradeAtRisk); risk != nil && o.err == nil && len(o.pending) == 0 {
		apimeta.RemoveStatusCondition(&s.Conditions, v1.ConditionUpgradeAtRisk)
	}
}
