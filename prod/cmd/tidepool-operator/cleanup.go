package main

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"github.com/spf13/cobra"
	"k8s.io/utils/clock"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/operator/cleanup"
	"github.com/tidepool-ceph/tidepool/prod/operator/cluster"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

func cleanupCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "cleanup",
		Short: "Destroy what a deleted cluster has on this node; run by the operator's jobs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
			defer stop()
			return runCleanup(ctx)
		},
	}
}

func runCleanup(ctx context.Context) error {
	request, err := cleanup.ParseEnv(os.Getenv)
	if err != nil {
		return err
	}
	logs, err := logger(or(os.Getenv(cluster.EnvLogLevel), "INFO"))
	if err != nil {
		return err
	}
	return cleanup.Run(ctx, door.Doors{Exec: exec.OS{}, Files: host.OS{}, Clock: clock.RealClock{}, IDs: id.System{}, Log: logs}, request)
}
