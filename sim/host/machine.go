package host

import "github.com/tidepool-ceph/tidepool/sim/loop"

// Machine is a host: what stays over a reboot ([Machine.Files],
// [Machine.Devices]) and what does not ([Machine.Running]).
type Machine struct {
	Name    string
	Addr    string // IP address
	Files   *FS
	Devices []*Device
	Loop    *loop.Loop
	Network *Network
	// Running holds whatever runs there; killing it is a power cut.
	Running *loop.Group
}

// NewMachine makes a machine that is up, with an empty file system.
func NewMachine(l *loop.Loop, n *Network, name, addr string) *Machine {
	return &Machine{Name: name, Addr: addr, Files: NewFS(), Loop: l, Network: n, Running: l.NewGroup(name)}
}

// Up says whether the machine has power.
func (m *Machine) Up() bool { return !m.Running.Dead() }

// PowerOff cuts the power: whatever runs there ends where it stands.
func (m *Machine) PowerOff() { m.Running.Kill() }

// PowerOn gives a machine that is down a new, empty [Machine.Running]. Nothing
// starts by itself; whoever simulates what boots there does that.
func (m *Machine) PowerOn() {
	if !m.Up() {
		m.Running = m.Loop.NewGroup(m.Name)
	}
}

// Device is a block device as lsblk shows it.
type Device struct {
	Name       string // "sdb", without /dev/
	Size       uint64 // bytes
	Rotational bool
	ReadOnly   bool
	Removable  bool
	Type       string // "disk", "part", "lvm", "loop", "rom", "crypt"
	Model      string
	Serial     string
	Filesystem string // "xfs", "LVM2_member", "ceph_bluestore"; empty for none
	Mountpoint string // empty for none
	Partitions []*Device
	// State is what a program keeps on the device, such as an OSD's store.
	State any
}
