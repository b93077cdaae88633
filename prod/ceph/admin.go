package ceph

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/id"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// tempDir is where answers and inputs lie for the time of a run (S95: /tmp/<n>).
const tempDir = "/tmp"

// runMargin is what a command may take beyond the time in which it must reach a
// mon: the mgr's commands and changes of big maps need seconds.
const runMargin = 45 * time.Second

// DefaultConnectTimeout is how long a command tries to reach a mon (S95).
const DefaultConnectTimeout = 15 * time.Second

// Conn says how to reach a cluster.
type Conn struct {
	// Cluster is the cluster's name, as in "rook-ceph".
	Cluster string
	// Conf and Keyring are paths of the configuration and of the keyring that
	// has the caller's key.
	Conf, Keyring string
	// ConnectTimeout is how long to try to reach a mon, in whole seconds; 0 is
	// [DefaultConnectTimeout].
	ConnectTimeout time.Duration
}

// flags are the four connection flags, in S99's order.
func (c Conn) flags() []string {
	return []string{
		fmt.Sprintf("--connect-timeout=%d", int(c.timeout().Seconds())),
		"--cluster=" + c.Cluster,
		"--conf=" + c.Conf,
		"--keyring=" + c.Keyring,
	}
}

func (c Conn) timeout() time.Duration {
	if c.ConnectTimeout < time.Second {
		return DefaultConnectTimeout
	}
	return c.ConnectTimeout
}

// Admin administers one cluster.
type Admin struct {
	exec    exec.Executor
	files   host.Files
	ids     id.Source
	conn    Conn
	version Version
}

// NewAdmin administers the cluster at conn with the programs of version v.
func NewAdmin(ex exec.Executor, files host.Files, ids id.Source, conn Conn, v Version) *Admin {
	return &Admin{exec: ex, files: files, ids: ids, conn: conn, version: v}
}

// Version is the version whose programs are used.
func (a *Admin) Version() Version { return a.version }

// format is how an answer is asked for.
type format string

const (
	asJSON format = "json"
	plain  format = "plain"
)

// call is one run of `ceph`.
type call struct {
	args   []string
	format format
	// secrets are what args hold that must not print.
	secrets []secret.Value
}

// command is the call as it is run, with its answer going to the file out.
func (a *Admin) command(c call, out string) exec.Command {
	args := append([]string(nil), c.args...)
	args = append(args, a.conn.flags()...)
	args = append(args, "--format", string(c.format), "--out-file", out)
	return exec.Command{Program: "ceph", Args: args, Telling: telling(c.args), Secrets: c.secrets, Timeout: a.conn.timeout() + runMargin}
}

// telling is how many of a call's arguments say what is asked for: those up to a
// temporary file.
func telling(args []string) int {
	for i, arg := range args {
		if arg == "-i" {
			return i
		}
	}
	return len(args)
}

// run runs a call and returns the command and what it answered (S99).
func (a *Admin) run(ctx context.Context, c call) (_ exec.Command, _ []byte, err error) {
	out := a.tempFile()
	cmd := a.command(c, out)
	defer func() { err = errors.Join(err, a.removeTemp(out)) }()
	if _, err := a.exec.Run(ctx, cmd); err != nil {
		return cmd, nil, failure(err)
	}
	answer, err := a.files.ReadFile(out)
	if err != nil {
		return cmd, nil, fmt.Errorf("%s: the answer %w: %w", cmd.Name(), ErrGarbled, err)
	}
	return cmd, answer, nil
}

// ask runs a command for its JSON answer. The check, if there is one, says
// whether what was read is what was asked for: `{}` is JSON, and no monmap.
func ask[T any](ctx context.Context, a *Admin, check func(T) error, args ...string) (T, error) {
	var answer, none T
	cmd, text, err := a.run(ctx, call{args: args, format: asJSON})
	if err != nil {
		return none, err
	}
	err = decode(text, &answer)
	if err == nil && check != nil {
		err = check(answer)
	}
	if err != nil {
		return none, garbled(cmd, text, err)
	}
	return answer, nil
}

// do runs a command whose answer does not matter.
func (a *Admin) do(ctx context.Context, args ...string) error {
	_, _, err := a.run(ctx, call{args: args, format: asJSON})
	return err
}

// needs refuses what the release lacks.
func (a *Admin) needs(f Feature, what string) error {
	if a.version.Has(f) {
		return nil
	}
	return fmt.Errorf("%s: %w (%s)", what, ErrUnsupported, a.version)
}

func (a *Admin) tempFile() string { return tempDir + "/" + a.ids.UUID() }

// removeTemp removes a temporary file; one that was never made is fine.
func (a *Admin) removeTemp(path string) error {
	if err := a.files.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("failed to remove temporary file %s: %w", path, err)
	}
	return nil
}

// withFile has data in a file, readable by the owner alone, while use runs.
func (a *Admin) withFile(data []byte, use func(path string) error) (err error) {
	path := a.tempFile()
	if err := a.files.WriteFile(path, data, 0o600); err != nil {
		return fmt.Errorf("failed to write temporary file %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, a.removeTemp(path)) }()
	return use(path)
}
