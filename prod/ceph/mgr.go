package ceph

import (
	"context"
	"encoding/json"
	"errors"
	"slices"
)

// MgrState is who serves as mgr.
type MgrState struct {
	Epoch int
	// Available: the active mgr is ready to answer.
	Available bool
	// ActiveName is empty if no mgr is active.
	ActiveName string
	NumStandby int
}

// UnmarshalJSON reads what `mgr stat` prints, and the whole mgrmap of `mgr dump`.
func (m *MgrState) UnmarshalJSON(data []byte) error {
	var wire struct {
		Epoch      *int              `json:"epoch"`
		Available  bool              `json:"available"`
		ActiveName string            `json:"active_name"`
		NumStandby int               `json:"num_standby"`
		Standbys   []json.RawMessage `json:"standbys"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.Epoch == nil {
		return errors.New("it has no epoch")
	}
	*m = MgrState{Epoch: *wire.Epoch, Available: wire.Available, ActiveName: wire.ActiveName, NumStandby: wire.NumStandby + len(wire.Standbys)}
	return nil
}

// MgrStat asks who serves as mgr: by `mgr stat` from octopus on, by `mgr dump`
// before.
func (a *Admin) MgrStat(ctx context.Context) (MgrState, error) {
	command := "dump"
	if a.version.Has(MgrStat) {
		command = "stat"
	}
	return ask[MgrState](ctx, a, nil, "mgr", command)
}

// Modules are the mgr's modules (`ceph mgr module ls`).
type Modules struct {
	AlwaysOn []string
	Enabled  []string
	// Disabled could be enabled.
	Disabled []string
}

// On says whether a module runs.
func (m Modules) On(name string) bool {
	return slices.Contains(m.AlwaysOn, name) || slices.Contains(m.Enabled, name)
}

// UnmarshalJSON reads the lists; those who are disabled are names up to mimic
// and objects after.
func (m *Modules) UnmarshalJSON(data []byte) error {
	var wire struct {
		AlwaysOn []string          `json:"always_on_modules"`
		Enabled  []string          `json:"enabled_modules"`
		Disabled []json.RawMessage `json:"disabled_modules"`
	}
	if err := json.Unmarshal(data, &wire); err != nil {
		return err
	}
	if wire.Enabled == nil {
		return errors.New("it has no enabled_modules")
	}
	*m = Modules{AlwaysOn: wire.AlwaysOn, Enabled: wire.Enabled}
	for _, raw := range wire.Disabled {
		var name string
		if json.Unmarshal(raw, &name) != nil {
			var module struct {
				Name string `json:"name"`
			}
			if err := json.Unmarshal(raw, &module); err != nil {
				return err
			}
			name = module.Name
		}
		m.Disabled = append(m.Disabled, name)
	}
	return nil
}

// MgrModules asks which modules there are and which run.
func (a *Admin) MgrModules(ctx context.Context) (Modules, error) {
	return ask[Modules](ctx, a, nil, "mgr", "module", "ls")
}

// MgrModuleEnable turns a module on, also one that the running mgr does not know
// yet. One that is on is fine.
func (a *Admin) MgrModuleEnable(ctx context.Context, name string) error {
	return a.do(ctx, "mgr", "module", "enable", name, "--force")
}

// MgrModuleDisable turns a module off. One that is off is fine; one that is
// always on is [ErrInvalid].
func (a *Admin) MgrModuleDisable(ctx context.Context, name string) error {
	return a.do(ctx, "mgr", "module", "disable", name)
}

// MgrServices asks where modules serve: URLs by the name of the service, such as
// "dashboard" and "prometheus".
func (a *Admin) MgrServices(ctx context.Context) (map[string]string, error) {
	return ask[map[string]string](ctx, a, nil, "mgr", "services")
}
