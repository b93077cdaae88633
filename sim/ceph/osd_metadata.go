package ceph

import (
	"maps"
	"slices"
	"strconv"
)

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
