package exec

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// OS runs real programs, each in a process group of its own, in the C locale, so
// that what they print can be read.
type OS struct{}

// lingering is how long the output of a program that has ended is still read
// while others, which it started, hold it open.
const lingering = 2 * time.Second

// Run runs a program (see [Executor]). At the deadline, at the end of the
// context or when there is too much output, the whole process group is killed,
// so that nothing the program started lives on. A program that moved into the
// background in a session of its own, as daemons do, is left alone.
func (OS) Run(ctx context.Context, cmd Command) (Result, error) {
	if err := ctx.Err(); err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("%s: %w: %w", cmd.Name(), ErrNotStarted, context.Cause(ctx))
	}
	timeout, most := cmd.Timeout, cmd.MaxOutput
	if timeout <= 0 {
		timeout = DefaultTimeout
	}
	if most <= 0 {
		most = DefaultMaxOutput
	}
	ctx, cancel := context.WithTimeoutCause(ctx, timeout, fmt.Errorf("%w after %v", ErrTimeout, timeout))
	defer cancel()
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	tooMuch := func() { stop(fmt.Errorf("%w: more than %d bytes", ErrOutput, most)) }
	stdout, stderr := &limited{most: most, over: tooMuch}, &limited{most: most, over: tooMuch}

	run := exec.CommandContext(ctx, cmd.Program, cmd.Args...)
	run.Env = append(append(os.Environ(), "LC_ALL=C"), cmd.Env...)
	run.Stdin, run.Stdout, run.Stderr = bytes.NewReader(cmd.Stdin), stdout, stderr
	run.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	run.Cancel = func() error { return killGroup(run) }
	run.WaitDelay = lingering
	if err := run.Start(); err != nil {
		return Result{ExitCode: -1}, fmt.Errorf("%s: %w: %w", cmd.Name(), ErrNotStarted, cause(err))
	}
	err := run.Wait()
	if errors.Is(err, exec.ErrWaitDelay) {
		// Someone whom the program started holds its output. The group's number
		// cannot be another's while it has a member.
		_ = killGroup(run)
	}
	return outcome(ctx, cmd, run.ProcessState, stdout, stderr, err)
}

// outcome says how a run ended.
func outcome(ctx context.Context, cmd Command, state *os.ProcessState, stdout, stderr *limited, err error) (Result, error) {
	res := Result{Stdout: stdout.bytes(), Stderr: stderr.bytes(), ExitCode: exitCode(state)}
	why := context.Cause(ctx)
	switch {
	case why != nil && (errors.Is(why, ErrOutput) || res.ExitCode != 0):
		if !errors.Is(why, ErrOutput) && !errors.Is(why, ErrTimeout) {
			why = fmt.Errorf("%w: %w", ErrTimeout, why)
		}
		return res, fmt.Errorf("%s: %w", cmd.Name(), why)
	case res.ExitCode != 0:
		return res, NewExitError(cmd, res)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay) && why == nil:
		return res, fmt.Errorf("%s: the output could not be read: %w", cmd.Name(), errors.Join(ErrOutput, err))
	}
	return res, nil
}

// exitCode is the program's exit code, 128 and the signal if one ended it.
func exitCode(state *os.ProcessState) int {
	if status, ok := state.Sys().(syscall.WaitStatus); ok && status.Signaled() {
		return 128 + int(status.Signal())
	}
	return state.ExitCode()
}

func killGroup(run *exec.Cmd) error {
	if err := syscall.Kill(-run.Process.Pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return os.ErrProcessDone // leaves the outcome to the exit status
}

// cause drops the program's path, which the command names already.
func cause(err error) error {
	var lookup *exec.Error
	if errors.As(err, &lookup) {
		return lookup.Err
	}
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}

// limited keeps what a program prints up to a limit, and says when it is passed.
type limited struct {
	most int
	over func()

	mu  sync.Mutex
	buf bytes.Buffer
}

// Write keeps what fits. It never fails, so that a program that is being ended
// does not block on its output meanwhile.
func (l *limited) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	fits := min(len(p), l.most-l.buf.Len())
	l.buf.Write(p[:fits])
	if fits < len(p) {
		l.over()
	}
	return len(p), nil
}

func (l *limited) bytes() []byte {
	l.mu.Lock()
	defer l.mu.Unlock()
	return bytes.Clone(l.buf.Bytes())
}
