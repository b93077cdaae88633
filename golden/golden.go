package golden

import (
	"embed"
	"encoding/json"
	"fmt"
	"path"
	"strings"
)

//go:embed */*
var files embed.FS

// Run is one recorded run of a program.
type Run struct {
	Argv []string
	// ExitCode is -9 for a run that hung and was killed by the recorder.
	ExitCode int
	Stderr   string
	Stdout   []byte
	// Note says what else is to know, mostly nothing.
	Note string
}

// Releases are the folders, such as "pacific-16.2.15", sorted.
func Releases() []string {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil // cannot be: the root of an embedded tree is there
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Names are the runs of a release, sorted; of one that is not there, none.
func Names(release string) []string {
	entries, err := files.ReadDir(release)
	if err != nil {
		return nil
	}
	var names []string
	for _, e := range entries {
		if name, ok := strings.CutSuffix(e.Name(), ".meta"); ok {
			names = append(names, name)
		}
	}
	return names
}

// Case returns a recorded run, as in Case("pacific-16.2.15", "status").
func Case(release, name string) (Run, error) {
	meta, err := File(release, name+".meta")
	if err != nil {
		return Run{}, err
	}
	var wire struct {
		Argv     []string `json:"argv"`
		ExitCode int      `json:"exit_code"`
		Stderr   string   `json:"stderr"`
		Stdout   string   `json:"stdout"`
		Note     string   `json:"note"`
	}
	if err := json.Unmarshal(meta, &wire); err != nil {
		return Run{}, fmt.Errorf("golden %s/%s.meta: %w", release, name, err)
	}
	run := Run{Argv: wire.Argv, ExitCode: wire.ExitCode, Stderr: wire.Stderr, Note: wire.Note}
	if wire.Stdout != "" {
		run.Stdout, err = File(release, wire.Stdout)
	}
	return run, err
}

// File returns a file of a release's folder, such as "ceph.conf" of
// "nautilus-14.2" or "command-descriptions.mon.json" of "pacific-16.2.15".
func File(release, name string) ([]byte, error) {
	data, err := files.ReadFile(path.Join(release, name))
	if err != nil {
		return nil, fmt.Errorf("golden: %w", err)
	}
	return data, nil
}
