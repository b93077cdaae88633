package osd

import (
	"cmp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/node"
)

// Target is a storage node.
type Target struct {
	// Name is the node's hostname label, by which the spec calls it (S15).
	Name string
	// UID is that of the Node, "" if it is missing. A machine that takes the name
	// of one that is gone has another.
	UID types.UID
	// Storage is what holds for it, all levels merged (S16).
	Storage v1.Node
	// Missing says that no node has that label.
	Missing bool
	// Why tells why no job may be started there now, as "is cordoned"; "" if
	// one may.
	Why string
}

// Targets are the storage nodes that the spec asks for, by name: with
// useAllNodes those that the placement of OSDs lets in, otherwise the named ones
// (S12, S15). A node whose taints keep OSDs out is none of the former.
func Targets(spec *v1.ClusterSpec, nodes []corev1.Node) []Target {
	placement := spec.Placement.For(v1.OSD)
	var targets []Target
	add := func(name string, n *corev1.Node) {
		target := Target{Name: name, Missing: n == nil}
		target.Storage, _ = spec.Storage.Node(name)
		if n != nil {
			target.UID = n.UID
			target.Why = node.Fits(n, placement)
		} else {
			target.Why = "is not in Kubernetes: no node has the label kubernetes.io/hostname=" + name
		}
		targets = append(targets, target)
	}
	if spec.Storage.UseAllNodes {
		for i := range nodes {
			if matches, err := node.Matches(&nodes[i], placement); err == nil && matches && !node.Repels(&nodes[i], placement) {
				add(node.Hostname(&nodes[i]), &nodes[i])
			}
		}
	} else {
		for _, named := range spec.Storage.Nodes {
			at := slices.IndexFunc(nodes, func(n corev1.Node) bool { return node.Hostname(&n) == named.Name })
			if at < 0 {
				add(named.Name, nil)
				continue
			}
			add(named.Name, &nodes[at])
		}
	}
	slices.SortFunc(targets, func(a, b Target) int { return cmp.Compare(a.Name, b.Name) })
	return targets
}
