package daemon

import (
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// OperatorVersion is the version of the operator, on the objects that it makes
// and in what it says of itself.
const OperatorVersion = "v0.1.0"

// Names of labels that carry meaning for the operator.
const (
	AppLabel             = "app"                    // which kind of daemon
	ClusterLabel         = "rook_cluster"           // the cluster's namespace
	IDLabel              = "ceph_daemon_id"         // which daemon of its kind
	OperatorVersionLabel = "rook-version"           // of the operator that wrote the object last
	CephVersionLabel     = "ceph-version"           // of the image in the object
	HostnameLabel        = "kubernetes.io/hostname" // of a node, Kubernetes' own
)

// AppLabels are on everything that belongs to an application of a cluster.
func AppLabels(app, namespace string) map[string]string {
	return map[string]string{AppLabel: app, ClusterLabel: namespace}
}

// Labels are those of the pods of one daemon: kind is "mon", "mgr", … and id
// which of them (S111).
func Labels(app, namespace, kind, id string) map[string]string {
	labels := AppLabels(app, namespace)
	labels[IDLabel] = id
	labels[kind] = id
	return labels
}

// WithVersions adds to labels, in a copy, the versions of operator and Ceph
// (S112). A zero version, as of a job that is to find it out, is left away.
func WithVersions(labels map[string]string, v ceph.Version) map[string]string {
	all := make(map[string]string, len(labels)+2)
	for key, value := range labels {
		all[key] = value
	}
	all[OperatorVersionLabel] = OperatorVersion
	if v != (ceph.Version{}) {
		all[CephVersionLabel] = v.Number()
	}
	return all
}
