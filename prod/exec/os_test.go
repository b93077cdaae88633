package exec_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

func sh(script string) exec.Command {
	return exec.Command{Program: "/bin/sh", Args: []string{"-c", script}}
}

func TestAProgramRunsToItsEnd(t *testing.T) {
	t.Parallel()
	cmd := sh(`printf '%s|%s|' "$LC_ALL" "$EXTRA"; cat; echo oops >&2`)
	cmd.Env = []string{"EXTRA=more"}
	cmd.Stdin = []byte("from stdin")
	res, err := exec.OS{}.Run(t.Context(), cmd)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(res.Stdout), "C|more|from stdin"; got != want {
		t.Errorf("stdout is %q, want %q", got, want)
	}
	if got := string(res.Stderr); got != "oops\n" {
		t.Errorf("stderr is %q", got)
	}
}

func TestAnExitCodeIsAnExitError(t *testing.T) {
	t.Parallel()
	for script, code := range map[string]int{"exit 22": 22, "kill -9 $$": 137, "kill -15 $$": 143} {
		res, err := exec.OS{}.Run(t.Context(), sh("echo partial; echo reason >&2; "+script))
		var exit *exec.ExitError
		if !errors.As(err, &exit) || exit.Code != code || exit.Stderr != "reason" {
			t.Errorf("%s: the error is %v", script, err)
		}
		if res.ExitCode != code || string(res.Stdout) != "partial\n" {
			t.Errorf("%s: the result is %+v", script, res)
		}
	}
}

func TestAProgramThatIsNotThere(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	plainFile := filepath.Join(dir, "no-program")
	if err := os.WriteFile(plainFile, []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, program := range []string{"tidepool-no-such-program", filepath.Join(dir, "missing"), plainFile} {
		_, err := exec.OS{}.Run(t.Context(), exec.Command{Program: program, Args: []string{"--key=topsecret"}})
		if !errors.Is(err, exec.ErrNotStarted) || strings.Contains(err.Error(), "topsecret") {
			t.Errorf("%s: the error is %v", program, err)
		}
	}
}

// gone waits until no process of that number runs.
func gone(t *testing.T, pidFile string) {
	t.Helper()
	text, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(10 * time.Second); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
		if syscall.Kill(pid, 0) != nil || (err == nil && strings.Contains(string(stat), ") Z ")) {
			return
		}
	}
	t.Errorf("process %d still runs", pid)
}

func TestAHungProgramIsEndedWithAllThatItStarted(t *testing.T) {
	t.Parallel()
	for name, script := range map[string]string{
		"itself":                           `echo $$ > PID; exec sleep 1000`,
		"ignoring SIGTERM":                 `trap "" TERM INT HUP; echo $$ > PID; while :; do sleep 1000; done`,
		"a grandchild that holds the pipe": `(echo 1; exec sh -c 'echo $$ > PID; exec sleep 1000') & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			pid := filepath.Join(t.TempDir(), "pid")
			cmd := sh(strings.ReplaceAll(script, "PID", pid))
			cmd.Timeout = 500 * time.Millisecond
			_, err := exec.OS{}.Run(t.Context(), cmd)
			if !errors.Is(err, exec.ErrTimeout) || !strings.Contains(err.Error(), "timed out after 500ms") {
				t.Errorf("the error is %v", err)
			}
			gone(t, pid)
		})
	}
}

func TestAGrandchildDoesNotOutliveAProgramThatEnded(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	res, err := exec.OS{}.Run(t.Context(), sh(`sleep 1000 & echo $! > `+pid+`; echo done`))
	if err != nil || string(res.Stdout) != "done\n" {
		t.Errorf("the result is %q, %v", res.Stdout, err)
	}
	gone(t, pid)
}

func TestTheEndOfTheContextEndsTheProgram(t *testing.T) {
	t.Parallel()
	pid := filepath.Join(t.TempDir(), "pid")
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for {
			if text, err := os.ReadFile(pid); err == nil && len(text) > 0 {
				return
			}
			time.Sleep(time.Millisecond)
		}
	}()
	_, err := exec.OS{}.Run(ctx, sh(`echo $$ > `+pid+`; exec sleep 1000`))
	if !errors.Is(err, exec.ErrTimeout) || !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	gone(t, pid)

	if _, err := (exec.OS{}).Run(ctx, sh("true")); !errors.Is(err, exec.ErrNotStarted) {
		t.Errorf("after the end of the context the error is %v", err)
	}
}

func TestTooMuchOutputEndsTheProgram(t *testing.T) {
	t.Parallel()
	for _, stream := range []string{"", " >&2"} {
		cmd := sh("while :; do echo 0123456789" + stream + "; done")
		cmd.MaxOutput = 1000
		res, err := exec.OS{}.Run(t.Context(), cmd)
		if !errors.Is(err, exec.ErrOutput) || !strings.Contains(err.Error(), "more than 1000 bytes") {
			t.Errorf("the error is %v", err)
		}
		if n := len(res.Stdout) + len(res.Stderr); n != 1000 {
			t.Errorf("%d bytes are kept", n)
		}
	}
	cmd := sh("head -c 1000 /dev/zero")
	cmd.MaxOutput = 1000
	if res, err := (exec.OS{}).Run(t.Context(), cmd); err != nil || len(res.Stdout) != 1000 {
		t.Errorf("at the limit: %d bytes, %v", len(res.Stdout), err)
	}
}
