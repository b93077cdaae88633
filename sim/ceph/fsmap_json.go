package ceph

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// mdsFeature is an incompatible feature of what MDS write.
type mdsFeature struct {
	bit  int
	name string
}

// mdsFeatures are those of a release's MDS, or, with inline false, what a map
// begins with.
func (r *release) mdsFeatures(inline bool) []mdsFeature {
	all := []mdsFeature{
		{1, "base v0.20"},
		{2, "client writeable ranges"},
		{3, "default file layouts on dirs"},
		{4, "dir inode in separate object"},
		{5, "mds uses versioned encoding"},
		{6, "dirfrag is stored in omap"},
	}
	if inline {
		all = append(all, mdsFeature{7, "mds uses inline data"})
	}
	all = append(all, mdsFeature{8, "no anchor table"}, mdsFeature{9, "file layout v2"}, mdsFeature{10, "snaprealm v2"})
	if r.atLeast(reef) {
		all = append(all, mdsFeature{11, "minor log segments"})
	}
	if r.atLeast(squid) {
		all = append(all, mdsFeature{12, "quiesce subvolumes"})
	}
	return all
}

func (r *release) compatJSON(inline bool) object {
	in := object{}
	for _, f := range r.mdsFeatures(inline) {
		in = append(in, field{fmt.Sprintf("feature_%d", f.bit), f.name})
	}
	return object{{"compat", object{}}, {"ro_compat", object{}}, {"incompat", in}}
}

func (r *release) compatText(inline bool) string {
	var in []string
	for _, f := range r.mdsFeatures(inline) {
		in = append(in, fmt.Sprintf("%d=%s", f.bit, f.name))
	}
	return "compat={},rocompat={},incompat={" + strings.Join(in, ",") + "}"
}

// fsCompat: the features of a file system are those of its MDS from pacific on.
func (r *release) fsCompat() bool { return r.atLeast(pacific) }

// clientFeatures are what clients of CephFS can have, by bit.
var clientFeatures = []string{
	"reserved", "reserved", "reserved", "reserved", "reserved", "jewel", "kraken", "luminous", "mimic", "reply_encoding", "reclaim_client",
	"lazy_caps_wanted", "multi_reconnect", "deleg_ino", "metric_collect", "alternate_name", "notify_session_state", "op_getvxattr", "32bits_retry_fwd",
}

// json is an MDS as maps show it.
func (i *MDSInfo) json(r *release) object {
	o := object{
		{"gid", i.GID},
		{"name", i.Name},
		{"rank", i.Rank},
		{"incarnation", i.Incarnation},
		{"state", string(i.State)},
		{"state_seq", i.Seq},
		{"addr", i.Addrs.legacy().legacy()},
	}
	if r.atLeast(nautilus) {
		o = append(o, field{"addrs", i.Addrs.json()})
	} else {
		o = append(o, field{"standby_for_rank", -1}, field{"standby_for_fscid", -1}, field{"standby_for_name", ""}, field{"standby_replay", false})
	}
	if r.atLeast(octopus) {
		o = append(o, field{"join_fscid", i.JoinID})
	}
	if !i.LaggySince.IsZero() {
		o = append(o, field{"laggy_since", r.stamp(i.LaggySince)})
	}
	o = append(o, field{"export_targets", array{}}, field{"features", uint64(4540138314316775423)})
	if r.atLeast(nautilus) {
		o = append(o, field{"flags", 0})
	}
	if r.atLeast(pacific) {
		o = append(o, field{"compat", i.Release.compatJSON(true)})
	}
	return o
}

func (i *MDSInfo) text(r *release) string {
	laggy := ""
	if !i.LaggySince.IsZero() {
		laggy = " laggy since " + r.stamp(i.LaggySince)
	}
	join := ""
	if i.JoinID >= 0 {
		join = fmt.Sprintf(" join_fscid=%d", i.JoinID)
	}
	return fmt.Sprintf("[mds.%s{%d:%d} state %s seq %d%s%s addr %s compat {c=[1],r=[1],i=[7ff]}]",
		i.Name, i.Rank, i.GID, i.State, i.Seq, laggy, join, r.addrText(i.Addrs))
}

// json is the MDSMap of a file system.
func (f *Filesystem) json(c *call) object {
	r := c.release
	o := object{{"epoch", f.Epoch}, {"flags", f.Flags}}
	if r.atLeast(quincy) {
		o = append(o, field{"flags_state", object{
			{"joinable", !f.flag(fsNotJoinable)},
			{"allow_snaps", f.flag(fsAllowSnaps)},
			{"allow_multimds_snaps", f.flag(fsMultiMDSSnaps)},
			{"allow_standby_replay", f.flag(fsStandbyReplay)},
			{"refuse_client_session", false},
		}})
	}
	o = append(o,
		field{"ever_allowed_features", f.EverAllowed}, field{"explicitly_allowed_features", f.EverAllowed},
		field{"created", r.stamp(f.Created)}, field{"modified", r.stamp(f.Modified)}, field{"tableserver", 0}, field{"root", 0},
		field{"session_timeout", f.SessionTimeout}, field{"session_autoclose", f.Autoclose})
	switch {
	case r.atLeast(octopus):
		required := object{}
		for _, bit := range f.RequiredFeatures {
			required = append(required, field{fmt.Sprintf("feature_%d", bit), clientFeatures[bit]})
		}
		o = append(o, field{"required_client_features", required})
	case r.atLeast(mimic):
		o = append(o, field{"min_compat_client", "-1 (unspecified)"})
	}
	o = append(o, field{"max_file_size", f.MaxFileSize})
	if r.atLeast(quincy) {
		o = append(o, field{"max_xattr_size", 65536})
	}
	up, info := object{}, object{}
	for _, rank := range slices.Sorted(maps.Keys(f.Up)) {
		up = append(up, field{fmt.Sprintf("mds_%d", rank), f.Up[rank]})
	}
	for _, i := range f.MDS {
		info = append(info, field{fmt.Sprintf("gid_%d", i.GID), i.json(r)})
	}
	o = append(o,
		field{"last_failure", 0}, field{"last_failure_osd_epoch", f.LastFailureEpoch}, field{"compat", r.compatJSON(r.fsCompat())},
		field{"max_mds", f.MaxMDS}, field{"in", ints(f.In)}, field{"up", up}, field{"failed", ints(f.Failed)}, field{"damaged", ints(f.Damaged)},
		field{"stopped", ints(f.Stopped)}, field{"info", info}, field{"data_pools", ints(f.DataPools)}, field{"metadata_pool", f.MetadataPool},
		field{"enabled", true}, field{"fs_name", f.Name}, field{"balancer", f.Balancer})
	if r.atLeast(reef) {
		o = append(o, field{"bal_rank_mask", "-1"})
	}
	o = append(o, field{"standby_count_wanted", max(0, f.StandbyWanted)})
	if r.atLeast(squid) {
		o = append(o, field{"qdb_leader", 0}, field{"qdb_cluster", array{}})
	}
	return o
}

func ints(list []int) []int { return append([]int{}, list...) }

// filesystemJSON is a file system as `fs get` shows it.
func (c *call) filesystemJSON(f *Filesystem) object {
	o := object{{"mdsmap", f.json(c)}, {"id", f.ID}}
	if f.Mirror {
		o = append(o, field{"mirror_info", object{{"peers", object{}}}})
	}
	return o
}

// filesystemText is a file system for people.
func (c *call) filesystemText(f *Filesystem) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s\t%v\n", name, value) }
	list := func(s []int) string { return strings.Trim(strings.ReplaceAll(fmt.Sprint(s), " ", ","), "[]") }
	fmt.Fprintf(&b, "Filesystem '%s' (%d)\n", f.Name, f.ID)
	line("fs_name", f.Name)
	line("epoch", f.Epoch)
	line("flags", fmt.Sprintf("%x", f.Flags))
	line("created", c.release.stamp(f.Created))
	line("modified", c.release.stamp(f.Modified))
	line("tableserver", 0)
	line("root", 0)
	line("session_timeout", f.SessionTimeout)
	line("session_autoclose", f.Autoclose)
	line("max_file_size", f.MaxFileSize)
	if c.release.atLeast(octopus) {
		var required []string
		for _, bit := range f.RequiredFeatures {
			required = append(required, fmt.Sprintf("%d=%s", bit, clientFeatures[bit]))
		}
		line("required_client_features", "{"+strings.Join(required, ",")+"}")
	}
	line("last_failure", 0)
	line("last_failure_osd_epoch", f.LastFailureEpoch)
	line("compat", c.release.compatText(c.release.fsCompat()))
	line("max_mds", f.MaxMDS)
	line("in", list(f.In))
	var up []string
	for _, rank := range slices.Sorted(maps.Keys(f.Up)) {
		up = append(up, fmt.Sprintf("%d=%d", rank, f.Up[rank]))
	}
	line("up", "{"+strings.Join(up, ",")+"}")
	line("failed", list(f.Failed))
	line("damaged", list(f.Damaged))
	line("stopped", list(f.Stopped))
	line("data_pools", "["+list(f.DataPools)+"]")
	line("metadata_pool", f.MetadataPool)
	line("inline_data", map[bool]string{true: "enabled", false: "disabled"}[f.InlineData])
	line("balancer", f.Balancer)
	line("standby_count_wanted", max(0, f.StandbyWanted))
	for _, i := range byRank(f.MDS) {
		b.WriteString(i.text(c.release) + "\n")
	}
	return b.String()
}

// byRank sorts MDS by rank, the holder of a rank before its follower.
func byRank(list []*MDSInfo) []*MDSInfo {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b *MDSInfo) int {
		if a.Rank != b.Rank {
			return a.Rank - b.Rank
		}
		return bit(a.State == mdsStandbyReplay) - bit(b.State == mdsStandbyReplay)
	})
	return out
}

// fsmapDump is the whole map.
func (c *call) fsmapDump() object {
	m, r := c.state.FSMap, c.release
	o := object{{"epoch", m.Epoch}}
	if r.atLeast(reef) {
		o = append(o, field{"btime", r.stamp(c.state.Created)})
	}
	o = append(o, field{"default_fscid", m.Default}, field{"compat", r.compatJSON(false)},
		field{"feature_flags", object{{"enable_multiple", m.Multiple}, {"ever_enabled_multiple", m.EverMultiple}}},
		field{"standbys", arrayOf(m.Standbys, func(i *MDSInfo) any { return append(i.json(r), field{"epoch", i.Epoch}) })},
		field{"filesystems", arrayOf(m.Filesystems, func(f *Filesystem) any { return c.filesystemJSON(f) })})
	return o
}

func (c *call) fsmapText() string {
	m := c.state.FSMap
	var b strings.Builder
	fmt.Fprintf(&b, "e%d\nenable_multiple, ever_enabled_multiple: %d,%d\ndefault compat: %s\nlegacy client fscid: %d\n \n",
		m.Epoch, bit(m.Multiple), bit(m.EverMultiple), c.release.compatText(false), m.Default)
	for _, f := range m.Filesystems {
		b.WriteString(c.filesystemText(f) + " \n \n")
	}
	if len(m.Filesystems) == 0 {
		b.WriteString("No filesystems configured\n")
	}
	if len(m.Standbys) > 0 {
		b.WriteString("Standby daemons:\n \n")
	}
	for _, i := range m.Standbys {
		b.WriteString(i.text(c.release) + "\n")
	}
	return b.String()
}
