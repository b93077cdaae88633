package ceph

import (
	"context"
	"fmt"
	"strings"
)

// ConfigSet sets an option for who ("global", "mon", "mgr.a", …) in the
// configuration database. For luminous, which has none, options of mgr modules
// ("mgr/dashboard/server_port") are set where that release keeps them, and
// others are [ErrUnsupported].
func (a *Admin) ConfigSet(ctx context.Context, who, option, value string) error {
	if !a.version.Has(ConfigDB) {
		key, err := a.moduleKey(who, option)
		if err != nil {
			return err
		}
		return a.do(ctx, "config-key", "set", key, value)
	}
	args := []string{"config", "set", who, option, value}
	if strings.HasPrefix(option, "mgr/") && a.version.Has(ConfigForce) {
		args = append(args, "--force")
	}
	return a.do(ctx, args...)
}

// ConfigGet returns the value that an option has for who, its default if it is
// not set. An option that Ceph does not know is [ErrNotFound], and so is one of a
// mgr module that is not loaded, even if it is set ([Admin.ConfigDump] has it).
func (a *Admin) ConfigGet(ctx context.Context, who, option string) (string, error) {
	args := []string{"config", "get", who, option}
	if !a.version.Has(ConfigDB) {
		key, err := a.moduleKey(who, option)
		if err != nil {
			return "", err
		}
		args = []string{"config-key", "get", key}
	}
	// The JSON form is a bare word for strings, so the plain one says the same.
	_, answer, err := a.run(ctx, call{args: args, format: plain})
	return strings.TrimSpace(string(answer)), err
}

// ConfigRm unsets an option for who. One that is not set is fine.
func (a *Admin) ConfigRm(ctx context.Context, who, option string) error {
	if !a.version.Has(ConfigDB) {
		key, err := a.moduleKey(who, option)
		if err != nil {
			return err
		}
		return a.do(ctx, "config-key", "rm", key)
	}
	return a.do(ctx, "config", "rm", who, option)
}

// ConfigOption is one entry of the configuration database.
type ConfigOption struct {
	// Section is who it is for: "global", "mon", "osd.3".
	Section string `json:"section"`
	Name    string `json:"name"`
	Value   string `json:"value"`
	// Mask limits it further, as in "class:ssd".
	Mask string `json:"mask"`
}

// ConfigDump returns all that is set in the configuration database.
func (a *Admin) ConfigDump(ctx context.Context) ([]ConfigOption, error) {
	if err := a.needs(ConfigDB, "config dump"); err != nil {
		return nil, err
	}
	return ask(ctx, a, func(all []ConfigOption) error {
		for _, option := range all {
			if err := notEmpty("name of an option", option.Name); err != nil {
				return err
			}
		}
		return nil
	}, "config", "dump")
}

// moduleKey is where luminous keeps an option of a mgr module: for one daemon
// (who "mgr.a") under the daemon's name.
func (a *Admin) moduleKey(who, option string) (string, error) {
	module, name, ok := strings.Cut(strings.TrimPrefix(option, "mgr/"), "/")
	if !ok || !strings.HasPrefix(option, "mgr/") {
		return "", fmt.Errorf("option %s of %s: %w (%s)", option, who, ErrUnsupported, a.version)
	}
	if daemon, one := strings.CutPrefix(who, "mgr."); one {
		return fmt.Sprintf("mgr/%s/%s/%s", module, daemon, name), nil
	}
	return fmt.Sprintf("mgr/%s/%s", module, name), nil
}
