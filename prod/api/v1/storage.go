package v1

import (
	corev1 "k8s.io/api/core/v1"
)

// StorageSpec says which nodes, devices and directories become OSDs (S12-S16).
//
// +kubebuilder:pruning:PreserveUnknownFields
type StorageSpec struct {
	// Whether every node that the OSD placement lets in is a storage node. If
	// so, nodes is not looked at (S12, S15).
	// +optional
	UseAllNodes bool `json:"useAllNodes,omitempty"`

	// The storage nodes, where useAllNodes is false (S15).
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=1000
	Nodes []Node `json:"nodes,omitempty"`

	// CRUSH location of the OSDs as comma-separated pairs, for example rack=r1 (S12).
	// +optional
	Location string `json:"location,omitempty"`

	// Settings of all OSDs (S13).
	// +optional
	Config Config `json:"config,omitempty"`

	Selection `json:",inline"`
}

// Selection says what of a node becomes an OSD. Of the device fields the first
// that is set counts: devices, deviceFilter, devicePathFilter, useAllDevices.
// Directories come on top of devices.
type Selection struct {
	// Whether every device without partitions and file system is used (S12).
	// +optional
	UseAllDevices *bool `json:"useAllDevices,omitempty"`

	// Regular expression (RE2) over device names, for example ^sd. (S12).
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="''.matches(self) in [true, false]",message="must be a regular expression that compiles"
	DeviceFilter string `json:"deviceFilter,omitempty"`

	// Regular expression (RE2) over device paths, for example ^/dev/disk/by-id/ata.
	// +optional
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="''.matches(self) in [true, false]",message="must be a regular expression that compiles"
	DevicePathFilter string `json:"devicePathFilter,omitempty"`

	// The devices by name (S16).
	// +optional
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=100
	Devices []Device `json:"devices,omitempty"`

	// Directories that become filestore OSDs (S14).
	// +optional
	// +listType=map
	// +listMapKey=path
	// +kubebuilder:validation:MaxItems=100
	Directories []Directory `json:"directories,omitempty"`
}

// selectsDevices tells whether any of the device fields is written.
func (s Selection) selectsDevices() bool {
	return s.UseAllDevices != nil || s.DeviceFilter != "" || s.DevicePathFilter != "" || len(s.Devices) > 0
}

// Node is a storage node and what is particular to it (S15, S16).
//
// +kubebuilder:pruning:PreserveUnknownFields
type Node struct {
	// Value of the node's label kubernetes.io/hostname (S15).
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	Name string `json:"name"`

	// Limits and requests of the node's OSDs, in place of spec.resources (S16).
	// +optional
	Resources corev1.ResourceRequirements `json:"resources,omitempty"`

	// Settings of the node's OSDs, over those of the cluster (S16).
	// +optional
	// +nullable
	Config Config `json:"config"`

	// CRUSH location of the node's OSDs, in place of the cluster's.
	// +optional
	Location string `json:"location,omitempty"`

	Selection `json:",inline"`
}

// Device is a block device (S16).
//
// +kubebuilder:pruning:PreserveUnknownFields
type Device struct {
	// Name of the device, for example sdb, or its whole path under /dev.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=4096
	Name string `json:"name"`

	// Settings of the OSDs on this device, over those of the node (S16).
	// +optional
	// +nullable
	Config Config `json:"config"`
}

// Directory is a directory that becomes a filestore OSD (S14).
//
// +kubebuilder:pruning:PreserveUnknownFields
type Directory struct {
	// Absolute path on the host.
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must be an absolute path"
	Path string `json:"path"`

	// Settings of this OSD, over those of the node.
	// +optional
	// +nullable
	Config Config `json:"config"`
}

// Node returns what holds for the storage node of that name: the node's own
// values, and the cluster's where the node has none. The settings of devices
// and directories hold all three levels merged (S13, S16). The result shares
// nothing with s. ok is false for a node that is not a storage node by name,
// which cannot be with useAllNodes (S15).
//
// Devices are chosen by the node or by the cluster, never by a mixture: a node
// that writes any device field gets none of the cluster's.
func (s StorageSpec) Node(name string) (node Node, ok bool) {
	node, ok = s.named(name)
	if !ok {
		return Node{}, false
	}
	node = *node.DeepCopy()
	cluster := s.Selection.DeepCopy()
	if !node.selectsDevices() {
		directories := node.Directories
		node.Selection = *cluster
		node.Directories = directories
	}
	if node.Directories == nil {
		node.Directories = cluster.Directories
	}
	if node.Location == "" {
		node.Location = s.Location
	}
	node.Config = s.Config.Merge(node.Config)
	for i := range node.Devices {
		node.Devices[i].Config = node.Config.Merge(node.Devices[i].Config)
	}
	for i := range node.Directories {
		node.Directories[i].Config = node.Config.Merge(node.Directories[i].Config)
	}
	return node, true
}

// named returns the node's own entry, empty but for the name with useAllNodes.
func (s StorageSpec) named(name string) (Node, bool) {
	if s.UseAllNodes {
		return Node{Name: name}, true
	}
	for _, node := range s.Nodes {
		if node.Name == name {
			return node, true
		}
	}
	return Node{}, false
}
