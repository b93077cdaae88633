package ceph

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// StopAnswer is what Ceph says to the question whether daemons may be stopped
// (`mon|osd|mds ok-to-stop`).
type StopAnswer struct {
	OK bool
	// Why is, in Ceph's own words, why they may not.
	Why string
	// OSDs are those that may be stopped together: the ones that were asked for,
	// and those that Ceph adds.
	OSDs []int
	// PGs are the placement groups that would not be available, or are not now.
	// Up to octopus Ceph does not name them.
	PGs []string
}

// MonOkToStop asks whether the quorum stays without these mons. Up to mimic
// there is no such question: [ErrUnsupported].
func (a *Admin) MonOkToStop(ctx context.Context, names ...string) (StopAnswer, error) {
	return a.daemonsOkToStop(ctx, "mon", names)
}

// MDSOkToStop asks whether the file systems stay available without these MDS.
// Up to mimic there is no such question: [ErrUnsupported].
func (a *Admin) MDSOkToStop(ctx context.Context, names ...string) (StopAnswer, error) {
	return a.daemonsOkToStop(ctx, "mds", names)
}

func (a *Admin) daemonsOkToStop(ctx context.Context, kind string, names []string) (StopAnswer, error) {
	if err := a.needs(OkToStop, kind+" ok-to-stop"); err != nil {
		return StopAnswer{}, err
	}
	_, _, err := a.run(ctx, call{args: append([]string{kind, "ok-to-stop"}, names...), format: plain})
	return stopAnswer(err)
}

// OSDOkToStop asks whether all data stays available while these OSDs are
// stopped. From pacific on Ceph names others besides, as long as no more than
// most are stopped together; a most of up to the number of ids adds none.
func (a *Admin) OSDOkToStop(ctx context.Context, most int, ids ...int) (StopAnswer, error) {
	args := []string{"osd", "ok-to-stop"}
	for _, id := range ids {
		args = append(args, strconv.Itoa(id))
	}
	if !a.version.Has(OkToStopNames) {
		_, _, err := a.run(ctx, call{args: args, format: plain})
		answer, err := stopAnswer(err)
		if answer.OK {
			answer.OSDs = slices.Clone(ids)
		}
		return answer, err
	}
	if most > len(ids) {
		args = append(args, "--max", strconv.Itoa(most))
	}
	return a.namedOSDs(ctx, call{args: args, format: asJSON})
}

// namedOSDs asks for the answer that names OSDs and PGs, which Ceph gives with a
// refusal as well.
func (a *Admin) namedOSDs(ctx context.Context, c call) (_ StopAnswer, err error) {
	var wire struct {
		OK       *bool    `json:"ok_to_stop"`
		OSDs     []int    `json:"osds"`
		Inactive []string `json:"bad_already_inactive"`
		Become   []string `json:"bad_become_inactive"`
	}
	out := a.tempFile()
	cmd := a.command(c, out)
	defer func() { err = errors.Join(err, a.removeTemp(out)) }()
	_, ran := a.exec.Run(ctx, cmd)
	answer, err := stopAnswer(failure(ran))
	if err != nil {
		return StopAnswer{}, err
	}
	text, err := a.files.ReadFile(out)
	switch {
	case err != nil && !answer.OK:
		return answer, nil // the refusal stands without its details
	case err != nil:
		return StopAnswer{}, fmt.Errorf("%s: the answer %w: %w", cmd.Name(), ErrGarbled, err)
	}
	if err := decode(text, &wire); err != nil && answer.OK {
		return StopAnswer{}, garbled(cmd, text, err)
	}
	if answer.OK && (wire.OK == nil || !*wire.OK) {
		return StopAnswer{}, garbled(cmd, text, errors.New("it does not say ok_to_stop"))
	}
	answer.OSDs = wire.OSDs
	answer.PGs = append(wire.Inactive, wire.Become...)
	return answer, nil
}

// stopAnswer tells a refusal, which is an answer, from a failure.
func stopAnswer(err error) (StopAnswer, error) {
	var exit *exec.ExitError
	if errors.Is(err, ErrBusy) && errors.As(err, &exit) {
		return StopAnswer{Why: words(exit.Stderr)}, nil
	}
	return StopAnswer{OK: err == nil}, err
}

// words are what Ceph said, without the name of the error before it.
func words(stderr string) string {
	text := lastLine(stderr)
	if rest, ok := strings.CutPrefix(text, "Error "); ok {
		if _, said, ok := strings.Cut(rest, ": "); ok {
			return said
		}
	}
	return text
}
