package hotplug

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"slices"
	"strings"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// RecordAnnotation is on a node's result ConfigMap and holds the [Record].
const RecordAnnotation = "ceph.rook.io/known-devices"

// Record is what a cluster last knew of a node's devices.
type Record struct {
	// Asked is how often a change has asked for the node's job.
	Asked   int     `json:"asked,omitempty"`
	Devices []Known `json:"devices"`
}

// Known is a device that was known.
type Known struct {
	Name   string `json:"name"`
	Serial string `json:"serial,omitempty"`
	WWN    string `json:"wwn,omitempty"`
	Usable bool   `json:"usable,omitempty"`
}

// Change is news of one device.
type Change struct {
	// Device is its last known state; of one that is gone only its name and type.
	Device Device
	// Text tells people, as "sdb is gone".
	Text string
	// Acts says whether the node's job has something to do for it.
	Acts bool
}

// all is a selection that every device fits: what is recorded does not depend on
// the spec of the moment.
func all() v1.Node {
	yes := true
	return v1.Node{Selection: v1.Selection{UseAllDevices: &yes}}
}

// disks are the devices that could carry an OSD by their kind.
func disks(devices []Device) []Device {
	return slices.DeleteFunc(slices.Clone(devices), func(d Device) bool {
		wanted, err := prepare.Wants(all(), d.asFound(), nil)
		return err != nil || !wanted || d.Parent != ""
	})
}

// Next compares the list with what was known. The record that it returns knows
// the list; its Asked is one more if a change acts.
func (r Record) Next(devices []Device) (Record, []Change) {
	next := Record{Asked: r.Asked, Devices: []Known{}}
	var changes []Change
	left := slices.Clone(r.Devices)
	matched := match(&left, disks(devices))
	for i, d := range disks(devices) {
		is := known(d)
		next.Devices = append(next.Devices, is)
		switch was := matched[i]; {
		case was == nil && is.Usable:
			changes = append(changes, Change{d, d.Name + " is new", true})
		case was == nil:
			changes = append(changes, Change{d, d.Name + " is new and in use", false})
		case is.Usable && !was.Usable:
			changes = append(changes, Change{d, d.Name + " has become usable", true})
		case !is.Usable && was.Usable:
			changes = append(changes, Change{d, d.Name + " is in use now", false})
		}
	}
	for _, gone := range left {
		changes = append(changes, Change{Device{Name: gone.Name, Type: "disk"}, gone.Name + " is gone", true})
	}
	if slices.ContainsFunc(changes, func(c Change) bool { return c.Acts }) {
		next.Asked++
	}
	return next, changes
}

// Begin is the record of a node that is known only by the result of its job: each
// device that the result accounts for is as the list says. What the result does
// not speak of, the job has not seen.
func Begin(result prepare.Result, devices []Device) Record {
	record := Record{Devices: []Known{}}
	for _, d := range disks(devices) {
		if slices.ContainsFunc(result.OSDs, func(osd prepare.OSD) bool { return osd.Device == d.Name }) ||
			slices.ContainsFunc(result.Unused, func(u v1.UnusedDevice) bool { return called(d, u.Name) }) || !d.Usable() {
			record.Devices = append(record.Devices, known(d))
		}
	}
	return record
}

// called says whether a result means the device, which it may call as the spec
// does.
func called(d Device, name string) bool { return name == d.Name || slices.Contains(d.paths(), name) }

// Mark is what [osd.PrepareAgain] is asked with: another one for each change that
// acts, the same one if the operator was killed before the record was written.
func (r Record) Mark() string {
	sum := sha256.Sum256([]byte(r.encode()))
	return hex.EncodeToString(sum[:8])
}

func (r Record) encode() string {
	text, err := json.Marshal(r)
	if err != nil {
		panic(err) // plain data: cannot be
	}
	return string(text)
}

// decode reads the annotation; found is false if there is none, or none that can
// be read, which begins anew.
func decode(text string) (r Record, found bool) {
	return r, text != "" && json.Unmarshal([]byte(text), &r) == nil
}

// Equal says whether two lists say the same of the devices that count.
func Equal(before, after []Device) bool {
	var was Record
	for _, d := range disks(before) {
		was.Devices = append(was.Devices, known(d))
	}
	_, changes := was.Next(after)
	return len(changes) == 0
}

func known(d Device) Known {
	k := Known{Name: d.Name, Serial: d.Serial, WWN: d.WWN, Usable: d.Usable()}
	if d.Extension != "" {
		k.WWN = d.Extension
	}
	return k
}

// match finds for each device what was known of it, nil if nothing was, and
// leaves in left what is no longer there. A device is known by what it is and by
// its name, else by what it is: kernel names change at a boot.
func match(left *[]Known, devices []Device) []*Known {
	found := make([]*Known, len(devices))
	for _, named := range []bool{true, false} {
		for i, d := range devices {
			is := known(d)
			at := slices.IndexFunc(*left, func(was Known) bool { return same(was, is) && (!named || was.Name == is.Name) })
			if found[i] == nil && at >= 0 {
				found[i] = &Known{}
				*found[i] = (*left)[at]
				*left = slices.Delete(*left, at, at+1)
			}
		}
	}
	return found
}

// same says whether two are one device. The uuid does not tell: of a disk without
// a partition table it is another one each time.
func same(a, b Known) bool {
	switch {
	case a.WWN != "" && b.WWN != "":
		return a.WWN == b.WWN
	case a.Serial != "" && b.Serial != "":
		return a.Serial == b.Serial
	}
	return a.Name == b.Name
}

// texts joins what changes say.
func texts(changes []Change) string {
	var all []string
	for _, c := range changes {
		all = append(all, c.Text)
	}
	return strings.Join(all, ", ")
}
