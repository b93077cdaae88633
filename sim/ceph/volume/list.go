package volume

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// lvmList is `lvm list`: the volumes of OSDs by the OSD's id.
func (r *run) lvmList(args []string) error {
	f, err := parse("ceph-volume lvm list", spec{values: "--format", switches: "--all"}, args)
	if err != nil {
		return err
	}
	type item struct {
		Devices []string          `json:"devices"`
		Name    string            `json:"lv_name"`
		Path    string            `json:"lv_path"`
		Size    string            `json:"lv_size"`
		Tags    string            `json:"lv_tags"`
		UUID    string            `json:"lv_uuid"`
		Short   string            `json:"name"`
		Again   string            `json:"path"`
		ByTag   map[string]string `json:"tags"`
		Type    string            `json:"type"`
		Group   string            `json:"vg_name"`
	}
	report := map[string][]item{}
	for _, e := range r.volumes() {
		l := e.State.(*LV)
		if len(f.rest) > 0 && !slices.ContainsFunc(f.rest, func(n string) bool {
			x, ok := find(r.Machine, n)
			return n == l.Tags["ceph.osd_id"] || ok && (x.Device == e.Device || x.Device == e.disk)
		}) {
			continue
		}
		tags := make([]string, 0, len(l.Tags))
		byTag := map[string]string{}
		for _, k := range slices.Sorted(maps.Keys(l.Tags)) {
			tags = append(tags, k+"="+l.Tags[k])
			byTag[k] = l.Tags[k]
		}
		id := l.Tags["ceph.osd_id"]
		report[id] = append(report[id], item{
			Devices: []string{"/dev/" + e.disk.Name}, Name: l.Name, Path: l.Path(), Size: strconv.FormatUint(e.Size, 10),
			Tags: strings.Join(tags, ","), UUID: l.UUID, Short: l.Name, Again: l.Path(), ByTag: byTag, Type: l.Tags["ceph.type"], Group: l.Group,
		})
	}
	if f.values["--format"] == "json" {
		return r.printJSON(report)
	}
	if len(report) == 0 {
		r.Printf("No valid Ceph lvm devices found\n")
		return failf("No valid Ceph lvm devices found")
	}
	for _, id := range slices.Sorted(maps.Keys(report)) {
		r.Printf("\n====== osd.%s =======\n", id)
		for _, i := range report[id] {
			r.Printf("\n  [%s]       %s\n\n", i.Type, i.Path)
			for _, k := range slices.Sorted(maps.Keys(i.ByTag)) {
				r.Printf("      %-25s %s\n", strings.ReplaceAll(strings.TrimPrefix(k, "ceph."), "_", " "), i.ByTag[k])
			}
			r.Printf("      %-25s %s\n", "devices", strings.Join(i.Devices, ","))
		}
	}
	return nil
}

// printJSON prints as ceph-volume does: keys sorted, four spaces.
func (r *run) printJSON(v any) error {
	text, err := json.MarshalIndent(v, "", "    ")
	if err != nil {
		return err
	}
	r.Printf("%s\n", text)
	return nil
}

// inventory lists the disks and whether they are free.
func (r *run) inventory(args []string) error {
	f, err := parse("ceph-volume inventory", spec{values: "--format", switches: "--filter-for-batch --with-lsm --list-all"}, args)
	if err != nil {
		return err
	}
	type item struct {
		Available bool           `json:"available"`
		DeviceID  string         `json:"device_id"`
		LVs       []any          `json:"lvs"`
		Path      string         `json:"path"`
		Reasons   []string       `json:"rejected_reasons"`
		API       map[string]any `json:"sys_api"`
	}
	report := []item{}
	for _, e := range all(r.Machine) {
		if e.parent != nil || e.Type != "disk" || !Open(r.Process) {
			continue
		}
		if len(f.rest) > 0 && !slices.Contains(f.rest, e.devPath()) {
			continue
		}
		i := item{
			Path: e.devPath(), Reasons: append([]string{}, r.reasons(e)...), LVs: []any{}, DeviceID: strings.Trim(e.Model+"_"+e.Serial, "_"),
			API: map[string]any{
				"human_readable_size": fmt.Sprintf("%.2f GB", float64(e.Size)/(1<<30)), "locked": 0, "model": e.Model, "nr_requests": "256",
				"partitions": map[string]any{}, "path": e.devPath(), "removable": bit(e.Removable), "rev": "", "ro": bit(e.ReadOnly),
				"rotational": bit(e.Rotational), "sas_address": "", "sas_device_handle": "", "scheduler_mode": "mq-deadline", "sectors": 0,
				"sectorsize": "512", "size": float64(e.Size), "support_discard": "0", "vendor": "",
			},
		}
		i.Available = len(i.Reasons) == 0
		for _, d := range e.Partitions {
			if l, ok := d.State.(*LV); ok {
				i.LVs = append(i.LVs, map[string]any{
					"cluster_fsid": l.Tags["ceph.cluster_fsid"], "cluster_name": l.Tags["ceph.cluster_name"], "name": l.Name,
					"osd_fsid": l.Tags["ceph.osd_fsid"], "osd_id": l.Tags["ceph.osd_id"], "type": l.Tags["ceph.type"],
				})
			}
		}
		report = append(report, i)
	}
	slices.SortStableFunc(report, func(a, b item) int { return strings.Compare(a.Path, b.Path) })
	if f.values["--format"] == "json" {
		return r.printJSON(report)
	}
	r.Printf("\nDevice Path               Size         rotates available Model name\n")
	for _, i := range report {
		r.Printf("%-25s %-12s %-7v %-9v %s\n", i.Path, i.API["human_readable_size"], i.API["rotational"] == "1", i.Available, i.API["model"])
	}
	return nil
}

func bit(b bool) string {
	if b {
		return "1"
	}
	return "0"
}

// batchReport says what `lvm batch` would do.
func (r *run) batchReport(f *flags, devices []entry, per int) error {
	type osd struct {
		Data     string `json:"data"`
		Size     string `json:"data_size"`
		Encrypt  any    `json:"encryption"`
		BlockDB  string `json:"block_db,omitempty"`
		Database string `json:"block_db_size,omitempty"`
	}
	report := []osd{}
	for _, e := range devices {
		for range per {
			o := osd{Data: e.devPath(), Size: fmt.Sprintf("%.2f GB", float64(e.Size)/float64(per)/(1<<30)), Encrypt: nil}
			if dbs := f.lists["--db-devices"]; len(dbs) > 0 {
				o.BlockDB, o.Database = dbs[0], f.values["--block-db-size"]
			}
			report = append(report, o)
		}
	}
	if f.values["--format"] == "json" {
		return r.printJSON(report)
	}
	r.Printf("\nTotal OSDs: %d\n\n  Type            Path                      LV Size         %% of device\n", len(report))
	for _, o := range report {
		r.Printf("----------------------------------------------------------------\n  data            %-25s %-15s %.2f%%\n", o.Data, o.Size, 100/float64(per))
	}
	return nil
}

// lvmZap is `lvm zap`: whatever is on devices is wiped.
func (r *run) lvmZap(args []string) error {
	f, err := parse("ceph-volume lvm zap", spec{values: "--osd-id --osd-fsid", switches: "--destroy"}, args)
	if err != nil {
		return err
	}
	var targets []entry
	for _, name := range f.rest {
		e, err := r.device(f, name)
		if err != nil {
			return err
		}
		targets = append(targets, e)
	}
	if id, byUUID := f.values["--osd-id"], f.values["--osd-fsid"]; id != "" || byUUID != "" {
		for _, e := range r.volumes() {
			l := e.State.(*LV)
			if (id == "" || l.Tags["ceph.osd_id"] == id) && (byUUID == "" || l.Tags["ceph.osd_fsid"] == byUUID) {
				targets = append(targets, e)
			}
		}
		if len(targets) == 0 {
			return failf("Unable to find any LV for zapping OSD: %s", orElse(id, byUUID))
		}
	}
	if len(targets) == 0 {
		return f.bad("the following arguments are required: DEVICES")
	}
	for _, e := range targets {
		r.say("Zapping: %s", e.devPath())
		if e.Mountpoint != "" {
			return failf("%s is mounted on %s", e.devPath(), e.Mountpoint)
		}
		if e.parent == nil && len(e.Partitions) > 0 && !f.set["--destroy"] {
			r.say("Zapping lvm member %s. lv_path is %s", e.devPath(), e.Partitions[0].Name)
		}
		if e.disk.ReadOnly {
			r.note("/usr/sbin/wipefs", "--all", e.devPath())
			r.Errorf(" stderr: wipefs: error: %s: probing initialization failed: Read-only file system\n", e.devPath())
			return failf("could not complete wipefs on device: %s", e.devPath())
		}
		r.wipe(e, f.set["--destroy"] || e.Type != "lvm")
		r.say("Zapping successful for: <Raw Device: %s>", e.devPath())
	}
	return nil
}

// wipe empties a device. With destroy a volume goes altogether, and with the
// last one its group.
func (r *run) wipe(e entry, destroy bool) {
	r.note("/usr/bin/dd", "if=/dev/zero", "of="+e.devPath(), "bs=1M", "count=10", "conv=fsync")
	e.Filesystem, e.Partitions = "", nil
	if e.Type != "lvm" {
		e.State = nil
		return
	}
	l := e.State.(*LV)
	l.Store, l.Passphrase, l.Tags = nil, "", map[string]string{}
	if !destroy {
		return
	}
	e.parent.Partitions = slices.DeleteFunc(e.parent.Partitions, func(d *host.Device) bool { return d == e.Device })
	if len(e.parent.Partitions) == 0 {
		e.parent.Filesystem = ""
	}
}
