package volume

import (
	"fmt"
	"slices"
	"strconv"
)

var rawSpec = spec{
	values:   "--data --device --osd-id --osd-uuid --crush-device-class --block.db --block.wal --block-db --block-wal --format --osd-fsid --objectstore",
	switches: "--bluestore --no-tmpfs --no-systemd --dmcrypt",
}

// rawPrepare is `raw prepare`: an OSD on a device without LVM.
func (r *run) rawPrepare(args []string) error {
	f, err := parse("ceph-volume raw prepare", rawSpec, args)
	if err != nil {
		return err
	}
	e, err := r.dataDevice(f)
	if err != nil {
		return err
	}
	if len(e.Partitions) > 0 {
		return failf("Device %s has partitions.", f.values["--data"])
	}
	if e.Filesystem != "" {
		return failf("device %s is already prepared or has a file system: %s", e.devPath(), e.Filesystem)
	}
	if err := r.needConf(); err != nil {
		return err
	}
	id, unwind, err := r.register(f)
	if err != nil {
		return err
	}
	dir := fmt.Sprintf("/var/lib/ceph/osd/%s-%d", r.cluster, id.id)
	if err := r.Files.MkdirAll(dir, 0o755); err != nil {
		return failf("%v", err)
	}
	if err := r.writeLink(dir+"/block", e.devPath()); err != nil {
		return err
	}
	bootstrap := "/var/lib/ceph/bootstrap-osd/" + r.cluster + ".keyring"
	_, err = r.child(nil, false, "ceph", "--cluster", r.cluster, "--name", "client.bootstrap-osd", "--keyring", bootstrap,
		"mon", "getmap", "-o", dir+"/activate.monmap")
	if err == nil {
		_, err = r.child([]byte(id.key), false, "ceph-osd", "--cluster", r.cluster, "--osd-objectstore", "bluestore", "--mkfs", "-i", strconv.Itoa(id.id),
			"--monmap", dir+"/activate.monmap", "--keyfile", "-", "--osd-data", dir+"/", "--osd-uuid", id.uuid, "--setuser", "ceph", "--setgroup", "ceph")
	}
	if err != nil {
		unwind()
		return err
	}
	r.say("ceph-volume raw prepare successful for: %s", e.devPath())
	return nil
}

// rawStores are the devices without LVM that carry an OSD.
func (r *run) rawStores() []entry {
	var out []entry
	if !Open(r.Process) {
		return nil
	}
	for _, e := range all(r.Machine) {
		if _, ok := e.State.(*Store); ok && e.Type != "crypt" {
			out = append(out, e)
		}
	}
	return out
}

func (r *run) rawActivate(args []string) error {
	f, err := parse("ceph-volume raw activate", rawSpec, args)
	if err != nil {
		return err
	}
	if err := r.needConf(); err != nil {
		return err
	}
	found := false
	for _, e := range r.rawStores() {
		s := e.State.(*Store)
		if d := f.values["--device"]; d != "" && d != e.devPath() {
			continue
		}
		if id := f.values["--osd-id"]; id != "" && id != strconv.Itoa(s.OSD) {
			continue
		}
		if u := orElse(f.values["--osd-uuid"], f.values["--osd-fsid"]); u != "" && u != s.UUID {
			continue
		}
		found = true
		if err := r.fill(fmt.Sprintf("/var/lib/ceph/osd/%s-%d", r.cluster, s.OSD), e.devPath(), s); err != nil {
			return err
		}
		r.say("ceph-volume raw activate successful for osd ID: %d", s.OSD)
	}
	if !found {
		return failf("did not find any matching OSD to activate")
	}
	return nil
}

func (r *run) rawList(args []string) error {
	f, err := parse("ceph-volume raw list", rawSpec, args)
	if err != nil {
		return err
	}
	report := map[string]any{}
	for _, e := range r.rawStores() {
		s := e.State.(*Store)
		if len(f.rest) > 0 && !slices.Contains(f.rest, e.devPath()) {
			continue
		}
		item := map[string]any{"ceph_fsid": s.ClusterFSID, "device": e.devPath(), "osd_id": s.OSD, "osd_uuid": s.UUID, "type": "bluestore"}
		key := s.UUID
		if r.major < pacific {
			key = strconv.Itoa(s.OSD)
		}
		report[key] = item
	}
	return r.printJSON(report)
}
