package cluster

import (
	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/dependent"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// besides refuses a cluster that cannot be beside those that came before it: a
// namespace holds one (S18), and only one takes all devices (S40).
func besides(cluster *v1.CephCluster, all []v1.CephCluster) *pass.Refused {
	for i := range all {
		other := &all[i]
		if !dependent.Before(other, cluster) {
			continue
		}
		if other.Namespace == cluster.Namespace {
			return pass.Refuse(v1.ReasonSecondCluster,
				"namespace %s already has the CephCluster %s, and a namespace holds one; delete one of the two, or use another namespace",
				cluster.Namespace, other.Name)
		}
		if usesAllDevices(cluster.Spec.Storage) && usesAllDevices(other.Spec.Storage) {
			refused := pass.Refuse(v1.ReasonSecondCluster, "using all devices in more than one namespace not supported")
			refused.Detail = "CephCluster " + other.Namespace + "/" + other.Name + " does so already; name the devices with deviceFilter or devices"
			return refused
		}
	}
	return nil
}

func usesAllDevices(s v1.StorageSpec) bool {
	if s.UseAllDevices != nil && *s.UseAllDevices {
		return true
	}
	for _, n := range s.Nodes {
		if !s.UseAllNodes && n.UseAllDevices != nil && *n.UseAllDevices {
			return true
		}
	}
	return false
}
