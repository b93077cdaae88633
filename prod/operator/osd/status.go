package osd

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apimeta "k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// storageStatus is what the CephCluster's status says of nodes and devices.
func storageStatus(results map[string]prepare.Result, osds []known) *v1.StorageStatus {
	states := map[placed]string{}
	for _, k := range osds {
		if k.Exists && k.state() != "" {
			states[k.placed] = k.state()
		}
	}
	var status v1.StorageStatus
	for name, result := range results {
		node := v1.NodeStorageStatus{Name: name, Unused: slices.Clone(result.Unused)}
		for _, osd := range append(slices.Clone(result.OSDs), result.Lost...) {
			node.OSDs = append(node.OSDs, v1.OSDStatus{ID: osd.ID, Device: osd.On(), State: states[placed{Node: name, OSD: osd}]})
		}
		slices.SortFunc(node.OSDs, func(a, b v1.OSDStatus) int { return cmp.Compare(a.ID, b.ID) })
		slices.SortFunc(node.Unused, func(a, b v1.UnusedDevice) int { return cmp.Compare(a.Name, b.Name) })
		if len(node.OSDs)+len(node.Unused) > 0 {
			status.Nodes = append(status.Nodes, node)
		}
	}
	if len(status.Nodes) == 0 {
		return nil
	}
	slices.SortFunc(status.Nodes, func(a, b v1.NodeStorageStatus) int { return cmp.Compare(a.Name, b.Name) })
	bounded := status.Bound()
	return &bounded
}

// maxProblems is how many problems the condition's message lists.
const maxProblems = 10

// setCondition says in the condition OSDsReady what is missing; nothing means
// that all is there, which are count OSDs.
func setCondition(p *pass.Pass, count int, missing []step) {
	condition := metav1.Condition{
		Type: v1.ConditionOSDsReady, Status: metav1.ConditionTrue, Reason: v1.ReasonAsExpected,
		Message: fmt.Sprintf("%d OSDs run, and every storage node is prepared", count), ObservedGeneration: p.Cluster.Generation, LastTransitionTime: metav1.NewTime(p.Clock.Now()),
	}
	if len(missing) > 0 {
		condition.Status, condition.Reason = metav1.ConditionFalse, missing[0].Reason
		var texts []string
		for i, m := range missing {
			if i == maxProblems {
				texts = append(texts, "and more")
				break
			}
			texts = append(texts, m.Problem)
		}
		condition.Message = strings.Join(texts, "; ")
	}
	apimeta.SetStatusCondition(&p.Cluster.Status.Conditions, condition)
}
