package pass

import v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"

// Settings are what holds for every cluster of one operator.
type Settings struct {
	// OperatorImage is what the operator itself runs from.
	OperatorImage string
	// OperatorNamespace is where it runs.
	OperatorNamespace string
	// ConfigDir is where the operator keeps a directory for each cluster, with
	// the configuration and keyring of its own commands: /var/lib/rook (S75).
	ConfigDir string
	// EtcCephDir is where bare ceph commands look: /etc/ceph (S75, S101).
	EtcCephDir string
	// LogLevel is the operator's: ERROR, WARNING, INFO, DEBUG or TRACE; the
	// debug levels of the daemons follow it (S78).
	LogLevel string
	// Privileged says whether containers with host paths must be privileged, as
	// on OpenShift: ROOK_HOSTPATH_REQUIRES_PRIVILEGED (S125).
	Privileged bool
	// MonCheckInterval and MonOutTimeout are how often the mons are looked after,
	// and how long one may be out of quorum before it is replaced, where a cluster
	// does not say: ROOK_MON_HEALTHCHECK_INTERVAL and ROOK_MON_OUT_TIMEOUT (S53).
	MonCheckInterval, MonOutTimeout v1.Duration
}
