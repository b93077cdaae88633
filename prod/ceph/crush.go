package ceph

import (
	"context"
	"errors"
	"fmt"
	"strings"

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

// CrushRule is a crush rule.
type CrushRule struct {
	ID    int         `json:"rule_id"`
	Name  string      `json:"rule_name"`
	Steps []CrushStep `json:"steps"`
}

// CrushStep is one step of a rule.
type CrushStep struct {
	// Op is such as "take", "chooseleaf_firstn", "emit".
	Op string `json:"op"`
	// Item is the bucket of "take", with the device class after a "~".
	Item string `json:"item_name"`
	// Type is the kind of bucket of "choose" and "chooseleaf".
	Type string `json:"type"`
}

// Placement says where a rule places copies: below which root, on which device
// class ("" for any), and no two in one bucket of which kind. A rule that
// chooses in several steps has none, and ok is false.
func (r CrushRule) Placement() (root, class, domain string, ok bool) {
	var takes, chooses int
	for _, s := range r.Steps {
		switch {
		case s.Op == "take":
			takes++
			root, class, _ = strings.Cut(s.Item, "~")
		case strings.HasPrefix(s.Op, "choose"): // chooseleaf as well
			chooses++
			domain = s.Type
		}
	}
	return root, class, domain, takes == 1 && chooses == 1
}

// CrushRuleDump returns the crush rules.
func (a *Admin) CrushRuleDump(ctx context.Context) ([]CrushRule, error) {
	return ask(ctx, a, func(rules []CrushRule) error {
		for _, r := range rules {
			if err := notEmpty("rule_name", r.Name); err != nil {
				return err
			}
		}
		return nil
	}, "osd", "crush", "rule", "dump")
}

// CrushRuleCreateReplicated makes a rule for copies below a root, no two in one
// bucket of the kind domain, on one device class ("" for any). One of that name
// that is there is fine, as it is.
func (a *Admin) CrushRuleCreateReplicated(ctx context.Context, name, root, domain, class string) error {
	args := []string{"osd", "crush", "rule", "create-replicated", name, root, domain}
	if class != "" {
		args = append(args, class)
	}
	return a.do(ctx, args...)
}

// CrushRuleRemove removes a rule. One that is not there is fine; one that a pool
// uses is [ErrBusy].
func (a *Admin) CrushRuleRemove(ctx context.Context, name string) error {
	return a.do(ctx, "osd", "crush", "rule", "rm", name)
}
