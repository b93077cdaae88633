package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/pflag"

	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
)

// Environment variables beside those of package cluster. A flag wins over its
// variable.
const (
	envNamespaces    = "TIDEPOOL_WATCH_NAMESPACES"
	envCurrentOnly   = "ROOK_CURRENT_NAMESPACE_ONLY"
	envOperatorImage = "OPERATOR_IMAGE"
	envPodName       = "POD_NAME"
)

// settings are what flags and environment say.
type settings struct {
	leaderElect bool
	namespaces  []string // none: all
	metricsAddr string
	probeAddr   string
	logLevel    string
	image       string // "": that of the operator's own pod
}

func (s *settings) register(flags *pflag.FlagSet, getenv func(string) string) {
	flags.BoolVar(&s.leaderElect, "leader-elect", true,
		"run only while holding the lease tidepool-operator in the operator's namespace")
	flags.StringSliceVar(&s.namespaces, "watch-namespaces", namespaces(getenv),
		fmt.Sprintf("namespaces whose CephClusters are served; none means all ($%s; $%s=true for the operator's own)", envNamespaces, envCurrentOnly))
	flags.StringVar(&s.metricsAddr, "metrics-addr", ":8080", "where Prometheus metrics are served; 0 for nowhere")
	flags.StringVar(&s.probeAddr, "probe-addr", ":8081", "where /healthz and /readyz are served; 0 for nowhere")
	flags.StringVar(&s.logLevel, "log-level", or(getenv(cluster.EnvLogLevel), "INFO"),
		fmt.Sprintf("one of %s ($%s)", strings.Join(levels, ", "), cluster.EnvLogLevel))
	flags.StringVar(&s.image, "operator-image", getenv(envOperatorImage),
		fmt.Sprintf("image that the operator runs from, for its jobs; by default that of its own pod ($%s)", envOperatorImage))
}

// namespaces are those that the environment says to watch.
func namespaces(getenv func(string) string) []string {
	if getenv(envCurrentOnly) == "true" && getenv(cluster.EnvNamespace) != "" {
		return []string{getenv(cluster.EnvNamespace)}
	}
	var all []string
	for name := range strings.SplitSeq(getenv(envNamespaces), ",") {
		if name = strings.TrimSpace(name); name != "" {
			all = append(all, name)
		}
	}
	return all
}

// check refuses what cannot be meant.
func (s *settings) check() error {
	s.logLevel = strings.ToUpper(s.logLevel)
	if !slices.Contains(levels, s.logLevel) {
		return fmt.Errorf("log level %q is none of %s", s.logLevel, strings.Join(levels, ", "))
	}
	return nil
}

func or(value, otherwise string) string {
	if value == "" {
		return otherwise
	}
	return value
}
