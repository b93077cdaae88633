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
			if len(words) == 0 {
				fmt.Fprint(cmd.OutOrStdout(), legend)
			}
			if n == 0 {
				return fmt.Errorf("no step holds the words %q; `tidepool steps` lists all", words)
			}
			return nil
		},
	}
}

// legend says what holds for all sentences.
const legend = `
"within 5m" may be left out: then the step looks once, at once.
Objects are in namespace rook-ceph; "other/name" names one in another.
In text that is compared, <any> stands for any text, <n> for a number, <ip>,
<uuid>, <key>, <time> and <tmp> for what they say (a cephx key, RFC 3339, a file
below /tmp).
`

func holdsAll(text string, words []string) bool {
	for _, w := range words {
		if !strings.Contains(strings.ToLower(text), strings.ToLower(w)) {
			return false
		}
	}
	return true
}
