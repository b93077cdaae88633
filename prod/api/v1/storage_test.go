package v1_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/ptr"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestStorageNode(t *testing.T) {
	tests := map[string]struct {
		storage v1.StorageSpec
		want    v1.Node // of n1; without a name where n1 is no storage node
	}{
		"no nodes": {},
		"another node": {
			storage: v1.StorageSpec{Nodes: []v1.Node{{Name: "n2"}}},
		},
		"every node": {
			v1.StorageSpec{
				UseAllNodes: true, Location: "rack=r1", Config: v1.Config{"storeType": "bluestore"},
				Selection: v1.Selection{UseAllDevices: ptr.To(true), Directories: []v1.Directory{{Path: "/data"}}},
			},
			v1.Node{
				Name: "n1", Location: "rack=r1", Config: v1.Config{"storeType": "bluestore"},
				Selection: v1.Selection{
					UseAllDevices: ptr.To(true),
					Directories:   []v1.Directory{{Path: "/data", Config: v1.Config{"storeType": "bluestore"}}},
				},
			},
		},
		"nodes do not count with useAllNodes (S15)": {
			v1.StorageSpec{UseAllNodes: true, Nodes: []v1.Node{{Name: "n1", Location: "rack=r1"}}},
			v1.Node{Name: "n1"},
		},
		"the node's own values win": {
			v1.StorageSpec{
				Location: "rack=r1", Selection: v1.Selection{Directories: []v1.Directory{{Path: "/cluster"}}},
				Nodes: []v1.Node{{Name: "n1", Location: "rack=r2", Selection: v1.Selection{Directories: []v1.Directory{{Path: "/node"}}}}},
			},
			v1.Node{Name: "n1", Location: "rack=r2", Selection: v1.Selection{Directories: []v1.Directory{{Path: "/node"}}}},
		},
		"with directories alone the cluster's devices stay (second sample)": {
			v1.StorageSpec{
				Selection: v1.Selection{UseAllDevices: ptr.To(false), DeviceFilter: "/dev/sda"},
				Nodes:     []v1.Node{{Name: "n1", Selection: v1.Selection{Directories: []v1.Directory{{Path: "/var/lib/rook"}}}}},
			},
			v1.Node{Name: "n1", Selection: v1.Selection{
				UseAllDevices: ptr.To(false), DeviceFilter: "/dev/sda", Directories: []v1.Directory{{Path: "/var/lib/rook"}},
			}},
		},
		"a node's filter replaces the cluster's devices": {
			v1.StorageSpec{
				Selection: v1.Selection{UseAllDevices: ptr.To(true), Devices: []v1.Device{{Name: "sda"}}, DevicePathFilter: "ata"},
				Nodes:     []v1.Node{{Name: "n1", Selection: v1.Selection{DeviceFilter: "^sd."}}},
			},
			v1.Node{Name: "n1", Selection: v1.Selection{DeviceFilter: "^sd."}},
		},
		"a node's path filter does": {
			v1.StorageSpec{
				Selection: v1.Selection{UseAllDevices: ptr.To(true)},
				Nodes:     []v1.Node{{Name: "n1", Selection: v1.Selection{DevicePathFilter: "ata"}}},
			},
			v1.Node{Name: "n1", Selection: v1.Selection{DevicePathFilter: "ata"}},
		},
		"a node's devices do": {
			v1.StorageSpec{
				Selection: v1.Selection{DeviceFilter: "^sd."},
				Nodes:     []v1.Node{{Name: "n1", Selection: v1.Selection{Devices: []v1.Device{{Name: "vdb"}}}}},
			},
			v1.Node{Name: "n1", Selection: v1.Selection{Devices: []v1.Device{{Name: "vdb"}}}},
		},
		"a node's useAllDevices: false does": {
			v1.StorageSpec{
				Selection: v1.Selection{UseAllDevices: ptr.To(true)},
				Nodes:     []v1.Node{{Name: "n1", Selection: v1.Selection{UseAllDevices: ptr.To(false)}}},
			},
			v1.Node{Name: "n1", Selection: v1.Selection{UseAllDevices: ptr.To(false)}},
		},
		"device over node over cluster (S13, S16)": {
			v1.StorageSpec{
				Config: v1.Config{"osdsPerDevice": "1", "storeType": "bluestore", "databaseSizeMB": "1024"},
				Nodes: []v1.Node{{
					Name: "n1", Config: v1.Config{"osdsPerDevice": "2", "metadataDevice": "md0"},
					Selection: v1.Selection{
						Devices:     []v1.Device{{Name: "sdb"}, {Name: "nvme01", Config: v1.Config{"osdsPerDevice": "5"}}},
						Directories: []v1.Directory{{Path: "/data", Config: v1.Config{"storeType": "filestore"}}},
					},
				}},
			},
			v1.Node{
				Name: "n1", Config: v1.Config{"osdsPerDevice": "2", "storeType": "bluestore", "databaseSizeMB": "1024", "metadataDevice": "md0"},
				Selection: v1.Selection{
					Devices: []v1.Device{
						{Name: "sdb", Config: v1.Config{"osdsPerDevice": "2", "storeType": "bluestore", "databaseSizeMB": "1024", "metadataDevice": "md0"}},
						{Name: "nvme01", Config: v1.Config{"osdsPerDevice": "5", "storeType": "bluestore", "databaseSizeMB": "1024", "metadataDevice": "md0"}},
					},
					Directories: []v1.Directory{
						{Path: "/data", Config: v1.Config{"osdsPerDevice": "2", "storeType": "filestore", "databaseSizeMB": "1024", "metadataDevice": "md0"}},
					},
				},
			},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			before := test.storage.DeepCopy()
			got, ok := test.storage.Node("n1")
			if want := test.want.Name != ""; ok != want {
				t.Errorf("is a storage node: %v, want %v", ok, want)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(*before, test.storage); diff != "" {
				t.Errorf("the spec changed:\n%s", diff)
			}
		})
	}
}

func TestConfigNumber(t *testing.T) {
	config := v1.Config{"osdsPerDevice": "5", "journalSizeMB": "1G"}
	if n, err := config.Number(v1.OSDsPerDevice, 1); n != 5 || err != nil {
		t.Errorf("set: %d, %v", n, err)
	}
	if n, err := config.Number(v1.DatabaseSizeMB, 7); n != 7 || err != nil {
		t.Errorf("not set: %d, %v", n, err)
	}
	if _, err := config.Number(v1.JournalSizeMB, 0); err == nil || err.Error() != `journalSizeMB must be a number, not "1G"` {
		t.Errorf("no number: %v", err)
	}
}

func TestConfigEncrypted(t *testing.T) {
	for value, want := range map[v1.Setting]bool{"true": true, "false": false, "": false} {
		if got := (v1.Config{v1.EncryptedDevice: value}).Encrypted(); got != want {
			t.Errorf("%q: %v", value, got)
		}
	}
}
