package v1

import (
	"fmt"
	"time"
)

// HealthCheckSpec is how often the operator looks after the daemons (S53, S56).
//
// +kubebuilder:pruning:PreserveUnknownFields
type HealthCheckSpec struct {
	// The checks, by what they look at.
	// +optional
	DaemonHealth DaemonHealthSpec `json:"daemonHealth,omitzero"`
}

// DaemonHealthSpec holds the checks.
//
// +kubebuilder:pruning:PreserveUnknownFields
type DaemonHealthSpec struct {
	// Whether the mons are in quorum. Default: every 45 s; a mon that is out for
	// 10 minutes is replaced.
	// +optional
	Mon CheckSpec `json:"mon,omitzero"`

	// Whether OSDs are up and in. Default: every 60 s.
	// +optional
	OSD CheckSpec `json:"osd,omitzero"`

	// Ceph's own health. Default: every 60 s.
	// +optional
	Status CheckSpec `json:"status,omitzero"`
}

// CheckSpec is one check.
//
// +kubebuilder:pruning:PreserveUnknownFields
type CheckSpec struct {
	// Whether it is left out.
	// +optional
	Disabled bool `json:"disabled,omitempty"`

	// How long from one to the next, for example 45s.
	// +optional
	Interval Duration `json:"interval,omitempty"`

	// How long what is checked may fail before the operator acts, for example
	// 10m; 0s means that it never acts.
	// +optional
	Timeout Duration `json:"timeout,omitempty"`
}

// Duration is a length of time as Go writes it, for example 1m30s; "" is not given.
//
// It is a text, so that one that does not read spoils only itself: a list of
// resources with a typed duration could not be read at all.
//
// +kubebuilder:validation:MaxLength=64
// +kubebuilder:validation:Pattern=`^([0-9]+(\.[0-9]+)?(ms|s|m|h))*$`
type Duration string

// Or is the time that d gives, and otherwise where nothing is given.
func (d Duration) Or(otherwise time.Duration) (time.Duration, error) {
	if d == "" {
		return otherwise, nil
	}
	t, err := time.ParseDuration(string(d))
	if err != nil {
		return otherwise, fmt.Errorf("%q is not a time such as 45s or 10m", string(d))
	}
	return t, nil
}

// CleanupConfirmation is the one word that lets data be destroyed.
//
// +kubebuilder:validation:Enum="";yes-really-destroy-data
type CleanupConfirmation string

// DestroyData: the data on the hosts is destroyed when the cluster is deleted.
const DestroyData CleanupConfirmation = "yes-really-destroy-data"

// CleanupPolicySpec is what happens to the data when the cluster is deleted.
//
// +kubebuilder:pruning:PreserveUnknownFields
type CleanupPolicySpec struct {
	// yes-really-destroy-data, or "": nothing on a host is touched.
	// +optional
	Confirmation CleanupConfirmation `json:"confirmation,omitempty"`

	// How the OSDs' disks are wiped.
	// +optional
	SanitizeDisks SanitizeDisksSpec `json:"sanitizeDisks,omitzero"`

	// Whether the cluster may go although volumes of it are still there.
	// +optional
	AllowUninstallWithVolumes bool `json:"allowUninstallWithVolumes,omitempty"`
}

// SanitizeDisksSpec is how disks are wiped.
//
// +kubebuilder:pruning:PreserveUnknownFields
type SanitizeDisksSpec struct {
	// quick wipes what tells a disk as Ceph's, complete the whole disk. Default: quick.
	// +optional
	// +kubebuilder:validation:Enum="";quick;complete
	Method string `json:"method,omitempty"`

	// What a complete wipe writes: zero or random. Default: zero.
	// +optional
	// +kubebuilder:validation:Enum="";zero;random
	DataSource string `json:"dataSource,omitempty"`

	// How often a complete wipe writes. 0 is 1.
	// +optional
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Iteration int32 `json:"iteration,omitempty"`
}

// DisruptionManagementSpec is how the operator lets nodes be drained.
//
// +kubebuilder:pruning:PreserveUnknownFields
type DisruptionManagementSpec struct {
	// Whether the operator keeps PodDisruptionBudgets for mons and OSDs.
	// +optional
	ManagePodBudgets bool `json:"managePodBudgets,omitempty"`

	// How many minutes a drained failure domain keeps the flag noout. 0 is 30.
	// +optional
	// +kubebuilder:validation:Minimum=0
	OSDMaintenanceTimeout int `json:"osdMaintenanceTimeout,omitempty"`
}

// UpgradeSpec is how a change of the image is carried out. Its fields stand in
// the spec itself.
type UpgradeSpec struct {
	// Whether daemons are replaced without asking Ceph whether they may stop.
	// +optional
	SkipUpgradeChecks bool `json:"skipUpgradeChecks,omitempty"`

	// Whether the upgrade goes on where Ceph says for too long that a daemon may not stop.
	// +optional
	ContinueUpgradeAfterChecksEvenIfNotHealthy bool `json:"continueUpgradeAfterChecksEvenIfNotHealthy,omitempty"`

	// How many minutes an OSD that may not stop is waited for before the field
	// above counts. 0 is 10.
	// +optional
	// +kubebuilder:validation:Minimum=0
	WaitTimeoutForHealthyOSDInMinutes int `json:"waitTimeoutForHealthyOSDInMinutes,omitempty"`

	// Whether an OSD is replaced only while all placement groups are active and clean.
	// +optional
	UpgradeOSDRequiresHealthyPGs bool `json:"upgradeOSDRequiresHealthyPGs,omitempty"`
}
