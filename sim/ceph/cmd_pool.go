package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func poolCommands() map[string]handler {
	return map[string]handler{
		"osd pool create":              poolCreate,
		"osd pool rm":                  poolRm,
		"osd pool delete":              poolRm,
		"osd pool rename":              poolRename,
		"osd pool ls":                  poolLs,
		"osd pool get":                 poolGet,
		"osd pool set":                 poolSet,
		"osd pool get-quota":           poolGetQuota,
		"osd pool set-quota":           poolSetQuota,
		"osd pool application enable":  poolAppEnable,
		"osd pool application disable": poolAppDisable,
		"osd pool application set":     poolAppSet,
		"osd pool application rm":      poolAppRm,
		"osd pool application get":     poolAppGet,
	}
}

// poolArg is the pool that an argument names.
func (c *call) poolArg(name string) (*Pool, *reply) {
	if p := c.state.OSDMap.poolNamed(c.args.str(name)); p != nil {
		return p, nil
	}
	r := fail(syscall.ENOENT, "unrecognized pool '%s'", c.args.str(name))
	return nil, &r
}

func poolCreate(c *call) reply {
	m := c.state.OSDMap
	name := c.args.str("pool")
	if m.poolNamed(name) != nil {
		return done("pool '%s' already exists", name)
	}
	if strings.HasPrefix(name, ".") && c.release.atLeast(quincy) && !c.sure() {
		return done("pool names beginning with . are not allowed") // and the exit code is 0
	}
	p := &Pool{
		Name: name, Created: c.now, Kind: crush.Replicated, Flags: []string{"hashpspool"},
		Options: map[string]any{}, Applications: map[string]map[string]string{}, SnapMode: "selfmanaged",
		Autoscale: c.optionText("osd_pool_default_pg_autoscale_mode", c.release.autoscaleDefault()),
	}
	if v := c.args.str("autoscale_mode"); v != "" {
		p.Autoscale = v
	}
	if c.optionInt("osd_pool_default_flag_hashpspool", 1) == 0 {
		p.Flags = nil
	}
	if bad := c.poolKind(p); bad != nil {
		return *bad
	}
	if bad := c.poolPGs(p); bad != nil {
		return *bad
	}
	for _, n := range []string{"pg_num_min", "pg_num_max", "target_size_bytes"} {
		if v, given := c.args.int(n); given {
			p.Options[n] = v
		}
	}
	if v, given := c.args.float("target_size_ratio"); given {
		p.Options["target_size_ratio"] = v
	}
	p.Bulk = c.args.flag("bulk")
	n := c.change().osdmap()
	n.PoolMax++
	p.ID, p.LastChange = n.PoolMax, n.Epoch+1
	n.Pools = append(n.Pools, p)
	return done("pool '%s' created", name)
}

// autoscaleDefault is osd_pool_default_pg_autoscale_mode.
func (r *release) autoscaleDefault() string {
	switch {
	case r.atLeast(octopus):
		return "on"
	case r.atLeast(nautilus):
		return "warn"
	}
	return "off"
}

// poolKind sets kind, rule and sizes of a new pool.
func (c *call) poolKind(p *Pool) *reply {
	m := c.state.OSDMap
	kind, profile, rule := c.args.str("pool_type"), c.args.str("erasure_code_profile"), c.args.str("rule")
	if kind == "" {
		kind = c.optionText("osd_pool_default_type", "replicated")
	}
	if kind == "erasure" {
		return c.erasurePool(p, profile, rule)
	}
	if rule == "" { // the fourth word of a replicated pool is its rule
		rule = profile
	}
	switch r := m.Crush.RuleNamed(rule); {
	case rule == "":
		id := c.optionInt("osd_pool_default_crush_rule", -1)
		if id < 0 && len(m.Crush.Rules) > 0 {
			id = m.Crush.Rules[0].ID
		}
		if m.Crush.Rule(id) == nil {
			r := fail(syscall.ENOENT, "No suitable CRUSH rule exists, check 'osd pool default crush *' config options")
			return &r
		}
		p.Rule = id
	case r == nil:
		r := fail(syscall.ENOENT, "specified rule %s doesn't exist", rule)
		return &r
	default:
		p.Rule = r.ID
	}
	p.Size = c.optionInt("osd_pool_default_size", 3)
	if v, given := c.args.int("size"); given {
		p.Size = int(v)
	}
	p.MinSize = c.minSize(p.Size)
	return nil
}

// minSize is how many copies a pool of a size must have to be used.
func (c *call) minSize(size int) int {
	if n := c.optionInt("osd_pool_default_min_size", 0); n > 0 {
		return min(n, size)
	}
	return size - size/2
}

func (c *call) erasurePool(p *Pool, profile, rule string) *reply {
	if profile == "" {
		profile = c.optionText("osd_pool_default_erasure_code_profile_name", "default")
	}
	ec, ok := c.state.OSDMap.ECProfiles[profile]
	if !ok {
		r := fail(syscall.ENOENT, "unable to find erasure code profile '%s'", profile)
		return &r
	}
	if rule == "" {
		rule = p.Name
		if profile == "default" {
			rule = "erasure-code"
		}
	}
	if c.state.OSDMap.Crush.RuleNamed(rule) == nil {
		if r := c.erasureRule(rule, profile); r.errno != 0 {
			return &r
		}
	}
	k, m := ecCounts(ec)
	p.Kind, p.Profile, p.Size = crush.Erasure, profile, k+m
	p.MinSize = k + min(1, m-1)
	p.Rule = c.change().osdmap().Crush.RuleNamed(rule).ID
	p.StripeWidth = k * 4096
	return nil
}

func (c *call) poolPGs(p *Pool) *reply {
	n, given := c.args.int("pg_num")
	if !given {
		def := 8
		if c.release.atLeast(octopus) {
			def = 32
		}
		n = int64(c.optionInt("osd_pool_default_pg_num", def))
	}
	if most := int64(c.optionInt("mon_max_pool_pg_num", 65536)); n < 1 || n > most {
		r := fail(syscall.ERANGE, "'pg_num' must be greater than 0 and less than or equal to %d (you may adjust 'mon max pool pg num' for higher values)", most)
		return &r
	}
	p.PGNum = int(n)
	if bad := c.tooManyPGs(p, 0); bad != nil {
		return bad
	}
	p.PGPNum, p.PGNumTarget = p.PGNum, p.PGNum
	if v, given := c.args.int("pgp_num"); given && v > 0 {
		if v > n {
			r := fail(syscall.ERANGE, "'pgp_num' must be greater than 0 and lower or equal than 'pg_num', which in this case is %d", n)
			return &r
		}
		p.PGPNum = int(v)
	}
	return nil
}

// tooManyPGs refuses a pool that would leave an OSD with more placement groups
// than mon_max_pg_per_osd. id is the pool's, 0 for a new one.
func (c *call) tooManyPGs(p *Pool, id int) *reply {
	if c.release.atLeast(squid) && p.Bulk {
		return nil
	}
	m := c.state.OSDMap
	_, _, in := m.count()
	most := c.optionInt("mon_max_pg_per_osd", 250)
	total := p.PGNum * p.Size
	for _, q := range m.Pools {
		if q.ID != id {
			total += q.PGNum * q.Size
		}
	}
	if per := max(in, 3); total > most*per {
		named := ""
		if id != 0 {
			named = fmt.Sprintf("pool id %d ", id)
		}
		r := fail(syscall.ERANGE, "%spg_num %d size %d would mean %d total pgs, which exceeds max %d (mon_max_pg_per_osd %d * num_in_osds %d)",
			named, p.PGNum, p.Size, total, most*per, most, in)
		if c.release.atLeast(pacific) {
			r = fail(syscall.ERANGE, "%spg_num %d size %d for this pool would result in %d cumulative PGs per OSD (%d total PG replicas on %d 'in' root OSDs by crush rule) which exceeds the mon_max_pg_per_osd value of %d",
				named, p.PGNum, p.Size, total/per, total, in, most)
		}
		return &r
	}
	return nil
}

func poolRm(c *call) reply {
	name := c.args.str("pool")
	m := c.state.OSDMap
	p := m.poolNamed(name)
	if p == nil {
		return done("pool '%s' does not exist", name)
	}
	sure := c.args.flag("yes_i_really_really_mean_it") || c.args.flag("sure")
	faking := c.args.flag("yes_i_really_really_mean_it_not_faking") || c.args.str("sure") == "--yes-i-really-really-mean-it-not-faking"
	if !faking && (c.args.str("pool2") != name || !sure) {
		return fail(syscall.EPERM, "WARNING: this will *PERMANENTLY DESTROY* all data stored in pool %s.  If you are *ABSOLUTELY CERTAIN* "+
			"that is what you want, pass the pool name *twice*, followed by --yes-i-really-really-mean-it.", name)
	}
	if user := c.poolUser(p); user != "" {
		return fail(syscall.EBUSY, "pool '%s' is in use by %s", name, user)
	}
	if !c.optionBool("mon_allow_pool_delete", false) {
		return fail(syscall.EPERM, "pool deletion is disabled; you must first set the mon_allow_pool_delete config option to true before you can destroy a pool")
	}
	if p.flag("nodelete") {
		return fail(syscall.EPERM, "pool deletion is disabled; you must unset nodelete flag for the pool first")
	}
	t := c.change()
	n := t.osdmap()
	n.Pools = slices.DeleteFunc(n.Pools, func(q *Pool) bool { return q.ID == p.ID })
	if t.new.PGMap.Objects[p.ID] != nil {
		delete(t.pgmap().Objects, p.ID)
	}
	return done("pool '%s' removed", name)
}

// poolUser says who cannot do without a pool; empty if nobody.
func (c *call) poolUser(p *Pool) string {
	if c.state.FSMap.user(p.ID) != nil {
		return "CephFS"
	}
	return ""
}

func (p *Pool) flag(name string) bool { return slices.Contains(p.Flags, name) }

func poolRename(c *call) reply {
	from, to := c.args.str("srcpool"), c.args.str("destpool")
	m := c.state.OSDMap
	p := m.poolNamed(from)
	switch {
	case p == nil && m.poolNamed(to) != nil:
		return done("pool '%s' does not exist: assuming it was renamed", from)
	case p == nil:
		return fail(syscall.ENOENT, "unrecognized pool '%s'", from)
	case m.poolNamed(to) != nil:
		return fail(syscall.EEXIST, "pool '%s' already exists", to)
	}
	c.change().osdmap().editPool(p.ID).Name = to
	return done("pool '%s' renamed to '%s'", from, to)
}

func poolLs(c *call) reply {
	m := c.state.OSDMap
	if c.args.str("detail") == "detail" {
		return c.show(arrayOf(m.Pools, func(p *Pool) any {
			j := c.poolJSON(p)
			j[0].name = "pool_id"
			return j
		}), func() string {
			var b strings.Builder
			for _, p := range m.Pools {
				b.WriteString(p.text() + "\n")
			}
			return b.String()
		})
	}
	var names []string
	for _, p := range m.Pools {
		names = append(names, p.Name)
	}
	return c.showNames(names)
}
