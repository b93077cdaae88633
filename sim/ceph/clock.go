package ceph

import (
	"fmt"
	"math"
	"strings"
	"time"
)

// SetClockSkew says by how much a machine's clock is ahead of the loop's. What
// the monitors there see of it is the health check MON_CLOCK_SKEW.
func (s *Sim) SetClockSkew(machine string, skew time.Duration) {
	if s.skews == nil {
		s.skews = map[string]time.Duration{}
	}
	s.skews[machine] = skew
}

// skew is by how much a monitor's clock is ahead of the leader's.
func (c *call) skew(m *mon) time.Duration {
	return c.sim.skews[m.p.Machine.Name] - c.sim.skews[c.mon.p.Machine.Name]
}

// clockLatency is how long a clock check takes between two monitors.
const clockLatency = 500 * time.Microsecond

// skewed says in words whether a monitor's clock is too far from the leader's.
func (c *call) skewed(m *mon) (text string, bad bool) {
	most := c.optionSeconds("mon_clock_drift_allowed", 50*time.Millisecond)
	skew := c.skew(m)
	if time.Duration(math.Abs(float64(skew))) <= most {
		return "", false
	}
	return fmt.Sprintf("clock skew %gs > max %gs (latency %gs)", skew.Abs().Seconds(), most.Seconds(), clockLatency.Seconds()), true
}

// quorumMons are the monitors in quorum that can be reached.
func (c *call) quorumMons() []*mon {
	var all []*mon
	for _, r := range c.mon.quorum {
		if m := c.mon.reach(r); m != nil {
			all = append(all, m)
		}
	}
	return all
}

func (c *call) clockChecks() []check {
	var names, detail []string
	for _, m := range c.quorumMons() {
		if text, bad := c.skewed(m); bad {
			names = append(names, "mon."+m.name)
			detail = append(detail, "mon."+m.name+" "+text)
		}
	}
	if len(names) == 0 {
		return nil
	}
	return []check{{code: "MON_CLOCK_SKEW", severity: warn, count: len(names), detail: detail, summary: "clock skew detected on " + strings.Join(names, ", ")}}
}

// timeSyncStatus compares the clocks of the quorum.
func timeSyncStatus(c *call) reply {
	out := object{}
	if len(c.state.MonMap.Mons) > 1 {
		status := object{}
		for _, m := range c.quorumMons() {
			o := object{{"skew", c.skew(m).Seconds()}, {"latency", clockLatency.Seconds()}, {"health", "HEALTH_OK"}}
			if text, bad := c.skewed(m); bad {
				o[2].value = "HEALTH_WARN"
				o = append(o, field{"details", text})
			}
			status = append(status, field{m.name, o})
		}
		out = append(out, field{"time_skew_status", status})
	}
	out = append(out, field{"timechecks", object{{"epoch", c.mon.store.electionEpoch}, {"round", 0}, {"round_status", "finished"}}})
	return c.showAny(out)
}
