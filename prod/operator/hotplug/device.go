package hotplug

import (
	"encoding/json"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

// What marks the ConfigMap of a node's devices, as Rook's discover daemon does.
const (
	// App is the value of its label app.
	App = "rook-discover"
	// NodeLabel names the node, by its name in Kubernetes.
	NodeLabel = "rook.io/node"
	// DevicesKey is the data key of the list.
	DevicesKey = "devices"
)

// Device is a device as the discover daemon lists it, as far as it matters here.
type Device struct {
	Name        string `json:"name"`
	Parent      string `json:"parent"`
	HasChildren bool   `json:"hasChildren"`
	// DevLinks are its other paths, separated by spaces.
	DevLinks string `json:"devLinks"`
	Serial   string `json:"serial"`
	WWN      string `json:"wwn"`
	// Extension tells apart what a controller gives one wwn.
	Extension  string `json:"wwnVendorExtension"`
	Type       string `json:"type"`
	ReadOnly   bool   `json:"readOnly"`
	Partitions []any  `json:"partitions"`
	Filesystem string `json:"filesystem"`
	Mountpoint string `json:"mountpoint"`
	// Empty is the daemon's own judgement.
	Empty bool `json:"empty"`
	// CephVolumeData is what `ceph-volume inventory` says of it, as JSON; empty
	// where the daemon was not told to ask.
	CephVolumeData string `json:"cephVolumeData"`
}

// ParseDevices reads the list of a node's ConfigMap.
func ParseDevices(cm *corev1.ConfigMap) ([]Device, error) {
	var devices []Device
	if err := json.Unmarshal([]byte(cm.Data[DevicesKey]), &devices); err != nil {
		return nil, fmt.Errorf("ConfigMap %s/%s has under %q what is no list of devices: %w", cm.Namespace, cm.Name, DevicesKey, err)
	}
	return devices, nil
}

// paths are all by which the device can be called.
func (d Device) paths() []string { return append(strings.Fields(d.DevLinks), "/dev/"+d.Name) }

// asFound is the device as the node's job would see it.
func (d Device) asFound() prepare.Device {
	kind := d.Type
	if kind == "ssd" {
		kind = "disk" // the daemon's own name for a disk that does not rotate
	}
	return prepare.Device{Name: d.Name, Parent: d.Parent, Type: kind}
}

// Usable says whether the device holds nothing, so that an OSD could be made of
// it.
func (d Device) Usable() bool {
	return d.Empty && !d.ReadOnly && !d.HasChildren && len(d.Partitions) == 0 &&
		d.Filesystem == "" && d.Mountpoint == "" && !d.hasVolumes()
}

// hasVolumes says whether ceph-volume has found logical volumes on it. What it
// thinks of the device besides is for the node's job to find out.
func (d Device) hasVolumes() bool {
	var inventory struct {
		LVs []any `json:"lvs"`
	}
	return json.Unmarshal([]byte(d.CephVolumeData), &inventory) == nil && len(inventory.LVs) > 0
}
