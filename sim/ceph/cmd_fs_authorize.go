package ceph

import (
	"fmt"
	"maps"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

// fsAuthorize makes a client with caps for paths of one file system.
func fsAuthorize(c *call) reply {
	fs, name, list := c.args.str("filesystem"), c.args.str("entity"), c.args.list("caps")
	if c.state.FSMap.named(fs) == nil {
		return fail(syscall.EINVAL, "filesystem %s does not exist.", fs)
	}
	if !conf.ValidEntity(name) {
		return fail(syscall.EINVAL, "bad entity name")
	}
	if len(list)%2 != 0 {
		return fail(syscall.EINVAL, "bad capabilities request; odd number of arguments")
	}
	osd := "r"
	var mds []string
	for i := 0; i < len(list); i += 2 {
		path, access := list[i], list[i+1]
		if !strings.HasPrefix(access, "r") || strings.Trim(access, "rwps") != "" {
			return fail(syscall.EINVAL, "Permission flags must start with 'r' or 'rw'.")
		}
		if strings.HasPrefix(access, "rw") {
			osd = "rw"
		}
		text := "allow " + access
		if c.release.atLeast(pacific) {
			text += " fsname=" + fs
		}
		if path != "/" {
			text += " path=" + path
		}
		mds = append(mds, text)
	}
	mon := "allow r"
	if c.release.atLeast(pacific) {
		mon += " fsname=" + fs
	}
	wanted := map[string]string{"mds": strings.Join(mds, ", "), "mon": mon, "osd": fmt.Sprintf("allow %s tag cephfs data=%s", osd, fs)}
	old, there := c.state.Auth.Entities[name]
	switch {
	case there && !maps.Equal(old.Caps, wanted):
		return fail(syscall.EINVAL, "%[1]s already has fs capabilities that differ from those supplied. To generate a new auth key for %[1]s, "+
			"first remove %[1]s from configuration files, execute 'ceph auth rm %[1]s', then execute this command again.", name)
	case !there:
		old = AuthEntry{Key: c.sim.newKey(), Caps: wanted}
		c.change().auth().Entities[name] = old
	}
	e := conf.Entry{Entity: name, Key: old.Key, Caps: old.Caps}
	return c.show(array{entryJSON(e)}, func() string { return fmt.Sprintf("[%s]\n\tkey = %s\n", name, old.Key) })
}
