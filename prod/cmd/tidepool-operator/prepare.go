package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
	"github.com/tidepool-ceph/tidepool/prod/operator/osd/prepare"
)

func prepareCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "osd-prepare",
		Short: "Make a node's OSDs; run by the operator's jobs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return runPrepare(ctx)
		},
	}
}

func runPrepare(ctx context.Context) error {
	env, err := prepare.ParseEnv(os.Getenv)
	if err != nil {
		return err
	}
	logs, err := logger(or(os.Getenv(cluster.EnvLogLevel), "INFO"))
	if err != nil {
		return err
	}
	known, err := scheme()
	if err != nil {
		return err
	}
	config, err := ctrl.GetConfig()
	if err != nil {
		return fmt.Errorf("no way to the Kubernetes API: %w", err)
	}
	c, err := client.New(config, client.Options{Scheme: known})
	if err != nil {
		return fmt.Errorf("no way to the Kubernetes API: %w", err)
	}
	wall := clock.RealClock{}
	return prepare.Run(ctx, door.Doors{
		Client: c,
		Exec: exec.NewRecording(exec.OS{}, wall, func(run exec.Run) {
			logs.Infof("EXEC %s (%s)", run.Command, run.Duration)
		}),
		Files: host.OS{},
		Clock: wall,
		IDs:   id.System{},
		Log:   logs,
	}, env)
}
