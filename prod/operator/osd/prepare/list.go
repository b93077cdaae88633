package prepare

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Volume is a logical volume that belongs to an OSD, as ceph-volume tells of it.
type Volume struct {
	OSD  OSD
	FSID string // of the cluster that it belongs to
	// Type is what the OSD uses it for: "block", "db", "wal", "data", "journal".
	Type string
	// Devices are the names of the devices that it lies on.
	Devices []string
	// LV is the name that the volume has among the devices.
	LV string
	// Path is where the volume is found, /dev/<group>/<volume>.
	Path string
	// Removed says that the OSD was removed from the cluster since.
	Removed bool
}

// ParseList reads what `ceph-volume lvm list --format json` prints: volumes by
// OSD, in the order of the OSDs' ids.
func ParseList(text string) ([]Volume, error) {
	var byOSD map[string][]struct {
		Type    string            `json:"type"`
		Devices []string          `json:"devices"`
		LVPath  string            `json:"lv_path"`
		Tags    map[string]string `json:"tags"`
	}
	if err := json.Unmarshal([]byte(text), &byOSD); err != nil {
		return nil, fmt.Errorf("the list of ceph-volume cannot be read: %w", err)
	}
	var volumes []Volume
	for _, name := range slices.Sorted(maps.Keys(byOSD)) {
		id, err := strconv.Atoi(name)
		if err != nil {
			return nil, fmt.Errorf("the list of ceph-volume has an OSD named %q", name)
		}
		for _, v := range byOSD[name] {
			volume := Volume{
				OSD:  OSD{ID: id, UUID: v.Tags["ceph.osd_fsid"], Store: v1.Bluestore},
				FSID: v.Tags["ceph.cluster_fsid"], Type: v.Type, LV: mapperName(v.LVPath), Path: v.LVPath,
			}
			if v.Type == "data" || v.Type == "journal" {
				volume.OSD.Store = v1.Filestore
			}
			for _, device := range v.Devices {
				volume.Devices = append(volume.Devices, strings.TrimPrefix(device, "/dev/"))
			}
			volumes = append(volumes, volume)
		}
	}
	slices.SortStableFunc(volumes, func(a, b Volume) int { return a.OSD.ID - b.OSD.ID })
	return volumes, nil
}

// holds says whether the volume carries the OSD's data, not only a part such as
// the database.
func (v Volume) holds() bool { return v.Type == "block" || v.Type == "data" }

// mapperName is how the device mapper calls the volume /dev/<group>/<volume>:
// hyphens within the two names are doubled.
func mapperName(path string) string {
	group, volume, ok := strings.Cut(strings.TrimPrefix(path, "/dev/"), "/")
	if !ok {
		return ""
	}
	return strings.ReplaceAll(group, "-", "--") + "-" + strings.ReplaceAll(volume, "-", "--")
}

// locate fills in the devices of volumes for which ceph-volume, as that of
// early releases, does not tell them.
func locate(volumes []Volume, devices []Device) []Volume {
	located := slices.Clone(volumes)
	for i, v := range located {
		if len(v.Devices) > 0 || v.LV == "" {
			continue
		}
		for _, d := range devices {
			if d.Name == v.LV && d.Parent != "" {
				located[i].Devices = append(located[i].Devices, d.Parent)
			}
		}
	}
	return located
}
