package cluster

import (
	"time"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// GiveUpAfter is how long a spec may take to be carried out before the state
// says Error; the operator goes on trying (S51, Settled 23).
const GiveUpAfter = 60 * time.Minute

// Options are how the operator itself is set up.
type Options struct {
	pass.Settings
	// Namespaces are those whose CephClusters are served; none means all.
	Namespaces []string
}

// The environment variables that set the operator up.
const (
	EnvPrivileged = "ROOK_HOSTPATH_REQUIRES_PRIVILEGED" // "true": S125
	EnvLogLevel   = "ROOK_LOG_LEVEL"                    // S78
	EnvNamespace  = "POD_NAMESPACE"                     // where the operator runs

	// How the mons are looked after where a cluster does not say, as 45s and 10m.
	EnvMonCheckInterval = "ROOK_MON_HEALTHCHECK_INTERVAL"
	EnvMonOutTimeout    = "ROOK_MON_OUT_TIMEOUT"
)

// OptionsFrom reads the environment, such as os.Getenv; what it does not say is
// as in the seed. image is what the operator runs from.
func OptionsFrom(getenv func(string) string, image string) Options {
	level := getenv(EnvLogLevel)
	if level == "" {
		level = "INFO"
	}
	return Options{Settings: pass.Settings{
		OperatorImage:     image,
		OperatorNamespace: getenv(EnvNamespace),
		ConfigDir:         "/var/lib/rook",
		EtcCephDir:        "/etc/ceph",
		LogLevel:          level,
		Privileged:        getenv(EnvPrivileged) == "true",
		MonCheckInterval:  v1.Duration(getenv(EnvMonCheckInterval)),
		MonOutTimeout:     v1.Duration(getenv(EnvMonOutTimeout)),
	}}
}
