package host

import (
	"context"
	"fmt"
	"maps"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

// Executor runs programs for production code that lives on a machine or in a
// container. Its Run must be called from a process of the loop.
type Executor struct {
	Machine *Machine
	Files   Files
	Addr    string
	Image   Image
	Env     map[string]string
	// Group is whoever calls: when it is killed, so is what it started.
	Group *loop.Group
	// Container is that of the caller; nil on the bare machine.
	Container *Container
}

// Run runs the command in virtual time, and ends it at its deadline.
func (e *Executor) Run(_ context.Context, cmd exec.Command) (exec.Result, error) {
	l := e.Machine.Loop
	if _, ok := (&Process{Args: []string{cmd.Program}, Files: e.Files, Image: e.Image}).Lookup(); !ok {
		return exec.Result{ExitCode: -1}, fmt.Errorf("%s: %w: executable file not found in $PATH", cmd.Name(), exec.ErrNotStarted)
	}
	group := e.Group.NewGroup(cmd.Program)
	env := maps.Clone(e.Env)
	if env == nil {
		env = map[string]string{}
	}
	for _, kv := range cmd.Env {
		k, v, _ := strings.Cut(kv, "=")
		env[k] = v
	}
	p := &Process{
		Args: append([]string{cmd.Program}, cmd.Args...), Env: env, Stdin: cmd.Stdin,
		Files: e.Files, Machine: e.Machine, Addr: e.Addr, Image: e.Image, Loop: l, Group: group, Container: e.Container,
	}
	ended, code := l.NewSignal(), 0
	done := false
	end := func(with int) {
		if !done {
			code, done = with, true
			ended.Broadcast()
		}
	}
	group.OnKill(func() { end(128 + int(syscall.SIGKILL)) })
	group.Go(cmd.Program, func() { end(p.Run()) })
	timeout := cmd.Timeout
	if timeout == 0 {
		timeout = exec.DefaultTimeout
	}
	deadline := l.Now().Add(timeout)
	for !done && ended.Wait(deadline.Sub(l.Now())) {
		continue
	}
	late := !done
	group.Kill()
	res := exec.Result{Stdout: p.Stdout.Bytes(), Stderr: p.Stderr.Bytes(), ExitCode: code}
	switch {
	case late:
		res.ExitCode = -1
		return res, fmt.Errorf("%s: %w after %v", cmd.Name(), exec.ErrTimeout, timeout)
	case code != 0:
		return res, exec.NewExitError(cmd, res)
	}
	return res, nil
}
