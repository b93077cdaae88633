package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// CephClusterFinalizer keeps a CephCluster until the operator has let go of it (S54).
const CephClusterFinalizer = "cephcluster.ceph.rook.io"

// CephCluster is one Ceph cluster: what it should be and how it is (S1).
// There is at most one in a namespace (S18).
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:resource:path=cephclusters,singular=cephcluster,scope=Namespaced
// +kubebuilder:printcolumn:name="State",type=string,JSONPath=`.status.state`
// +kubebuilder:printcolumn:name="Health",type=string,JSONPath=`.status.ceph.health`
// +kubebuilder:printcolumn:name="Mons",type=integer,JSONPath=`.status.mon.count`
// +kubebuilder:printcolumn:name="Age",type=date,JSONPath=`.metadata.creationTimestamp`
// +kubebuilder:printcolumn:name="Message",type=string,JSONPath=`.status.message`
type CephCluster struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`

	// What the user asks for.
	Spec ClusterSpec `json:"spec"`

	// What the operator sees. Written through the status subresource only.
	// +optional
	Status ClusterStatus `json:"status,omitempty"`
}

// CephClusterList is a list of CephClusters.
//
// +kubebuilder:object:root=true
type CephClusterList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`

	Items []CephCluster `json:"items"`
}

// ClusterSpec is what the user asks for.
//
// +kubebuilder:pruning:PreserveUnknownFields
type ClusterSpec struct {
	// The Ceph release to run, given by its image (S2, S3).
	CephVersion CephVersionSpec `json:"cephVersion"`

	// Absolute path on every host under which mons keep their data, and daemons
	// their configuration and logs. A directory that an earlier cluster left
	// there stops the mons of a new one. It cannot change once given (S4).
	// +kubebuilder:validation:MaxLength=4096
	// +kubebuilder:validation:XValidation:rule="self.startsWith('/')",message="must be an absolute path"
	// +kubebuilder:validation:XValidation:rule="self.split('/').exists(part, part != '' && part != '.')",message="must not be the root directory"
	// +kubebuilder:validation:XValidation:rule="!self.split('/').exists(part, part == '..')",message="must not contain '..'"
	// +kubebuilder:validation:XValidation:rule="self == oldSelf",message="cannot change: the mons' data would stay behind under the old path"
	DataDirHostPath string `json:"dataDirHostPath"`

	// The mons: how many, and whether they may share a node (S5).
	// +optional
	Mon MonSpec `json:"mon,omitempty"`

	// The web dashboard that the mgr serves (S6).
	// +optional
	Dashboard DashboardSpec `json:"dashboard,omitempty"`

	// The network of the daemons (S7).
	// +optional
	Network NetworkSpec `json:"network,omitempty"`

	// Mirroring of RBD images between clusters (S8).
	// +optional
	RBDMirroring RBDMirroringSpec `json:"rbdMirroring,omitempty"`

	// Where daemons may run, keyed by daemon or "all" (S9).
	// +optional
	Placement Placements `json:"placement,omitempty"`

	// Annotations of pods, keyed by daemon or "all" (S10).
	// +optional
	Annotations Annotations `json:"annotations,omitempty"`

	// Limits and requests of containers, keyed by daemon (S11).
	// +optional
	Resources Resources `json:"resources,omitempty"`

	// What becomes an OSD (S12-S16).
	// +optional
	Storage StorageSpec `json:"storage,omitempty"`

	// How often the operator looks after the daemons, and when it acts (S53, S56).
	// +optional
	HealthCheck HealthCheckSpec `json:"healthCheck,omitzero"`

	UpgradeSpec `json:",inline"`

	// Whether an OSD that is down and out, and that Ceph can do without, is
	// removed for good.
	// +optional
	RemoveOSDsIfOutAndSafeToRemove bool `json:"removeOSDsIfOutAndSafeToRemove,omitempty"`

	// How nodes may be drained.
	// +optional
	DisruptionManagement DisruptionManagementSpec `json:"disruptionManagement,omitzero"`

	// What happens to the data when the cluster is deleted (S58).
	// +optional
	CleanupPolicy CleanupPolicySpec `json:"cleanupPolicy,omitzero"`

	// Fields that stand in the manifest and that this operator does not know,
	// at any depth. Read and written back with the spec, never acted on.
	Unserved []UnservedField `json:"-"`
}

// CephVersionSpec names the Ceph release to run (S2, S3).
//
// +kubebuilder:pruning:PreserveUnknownFields
type CephVersionSpec struct {
	// Image of all daemon pods, for example ceph/ceph:v14.2.0-20190410 (S2).
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=1024
	// +kubebuilder:validation:XValidation:rule="!self.matches('\\\\s')",message="must not contain white space"
	Image string `json:"image"`

	// Whether a release that this operator does not support may run all the same (S3, S47, S48).
	// +optional
	AllowUnsupported bool `json:"allowUnsupported,omitempty"`

	// Whether a release older than the one that runs may replace it. Ceph itself
	// does not support that: its data may be unreadable afterwards.
	// +optional
	AllowDowngrade bool `json:"allowDowngrade,omitempty"`
}

// MonSpec says how many mons there are and how they spread (S5). Every integer
// is accepted as count: the operator puts 0, negative and too large ones right
// and reports what it made of them (S36-S38).
//
// +kubebuilder:pruning:PreserveUnknownFields
type MonSpec struct {
	// Number of mons. Not given is the same as 0 (S36).
	// +optional
	Count int `json:"count"`

	// Number of mons to reach when there are nodes enough. 0 means count (S5).
	// +optional
	PreferredCount int `json:"preferredCount"`

	// Whether two mons may run on one node. Nil means that the user has not
	// written it, which for an unusable count differs from false (S36, Settled 20).
	// +optional
	AllowMultiplePerNode *bool `json:"allowMultiplePerNode,omitempty"`
}

// DashboardSpec is the mgr's web dashboard (S6). Disabled, it serialises as {}.
//
// +kubebuilder:pruning:PreserveUnknownFields
type DashboardSpec struct {
	// Whether the dashboard is served.
	// +optional
	Enabled bool `json:"enabled,omitempty"`

	// Path under which it is served behind a reverse proxy, for example /ceph-dashboard.
	// +optional
	URLPrefix string `json:"urlPrefix,omitempty"`

	// TCP port. 0 means 8443 with SSL and 7000 without.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=65535
	Port int `json:"port,omitempty"`

	// Whether it is served over SSL. Nil means true, as in Ceph.
	// +optional
	SSL *bool `json:"ssl,omitempty"`
}

// UseSSL tells whether the dashboard is served over SSL: as written, and true
// where nothing is written.
func (d DashboardSpec) UseSSL() bool { return d.SSL == nil || *d.SSL }

// ServedPort returns the TCP port of the dashboard: as written, otherwise 8443
// with SSL and 7000 without (S6).
func (d DashboardSpec) ServedPort() int {
	switch {
	case d.Port != 0:
		return d.Port
	case d.UseSSL():
		return 8443
	default:
		return 7000
	}
}

// NetworkProvider is today's way to choose the daemons' network.
//
// +kubebuilder:validation:Enum="";host;multus
type NetworkProvider string

// The network providers that the API accepts.
const (
	// NetworkProviderPod is the cluster's ordinary pod network.
	NetworkProviderPod NetworkProvider = ""
	// NetworkProviderHost is the hosts' own network; the same as hostNetwork: true.
	NetworkProviderHost NetworkProvider = "host"
	// NetworkProviderMultus is accepted and kept, and named by [UnservedFields].
	NetworkProviderMultus NetworkProvider = "multus"
)

// NetworkSpec is the network of the daemons (S7).
//
// +kubebuilder:pruning:PreserveUnknownFields
// +kubebuilder:validation:XValidation:rule="!(has(self.hostNetwork) && self.hostNetwork && has(self.provider) && self.provider == 'multus')",message="hostNetwork and provider multus exclude each other",fieldPath=".provider"
type NetworkSpec struct {
	// Whether daemons use the network of their host (S7).
	// +optional
	HostNetwork bool `json:"hostNetwork"`

	// The network by today's name.
	// +optional
	Provider NetworkProvider `json:"provider,omitempty"`
}

// IsHost tells whether daemons use the network of their host, in whichever of
// the two ways it is written.
func (n NetworkSpec) IsHost() bool { return n.HostNetwork || n.Provider == NetworkProviderHost }

// RBDMirroringSpec is the mirroring of RBD images (S8).
//
// +kubebuilder:pruning:PreserveUnknownFields
type RBDMirroringSpec struct {
	// Number of rbd-mirror daemons; 0 for none.
	// +optional
	// +kubebuilder:validation:Minimum=0
	Workers int `json:"workers"`
}
