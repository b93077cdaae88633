package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

func copyCommand() *cobra.Command {
	var to string
	command := &cobra.Command{
		Use:   "copy-binary",
		Short: "Put this program into a directory; run by the operator's jobs",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			self, err := os.Executable()
			if err != nil {
				return err
			}
			return copyProgram(self, filepath.Join(to, operatorName))
		},
	}
	command.Flags().StringVar(&to, "to", "", "the directory")
	if err := command.MarkFlagRequired("to"); err != nil {
		panic(err) // the flag is defined right above
	}
	return command
}

// copyProgram copies a program in one step: whoever starts the copy finds it
// whole or not at all.
func copyProgram(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	temp, err := os.CreateTemp(filepath.Dir(to), ".tidepool-")
	if err != nil {
		return fmt.Errorf("failed to copy the program to %s: %w", to, err)
	}
	defer func() {
		if err != nil {
			_ = os.Remove(temp.Name()) // the first error counts
		}
	}()
	_, err = io.Copy(temp, source)
	if closed := temp.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Chmod(temp.Name(), 0o755)
	}
	if err == nil {
		err = os.Rename(temp.Name(), to)
	}
	if err != nil {
		return fmt.Errorf("failed to copy the program to %s: %w", to, err)
	}
	return nil
}
