package ceph

import (
	"fmt"
	"slices"
	"strings"
	"syscall"
)

func fsCommands() map[string]handler {
	return map[string]handler{
		"fs new":            fsNew,
		"fs ls":             fsLs,
		"fs get":            fsGet,
		"fs dump":           fsDump,
		"fs set":            fsSet,
		"fs rm":             fsRm,
		"fs fail":           fsFail,
		"fs reset":          fsReset,
		"fs flag set":       fsFlagSet,
		"fs set-default":    fsSetDefault,
		"fs set_default":    fsSetDefault,
		"fs add_data_pool":  fsAddDataPool,
		"fs rm_data_pool":   fsRmDataPool,
		"fs compat show":    fsCompatShow,
		"fs feature ls":     fsFeatureLs,
		"fs mirror enable":  func(c *call) reply { return fsMirror(c, true) },
		"fs mirror disable": func(c *call) reply { return fsMirror(c, false) },
		"fs authorize":      fsAuthorize,
		"fs status":         fsStatus,
	}
}

// fsArg is the file system that a command names.
func (c *call) fsArg() (*Filesystem, *reply) {
	if f := c.state.FSMap.named(c.args.str("fs_name")); f != nil {
		return f, nil
	}
	r := fail(syscall.ENOENT, "Filesystem not found: '%s'", c.args.str("fs_name"))
	return nil, &r
}

// fsPool is the pool that an argument names.
func (c *call) fsPool(arg string) (*Pool, *reply) {
	if p := c.state.OSDMap.poolNamed(c.args.str(arg)); p != nil {
		return p, nil
	}
	r := fail(syscall.ENOENT, "pool '%s' does not exist", c.args.str(arg))
	return nil, &r
}

func fsNew(c *call) reply {
	m := c.state.FSMap
	name := c.args.str("fs_name")
	meta, bad := c.fsPool("metadata")
	if bad != nil {
		return *bad
	}
	data, bad := c.fsPool("data")
	if bad != nil {
		return *bad
	}
	if f := m.named(name); f != nil {
		if f.MetadataPool == meta.ID && f.DataPools[0] == data.ID {
			return done("filesystem '%s' already exists", name)
		}
		return fail(syscall.EINVAL, "filesystem already exists with name '%s'", name)
	}
	if !m.Multiple && len(m.Filesystems) > 0 {
		return fail(syscall.EINVAL, "Creation of multiple filesystems is disabled.  To enable this experimental feature, use 'ceph fs flag set enable_multiple true'")
	}
	force := c.args.flag("force")
	if objects, _ := c.state.PGMap.Objects[meta.ID].total(); objects > 0 && !force && !c.args.flag("recover") {
		return fail(syscall.EINVAL, "pool '%s' already contains some objects. Use an empty pool instead.", meta.Name)
	}
	if (m.user(meta.ID) != nil || m.user(data.ID) != nil) && !c.args.flag("allow_dangerous_metadata_overlay") {
		return fail(syscall.EEXIST, "Filesystem '%s' is already using one of the specified RADOS pools. This should ONLY be done in emergencies and after "+
			"careful reading of the documentation. Pass --allow-dangerous-metadata-overlay to permit this.", name)
	}
	if bad := c.fsPoolFits(meta, true, force); bad != nil {
		return *bad
	}
	if bad := c.fsPoolFits(data, false, force); bad != nil {
		return *bad
	}
	c.makeFilesystem(name, meta, data)
	return done("new fs with metadata pool %d and data pool %d", meta.ID, data.ID)
}

// makeFilesystem enters a new file system into the map, and into its pools what
// they are for.
func (c *call) makeFilesystem(name string, meta, data *Pool) {
	t := c.change()
	n := t.fsmap()
	n.Last++
	f := &Filesystem{
		ID: n.Last, Name: name, Created: c.now, Modified: c.now, Epoch: c.state.FSMap.Epoch + 1, MetadataPool: meta.ID, DataPools: []int{data.ID},
		Flags: fsDefaultFlags, MaxMDS: 1, OldMaxMDS: 1, Up: map[int]uint64{}, StandbyWanted: -1, SessionTimeout: 60, Autoclose: 300, MaxFileSize: defaultFileLimit,
	}
	if v, given := c.args.int("fscid"); given {
		f.ID, n.Last = int(v), max(n.Last, int(v))
	}
	if c.args.flag("recover") {
		f.In, f.Failed, f.Flags = []int{0}, []int{0}, f.Flags|fsNotJoinable
	}
	n.Filesystems = append(n.Filesystems, f)
	if n.Default == -1 {
		n.Default = f.ID
	}
	c.poolOf(data.ID, "data", name)
	c.poolOf(meta.ID, "metadata", name)
	if c.release.atLeast(nautilus) {
		p := t.osdmap().editPool(meta.ID)
		p.Options["pg_autoscale_bias"], p.Options["pg_num_min"], p.Options["recovery_priority"] = 4.0, int64(16), int64(5)
	}
}

// poolOf notes at a pool what a file system uses it for.
func (c *call) poolOf(id int, key, fs string) {
	p := c.change().osdmap().editPool(id)
	values := map[string]string{key: fs}
	for k, v := range p.Applications["cephfs"] {
		if _, set := values[k]; !set {
			values[k] = v
		}
	}
	p.app("cephfs", values)
}

// fsPoolFits refuses a pool that cannot be one of a file system.
func (c *call) fsPoolFits(p *Pool, metadata, force bool) *reply {
	refuse := func(format string, args ...any) *reply {
		r := fail(syscall.EINVAL, format, args...)
		return &r
	}
	overwrites := p.flag("ec_overwrites")
	switch {
	case p.erasure() && metadata:
		return refuse("pool '%s' (id '%d') is an erasure-coded pool.  Use of erasure-coded pools for CephFS metadata is not permitted", p.Name, p.ID)
	case p.erasure() && !force && c.desc.prefix == "fs new":
		return refuse("pool '%s' (id '%d') is an erasure-coded pool. Use of an EC pool for the default data pool is discouraged; see the online "+
			"CephFS documentation for more information. Use --force to override.", p.Name, p.ID)
	case p.erasure() && !overwrites:
		return refuse("pool '%s' (id '%d') is an erasure-coded pool, with no overwrite support", p.Name, p.ID)
	}
	_, cephfs := p.Applications["cephfs"]
	if len(p.Applications) > 0 && !cephfs {
		return refuse(" pool '%s' (id '%d') has a non-CephFS application enabled.", p.Name, p.ID)
	}
	return nil
}

func fsLs(c *call) reply {
	m := c.state.FSMap
	name := func(id int) string {
		if p := c.state.OSDMap.pool(id); p != nil {
			return p.Name
		}
		return ""
	}
	return c.show(arrayOf(m.Filesystems, func(f *Filesystem) any {
		var data []string
		for _, id := range f.DataPools {
			data = append(data, name(id))
		}
		return object{
			{"name", f.Name},
			{"metadata_pool", name(f.MetadataPool)},
			{"metadata_pool_id", f.MetadataPool},
			{"data_pool_ids", ints(f.DataPools)},
			{"data_pools", append([]string{}, data...)},
		}
	}), func() string {
		var b strings.Builder
		for _, f := range m.Filesystems {
			fmt.Fprintf(&b, "name: %s, metadata pool: %s, data pools: [", f.Name, name(f.MetadataPool))
			for _, id := range f.DataPools {
				b.WriteString(name(id) + " ")
			}
			b.WriteString("]\n")
		}
		if len(m.Filesystems) == 0 {
			b.WriteString("No filesystems enabled\n")
		}
		return b.String()
	})
}

func fsGet(c *call) reply {
	f := c.state.FSMap.named(c.args.str("fs_name"))
	if f == nil {
		return fail(syscall.ENOENT, "filesystem '%s' not found", c.args.str("fs_name"))
	}
	return c.show(c.filesystemJSON(f), func() string { return c.filesystemText(f) })
}

func fsDump(c *call) reply {
	r := c.show(c.fsmapDump(), c.fsmapText)
	r.status = fmt.Sprintf("dumped fsmap epoch %d", c.state.FSMap.Epoch)
	return r
}

// failAll takes all MDS of a file system out of the map, its followers too.
func (t *change) failAll(id int) {
	for _, i := range slices.Clone(t.new.FSMap.byID(id).MDS) {
		t.failMDS(i.GID)
	}
}

func fsFail(c *call) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	t := c.change()
	t.filesystem(f.ID).Flags |= fsNotJoinable
	t.failAll(f.ID)
	return done("%s marked not joinable; MDS cannot join the cluster. All MDS ranks marked failed.", f.Name)
}

func fsRm(c *call) reply {
	f := c.state.FSMap.named(c.args.str("fs_name"))
	switch {
	case f == nil:
		return done("filesystem '%s' does not exist", c.args.str("fs_name"))
	case len(f.Up) > 0:
		return fail(syscall.EINVAL, "all MDS daemons must be inactive/failed before removing filesystem. See `ceph fs fail`.")
	case !c.sure():
		return fail(syscall.EPERM, "this is a DESTRUCTIVE operation and will make data in your filesystem permanently inaccessible.  "+
			"Add --yes-i-really-mean-it if you are sure you wish to continue.")
	}
	t := c.change()
	t.failAll(f.ID)
	n := t.fsmap()
	n.Filesystems = slices.DeleteFunc(n.Filesystems, func(x *Filesystem) bool { return x.ID == f.ID })
	if n.Default == f.ID {
		n.Default = -1
	}
	return done("")
}

func fsReset(c *call) reply {
	f, bad := c.fsArg()
	switch {
	case bad != nil:
		return *bad
	case len(f.Up) > 0:
		return fail(syscall.EINVAL, "all MDS daemons must be inactive before resetting filesystem: set the cluster_down flag and use `ceph mds fail` to make this so")
	case !c.sure():
		return fail(syscall.EPERM, "this is a potentially destructive operation, only for use by experts in disaster recovery.  "+
			"Add --yes-i-really-mean-it if you are sure you wish to continue.")
	}
	n := c.change().filesystem(f.ID)
	n.In, n.Failed, n.Damaged, n.Stopped, n.Flags, n.MaxMDS = []int{0}, []int{0}, nil, nil, fsDefaultFlags, 1
	return done("")
}

func fsFlagSet(c *call) reply {
	on, ok := truth(c.args.str("val"))
	if !ok {
		return fail(syscall.EINVAL, "value must be false|no|0 or true|yes|1Invalid boolean value '%s'", c.args.str("val"))
	}
	if on && !c.release.atLeast(pacific) && !c.sure() {
		return fail(syscall.EPERM, "Warning! This feature is experimental.It may cause problems up to and including data loss.\n"+
			"Consult the documentation at ceph.com, and if unsure, do not proceed.\nAdd --yes-i-really-mean-it if you are certain.")
	}
	if on != c.state.FSMap.Multiple {
		n := c.change().fsmap()
		n.Multiple, n.EverMultiple = on, n.EverMultiple || on
	}
	return done("")
}

func fsSetDefault(c *call) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	c.change().fsmap().Default = f.ID
	return done("")
}

func fsAddDataPool(c *call) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	p, bad := c.fsPool("pool")
	if bad != nil {
		return *bad
	}
	if bad := c.fsPoolFits(p, false, false); bad != nil {
		return *bad
	}
	if slices.Contains(f.DataPools, p.ID) {
		return done("data pool %d is already on fs %s", p.ID, f.Name)
	}
	n := c.change().filesystem(f.ID)
	n.DataPools = append(n.DataPools, p.ID)
	c.poolOf(p.ID, "data", f.Name)
	return done("added data pool %d to fsmap", p.ID)
}

func fsRmDataPool(c *call) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	p, bad := c.fsPool("pool")
	switch {
	case bad != nil:
		return *bad
	case f.DataPools[0] == p.ID:
		return fail(syscall.EINVAL, "cannot remove default data pool")
	case !slices.Contains(f.DataPools, p.ID):
		return done("")
	}
	n := c.change().filesystem(f.ID)
	n.DataPools = without(n.DataPools, p.ID)
	return done("removed data pool %d from fsmap", p.ID)
}

func fsCompatShow(c *call) reply {
	if c.state.FSMap.named(c.args.str("fs_name")) == nil {
		return fail(syscall.ENOENT, "filesystem '%s' not found", c.args.str("fs_name"))
	}
	inline := c.release.fsCompat()
	return c.show(c.release.compatJSON(inline), func() string { return c.release.compatText(inline) + "\n" })
}

func fsFeatureLs(c *call) reply {
	list := array{}
	var text strings.Builder
	for i, name := range clientFeatures {
		list = append(list, object{{"index", i}, {"name", name}})
		fmt.Fprintf(&text, "%d %s\n", i, name)
	}
	return c.show(list, text.String)
}

func fsMirror(c *call, on bool) reply {
	f, bad := c.fsArg()
	if bad != nil {
		return *bad
	}
	c.change().filesystem(f.ID).Mirror = on
	return done("")
}
