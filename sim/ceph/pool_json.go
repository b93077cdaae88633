package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// text is the pool's line in plain answers.
func (p *Pool) text() string {
	kind := "replicated"
	if p.Kind == crush.Erasure {
		kind = "erasure profile " + p.Profile
	}
	s := fmt.Sprintf("pool %d '%s' %s size %d min_size %d crush_rule %d object_hash rjenkins pg_num %d pgp_num %d autoscale_mode %s last_change %d flags %s stripe_width %d",
		p.ID, p.Name, kind, p.Size, p.MinSize, p.Rule, p.PGNum, p.PGPNum, p.Autoscale, p.LastChange, strings.Join(p.Flags, ","), p.StripeWidth)
	if len(p.Applications) > 0 {
		s += " application " + strings.Join(slices.Sorted(maps.Keys(p.Applications)), ",")
	}
	return s
}

// poolFlagBits are the bits of a pool's flags.
var poolFlagBits = map[string]int{
	"hashpspool": 1 << 0, "full": 1 << 1, "ec_overwrites": 1 << 17, "nodelete": 1 << 4, "nopgchange": 1 << 5, "nosizechange": 1 << 6,
	"write_fadvise_dontneed": 1 << 7, "noscrub": 1 << 8, "nodeep-scrub": 1 << 9, "full_quota": 1 << 10, "selfmanaged_snaps": 1 << 13,
	"creating": 1 << 15, "bulk": 1 << 19,
}

func (c *call) poolJSON(p *Pool) object {
	r := c.release
	bits := 0
	for _, f := range p.Flags {
		bits |= poolFlagBits[f]
	}
	o := object{{"pool", p.ID}, {"pool_name", p.Name}}
	if r.atLeast(mimic) {
		o = append(o, field{"create_time", r.stamp(p.Created)})
	}
	o = append(o, field{"flags", bits}, field{"flags_names", strings.Join(p.Flags, ",")}, field{"type", p.Kind}, field{"size", p.Size},
		field{"min_size", p.MinSize}, field{"crush_rule", p.Rule})
	if r.atLeast(pacific) {
		o = append(o, field{"peering_crush_bucket_count", 0}, field{"peering_crush_bucket_target", 0},
			field{"peering_crush_bucket_barrier", 0}, field{"peering_crush_bucket_mandatory_member", crush.None})
		if r.atLeast(squid) {
			o = append(o, field{"is_stretch_pool", false})
		}
	}
	o = append(o, field{"object_hash", 2})
	if r.atLeast(nautilus) {
		o = append(o, field{"pg_autoscale_mode", p.Autoscale})
	}
	o = append(o, field{"pg_num", p.PGNum}, field{"pg_placement_num", p.PGPNum})
	if r.atLeast(nautilus) {
		o = append(o, field{"pg_placement_num_target", p.PGPNum}, field{"pg_num_target", p.PGNumTarget}, field{"pg_num_pending", p.PGNum},
			field{"last_pg_merge_meta", object{
				{"source_pgid", "0.0"},
				{"ready_epoch", 0},
				{"last_epoch_started", 0},
				{"last_epoch_clean", 0},
				{"source_version", "0'0"},
				{"target_version", "0'0"},
			}})
	} else {
		o = append(o, field{"crash_replay_interval", 0})
	}
	o = append(o, field{"last_change", strconv.Itoa(p.LastChange)}, field{"last_force_op_resend", "0"})
	if r.atLeast(nautilus) {
		o = append(o, field{"last_force_op_resend_prenautilus", "0"})
	}
	o = append(o, field{"last_force_op_resend_preluminous", "0"}, field{"auid", 0}, field{"snap_mode", p.SnapMode},
		field{"snap_seq", 0}, field{"snap_epoch", 0}, field{"pool_snaps", array{}}, field{"removed_snaps", "[]"},
		field{"quota_max_bytes", p.QuotaBytes}, field{"quota_max_objects", p.QuotaObjects}, field{"tiers", array{}},
		field{"tier_of", -1}, field{"read_tier", -1}, field{"write_tier", -1}, field{"cache_mode", "none"},
		field{"target_max_bytes", 0}, field{"target_max_objects", 0}, field{"cache_target_dirty_ratio_micro", 400000},
		field{"cache_target_dirty_high_ratio_micro", 600000}, field{"cache_target_full_ratio_micro", 800000},
		field{"cache_min_flush_age", 0}, field{"cache_min_evict_age", 0}, field{"erasure_code_profile", p.Profile},
		field{"hit_set_params", object{{"type", "none"}}}, field{"hit_set_period", 0}, field{"hit_set_count", 0},
		field{"use_gmt_hitset", true}, field{"min_read_recency_for_promote", 0}, field{"min_write_recency_for_promote", 0},
		field{"hit_set_grade_decay_rate", 0}, field{"hit_set_search_last_n", 0}, field{"grade_table", array{}},
		field{"stripe_width", p.StripeWidth}, field{"expected_num_objects", 0}, field{"fast_read", false})
	options := object{}
	for _, k := range slices.Sorted(maps.Keys(p.Options)) {
		options = append(options, field{k, p.Options[k]})
	}
	return append(o, field{"options", options}, field{"application_metadata", p.appsJSON()})
}

func (p *Pool) appsJSON() object {
	o := object{}
	for _, app := range slices.Sorted(maps.Keys(p.Applications)) {
		o = append(o, field{app, profileJSON(p.Applications[app])})
	}
	return o
}
