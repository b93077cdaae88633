package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

// mapFlags are the flags of a map that people do not set, in Ceph's order.
func (r *release) mapFlags() []string {
	flags := []string{"sortbitwise", "recovery_deletes", "purged_snapdirs"}
	if r.atLeast(nautilus) {
		flags = append(flags, "pglog_hardlimit")
	}
	return flags
}

// flagBits are the bits of a map's flags.
var flagBits = map[string]int{
	"nearfull": 1 << 0, "full": 1 << 1, "pauserd": 1 << 2, "pausewr": 1 << 3, "pauserec": 1 << 4, "noup": 1 << 5,
	"nodown": 1 << 6, "noout": 1 << 7, "noin": 1 << 8, "nobackfill": 1 << 9, "norecover": 1 << 10, "noscrub": 1 << 11,
	"nodeep-scrub": 1 << 12, "notieragent": 1 << 13, "norebalance": 1 << 14, "sortbitwise": 1 << 15,
	"recovery_deletes": 1 << 19, "purged_snapdirs": 1 << 20, "nosnaptrim": 1 << 21, "pglog_hardlimit": 1 << 22, "noautoscale": 1 << 23,
}

// allFlags are the flags of the map, in the order of their bits.
func (c *call) allFlags() []string {
	all := append(c.release.mapFlags(), c.state.OSDMap.Flags...)
	slices.SortFunc(all, func(a, b string) int { return flagBits[a] - flagBits[b] })
	return all
}

func releaseName(major int) string {
	if major == 0 {
		return "unknown"
	}
	return releaseNames[major]
}

// single is a ratio as Ceph keeps it: in single precision.
func single(f float64) float64 { return float64(float32(f)) }

func (c *call) osdMapJSON(m *OSDMap) object {
	r := c.release
	flags := c.allFlags()
	bits := 0
	for _, f := range flags {
		bits |= flagBits[f]
	}
	o := object{
		{"epoch", m.Epoch}, {"fsid", c.state.FSID}, {"created", r.stamp(m.Created)}, {"modified", r.stamp(m.Modified)},
	}
	if r.atLeast(nautilus) {
		o = append(o, field{"last_up_change", c.stampOrZero(m.LastUpChange)}, field{"last_in_change", c.stampOrZero(m.LastInChange)})
	}
	sorted := slices.Sorted(slices.Values(flags))
	o = append(o, field{"flags", strings.Join(flags, ",")})
	if r.atLeast(mimic) {
		o = append(o, field{"flags_num", bits}, field{"flags_set", sorted})
	}
	o = append(o,
		field{"crush_version", m.CrushVersion}, field{"full_ratio", single(m.Full.Full)},
		field{"backfillfull_ratio", single(m.Full.Backfillfull)}, field{"nearfull_ratio", single(m.Full.Nearfull)},
		field{"cluster_snapshot", ""}, field{"pool_max", m.PoolMax}, field{"max_osd", len(m.OSDs)},
		field{"require_min_compat_client", m.RequireMinCompat}, field{"min_compat_client", m.Crush.MinimumRelease()},
		field{"require_osd_release", releaseName(m.RequireOSDRelease)},
	)
	if r.atLeast(squid) {
		o = append(o, field{"allow_crimson", false})
	}
	o = append(o,
		field{"pools", arrayOf(m.Pools, func(p *Pool) any { return c.poolJSON(p) })},
		field{"osds", arrayOf(m.existing(), func(i *OSDInfo) any { return c.osdJSON(i) })},
		field{"osd_xinfo", arrayOf(m.existing(), func(i *OSDInfo) any { return c.osdExtraJSON(i) })},
		field{"pg_upmap", array{}}, field{"pg_upmap_items", array{}},
	)
	if r.atLeast(reef) {
		o = append(o, field{"pg_upmap_primaries", array{}})
	}
	o = append(o, field{"pg_temp", array{}}, field{"primary_temp", array{}})
	blocked := object{}
	for _, b := range m.Blocklist {
		blocked = append(blocked, field{b.Addr.legacy(), r.stamp(b.Until)})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"blocklist", blocked}, field{"range_blocklist", object{}})
	} else {
		o = append(o, field{"blacklist", blocked})
	}
	o = append(o, field{"erasure_code_profiles", m.profilesJSON()})
	if r.atLeast(mimic) {
		o = append(o, field{"removed_snaps_queue", array{}}, field{"new_removed_snaps", array{}}, field{"new_purged_snaps", array{}})
	}
	if r.atLeast(nautilus, 2) {
		o = append(o, field{"crush_node_flags", m.nodeFlagsJSON()}, field{"device_class_flags", m.classFlagsJSON()})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"stretch_mode", object{
			{"stretch_mode_enabled", false},
			{"stretch_bucket_count", 0},
			{"degraded_stretch_mode", 0},
			{"recovering_stretch_mode", 0},
			{"stretch_mode_bucket", 0},
		}})
	}
	return o
}

func (c *call) stampOrZero(t time.Time) string {
	if t.IsZero() {
		return "0.000000"
	}
	return c.release.stamp(t)
}

func (m *OSDMap) profilesJSON() object {
	o := object{}
	for _, name := range slices.Sorted(maps.Keys(m.ECProfiles)) {
		o = append(o, field{name, profileJSON(m.ECProfiles[name])})
	}
	return o
}

func profileJSON(p map[string]string) object {
	o := object{}
	for _, k := range slices.Sorted(maps.Keys(p)) {
		o = append(o, field{k, p[k]})
	}
	return o
}

// states are an OSD's states in Ceph's order.
func (o *OSDInfo) states() []string {
	s := []string{}
	for _, x := range []struct {
		holds bool
		name  string
	}{{o.AutoOut, "autoout"}, {o.Destroyed, "destroyed"}, {true, "exists"}, {o.New, "new"}, {o.Up, "up"}} {
		if x.holds {
			s = append(s, x.name)
		}
	}
	s = append(s, o.Flags...)
	slices.Sort(s)
	return s
}

// zeroUUID is that of an OSD that never said one.
const zeroUUID = "00000000-0000-0000-0000-000000000000"

func (o *OSDInfo) uuid() string {
	if o.UUID == "" {
		return zeroUUID
	}
	return o.UUID
}

func bit(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (c *call) osdJSON(i *OSDInfo) object {
	o := object{
		{"osd", i.ID},
		{"uuid", i.uuid()},
		{"up", bit(i.Up)},
		{"in", bit(i.In())},
		{"weight", single(i.Weight)},
		{"primary_affinity", single(i.PrimaryAffinity)},
		{"last_clean_begin", i.LastClean[0]},
		{"last_clean_end", i.LastClean[1]},
		{"up_from", i.UpFrom},
		{"up_thru", i.UpThru},
		{"down_at", i.DownAt},
		{"lost_at", i.LostAt},
	}
	a := i.Addrs
	if c.release.atLeast(nautilus) {
		o = append(o, field{"public_addrs", a.Public.json()}, field{"cluster_addrs", a.Cluster.json()},
			field{"heartbeat_back_addrs", a.HeartbeatBack.json()}, field{"heartbeat_front_addrs", a.HeartbeatFront.json()})
	}
	return append(o, field{"public_addr", a.Public.legacyText()}, field{"cluster_addr", a.Cluster.legacyText()},
		field{"heartbeat_back_addr", a.HeartbeatBack.legacyText()}, field{"heartbeat_front_addr", a.HeartbeatFront.legacyText()},
		field{"state", i.states()})
}

// legacyText is the address as JSON for old readers has it.
func (v AddrVec) legacyText() string {
	if len(v) == 0 {
		return "-"
	}
	return v.legacy().legacy()
}

func (c *call) osdExtraJSON(i *OSDInfo) object {
	o := object{
		{"osd", i.ID},
		{"down_stamp", c.stampOrZero(i.DownSince)},
		{"laggy_probability", 0},
		{"laggy_interval", 0},
		{"features", uint64(4540138314316775423)},
		{"old_weight", single(i.OldWeight)},
	}
	if c.release.atLeast(octopus) {
		o = append(o, field{"last_purged_snaps_scrub", c.stampOrZero(time.Time{})}, field{"dead_epoch", 0})
	}
	return o
}

func (c *call) osdMapText(m *OSDMap) string {
	var b strings.Builder
	fmt.Fprintf(&b, "epoch %d\nfsid %s\ncreated %s\nmodified %s\nflags %s\ncrush_version %d\n",
		m.Epoch, c.state.FSID, c.release.stamp(m.Created), c.release.stamp(m.Modified), strings.Join(c.allFlags(), ","), m.CrushVersion)
	fmt.Fprintf(&b, "full_ratio %g\nbackfillfull_ratio %g\nnearfull_ratio %g\nrequire_min_compat_client %s\nmin_compat_client %s\nrequire_osd_release %s\n",
		m.Full.Full, m.Full.Backfillfull, m.Full.Nearfull, m.RequireMinCompat, m.Crush.MinimumRelease(), releaseName(m.RequireOSDRelease))
	for _, p := range m.Pools {
		b.WriteString(p.text() + "\n")
	}
	fmt.Fprintf(&b, "max_osd %d\n", len(m.OSDs))
	for _, o := range m.existing() {
		updown, inout := "down", "out"
		if o.Up {
			updown = "up  "
		}
		if o.In() {
			inout = "in "
		}
		fmt.Fprintf(&b, "osd.%d %s %s weight %g up_from %d up_thru %d down_at %d last_clean_interval [%d,%d) %s %s %s %s\n",
			o.ID, updown, inout, o.Weight, o.UpFrom, o.UpThru, o.DownAt, o.LastClean[0], o.LastClean[1],
			o.Addrs.Public, o.Addrs.Cluster, strings.Join(o.states(), ","), o.uuid())
	}
	return b.String()
}
