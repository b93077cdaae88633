package ceph

import (
	"fmt"
)

// oldestTunables is mon_crush_min_required_version: maps that older clients can
// read are warned about.
func (r *release) oldestTunables() string {
	if r.atLeast(nautilus) {
		return "hammer"
	}
	return "firefly"
}

func (c *call) crushChecks() []check {
	m := c.state.OSDMap.Crush
	var out []check
	need := c.optionText("mon_crush_min_required_version", c.release.oldestTunables())
	if have := m.MinimumRelease(); have < need && c.optionBool("mon_warn_on_legacy_crush_tunables", true) {
		out = append(out, check{
			code: "OLD_CRUSH_TUNABLES", severity: warn,
			summary: fmt.Sprintf("crush map has legacy tunables (require %s, min is %s)", have, need),
			detail:  []string{"see http://docs.ceph.com/docs/master/rados/operations/crush-map/#tunables"},
		})
	}
	if m.Tunables.StrawCalcVersion == 0 && c.optionBool("mon_warn_on_crush_straw_calc_version_zero", true) {
		out = append(out, check{
			code: "OLD_CRUSH_STRAW_CALC_VERSION", severity: warn, summary: "crush map has straw_calc_version=0",
			detail: []string{"see http://docs.ceph.com/docs/master/rados/operations/crush-map/#tunables"},
		})
	}
	return out
}
