package node

import (
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	schedule "k8s.io/component-helpers/scheduling/corev1"
	"k8s.io/component-helpers/scheduling/corev1/nodeaffinity"
	"k8s.io/klog/v2"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
)

// Hostname is the node's label kubernetes.io/hostname, by which people and specs
// call it (S15, S34); the node's name if it has no such label.
func Hostname(n *corev1.Node) string {
	if hostname := n.Labels[corev1.LabelHostname]; hostname != "" {
		return hostname
	}
	return n.Name
}

// Address is the node's internal IP address, or else its external one; "" if it
// has none.
func Address(n *corev1.Node) string {
	for _, wanted := range []corev1.NodeAddressType{corev1.NodeInternalIP, corev1.NodeExternalIP} {
		for _, address := range n.Status.Addresses {
			if address.Type == wanted {
				return address.Address
			}
		}
	}
	return ""
}

// IsPlace says whether a label says where a node is: its region, zone, rack and
// such, by which daemons are spread and OSDs are placed in the crush map.
func IsPlace(label string) bool {
	for _, prefix := range []string{"topology.kubernetes.io/", "failure-domain.beta.kubernetes.io/", "topology.rook.io/"} {
		if strings.HasPrefix(label, prefix) {
			return true
		}
	}
	return false
}

// Schedulable says whether the node takes new pods at all: it is not cordoned.
func Schedulable(n *corev1.Node) bool { return !n.Spec.Unschedulable }

// Ready says whether the node's kubelet reports that it can run pods.
func Ready(n *corev1.Node) bool {
	for _, condition := range n.Status.Conditions {
		if condition.Type == corev1.NodeReady {
			return condition.Status == corev1.ConditionTrue
		}
	}
	return false
}

// Fits returns "" if a daemon of that placement may be put on the node now: the
// placement's required node affinity matches, the node is schedulable and ready,
// and its taints are tolerated (S30); a taint of effect PreferNoSchedule keeps
// nobody out. Otherwise it returns why not, as "is cordoned".
func Fits(n *corev1.Node, placement v1.Placement) string {
	switch matches, err := Matches(n, placement); {
	case err != nil:
		return fmt.Sprintf("cannot be matched with the node affinity: %v", err)
	case !matches:
		return "does not match the node affinity"
	}
	if !Schedulable(n) {
		return "is cordoned"
	}
	if !Ready(n) {
		return "is not ready"
	}
	if taint, found := untolerated(n, placement.Tolerations); found {
		return fmt.Sprintf("has the taint %s, which is not tolerated", taint.ToString())
	}
	return ""
}

// Matches says whether the placement's required node affinity lets the node in,
// whatever state it is in: a node that does not match was never meant (B19).
func Matches(n *corev1.Node, placement v1.Placement) (bool, error) {
	if placement.NodeAffinity == nil || placement.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution == nil {
		return true, nil
	}
	selector, err := nodeaffinity.NewNodeSelector(placement.NodeAffinity.RequiredDuringSchedulingIgnoredDuringExecution)
	if err != nil {
		return false, err
	}
	return selector.Match(n), nil
}

func untolerated(n *corev1.Node, tolerations []corev1.Toleration) (corev1.Taint, bool) {
	return schedule.FindMatchingUntoleratedTaint(klog.Background(), n.Spec.Taints, tolerations, func(taint *corev1.Taint) bool {
		return taint.Effect == corev1.TaintEffectNoSchedule || taint.Effect == corev1.TaintEffectNoExecute
	}, false)
}

// Repels says whether a taint that a person has set keeps the placement out for
// good. Taints that Kubernetes sets by itself, as on a node that is cordoned or
// not ready, go away again: they do not count (B19).
func Repels(n *corev1.Node, placement v1.Placement) bool {
	lasting := &corev1.Node{}
	for _, taint := range n.Spec.Taints {
		if !strings.HasPrefix(taint.Key, "node.kubernetes.io/") {
			lasting.Spec.Taints = append(lasting.Spec.Taints, taint)
		}
	}
	_, repels := untolerated(lasting, placement.Tolerations)
	return repels
}
