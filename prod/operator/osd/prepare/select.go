package prepare

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// MinSize is the size in bytes below which ceph-volume takes no device.
const MinSize = 5 << 30

// Plan is what is to become of a node's devices.
type Plan struct {
	// OSDs are there already and belong to this cluster.
	OSDs []OSD
	// Make are the runs of ceph-volume that make the new ones.
	Make []Batch
	// Unused are the devices that stay as they are, each with its reason.
	Unused []v1.UnusedDevice
}

// Batch is one run of `ceph-volume lvm batch`: devices with the same settings.
type Batch struct {
	Devices    []string
	PerDevice  int    // OSDs on each device
	Encrypted  bool   // with dm-crypt
	Metadata   string // the device that holds the databases; "" for none
	DatabaseMB int    // size of each database there; 0 lets ceph-volume choose
}

// notDisks are devices that lsblk calls disks and that must never be consumed:
// they are images, memory, or Ceph's own.
var notDisks = regexp.MustCompile(`^(rbd|nbd|ram|zram|fd|sr|loop|drbd)\d`)

// Select judges each device of the node. names are the names of the devices that
// the request calls by a path below /dev/disk; a path that leads nowhere is
// absent (see [Run]).
func Select(r Request, devices []Device, volumes []Volume, names map[string]string) (Plan, error) {
	s := selector{request: r, devices: devices, volumes: locate(volumes, devices), names: names}
	if err := s.compile(); err != nil {
		return Plan{}, err
	}
	var plan Plan
	var chosen []choice
	for _, d := range s.disks() {
		if osds, why, taken := s.taken(d); taken {
			plan.OSDs = append(plan.OSDs, osds...)
			if why != "" {
				plan.Unused = append(plan.Unused, v1.UnusedDevice{Name: d.Name, Reason: why})
			}
			continue
		}
		config, why := s.selected(d)
		if why == "" {
			why = s.unfit(d)
		}
		c := choice{device: d.Name}
		if why == "" {
			c.settings, why = s.settings(config)
		}
		if why != "" {
			plan.Unused = append(plan.Unused, v1.UnusedDevice{Name: d.Name, Reason: why})
			continue
		}
		chosen = append(chosen, c)
	}
	for _, wanted := range r.Storage.Devices {
		if name, ok := s.name(wanted.Name); !ok || s.find(name) == nil {
			plan.Unused = append(plan.Unused, v1.UnusedDevice{Name: wanted.Name, Reason: "there is no such device on the node"})
		}
	}
	plan.Make = batches(withoutMetadata(chosen))
	slices.SortFunc(plan.OSDs, func(a, b OSD) int { return cmp.Compare(a.ID, b.ID) })
	return plan, nil
}

// selector holds what the judgement of a device needs.
type selector struct {
	request      Request
	devices      []Device
	volumes      []Volume
	names        map[string]string
	filter, path *regexp.Regexp
}

func (s *selector) compile() (err error) {
	compile := func(field, text string) *regexp.Regexp {
		if text == "" || err != nil {
			return nil
		}
		expression, bad := regexp.Compile(text)
		if bad != nil {
			err = fmt.Errorf("%s %q is not a regular expression: %w", field, text, bad)
		}
		return expression
	}
	s.filter = compile("deviceFilter", s.request.Storage.DeviceFilter)
	s.path = compile("devicePathFilter", s.request.Storage.DevicePathFilter)
	return err
}

// disks are the devices that could carry an OSD by their kind, by name.
func (s *selector) disks() []Device {
	var disks []Device
	for _, d := range s.devices {
		whole := d.Type == "disk" || d.Type == "mpath" || strings.HasPrefix(d.Type, "raid")
		if !whole || notDisks.MatchString(d.Name) || slices.ContainsFunc(disks, func(o Device) bool { return o.Name == d.Name }) {
			continue
		}
		disks = append(disks, d)
	}
	slices.SortFunc(disks, func(a, b Device) int { return cmp.Compare(a.Name, b.Name) })
	return disks
}

func (s *selector) find(name string) *Device {
	for i := range s.devices {
		if s.devices[i].Name == name {
			return &s.devices[i]
		}
	}
	return nil
}

// name is the name of a device that the spec calls by name or path.
func (s *selector) name(written string) (string, bool) {
	if name, ok := s.names[written]; ok {
		return name, true
	}
	name := strings.TrimPrefix(written, "/dev/")
	return name, !isLink(written)
}

// isLink says whether a device is called by a path that only the node can
// resolve, such as /dev/disk/by-id/….
func isLink(written string) bool {
	return strings.Contains(strings.TrimPrefix(written, "/dev/"), "/")
}

// taken says whether the device carries OSDs, and which of them are ours. why is
// the reason if it is another cluster's.
func (s *selector) taken(d Device) (osds []OSD, why string, taken bool) {
	for _, v := range s.volumes {
		if !slices.Contains(v.Devices, d.Name) {
			continue
		}
		taken = true
		switch {
		case v.FSID != s.request.FSID:
			why = fmt.Sprintf("it carries osd.%d of another cluster (fsid %s): wipe it to use it here", v.OSD.ID, v.FSID)
		case v.Removed:
			why = RemovedReason(v.OSD.ID)
		case v.holds():
			osd := v.OSD
			osd.Device = d.Name
			osds = append(osds, osd)
		}
	}
	if len(osds) > 0 {
		why = ""
	}
	return osds, why, taken
}

// selected returns the settings under which the spec selects the device, or why
// it does not (S12, S16).
func (s *selector) selected(d Device) (v1.Config, string) {
	storage := s.request.Storage
	switch {
	case len(storage.Devices) > 0:
		for _, wanted := range storage.Devices {
			if name, ok := s.name(wanted.Name); ok && name == d.Name {
				return wanted.Config, ""
			}
		}
		return nil, "it is not among the devices that the spec names"
	case s.filter != nil:
		if matches(s.filter, d.Name) {
			return storage.Config, ""
		}
		return nil, fmt.Sprintf("its name does not match deviceFilter %q", storage.DeviceFilter)
	case s.path != nil:
		if s.path.MatchString("/dev/" + d.Name) {
			return storage.Config, ""
		}
		for path, name := range s.names {
			if name == d.Name && s.path.MatchString(path) {
				return storage.Config, ""
			}
		}
		return nil, fmt.Sprintf("none of its paths matches devicePathFilter %q", storage.DevicePathFilter)
	case storage.UseAllDevices != nil && *storage.UseAllDevices:
		return storage.Config, ""
	}
	return nil, "the spec selects no devices on this node"
}

// matches applies a deviceFilter: to the name, or, if the filter has a slash,
// which no name has, to the path (S12: "^sd." and "/dev/sda").
func matches(filter *regexp.Regexp, name string) bool {
	if strings.Contains(filter.String(), "/") {
		return filter.MatchString("/dev/" + name)
	}
	return filter.MatchString(name)
}

// unfit says why a device must not be consumed; "" if it may.
func (s *selector) unfit(d Device) string {
	below := s.below(d.Name)
	for _, each := range append([]Device{d}, below...) {
		if each.Mountpoint != "" {
			return fmt.Sprintf("%s is mounted on %s", each.Name, each.Mountpoint)
		}
	}
	for _, part := range below {
		if part.Type == "part" {
			return "it has partitions"
		}
	}
	switch {
	case d.Filesystem == "LVM2_member" || len(below) > 0:
		return "it belongs to LVM or to another device mapping that is not Ceph's"
	case d.Filesystem != "":
		return fmt.Sprintf("it has a file system or signature: %s", d.Filesystem)
	case d.Kept != "":
		return d.Kept
	case d.ReadOnly:
		return "it is read-only"
	case d.Removable && len(s.request.Storage.Devices) == 0:
		return "it is removable: name it in devices to use it all the same"
	case d.Size < MinSize:
		return fmt.Sprintf("it is too small: %d bytes, at least %d are needed", d.Size, int64(MinSize))
	}
	return ""
}

// below are the devices that lie on a device, directly or not.
func (s *selector) below(name string) []Device {
	var all []Device
	for _, d := range s.devices {
		if d.Parent == name && d.Name != name {
			all = append(all, d)
			all = append(all, s.below(d.Name)...)
		}
	}
	return all
}

// settings reads the settings of a device, or says why they cannot be served.
func (s *selector) settings(config v1.Config) (Batch, string) {
	if config[v1.StoreType] == v1.Filestore {
		if !s.request.Version.Has(ceph.Filestore) {
			return Batch{}, fmt.Sprintf("storeType filestore is not supported by %s: use bluestore", s.request.Version)
		}
		return Batch{}, "storeType filestore is served for directories only: use bluestore for devices"
	}
	b := Batch{Encrypted: config.Encrypted()}
	var err error
	if b.PerDevice, err = config.Number(v1.OSDsPerDevice, 1); err != nil {
		return Batch{}, err.Error()
	}
	if config[v1.MetadataDevice] == "" {
		return b, ""
	}
	if !s.request.Version.AtLeast(ceph.Nautilus) {
		return Batch{}, fmt.Sprintf("metadataDevice is not supported by %s", s.request.Version)
	}
	if b.DatabaseMB, err = config.Number(v1.DatabaseSizeMB, 0); err != nil {
		return Batch{}, err.Error()
	}
	name, ok := s.name(string(config[v1.MetadataDevice]))
	if !ok || s.find(name) == nil {
		return Batch{}, fmt.Sprintf("its metadataDevice %s is not there", config[v1.MetadataDevice])
	}
	b.Metadata = name
	return b, ""
}

// choice is a device that is to carry OSDs, with its settings.
type choice struct {
	device   string
	settings Batch
}

// withoutMetadata leaves out the devices that hold the databases of others.
func withoutMetadata(chosen []choice) []choice {
	return slices.DeleteFunc(slices.Clone(chosen), func(c choice) bool {
		return slices.ContainsFunc(chosen, func(other choice) bool { return other.settings.Metadata == c.device })
	})
}

// batches puts devices that share a metadata device into one run, since
// ceph-volume divides that device once, and all others into runs of their own,
// so that one bad device does not keep the rest.
func batches(chosen []choice) []Batch {
	var all []Batch
next:
	for _, c := range chosen {
		if c.settings.Metadata != "" {
			for i := range all {
				same := all[i]
				same.Devices = nil
				if same.equal(c.settings) {
					all[i].Devices = append(all[i].Devices, c.device)
					continue next
				}
			}
		}
		b := c.settings
		b.Devices = []string{c.device}
		all = append(all, b)
	}
	return all
}

func (b Batch) equal(o Batch) bool {
	return b.PerDevice == o.PerDevice && b.Encrypted == o.Encrypted && b.Metadata == o.Metadata && b.DatabaseMB == o.DatabaseMB
}

// Args are the arguments of ceph-volume. It is told to prepare and not to
// activate: that is done where the OSD runs.
func (b Batch) Args() []string {
	args := []string{"lvm", "batch", "--prepare", "--bluestore", "--yes", "--osds-per-device", fmt.Sprint(b.PerDevice)}
	if b.Encrypted {
		args = append(args, "--dmcrypt")
	}
	for _, d := range b.Devices {
		args = append(args, "/dev/"+d)
	}
	if b.Metadata != "" {
		args = append(args, "--db-devices", "/dev/"+b.Metadata)
		if b.DatabaseMB > 0 {
			args = append(args, "--block-db-size", fmt.Sprint(int64(b.DatabaseMB)<<20))
		}
	}
	return args
}
