package ceph

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// Kinds of failure (design rule 7). Every error of this package wraps one.
var (
	ErrNotFound     = errors.New("not found")
	ErrExists       = errors.New("exists already")
	ErrBusy         = errors.New("busy")
	ErrNotPermitted = errors.New("not permitted")
	// ErrUnreachable: no mon answered in time, or the daemon that has to answer
	// did not. Whether the command had an effect is unknown.
	ErrUnreachable = errors.New("unreachable")
	ErrInvalid     = errors.New("invalid")
	ErrNoSpace     = errors.New("out of space")
	// ErrUnsupported: this release does not have what was asked for.
	ErrUnsupported = errors.New("not supported by this release")
	// ErrGarbled: the command succeeded and what it printed cannot be read.
	ErrGarbled = errors.New("cannot be read")
	// ErrFailed: the command failed in a way that is none of the others.
	ErrFailed = errors.New("failed")
)

// kindError is a failure with its kind. Its text is that of the cause, which
// names the command and what it said.
type kindError struct{ kind, cause error }

func (e *kindError) Error() string   { return e.cause.Error() }
func (e *kindError) Unwrap() []error { return []error{e.kind, e.cause} }

// failure gives the error of a run its kind; nil stays nil.
func failure(err error) error {
	if err == nil {
		return nil
	}
	return &kindError{kindOf(err), err}
}

// exitCodes are the kinds of errno, with which a command exits that the cluster
// refused.
var exitCodes = map[int]error{
	2:   ErrNotFound,     // ENOENT
	11:  ErrBusy,         // EAGAIN
	13:  ErrNotPermitted, // EACCES
	16:  ErrBusy,         // EBUSY
	17:  ErrExists,       // EEXIST
	22:  ErrInvalid,      // EINVAL
	28:  ErrNoSpace,      // ENOSPC
	34:  ErrInvalid,      // ERANGE
	39:  ErrBusy,         // ENOTEMPTY
	95:  ErrUnsupported,  // EOPNOTSUPP
	107: ErrUnreachable,  // ENOTCONN
	110: ErrUnreachable,  // ETIMEDOUT
	111: ErrUnreachable,  // ECONNREFUSED
	113: ErrUnreachable,  // EHOSTUNREACH
}

// kindOf finds the kind of a failed run.
func kindOf(err error) error {
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		return kindOfExit(exit.Code, exit.Stderr)
	case errors.Is(err, exec.ErrTimeout):
		return ErrUnreachable
	case errors.Is(err, exec.ErrOutput):
		return ErrGarbled
	}
	return ErrFailed
}

// kindOfExit tells a refusal by the cluster from a program that did not get as
// far: only the former may say that something is not there.
func kindOfExit(code int, stderr string) error {
	switch {
	case strings.Contains(stderr, "connecting to the cluster"), strings.Contains(stderr, "Error connecting to cluster"):
		for _, denied := range []string{"[errno 1]", "[errno 13]", "PermissionDenied", "PermissionError"} {
			if strings.Contains(stderr, denied) {
				return ErrNotPermitted
			}
		}
		return ErrUnreachable
	case lastLine(stderr) == "timed out", strings.Contains(stderr, "[errno 110]"):
		return ErrUnreachable
	case strings.Contains(stderr, "unrecognized command"), strings.Contains(stderr, "no valid command found"):
		return ErrUnsupported
	case strings.Contains(stderr, "Invalid command:"):
		// With --out-file the program of pacific falls over its own message and
		// exits with 1, here and where there is no such command.
		return ErrInvalid
	case strings.Contains(stderr, "Error EPERM"):
		return ErrNotPermitted
	case code == 2 && !strings.Contains(stderr, "Error ENOENT"):
		return ErrFailed
	}
	if kind, ok := exitCodes[code]; ok {
		return kind
	}
	return ErrFailed
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return text[strings.LastIndexByte(text, '\n')+1:]
}

// garbled says that a command's answer cannot be read, and shows its beginning.
func garbled(cmd exec.Command, answer []byte, why error) error {
	return fmt.Errorf("%s: the answer %w: %w; it begins %s", cmd.Name(), ErrGarbled, why, excerpt(answer))
}

// excerpt is the beginning of an answer for people, keys stripped.
func excerpt(answer []byte) string {
	const most = 120
	answer = bytes.TrimSpace(answer)
	if len(answer) == 0 {
		return "(nothing)"
	}
	text := exec.Strip(string(answer))
	if len(text) > most {
		return fmt.Sprintf("%q…", text[:most])
	}
	return fmt.Sprintf("%q", text)
}
