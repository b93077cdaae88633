package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func osdShowCommands() map[string]handler {
	return map[string]handler{
		"osd dump":           osdDump,
		"osd stat":           osdStat,
		"osd ls":             osdLs,
		"osd getmaxosd":      osdGetMaxOSD,
		"osd find":           osdFind,
		"osd metadata":       osdMetadata,
		"osd versions":       osdVersions,
		"osd count-metadata": osdCountMetadata,
		"osd lspools":        osdLspools,
		"osd blocklist ls":   osdBlocklistLs,
		"osd blacklist ls":   osdBlocklistLs,
		"osd info":           osdInfoCommand,
		"osd last-stat-seq":  func(*call) reply { return reply{out: "0\n"} },
		"osd numa-status":    func(c *call) reply { return c.show(array{}, func() string { return "" }) },
		"osd getcrushmap":    osdGetCrushMap,
		"osd ls-tree":        osdLsTree,
		"osd get-require-min-compat-client": func(c *call) reply {
			return reply{out: c.state.OSDMap.RequireMinCompat + "\n"}
		},
	}
}

// osdID reads "3" or "osd.3".
func osdID(text string) (int, bool) {
	n, err := strconv.Atoi(strings.TrimPrefix(text, "osd."))
	return n, err == nil && n >= 0
}

// osdArg is the OSD that an argument names; ok is false where none was given.
func (c *call) osdArg(name string) (id int, ok bool) {
	if n, isInt := c.args.int(name); isInt {
		return int(n), true
	}
	return osdID(c.args.str(name))
}

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

func osdDump(c *call) reply {
	m := c.state.OSDMap
	return c.show(c.osdMapJSON(m), func() string { return c.osdMapText(m) })
}

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
		o = append(o, field{"crush_node_flags", object{}}, field{"device_class_flags", object{}})
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

// osdStatJSON is how many OSDs there are; it also stands in `ceph status`.
func (c *call) osdStatJSON() object {
	m := c.state.OSDMap
	total, up, in := m.count()
	o := object{{"epoch", m.Epoch}, {"num_osds", total}, {"num_up_osds", up}}
	if c.release.atLeast(octopus) {
		o = append(o, field{"osd_up_since", unixOrZero(m.LastUpChange)}, field{"num_in_osds", in},
			field{"osd_in_since", unixOrZero(m.LastInChange)})
	} else {
		o = append(o, field{"num_in_osds", in})
	}
	if !c.release.atLeast(octopus) {
		o = append(o, field{"full", m.flag("full")}, field{"nearfull", m.flag("nearfull")})
	}
	return append(o, field{"num_remapped_pgs", c.remapped()})
}

func unixOrZero(t time.Time) int64 {
	if t.IsZero() {
		return 0
	}
	return t.Unix()
}

// remapped counts the placement groups that are on their way to other OSDs.
func (c *call) remapped() int {
	n := 0
	for _, g := range c.pgs() {
		if strings.Contains(g.state, "remapped") {
			n++
		}
	}
	return n
}

// osdStatText is the line of OSDs in plain answers.
func (c *call) osdStatText() string {
	m := c.state.OSDMap
	total, up, in := m.count()
	if !c.release.atLeast(nautilus) {
		return fmt.Sprintf("%d osds: %d up, %d in", total, up, in)
	}
	age := func(t time.Time) string {
		if t.IsZero() {
			return ""
		}
		return fmt.Sprintf(" (since %s)", shortAge(c.now.Sub(t)))
	}
	return fmt.Sprintf("%d osds: %d up%s, %d in%s", total, up, age(m.LastUpChange), in, age(m.LastInChange))
}

// shortAge is a duration as Ceph's plain answers have it: its largest unit, of
// which there are at least two.
func shortAge(d time.Duration) string {
	s := int64(d / time.Second)
	for _, u := range []struct {
		seconds int64
		name    string
	}{{365 * 86400, "y"}, {30 * 86400, "M"}, {7 * 86400, "w"}, {86400, "d"}, {3600, "h"}, {60, "m"}} {
		if s >= 2*u.seconds {
			return fmt.Sprintf("%d%s", s/u.seconds, u.name)
		}
	}
	return fmt.Sprintf("%ds", s)
}

func osdStat(c *call) reply {
	return c.show(c.osdStatJSON(), func() string {
		return fmt.Sprintf("%s; epoch: e%d\n", c.osdStatText(), c.state.OSDMap.Epoch)
	})
}

func osdLs(c *call) reply {
	ids := []int{}
	for _, o := range c.state.OSDMap.existing() {
		ids = append(ids, o.ID)
	}
	return c.showIDs(ids)
}

func (c *call) showIDs(ids []int) reply {
	return c.show(ids, func() string {
		var b strings.Builder
		for _, id := range ids {
			fmt.Fprintln(&b, id)
		}
		return b.String()
	})
}

func osdGetMaxOSD(c *call) reply {
	m := c.state.OSDMap
	return c.show(object{{"epoch", m.Epoch}, {"max_osd", len(m.OSDs)}}, func() string {
		return fmt.Sprintf("max_osd = %d in epoch %d\n", len(m.OSDs), m.Epoch)
	})
}

// existingOSD is the OSD that the argument "id" names.
func (c *call) existingOSD() (*OSDInfo, *reply) {
	id, _ := c.osdArg("id")
	if o := c.state.OSDMap.osd(id); o != nil {
		return o, nil
	}
	r := fail(syscall.ENOENT, "osd.%d does not exist", id)
	return nil, &r
}

func osdFind(c *call) reply {
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	j := object{{"osd", o.ID}}
	if c.release.atLeast(nautilus) {
		j = append(j, field{"addrs", o.Addrs.Public.json()})
	} else {
		j = append(j, field{"ip", o.Addrs.Public.legacyText()})
	}
	j = append(j, field{"osd_fsid", o.uuid()})
	if o.Meta != nil {
		j = append(j, field{"host", o.Meta.Hostname})
		if o.Meta.PodName != "" {
			j = append(j, field{"pod_name", o.Meta.PodName}, field{"pod_namespace", o.Meta.PodNamespace})
		}
	}
	at := object{}
	location := c.state.OSDMap.Crush.Location(o.ID)
	slices.SortFunc(location, func(a, b crush.Placed) int { return strings.Compare(a.Type, b.Type) })
	for _, l := range location {
		at = append(at, field{l.Type, l.Name})
	}
	j = append(j, field{"crush_location", at})
	return reply{out: raw(toJSON(j))}
}

func osdMetadata(c *call) reply {
	if !c.args.has("id") {
		return reply{out: arrayOf(c.state.OSDMap.existing(), func(o *OSDInfo) any {
			return append(object{{"id", o.ID}}, o.metadata()...)
		})}
	}
	o, bad := c.existingOSD()
	if bad != nil {
		return *bad
	}
	return reply{out: append(object{{"id", o.ID}}, o.metadata()...)}
}

// metadata is what the OSD told at its start, by name; nothing if it never did.
func (o *OSDInfo) metadata() object {
	if o.Meta == nil {
		return nil
	}
	m := o.Meta
	values := m.Metadata.values()
	delete(values, "addrs")
	store := map[string]string{
		"back_addr": o.Addrs.Cluster.String(), "front_addr": o.Addrs.Public.String(), "back_iface": "", "front_iface": "",
		"hb_back_addr": o.Addrs.HeartbeatBack.String(), "hb_front_addr": o.Addrs.HeartbeatFront.String(),
		"osd_data": m.DataDir, "osd_objectstore": m.Store, "rotational": strconv.Itoa(bit(m.Rotational)),
		"journal_rotational": strconv.Itoa(bit(m.Rotational)), "default_device_class": m.class(),
		"devices": m.Device, "device_ids": "", "device_paths": "",
	}
	if m.Store == "bluestore" {
		maps.Copy(store, map[string]string{
			"bluefs": "1", "bluefs_dedicated_db": "0", "bluefs_dedicated_wal": "0", "bluefs_single_shared_device": "1",
			"bluestore_bdev_access_mode": "blk", "bluestore_bdev_block_size": "4096", "bluestore_bdev_devices": m.Device,
			"bluestore_bdev_driver": "KernelDevice", "bluestore_bdev_path": m.DataDir + "/block",
			"bluestore_bdev_rotational": strconv.Itoa(bit(m.Rotational)), "bluestore_bdev_size": strconv.FormatUint(m.Size, 10),
			"bluestore_bdev_support_discard": "1", "bluestore_bdev_type": m.class(),
		})
	} else {
		maps.Copy(store, map[string]string{
			"backend_filestore_dev_node": "unknown", "backend_filestore_partition_path": "unknown",
			"filestore_backend": "xfs", "filestore_f_type": "0x58465342", "osd_journal": m.DataDir + "/journal",
		})
	}
	if m.Release.atLeast(nautilus) {
		store["objectstore_numa_unknown_devices"] = m.Device
		store["network_numa_unknown_ifaces"] = "back_iface,front_iface"
	}
	if m.Release.atLeast(octopus) {
		store["osdspec_affinity"] = ""
		store["bluestore_min_alloc_size"] = "4096"
	}
	if m.Release.atLeast(pacific) && m.CreatedBy != nil {
		store["ceph_version_when_created"] = m.CreatedBy.long()
		store["created_at"] = m.Created.UTC().Format("2006-01-02T15:04:05.000000Z")
	}
	if m.Store != "bluestore" {
		delete(store, "bluestore_min_alloc_size")
	}
	maps.Copy(values, store)
	o2 := object{}
	for _, k := range slices.Sorted(maps.Keys(values)) {
		o2 = append(o2, field{k, values[k]})
	}
	return o2
}

// class is the device class that the OSD finds for itself.
func (m *OSDMeta) class() string {
	if m.Rotational {
		return "hdd"
	}
	return "ssd"
}

func osdVersions(c *call) reply { return reply{out: c.osdVersions()} }

// osdVersions counts the OSDs of each version.
func (c *call) osdVersions() object {
	var all []string
	for _, o := range c.state.OSDMap.existing() {
		if o.Meta != nil && o.Up {
			all = append(all, o.Meta.Release.long())
		}
	}
	return countJSON(all)
}

// countJSON counts how often each text comes, sorted by text.
func countJSON(all []string) object {
	o := object{}
	slices.Sort(all)
	for i := 0; i < len(all); {
		n := 1
		for i+n < len(all) && all[i+n] == all[i] {
			n++
		}
		o = append(o, field{all[i], n})
		i += n
	}
	return o
}

func osdCountMetadata(c *call) reply {
	var all []string
	for _, o := range c.state.OSDMap.existing() {
		value := "unknown"
		for _, f := range o.metadata() {
			if f.name == c.args.str("property") {
				value = f.value.(string)
			}
		}
		all = append(all, value)
	}
	return reply{out: countJSON(all)}
}

func osdLspools(c *call) reply {
	m := c.state.OSDMap
	return c.show(arrayOf(m.Pools, func(p *Pool) any {
		return object{{"poolnum", p.ID}, {"poolname", p.Name}}
	}), func() string {
		var b strings.Builder
		for _, p := range m.Pools {
			fmt.Fprintf(&b, "%d %s\n", p.ID, p.Name)
		}
		return b.String()
	})
}

func osdInfoCommand(c *call) reply {
	if c.args.has("id") {
		o, bad := c.existingOSD()
		if bad != nil {
			return *bad
		}
		return reply{out: c.osdJSON(o)}
	}
	return reply{out: arrayOf(c.state.OSDMap.existing(), func(o *OSDInfo) any { return c.osdJSON(o) })}
}

func osdBlocklistLs(c *call) reply {
	m := c.state.OSDMap
	list := arrayOf(m.Blocklist, func(b Blocked) any {
		return object{{"addr", b.Addr.legacy()}, {"until", c.release.stamp(b.Until)}}
	})
	r := c.show(list, func() string {
		var b strings.Builder
		for _, e := range m.Blocklist {
			fmt.Fprintf(&b, "%s %s\n", e.Addr.legacy(), c.release.stamp(e.Until))
		}
		return b.String()
	})
	if !c.plain() && c.release.atLeast(pacific) { // also the list of blocked ranges
		r.out = raw(string(toJSON(list)) + "[]")
	}
	r.status = fmt.Sprintf("listed %d entries", len(m.Blocklist))
	return r
}

func osdGetCrushMap(c *call) reply {
	return reply{out: c.state.OSDMap.Crush.Marshal(), status: strconv.Itoa(c.state.OSDMap.CrushVersion)}
}

func osdLsTree(c *call) reply {
	m := c.state.OSDMap
	root, ok := m.Crush.ID(c.args.str("name"))
	if !ok {
		return fail(syscall.ENOENT, "\"%s\" does not exist", c.args.str("name"))
	}
	var ids []int
	for _, o := range m.existing() {
		if m.Crush.Below(o.ID, root) {
			ids = append(ids, o.ID)
		}
	}
	return c.showIDs(ids)
}
