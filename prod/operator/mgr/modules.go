package mgr

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

// The modules that the operator turns on and off.
const (
	prometheus = "prometheus"
	dashboard  = "dashboard"
)

// section is for whom the options are set: whichever mgr is active.
const section = "mgr"

// option is one of the configuration database.
type option struct{ Name, Value string }

// settings are the dashboard's options that the spec asks for (S6). An empty
// value asks for Ceph's default.
func settings(spec v1.DashboardSpec, v ceph.Version) []option {
	port := strconv.Itoa(spec.ServedPort())
	all := []option{{"mgr/dashboard/url_prefix", spec.URLPrefix}}
	if v.Has(ceph.DashboardTLS) {
		all = append(all, option{"mgr/dashboard/ssl", strconv.FormatBool(spec.UseSSL())})
	}
	all = append(all, option{"mgr/dashboard/server_port", port})
	if v.Has(ceph.DashboardSSLPort) && spec.UseSSL() {
		all = append(all, option{"mgr/dashboard/ssl_server_port", port})
	}
	return all
}

// planSettings are those of the wanted options that have another value now.
func planSettings(current map[string]string, wanted []option) []option {
	var differing []option
	for _, o := range wanted {
		if current[o.Name] != o.Value {
			differing = append(differing, o)
		}
	}
	return differing
}

// change is one command to the modules.
type change struct {
	Do     string // "enable", "disable", "set" or "unset"
	Module string
	Option option
}

// planModules are the changes from what runs to what the spec asks for. The
// dashboard reads its options only when it starts: it is off while they change,
// so that whatever was the last effect before a crash, the next plan goes on
// from there.
func planModules(on ceph.Modules, differing []option, spec v1.DashboardSpec) []change {
	var changes []change
	if !on.On(prometheus) {
		changes = append(changes, change{Do: "enable", Module: prometheus})
	}
	runs := on.On(dashboard)
	if !spec.Enabled {
		if runs {
			changes = append(changes, change{Do: "disable", Module: dashboard})
		}
		return changes
	}
	if runs && len(differing) > 0 {
		changes = append(changes, change{Do: "disable", Module: dashboard})
		runs = false
	}
	for _, o := range differing {
		if o.Value == "" {
			changes = append(changes, change{Do: "unset", Option: o})
			continue
		}
		changes = append(changes, change{Do: "set", Option: o})
	}
	if !runs {
		changes = append(changes, change{Do: "enable", Module: dashboard})
	}
	return changes
}

// ensureModules brings the modules and the dashboard's options to the spec.
func ensureModules(ctx context.Context, p *pass.Pass) error {
	on, err := p.Ceph.MgrModules(ctx)
	if err != nil {
		return fmt.Errorf("failed to list the mgr's modules: %w", err)
	}
	spec := p.Cluster.Spec.Dashboard
	var differing []option
	if spec.Enabled {
		wanted := settings(spec, p.Version)
		current, err := currentSettings(ctx, p, wanted)
		if err != nil {
			return fmt.Errorf("failed to read the dashboard's options: %w", err)
		}
		differing = planSettings(current, wanted)
	}
	for _, c := range planModules(on, differing, spec) {
		if err := c.carryOut(ctx, p); err != nil {
			return err
		}
	}
	return nil
}

func (c change) carryOut(ctx context.Context, p *pass.Pass) error {
	var err error
	switch c.Do {
	case "enable":
		err = p.Ceph.MgrModuleEnable(ctx, c.Module)
	case "disable":
		err = p.Ceph.MgrModuleDisable(ctx, c.Module)
	case "set":
		err = p.Ceph.ConfigSet(ctx, section, c.Option.Name, c.Option.Value)
	case "unset":
		err = p.Ceph.ConfigRm(ctx, section, c.Option.Name)
	}
	if err != nil {
		return fmt.Errorf("failed to %s %s%s of the mgr: %w", c.Do, c.Module, c.Option.Name, err)
	}
	p.Log.Infof("mgr: %s %s%s %s", c.Do, c.Module, c.Option.Name, c.Option.Value)
	return nil
}

// currentSettings are the values that the wanted options have now; an option
// that is not set is absent.
func currentSettings(ctx context.Context, p *pass.Pass, wanted []option) (map[string]string, error) {
	current := map[string]string{}
	if !p.Version.Has(ceph.ConfigDB) {
		for _, o := range wanted {
			value, err := p.Ceph.ConfigGet(ctx, section, o.Name)
			switch {
			case errors.Is(err, ceph.ErrNotFound):
			case err != nil:
				return nil, err
			default:
				current[o.Name] = value
			}
		}
		return current, nil
	}
	all, err := p.Ceph.ConfigDump(ctx)
	for _, set := range all {
		if set.Section == section && set.Mask == "" {
			current[set.Name] = set.Value
		}
	}
	return current, err
}
