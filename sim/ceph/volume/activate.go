package volume

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

var activateSpec = spec{switches: "--no-systemd --bluestore --filestore --all --no-tmpfs --auto-detect-objectstore"}

// lvmActivate is `lvm activate`: the data directory of an OSD is filled from its
// volume.
func (r *run) lvmActivate(args []string) error {
	f, err := parse("ceph-volume lvm activate", activateSpec, args)
	if err != nil {
		return err
	}
	if err := r.needConf(); err != nil {
		return err
	}
	if f.set["--all"] {
		return r.activateAll()
	}
	if len(f.rest) == 0 {
		return runtimeError{"ValueError", "\"activate\" requires both osd_id and osd_fsid"}
	}
	if len(f.rest) < 2 && r.major < octopus {
		return runtimeError{"ValueError", "must specify osd_id and osd_fsid to activate"}
	}
	wantUUID := ""
	if len(f.rest) > 1 {
		wantUUID = f.rest[1]
	}
	for _, e := range r.volumes() {
		l := e.State.(*LV)
		if l.Tags["ceph.type"] == "block" && l.Tags["ceph.osd_id"] == f.rest[0] && (wantUUID == "" || l.Tags["ceph.osd_fsid"] == wantUUID) {
			return r.activate(e, l)
		}
	}
	return failf("could not find osd.%s with osd_fsid %s", f.rest[0], wantUUID)
}

func (r *run) activateAll() error {
	found := false
	for _, e := range r.volumes() {
		l := e.State.(*LV)
		if l.Tags["ceph.type"] != "block" {
			continue
		}
		found = true
		r.say("Activating OSD ID %s FSID %s", l.Tags["ceph.osd_id"], l.Tags["ceph.osd_fsid"])
		if err := r.activate(e, l); err != nil {
			return err
		}
	}
	if !found {
		r.say("Was unable to find any OSDs to activate")
		r.say("Verify OSDs are present with \"ceph-volume lvm list\"")
	}
	return nil
}

// volumes are the logical volumes that ceph-volume has made; none where the
// devices cannot be opened.
func (r *run) volumes() []entry {
	var out []entry
	if !Open(r.Process) {
		return nil
	}
	for _, e := range all(r.Machine) {
		if l, ok := e.State.(*LV); ok && e.Type == "lvm" && l.Tags["ceph.osd_id"] != "" {
			out = append(out, e)
		}
	}
	return out
}

func (r *run) activate(e entry, l *LV) error {
	if l.Store == nil {
		return failf("could not find a bluestore OSD to activate")
	}
	dir := fmt.Sprintf("/var/lib/ceph/osd/%s-%s", r.cluster, l.Tags["ceph.osd_id"])
	target := l.Path()
	if l.Tags["ceph.encrypted"] == "1" {
		id := l.Tags["ceph.osd_fsid"]
		lockbox := dir + "/lockbox.keyring"
		if err := r.Files.MkdirAll(dir, 0o755); err != nil {
			return failf("%v", err)
		}
		keyring := fmt.Sprintf("[client.osd-lockbox.%s]\n\tkey = %s\n", id, l.Tags["ceph.cephx_lockbox_secret"])
		if err := r.Files.WriteFile(lockbox, []byte(keyring), 0o600); err != nil {
			return failf("%v", err)
		}
		out, err := r.child(nil, false, "ceph", "--cluster", r.cluster, "--name", "client.osd-lockbox."+id, "--keyring", lockbox,
			"config-key", "get", "dm-crypt/osd/"+id+"/luks")
		if err != nil {
			return failf("Unable to retrieve dmcrypt secret")
		}
		if strings.TrimSpace(out) != l.Passphrase {
			r.Errorf(" stderr: No key available with this passphrase.\n")
			return failf("command returned non-zero exit status: 2")
		}
		target = open(e.Device, l)
	}
	if err := r.fill(dir, target, l.Store); err != nil {
		return err
	}
	if path := l.Tags["ceph.db_device"]; path != "" {
		if _, ok := find(r.Machine, path); !ok {
			return failf("could not find db with uuid %s", l.Tags["ceph.db_uuid"])
		}
		if err := r.writeLink(dir+"/block.db", path); err != nil {
			return err
		}
	}
	r.say("ceph-volume lvm activate successful for osd ID: %s", l.Tags["ceph.osd_id"])
	return nil
}

// fill writes a data directory from what is on the store.
func (r *run) fill(dir, target string, s *Store) error {
	if err := r.Files.MkdirAll(dir, 0o755); err != nil {
		return failf("%v", err)
	}
	r.note("/usr/bin/ceph-bluestore-tool", "--cluster="+r.cluster, "prime-osd-dir", "--dev", target, "--path", dir, "--no-mon-config")
	if err := WriteDataDir(r.Files, dir, s); err != nil {
		return failf("%v", err)
	}
	return r.writeLink(dir+"/block", target)
}

// WriteDataDir writes the small files that say what a store is.
func WriteDataDir(files host.Files, dir string, s *Store) error {
	all := map[string]string{
		"ceph_fsid": s.ClusterFSID, "fsid": s.UUID, "whoami": strconv.Itoa(s.OSD), "type": s.Kind, "ready": "ready",
	}
	for _, name := range []string{"ceph_fsid", "fsid", "ready", "type", "whoami"} {
		if err := files.WriteFile(dir+"/"+name, []byte(all[name]+"\n"), 0o600); err != nil {
			return err
		}
	}
	if s.Key == "" {
		return nil
	}
	return files.WriteFile(dir+"/keyring", fmt.Appendf(nil, "[osd.%d]\n\tkey = %s\n", s.OSD, s.Key), 0o600)
}
