package ceph

import (
	"context"
	"errors"
	"fmt"

	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// CrushTunables sets a profile of tunables, such as "firefly" (S103).
func (a *Admin) CrushTunables(ctx context.Context, profile string) error {
	_, _, err := a.run(ctx, call{args: []string{"osd", "crush", "tunables", profile}, format: plain})
	return err
}

// SetCrushMap compiles a crush map from its text (S104) and makes it the
// cluster's (S105). Temporary files are gone afterwards (S106).
func (a *Admin) SetCrushMap(ctx context.Context, text string) error {
	return a.withFile([]byte(text), func(in string) (err error) {
		out := a.tempFile()
		defer func() { err = errors.Join(err, a.removeTemp(out)) }()
		if _, err := a.exec.Run(ctx, exec.Command{Program: "crushtool", Args: []string{"-c", in, "-o", out}}); err != nil {
			return fmt.Errorf("failed to compile crush map: %w", &kindError{ErrInvalid, err})
		}
		return a.do(ctx, "osd", "setcrushmap", "-i", out)
	})
}

// CrushRules returns the names of the crush rules.
func (a *Admin) CrushRules(ctx context.Context) ([]string, error) {
	return ask[[]string](ctx, a, nil, "osd", "crush", "rule", "ls")
}
