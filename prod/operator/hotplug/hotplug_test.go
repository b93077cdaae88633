package hotplug

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// TestParseDevices reads what a discover daemon with ceph-volume's inventory
// writes: names of fields, their case and their nesting are the daemon's.
func TestParseDevices(t *testing.T) {
	list := `[{"name":"vdd","parent":"","hasChildren":false,"devLinks":"/dev/disk/by-id/virtio-4 /dev/disk/by-path/pci-9","size":32212254720,` +
		`"uuid":"27e9","serial":"S4","type":"disk","rotational":true,"readOnly":false,"Partitions":null,"filesystem":"","vendor":"","model":"",` +
		`"wwn":"W4","wwnVendorExtension":"X4","empty":true,"cephVolumeData":"{\"path\":\"/dev/vdd\",\"available\":true,\"lvs\":[]}","real-path":"/dev/vdd","kernel-name":"vdd","label":""},` +
		`{"name":"vdb","type":"disk","Partitions":[{"Name":"vdb1","Size":1,"Label":"","Filesystem":"ext4"}],"empty":false,` +
		`"cephVolumeData":"{\"lvs\":[{\"name\":\"osd-block\"}]}","mountpoint":"/x","filesystem":"xfs"}]`
	devices, err := ParseDevices(&corev1.ConfigMap{Data: map[string]string{"devices": list}})
	if err != nil {
		t.Fatal(err)
	}
	want := []Device{
		{
			Name: "vdd", DevLinks: "/dev/disk/by-id/virtio-4 /dev/disk/by-path/pci-9", Serial: "S4", WWN: "W4", Extension: "X4", Type: "disk",
			Empty: true, CephVolumeData: `{"path":"/dev/vdd","available":true,"lvs":[]}`,
		},
		{
			Name: "vdb", Type: "disk", Filesystem: "xfs", Mountpoint: "/x", CephVolumeData: `{"lvs":[{"name":"osd-block"}]}`,
			Partitions: []any{map[string]any{"Name": "vdb1", "Size": 1.0, "Label": "", "Filesystem": "ext4"}},
		},
	}
	if diff := cmp.Diff(want, devices); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if !devices[0].Usable() || devices[1].Usable() {
		t.Errorf("usable: %v, %v", devices[0].Usable(), devices[1].Usable())
	}
	for _, bad := range []string{"", "[{", `{"name":"x"}`, `[{"name":1}]`} {
		if _, err := ParseDevices(&corev1.ConfigMap{Data: map[string]string{"devices": bad}}); err == nil {
			t.Errorf("%q was read", bad)
		}
	}
}

func disk(name string, changes ...func(*Device)) Device {
	d := Device{Name: name, Type: "disk", Empty: true}
	for _, change := range changes {
		change(&d)
	}
	return d
}

func used(d *Device)                  { d.Empty, d.Filesystem = false, "LVM2_member" }
func serial(s string) func(*Device)   { return func(d *Device) { d.Serial = s } }
func wwn(w string) func(*Device)      { return func(d *Device) { d.WWN = w } }
func kind(kind string) func(*Device)  { return func(d *Device) { d.Type = kind } }
func links(l string) func(*Device)    { return func(d *Device) { d.DevLinks = l } }
func list(devices ...Device) []Device { return devices }

// TestNext: what a list says besides what was known, and whether the node's job
// has to do with it (B20).
func TestNext(t *testing.T) {
	for name, c := range map[string]struct {
		before, after []Device
		want          string
		acts          bool
	}{
		"nothing":                       {list(disk("sda", used)), list(disk("sda", used)), "", false},
		"no list any more":              {nil, nil, "", false},
		"another order":                 {list(disk("sda"), disk("sdb", used)), list(disk("sdb", used), disk("sda")), "", false},
		"other links":                   {list(disk("sda", links("/a /b"))), list(disk("sda", links("/b /a /c"))), "", false},
		"a new disk":                    {list(disk("sda", used)), list(disk("sda", used), disk("sdb")), "sdb is new", true},
		"a new disk that holds data":    {list(disk("sda", used)), list(disk("sda", used), disk("sdb", used)), "sdb is new and in use", false},
		"a disk is wiped":               {list(disk("sda", used)), list(disk("sda")), "sda has become usable", true},
		"a disk is consumed":            {list(disk("sda")), list(disk("sda", used)), "sda is in use now", false},
		"a disk goes":                   {list(disk("sda"), disk("sdb")), list(disk("sdb")), "sda is gone", true},
		"a disk that is used goes":      {list(disk("sda", used)), nil, "sda is gone", true},
		"partitioned":                   {list(disk("sda")), list(disk("sda", func(d *Device) { d.Partitions = []any{1} })), "sda is in use now", false},
		"has children":                  {list(disk("sda")), list(disk("sda", func(d *Device) { d.HasChildren = true })), "sda is in use now", false},
		"mounted":                       {list(disk("sda")), list(disk("sda", func(d *Device) { d.Mountpoint = "/x" })), "sda is in use now", false},
		"read-only":                     {list(disk("sda")), list(disk("sda", func(d *Device) { d.ReadOnly = true })), "sda is in use now", false},
		"volumes":                       {list(disk("sda")), list(disk("sda", func(d *Device) { d.CephVolumeData = `{"lvs":[{}]}` })), "sda is in use now", false},
		"ceph-volume is asked now":      {list(disk("sda")), list(disk("sda", func(d *Device) { d.CephVolumeData = `{"lvs":[]}` })), "", false},
		"network block devices":         {list(disk("nbd0")), list(disk("nbd1"), disk("rbd0")), "", false},
		"loop devices":                  {nil, list(disk("loop0", kind("loop")), disk("sr0", kind("rom"))), "", false},
		"a partition, a volume":         {nil, list(disk("sda1", kind("part")), disk("dm-0", kind("lvm")), disk("vg-lv", kind("crypt"))), "", false},
		"a path of a multipath device":  {nil, list(disk("sda", func(d *Device) { d.Parent = "mpatha" })), "", false},
		"a multipath device":            {nil, list(disk("mpatha", kind("mpath"))), "mpatha is new", true},
		"an ssd":                        {nil, list(disk("nvme0n1", kind("ssd"))), "nvme0n1 is new", true},
		"renamed at a boot":             {list(disk("sda", serial("A"), used), disk("sdb", serial("B"))), list(disk("sdb", serial("A"), used), disk("sda", serial("B"))), "", false},
		"another disk in its place":     {list(disk("sda", serial("A"), used)), list(disk("sda", serial("B"))), "sda is new, sda is gone", true},
		"its serial is read now":        {list(disk("sda", used)), list(disk("sda", serial("A"), used)), "", false},
		"its serial cannot be read now": {list(disk("sda", serial("A"), used)), list(disk("sda", used)), "", false},
		"by wwn rather than serial":     {list(disk("sda", wwn("W"), serial("A"), used)), list(disk("sdc", wwn("W"), serial("a"), used)), "", false},
		"two of one serial": {
			list(disk("sda", serial("A"), used), disk("sdb", serial("A"))),
			list(disk("sdb", serial("A")), disk("sda", serial("A"), used)), "", false,
		},
		"one of two of one serial goes": {list(disk("sda", serial("A"), used), disk("sdb", serial("A"))), list(disk("sda", serial("A"), used)), "sdb is gone", true},
	} {
		t.Run(name, func(t *testing.T) {
			first, _ := Record{}.Next(c.before)
			next, changes := first.Next(c.after)
			if got := texts(changes); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
			if acts := next.Asked > first.Asked; acts != c.acts {
				t.Errorf("acts: %v", acts)
			}
			if Equal(c.before, c.after) != (c.want == "") {
				t.Errorf("equal: %v", Equal(c.before, c.after))
			}
			if again, changes := next.Next(c.after); len(changes) > 0 || again.Mark() != next.Mark() {
				t.Errorf("the same list says again: %s", texts(changes))
			}
			if c.acts && next.Mark() == first.Mark() {
				t.Errorf("asked with %s after %s", next.Mark(), first.Mark())
			}
			read, found := decode(next.encode())
			if diff := cmp.Diff(next, read); diff != "" || !found {
				t.Errorf("read back (-want +got):\n%s", diff)
			}
		})
	}
}

// TestTheSameChangeTwice: a disk that is wiped a second time asks with another
// mark, else the second wish would be lost.
func TestTheSameChangeTwice(t *testing.T) {
	marks := map[string]bool{}
	r, _ := Record{}.Next(list(disk("sda", used)))
	for range 3 {
		r, _ = r.Next(list(disk("sda")))
		marks[r.Mark()] = true
		r, _ = r.Next(list(disk("sda", used)))
	}
	if len(marks) != 3 {
		t.Errorf("three wipes asked with %v", marks)
	}
}

// TestBegin: what the node's job has accounted for is no news.
func TestBegin(t *testing.T) {
	result := prepare.Result{
		Phase:  prepare.Completed,
		OSDs:   []prepare.OSD{{ID: 0, Device: "sdb"}},
		Unused: []v1.UnusedDevice{{Name: "sdc", Reason: "it is too small"}, {Name: "/dev/disk/by-id/d"}},
	}
	devices := list(disk("sda", used), disk("sdb"), disk("sdc"), disk("sdd", links("/dev/disk/by-id/d")), disk("sde"))
	_, changes := Begin(result, devices).Next(devices)
	if got := texts(changes); got != "sde is new" {
		t.Errorf("got %q", got)
	}
}

// TestAnAnnotationThatCannotBeRead begins anew.
func TestAnAnnotationThatCannotBeRead(t *testing.T) {
	for _, text := range []string{"", "{", `{"devices":1}`} {
		if _, found := decode(text); found {
			t.Errorf("%q was read", text)
		}
	}
}
