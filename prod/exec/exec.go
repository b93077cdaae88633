package exec

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/secret"
)

// Defaults that hold where a command does not say otherwise.
const (
	DefaultTimeout   = 60 * time.Second
	DefaultMaxOutput = 64 << 20 // bytes a stream; `ceph osd dump` of 10,000 OSDs has about 20 MiB
)

// Command is one run of a program.
type Command struct {
	Program string
	Args    []string
	// Telling is how many of Args an error shows; 0 is all. What follows them, such
	// as connection flags and temporary files, tells a person nothing, and what
	// changes from run to run would make each failure look like a new one.
	Telling int
	// Env is added to the caller's environment, each entry "KEY=value".
	Env []string
	// Secrets are values that stand in Args or Stdin and must never print, for
	// those that no pattern of [Strip] would recognise, such as passwords.
	Secrets []secret.Value
	// Stdin is what the program reads; nil is an empty input.
	Stdin []byte
	// Timeout is how long the program may run; 0 is [DefaultTimeout].
	Timeout time.Duration
	// MaxOutput bounds each of stdout and stderr, in bytes; 0 is
	// [DefaultMaxOutput].
	MaxOutput int
}

// Result is what a program said. It is filled as far as it goes also where Run
// returns an error.
type Result struct {
	Stdout, Stderr []byte
	ExitCode       int
}

// Executor runs programs.
type Executor interface {
	// Run runs the command to its end. The error is nil only if the program
	// ended with exit code 0. Otherwise it is an [*ExitError], or wraps one of
	// [ErrTimeout], [ErrNotStarted] and [ErrOutput].
	Run(ctx context.Context, cmd Command) (Result, error)
}

// Kinds of failure that are not the program's own.
var (
	// ErrTimeout: the program was ended at its deadline; what it had done by
	// then is unknown.
	ErrTimeout = errors.New("timed out")
	// ErrNotStarted: the program is not there or may not be run; it had no
	// effect.
	ErrNotStarted = errors.New("could not be started")
	// ErrOutput: the program wrote more than the command allows, and was ended.
	ErrOutput = errors.New("too much output")
)

// ExitError says that a program ended with an exit code other than 0, or by a
// signal (then Code is 128 plus its number).
type ExitError struct {
	Command string // as [Command.Name] tells it
	Code    int
	Stderr  string // stripped of keys, shortened for people
}

func (e *ExitError) Error() string {
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit code %d", e.Command, e.Code)
	}
	return fmt.Sprintf("%s: exit code %d: %s", e.Command, e.Code, e.Stderr)
}

// NewExitError describes a run that ended with an exit code other than 0.
func NewExitError(cmd Command, res Result) *ExitError {
	return &ExitError{Command: cmd.Name(), Code: res.ExitCode, Stderr: shorten(cmd.strip(string(res.Stderr)))}
}
