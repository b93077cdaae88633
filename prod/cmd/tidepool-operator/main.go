// Command tidepool-operator runs Ceph clusters on Kubernetes, as CephCluster
// resources ask for.
//
//	tidepool-operator [operator]    run the operator
//	tidepool-operator osd-prepare   make a node's OSDs (run by the operator's jobs)
//	tidepool-operator cleanup       destroy what a deleted cluster has on a node (likewise)
//	tidepool-operator copy-binary   put this program into a directory (likewise)
//
// `tidepool-operator --help` lists flags and the environment variables beside
// them.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"github.com/tidepool-ceph/tidepool/prod/operator/daemon"
)

func main() {
	if err := command().Execute(); err != nil {
		fmt.Fprintln(os.Stderr, "tidepool-operator:", err)
		os.Exit(1)
	}
}

// command is the whole command line.
func command() *cobra.Command {
	operator := operatorCommand()
	root := &cobra.Command{
		Use:           "tidepool-operator",
		Short:         "Runs Ceph clusters on Kubernetes",
		Long:          operator.Long,
		Version:       daemon.OperatorVersion,
		Args:          cobra.NoArgs,
		RunE:          operator.RunE,
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.Flags().AddFlagSet(operator.Flags())
	root.AddCommand(operator, prepareCommand(), cleanupCommand(), copyCommand())
	return root
}
