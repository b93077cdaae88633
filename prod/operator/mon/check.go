package mon

import (
	"time"

	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// How the mons are looked after where nobody says otherwise: how often, and how
// long one may be out of quorum.
const (
	checkInterval = 45 * time.Second
	outTimeout    = 10 * time.Minute
)

// check is how the mons are looked after.
type check struct {
	disabled bool
	every    time.Duration
	// timeout is how long a mon may be out of quorum before it is replaced, 0 for
	// ever.
	timeout time.Duration
}

// checkOf reads it from the spec, and what the spec does not say from the
// operator's own settings. What is no time is as if it was not given.
func checkOf(spec *v1.ClusterSpec, s pass.Settings) check {
	given := spec.HealthCheck.DaemonHealth.Mon
	c := check{
		disabled: given.Disabled,
		every:    or(given.Interval, s.MonCheckInterval, checkInterval),
		timeout:  or(given.Timeout, s.MonOutTimeout, outTimeout),
	}
	if c.every <= 0 {
		c.every = checkInterval
	}
	return c
}

func or(first, second v1.Duration, otherwise time.Duration) time.Duration {
	for _, d := range []v1.Duration{first, second} {
		if t, err := d.Or(0); d != "" && err == nil {
			return t
		}
	}
	return otherwise
}

// target is how many mons are worked towards: spec.mon.count, or as many as there
// are nodes for them up to spec.mon.preferredCount, and then an uneven number
// (S5). A node counts as long as it is meant for mons, whatever state it is in:
// a mon is not given up because its node restarts. A placement that cannot be read
// says nothing of the nodes: then those are kept that are recorded.
func target(spec *v1.ClusterSpec, nodes []corev1.Node, recorded int) int {
	count, preferred := spec.Mon.Count, spec.Mon.PreferredCount
	if preferred <= count {
		return count
	}
	fit := 0
	placement := spec.Placement.For(v1.Mon)
	for i := range nodes {
		matches, err := node.Matches(&nodes[i], placement)
		if err != nil {
			return max(count, min(preferred, recorded))
		}
		if matches && !node.Repels(&nodes[i], placement) {
			fit++
		}
	}
	switch best := min(preferred, fit); {
	case best <= count:
		return count
	case best < preferred && best%2 == 0:
		return max(count, best-1)
	default:
		return best
	}
}
