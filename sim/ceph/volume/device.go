package volume

import (
	"crypto/sha1"
	"fmt"
	"path"
	"strings"
	"time"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// Store is an OSD's store, on a device or in a directory.
type Store struct {
	Kind        string // "bluestore", "filestore"
	OSD         int
	UUID        string
	ClusterFSID string
	Key         string // base64; empty where only the keyring file has it
	Size        uint64 // bytes
	Created     time.Time
	Version     string // of the program that made it
	// Booted says whether the OSD was in the cluster before.
	Booted bool
}

// LV is a logical volume of ceph-volume.
type LV struct {
	Group, Name, UUID string
	Tags              map[string]string
	Store             *Store // nil until it is formatted
	// Passphrase locks an encrypted volume; empty for one that is not.
	Passphrase string
}

// Path is where the volume is found below /dev.
func (l *LV) Path() string { return "/dev/" + l.Group + "/" + l.Name }

// mapper is the name that the device mapper gives the volume.
func (l *LV) mapper() string {
	double := strings.NewReplacer("-", "--")
	return double.Replace(l.Group) + "-" + double.Replace(l.Name)
}

// Open says whether a process may open the machine's devices: it runs on the
// bare machine, or in a privileged container that sees the host's /dev.
func Open(p *host.Process) bool {
	return p.Container == nil || p.Container.Privileged && p.Container.HostDev
}

// entry is a device with where it lies.
type entry struct {
	*host.Device
	parent *host.Device // nil for a disk
	disk   *host.Device // the topmost
}

// all lists the machine's devices, each before those that lie on it.
func all(m *host.Machine) []entry {
	var out []entry
	var visit func(d, parent, disk *host.Device)
	visit = func(d, parent, disk *host.Device) {
		if disk == nil {
			disk = d
		}
		out = append(out, entry{d, parent, disk})
		for _, c := range d.Partitions {
			visit(c, d, disk)
		}
	}
	for _, d := range m.Devices {
		visit(d, nil, nil)
	}
	return out
}

// devPath is where the device is found.
func (e entry) devPath() string {
	if e.Type == "lvm" || e.Type == "crypt" {
		return "/dev/mapper/" + e.Name
	}
	return "/dev/" + e.Name
}

// Find finds a device by its path below /dev, its name, or a stable link such
// as /dev/disk/by-id/….
func Find(m *host.Machine, name string) (*host.Device, bool) {
	e, ok := find(m, name)
	return e.Device, ok
}

// Disk is the disk that a device lies on.
func Disk(m *host.Machine, d *host.Device) *host.Device {
	for _, e := range all(m) {
		if e.Device == d {
			return e.disk
		}
	}
	return d
}

func find(m *host.Machine, name string) (entry, bool) {
	name = path.Clean(name)
	for _, e := range all(m) {
		if name == e.Name || name == "/dev/"+e.Name || name == e.devPath() || name == e.link() && e.Serial != "" {
			return e, true
		}
		if l, ok := e.State.(*LV); ok && (name == l.Path() || name == l.Group+"/"+l.Name) {
			return e, true
		}
	}
	return entry{}, false
}

// link is the name that udev gives the device by its serial number.
func (e entry) link() string {
	return "/dev/disk/by-id/" + strings.ReplaceAll("ata-"+e.Model+"_"+e.Serial, " ", "_")
}

// StoreOn is the store that a device carries; nil if it has none.
func StoreOn(d *host.Device) *Store {
	switch s := d.State.(type) {
	case *Store:
		return s
	case *LV:
		return s.Store
	}
	return nil
}

// SetStore puts a store on a device.
func SetStore(d *host.Device, s *Store) {
	if d.Filesystem == "" {
		d.Filesystem = "ceph_bluestore"
	}
	if l, ok := d.State.(*LV); ok {
		l.Store = s
		return
	}
	d.State = s
}

// uuid makes a random uuid.
func uuid(p *host.Process) string {
	r := p.Loop.Rand("ceph-volume " + p.Machine.Name)
	var b [16]byte
	for i := range b {
		b[i] = byte(r.UintN(256))
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// lvmID is an id as LVM writes it, made from a seed.
func lvmID(seed string) string {
	const alphabet = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	sum := sha1.Sum([]byte(seed))
	var b strings.Builder
	for i := range 32 {
		if i == 6 || i == 10 || i == 14 || i == 18 || i == 22 || i == 26 {
			b.WriteByte('-')
		}
		b.WriteByte(alphabet[(int(sum[i%len(sum)])+i)%len(alphabet)])
	}
	return b.String()
}
