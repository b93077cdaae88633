package main

import (
	"flag"
	"fmt"

	"k8s.io/klog/v2"
	ctrllog "sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/tidepool-ceph/tidepool/prod/log"
)

// levels are the names of log levels, the quietest first (S78).
var levels = []string{"ERROR", "WARNING", "INFO", "DEBUG", "TRACE"}

// logger logs to stderr what is at least as grave as the level says; with TRACE
// the Kubernetes client logs its requests too.
func logger(level string) (log.Logger, error) {
	verbosity := map[string]string{"DEBUG": "4", "TRACE": "6"}[level]
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for name, value := range map[string]string{"logtostderr": "true", "v": or(verbosity, "0")} {
		if err := flags.Set(name, value); err != nil {
			return nil, fmt.Errorf("failed to set up the log: %w", err)
		}
	}
	ctrllog.SetLogger(klog.Background())
	switch level {
	case "ERROR":
		return errorsOnly{}, nil
	case "WARNING":
		return warnings{}, nil
	}
	return log.Klog{}, nil
}

// warnings logs warnings and errors.
type warnings struct{ log.Klog }

func (warnings) Infof(string, ...any) {}

// errorsOnly logs errors.
type errorsOnly struct{ warnings }

func (errorsOnly) Warningf(string, ...any) {}
