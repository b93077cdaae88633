package main

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/tidepool-ceph/tidepool/harness/steps"
)

func stepsCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "steps [WORD...]",
		Short: "List the sentences that scenarios are made of, or those that hold all the words",
		RunE: func(cmd *cobra.Command, words []string) error {
			n := 0
			for _, s := range steps.All() {
				if !holdsAll(s.Example+" "+s.Meaning, words) {
					continue
				}
				n++
				fmt.Fprintf(cmd.OutOrStdout(), "%s\n    %s\n", s.Example, s.Meaning)
			}
			if n == 0 {
				return fmt.Errorf("no step holds the words %q; `tidepool steps` lists all", words)
			}
			return nil
		},
	}
}

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return false
		}
	}
	return true
}
