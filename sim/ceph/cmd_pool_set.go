package ceph

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// poolSwitches are the variables of a pool that are flags of its.
var poolSwitches = []string{
	"hashpspool", "nodelete", "nopgchange", "nosizechange", "write_fadvise_dontneed", "noscrub", "nodeep-scrub",
}

// poolOptions are the variables that are kept as they are set; get answers
// ENOENT for one that is not.
var poolOptions = []string{
	"scrub_min_interval", "scrub_max_interval", "deep_scrub_interval", "recovery_priority", "recovery_op_priority", "scrub_priority",
	"compression_mode", "compression_algorithm", "compression_required_ratio", "compression_max_blob_size",
	"compression_min_blob_size", "csum_type", "csum_max_block", "csum_min_block", "fingerprint_algorithm",
	"pg_autoscale_bias", "pg_num_min", "pg_num_max", "target_size_bytes", "target_size_ratio", "dedup_tier",
	"dedup_chunk_algorithm", "dedup_cdc_chunk_size", "eio", "read_ratio",
}

// variables are those that `osd pool get NAME all` shows, in its order.
func (c *call) variables(p *Pool) object {
	m := c.state.OSDMap
	rule := strconv.Itoa(p.Rule)
	if r := m.Crush.Rule(p.Rule); r != nil {
		rule = r.Name
	}
	o := object{{"size", p.Size}, {"min_size", p.MinSize}, {"pg_num", p.PGNum}, {"pgp_num", p.PGPNum}, {"crush_rule", rule}}
	if p.Kind == crush.Erasure {
		o = append(o, field{"allow_ec_overwrites", p.flag("ec_overwrites")})
	}
	for _, f := range poolSwitches {
		o = append(o, field{f, p.flag(f)})
	}
	o = append(o, field{"use_gmt_hitset", true})
	if p.Kind == crush.Erasure {
		o = append(o, field{"erasure_code_profile", p.Profile})
	}
	o = append(o, field{"fast_read", 0})
	for _, k := range poolOptions {
		if v, ok := p.Options[k]; ok {
			o = append(o, field{k, v})
		}
	}
	if c.release.atLeast(nautilus) {
		o = append(o, field{"pg_autoscale_mode", p.Autoscale})
	}
	if c.release.atLeast(pacific) {
		o = append(o, field{"bulk", p.Bulk})
	}
	return o
}

func poolGet(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	name := c.args.str("var")
	head := object{{"pool", p.Name}, {"pool_id", p.ID}}
	var shown object
	for _, f := range c.variables(p) {
		if name == "all" || f.name == name {
			shown = append(shown, f)
		}
	}
	if len(shown) == 0 {
		return fail(syscall.ENOENT, "option '%s' is not set on pool '%s'", name, p.Name)
	}
	return c.show(append(head, shown...), func() string {
		var b strings.Builder
		for _, f := range shown {
			fmt.Fprintf(&b, "%s: %v\n", f.name, f.value)
		}
		return b.String()
	})
}

// truth reads a switch as `osd pool set` does.
func truth(v string) (on, ok bool) {
	switch v {
	case "true", "yes", "1":
		return true, true
	case "false", "no", "0":
		return false, true
	}
	return false, false
}

func poolSet(c *call) reply {
	p, bad := c.poolArg("pool")
	if bad != nil {
		return *bad
	}
	name, v := c.args.str("var"), c.args.str("val")
	n, numberErr := strconv.Atoi(v)
	sure := c.sure()
	number := func() *reply {
		if numberErr != nil {
			r := fail(syscall.EINVAL, "error parsing integer value '%s': Expected option value to be integer, got '%s'", v, v)
			return &r
		}
		return nil
	}
	set := func(do func(q *Pool)) reply {
		m := c.change().osdmap()
		q := m.editPool(p.ID)
		do(q)
		q.LastChange = m.Epoch + 1
		return done("set pool %d %s to %s", p.ID, name, v)
	}
	switch {
	case name == "size":
		if bad := number(); bad != nil {
			return *bad
		}
		switch {
		case p.Kind == crush.Erasure:
			return fail(syscall.ENOTSUP, "can not change the size of an erasure-coded pool")
		case n < 1 || n > 10:
			return fail(syscall.EINVAL, "pool size must be between 1 and 10")
		case n == 1 && c.release.atLeast(octopus) && !c.optionBool("mon_allow_pool_size_one", c.release.sizeOneDefault()):
			return fail(syscall.EPERM, "configuring pool size as 1 is disabled by default.")
		case n == 1 && c.release.atLeast(octopus) && !sure:
			return fail(syscall.EPERM, "WARNING: setting pool size 1 could lead to data loss without recovery. "+
				"If you are *ABSOLUTELY CERTAIN* that is what you want, pass the flag --yes-i-really-mean-it.")
		}
		return set(func(q *Pool) {
			q.Size = n
			q.MinSize = min(q.MinSize, n)
			if c.release.atLeast(nautilus) {
				q.MinSize = c.minSize(n)
			}
		})
	case name == "min_size":
		if bad := number(); bad != nil {
			return *bad
		}
		if n < 1 || n > p.Size {
			return fail(syscall.EINVAL, "pool min_size must be between 1 and size, which is set to %d", p.Size)
		}
		return set(func(q *Pool) { q.MinSize = n })
	case name == "pg_num" || name == "pg_num_actual":
		if bad := number(); bad != nil {
			return *bad
		}
		return c.setPGNum(p, n, set)
	case name == "pgp_num" || name == "pgp_num_actual":
		if bad := number(); bad != nil {
			return *bad
		}
		if n < 1 || n > p.PGNum {
			return fail(syscall.EINVAL, "specified pgp_num %d > pg_num %d", n, p.PGNum)
		}
		return set(func(q *Pool) { q.PGPNum = n })
	case name == "crush_rule":
		r := c.state.OSDMap.Crush.RuleNamed(v)
		if r == nil {
			return fail(syscall.ENOENT, "crush rule %s does not exist", v)
		}
		return set(func(q *Pool) { q.Rule = r.ID })
	case name == "pg_autoscale_mode":
		if !slices.Contains([]string{"on", "off", "warn"}, v) {
			return fail(syscall.EINVAL, "specified invalid mode %s", v)
		}
		return set(func(q *Pool) { q.Autoscale = v })
	case name == "allow_ec_overwrites":
		if p.Kind != crush.Erasure {
			return fail(syscall.EINVAL, "ec overwrites can only be enabled for an erasure coded pool")
		}
		if on, ok := truth(v); !ok || !on {
			return fail(syscall.EINVAL, "ec overwrites cannot be disabled once enabled")
		}
		return set(func(q *Pool) { q.Flags = withFlag(q.Flags, "ec_overwrites", true) })
	case name == "bulk":
		on, ok := truth(v)
		if !ok {
			return fail(syscall.EINVAL, "expecting value 'true', 'false', '0', or '1'")
		}
		return set(func(q *Pool) { q.Bulk = on })
	case slices.Contains(poolSwitches, name):
		on, ok := truth(v)
		if !ok {
			return fail(syscall.EINVAL, "expecting value 'true', 'false', '0', or '1'")
		}
		return set(func(q *Pool) { q.Flags = withFlag(q.Flags, name, on) })
	case slices.Contains(poolOptions, name):
		return set(func(q *Pool) { setPoolOption(q, name, v) })
	}
	return set(func(*Pool) {}) // variables of cache tiers, which nothing here depends on
}

// sizeOneDefault is mon_allow_pool_size_one: what it is on releases that have
// the option.
func (r *release) sizeOneDefault() bool { return !r.atLeast(quincy) }

func setPoolOption(q *Pool, name, v string) {
	if q.Options == nil {
		q.Options = map[string]any{}
	}
	switch f, err := strconv.ParseFloat(v, 64); {
	case err != nil:
		q.Options[name] = v
	case f == 0 || v == "unset":
		delete(q.Options, name)
	case f == float64(int64(f)):
		q.Options[name] = int64(f)
	default:
		q.Options[name] = f
	}
}

func withFlag(flags []string, name string, on bool) []string {
	flags = slices.DeleteFunc(slices.Clone(flags), func(f string) bool { return f == name })
	if on {
		flags = append(flags, name)
		slices.SortFunc(flags, func(a, b string) int { return poolFlagBits[a] - poolFlagBits[b] })
	}
	return flags
}

func (c *call) setPGNum(p *Pool, n int, set func(func(*Pool)) reply) reply {
	switch {
	case n < 1 || n > c.optionInt("mon_max_pool_pg_num", 65536):
		return fail(syscall.ERANGE, "specified pg_num %d is out of range", n)
	case n == p.PGNum:
		return set(func(*Pool) {})
	case p.flag("nopgchange"):
		return fail(syscall.EPERM, "pool pg_num change is disabled; you must unset nopgchange flag for the pool first")
	case n < p.PGNum && !c.release.atLeast(nautilus):
		return fail(syscall.EEXIST, "specified pg_num %d < current %d", n, p.PGNum)
	}
	q := *p
	q.PGNum = n
	if bad := c.tooManyPGs(&q, p.ID); bad != nil {
		return *bad
	}
	return set(func(q *Pool) {
		q.PGNum, q.PGNumTarget = n, n
		if c.release.atLeast(nautilus) {
			q.PGPNum = n
		} else {
			q.PGPNum = min(q.PGPNum, n)
		}
	})
}
