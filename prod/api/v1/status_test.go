package v1_test

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

func TestPhase(t *testing.T) {
	tests := map[v1.ClusterState]v1.ClusterPhase{
		"":         "",
		"Creating": "Progressing",
		"Created":  "Ready",
		"Updating": "Progressing",
		"Error":    "Failure",
		"Deleting": "Deleting",
	}
	for state, want := range tests {
		if got := state.Phase(); got != want {
			t.Errorf("%q: %q, want %q", state, got, want)
		}
	}
}

func TestBoundKeepsASmallStatus(t *testing.T) {
	status := v1.StorageStatus{Nodes: []v1.NodeStorageStatus{{
		Name:   "n1",
		OSDs:   []v1.OSDStatus{{ID: 0, Device: "sdb"}},
		Unused: []v1.UnusedDevice{{Name: "sda", Reason: "has partitions"}},
	}}}
	if diff := cmp.Diff(status, status.Bound()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBoundCutsAndCounts(t *testing.T) {
	status := v1.StorageStatus{NodesOmitted: 4}
	for n := range v1.MaxStatusNodes + 3 {
		status.Nodes = append(status.Nodes, v1.NodeStorageStatus{Name: fmt.Sprint("n", n)})
	}
	node := &status.Nodes[1]
	for i := range v1.MaxStatusOSDs + 2 {
		node.OSDs = append(node.OSDs, v1.OSDStatus{ID: i})
	}
	for i := range v1.MaxStatusUnused + 1 {
		node.Unused = append(node.Unused, v1.UnusedDevice{Name: fmt.Sprint("sd", i), Reason: strings.Repeat("ü", 200)})
	}
	before := status.DeepCopy()

	bounded := status.Bound()

	if diff := cmp.Diff(*before, status); diff != "" {
		t.Errorf("the argument changed:\n%s", diff)
	}
	if len(bounded.Nodes) != v1.MaxStatusNodes || bounded.NodesOmitted != 4+3 {
		t.Errorf("%d nodes and %d omitted", len(bounded.Nodes), bounded.NodesOmitted)
	}
	got := bounded.Nodes[1]
	if len(got.OSDs) != v1.MaxStatusOSDs || got.OSDsOmitted != 2 {
		t.Errorf("%d OSDs and %d omitted", len(got.OSDs), got.OSDsOmitted)
	}
	if len(got.Unused) != v1.MaxStatusUnused || got.UnusedOmitted != 1 {
		t.Errorf("%d unused and %d omitted", len(got.Unused), got.UnusedOmitted)
	}
	if want := strings.Repeat("ü", 126) + "..."; got.Unused[0].Reason != want || !utf8.ValidString(want) {
		t.Errorf("reason is %q", got.Unused[0].Reason)
	}
	if diff := cmp.Diff(bounded, bounded.Bound()); diff != "" {
		t.Errorf("bounding again changes:\n%s", diff)
	}
}
