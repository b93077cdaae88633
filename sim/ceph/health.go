package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
	"time"
)

// severity is how bad a health check is.
type severity int

const (
	warn severity = iota + 1
	erring
)

func (s severity) String() string {
	switch s {
	case warn:
		return "HEALTH_WARN"
	case erring:
		return "HEALTH_ERR"
	}
	return "HEALTH_OK"
}

// check is one thing that is not well.
type check struct {
	code     string
	severity severity
	summary  string
	count    int
	detail   []string
}

// checkers list what looks for health checks.
func checkers() []func(c *call) []check {
	return []func(c *call) []check{(*call).monChecks, (*call).clockChecks, (*call).authChecks, (*call).osdChecks, (*call).mgrChecks, (*call).fsChecks, (*call).pgChecks}
}

// checks are the cluster's health checks in the order of their codes.
func (c *call) checks() []check {
	var all []check
	for _, fn := range checkers() {
		all = append(all, fn(c)...)
	}
	slices.SortStableFunc(all, func(a, b check) int { return strings.Compare(a.code, b.code) })
	return all
}

// monChecks are the checks about the monitors themselves.
func (c *call) monChecks() []check {
	mm := c.state.MonMap
	var out []check
	if down := len(mm.Mons) - len(c.mon.quorum); down > 0 && (c.now.Sub(c.state.Created) > c.optionSeconds("mon_down_mkfs_grace", monDownMkfsGrace) || !c.release.atLeast(octopus)) {
		k := check{code: "MON_DOWN", severity: warn, count: down, summary: fmt.Sprintf("%d/%d mons down, quorum %s", down, len(mm.Mons), strings.Join(c.mon.quorumNames(), ","))}
		for r, info := range mm.Mons {
			if !slices.Contains(c.mon.quorum, r) {
				k.detail = append(k.detail, fmt.Sprintf("mon.%s (rank %d) addr %s is down (out of quorum)", info.Name, r, c.release.addrText(info.Addrs)))
			}
		}
		out = append(out, k)
	}
	return append(out, c.msgr2Checks()...)
}

// addrText is a daemon's address in texts for people.
func (r *release) addrText(v AddrVec) string {
	if !r.atLeast(nautilus) {
		return v.legacy().legacy()
	}
	return v.String()
}

func (c *call) msgr2Checks() []check {
	if !c.release.atLeast(nautilus) || !c.optionBool("mon_warn_on_msgr2_not_enabled", true) || !c.optionBool("ms_bind_msgr2", true) {
		return nil
	}
	if !slices.Contains(c.state.MonMap.Features, "nautilus") {
		return nil
	}
	var detail []string
	for _, info := range c.state.MonMap.Mons {
		if _, ok := info.Addrs.of("v2"); !ok {
			detail = append(detail, fmt.Sprintf("mon.%s is not bound to a msgr2 port, only %s", info.Name, info.Addrs))
		}
	}
	if len(detail) == 0 {
		return nil
	}
	summary := fmt.Sprintf("%d monitors have not enabled msgr2", len(detail))
	return []check{{code: "MON_MSGR2_NOT_ENABLED", severity: warn, count: len(detail), summary: summary, detail: detail}}
}

// fixedGlobalID says whether the release has the fix of CVE-2021-20288.
func (r *release) fixedGlobalID() bool {
	switch r.major {
	case nautilus:
		return r.atLeast(nautilus, 2, 20)
	case octopus:
		return r.atLeast(octopus, 2, 11)
	}
	return r.atLeast(pacific, 2, 1)
}

// authChecks warn of clients that may take over the id of another, and of
// those that do (CVE-2021-20288).
func (c *call) authChecks() []check {
	if !c.release.fixedGlobalID() || !c.optionBool("auth_allow_insecure_global_id_reclaim", true) {
		return nil
	}
	var out []check
	var old []string
	for _, m := range c.quorumMons() {
		for _, s := range m.sessions {
			if !s.release.fixedGlobalID() {
				old = append(old, fmt.Sprintf("%s at %s is using insecure global_id reclaim", s.entity, s.p.Addr))
			}
		}
	}
	if n := len(old); n > 0 && c.optionBool("mon_warn_on_insecure_global_id_reclaim", true) {
		out = append(out, check{
			code: "AUTH_INSECURE_GLOBAL_ID_RECLAIM", severity: warn, count: n, detail: old,
			summary: fmt.Sprintf("client%s %s using insecure global_id reclaim", plural(n), isAre(n)),
		})
	}
	if !c.optionBool("mon_warn_on_insecure_global_id_reclaim_allowed", true) {
		return out
	}
	n := len(c.mon.quorum)
	k := check{
		code: "AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED", severity: warn, count: n,
		summary: fmt.Sprintf("mon%s %s allowing insecure global_id reclaim", plural(n), isAre(n)),
	}
	for _, name := range c.mon.quorumNames() {
		k.detail = append(k.detail, fmt.Sprintf("mon.%s has auth_allow_insecure_global_id_reclaim set to true", name))
	}
	return append(out, k)
}

func plural(n int) string {
	if n == 1 {
		return ""
	}
	return "s"
}

func isAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}

func joinNames(names []string) string { return strings.Join(names, ",") }

// overall is the worst severity that is not muted.
func (c *call) overall(checks []check) severity {
	var worst severity
	for _, k := range checks {
		if !c.muted(k.code) {
			worst = max(worst, k.severity)
		}
	}
	return worst
}

func (c *call) muted(code string) bool {
	return slices.ContainsFunc(c.state.Health.Mutes, func(m Mute) bool {
		return m.Code == code && (m.Until.IsZero() || c.now.Before(m.Until))
	})
}

// healthJSON is the health as `health`, `health detail` and `status` show it.
func (c *call) healthJSON(detail bool) object {
	checks := c.checks()
	list := object{}
	for _, k := range checks {
		summary := object{{"message", k.summary}}
		if c.release.atLeast(octopus) {
			summary = append(summary, field{"count", k.count})
		}
		o := object{{"severity", k.severity.String()}, {"summary", summary}}
		if detail {
			o = append(o, field{"detail", arrayOf(k.detail, func(d string) any { return object{{"message", d}} })})
		}
		if c.release.atLeast(octopus) {
			o = append(o, field{"muted", c.muted(k.code)})
		}
		list = append(list, field{k.code, o})
	}
	status := c.overall(checks).String()
	switch {
	case !c.release.atLeast(mimic):
		return object{{"checks", list}, {"status", status}, {"summary", array{}}, {"overall_status", status}}
	case !c.release.atLeast(octopus):
		return object{{"checks", list}, {"status", status}}
	}
	mutes := arrayOf(c.state.Health.Mutes, func(m Mute) any {
		o := object{{"code", m.Code}}
		if !m.Until.IsZero() {
			o = append(o, field{"ttl", c.release.stamp(m.Until)})
		}
		return append(o, field{"sticky", m.Sticky}, field{"summary", m.Summary}, field{"count", m.Count})
	})
	return object{{"status", status}, {"checks", list}, {"mutes", mutes}}
}

// healthText is the health for people.
func (c *call) healthText(detail bool) string {
	checks := c.checks()
	text := c.overall(checks).String()
	var shown []string
	for _, k := range checks {
		if !c.muted(k.code) {
			shown = append(shown, k.summary)
		}
	}
	if len(shown) > 0 {
		text += " " + strings.Join(shown, "; ")
	}
	text += c.mutedText(len(shown) > 0) + "\n"
	if !detail {
		return text
	}
	for _, k := range checks {
		head := k.code
		if c.release.atLeast(octopus) {
			head = fmt.Sprintf("[%s] %s", strings.TrimPrefix(k.severity.String(), "HEALTH_")[:3], k.code)
			if k.severity == warn {
				head = "[WRN] " + k.code
			}
			if c.muted(k.code) {
				head = "(MUTED) " + head
			}
		}
		text += head + ": " + k.summary + "\n"
		for _, d := range k.detail {
			text += "    " + d + "\n"
		}
	}
	return text
}

// mutedText lists the mutes behind the line of `ceph health`.
func (c *call) mutedText(more bool) string {
	var codes []string
	for _, m := range c.state.Health.Mutes {
		code := m.Code
		if !m.Until.IsZero() {
			code += "(" + age(m.Until.Sub(c.now)) + ")"
		}
		codes = append(codes, code)
	}
	switch {
	case len(codes) == 0:
		return ""
	case more:
		return "; (muted: " + strings.Join(codes, " ") + ")"
	}
	return " (muted: " + strings.Join(codes, " ") + ")"
}

func healthCommands() map[string]handler {
	return map[string]handler{
		"health": func(c *call) reply {
			detail := c.args.str("detail") == "detail"
			return c.show(c.healthJSON(detail), func() string { return c.healthText(detail) })
		},
		"health mute":   healthMute,
		"health unmute": healthUnmute,
	}
}

func healthMute(c *call) reply {
	code := c.args.str("code")
	m := Mute{Code: code, Sticky: c.args.flag("sticky")}
	if ttl := c.args.str("ttl"); ttl != "" {
		d, err := parseTTL(ttl)
		if err != nil {
			return fail(syscall.EINVAL, "not a valid duration: %s", ttl)
		}
		m.Until = c.now.Add(d)
	}
	checks := c.checks()
	i := slices.IndexFunc(checks, func(k check) bool { return k.code == code })
	switch {
	case i >= 0:
		m.Summary, m.Count = checks[i].summary, checks[i].count
	case !m.Sticky:
		return fail(syscall.ENOENT, "health alert %s is not currently raised", code)
	}
	h := c.change().health()
	h.Mutes = append(slices.DeleteFunc(h.Mutes, func(x Mute) bool { return x.Code == code }), m)
	return done("")
}

// parseTTL reads "600", "10m", "1h", "2d", "1w".
func parseTTL(s string) (time.Duration, error) {
	var n int
	unit := ""
	if _, err := fmt.Sscanf(s, "%d%s", &n, &unit); err != nil && unit != "" || n <= 0 {
		return 0, fmt.Errorf("%q is no duration", s)
	}
	units := map[string]time.Duration{"": time.Second, "s": time.Second, "m": time.Minute, "h": time.Hour, "d": 24 * time.Hour, "w": 7 * 24 * time.Hour}
	u, ok := units[unit]
	if !ok {
		return 0, fmt.Errorf("%q is no duration", s)
	}
	return time.Duration(n) * u, nil
}

func healthUnmute(c *call) reply {
	code := c.args.str("code")
	h := c.change().health()
	h.Mutes = slices.DeleteFunc(h.Mutes, func(m Mute) bool { return code == "" || m.Code == code })
	return done("")
}

// healthTick drops mutes whose time is over, or whose alert is gone and that do
// not stick.
func healthTick(m *mon, t *change) {
	if len(t.old.Health.Mutes) == 0 {
		return
	}
	c := &call{sim: m.sim, mon: m, state: t.old, now: t.now, release: m.release}
	checks := c.checks()
	over := func(x Mute) bool {
		gone := !slices.ContainsFunc(checks, func(k check) bool { return k.code == x.Code })
		return !x.Until.IsZero() && !t.now.Before(x.Until) || gone && !x.Sticky
	}
	if slices.ContainsFunc(t.old.Health.Mutes, over) {
		h := t.health()
		h.Mutes = slices.DeleteFunc(h.Mutes, over)
	}
}
