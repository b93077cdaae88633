// Command tidepool runs scenarios in a simulated (or real) Kubernetes with
// Ceph, and tells what the scenarios can say.
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/spf13/cobra"
)

// Exit codes: 1 if a scenario failed, 2 if the run could not begin.
const (
	exitFailed  = 1
	exitInvalid = 2
)

// errFailed ends the program with exitFailed; what failed has been printed.
var errFailed = errors.New("scenarios failed")

func main() {
	root := &cobra.Command{
		Use:           "tidepool",
		Short:         "Scenarios for Ceph on Kubernetes, in a simulated world",
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.AddCommand(runCommand(), stepsCommand(), exploreCommand())
	switch err := root.Execute(); {
	case errors.Is(err, errFailed):
		os.Exit(exitFailed)
	case err != nil:
		fmt.Fprintln(os.Stderr, "tidepool:", err)
		os.Exit(exitInvalid)
	}
}
