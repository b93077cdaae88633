package ceph

import (
	"slices"
	"strings"
	"time"
)

// MgrMap says which manager is active and what it runs.
type MgrMap struct {
	Epoch        int
	Active       *MgrInfo // nil if there is none
	Available    bool     // the active one has loaded its modules
	ActiveChange time.Time
	Standbys     []*MgrInfo // in the order of their gids
	Modules      []string   // enabled by people or by default, sorted
	Services     map[string]string
	// DownSince is when the last active manager went away; zero if there never
	// was one.
	DownSince time.Time
}

// MgrInfo is a running manager.
type MgrInfo struct {
	Metadata
	Name string
	GID  uint64
	Addr Addr
	// Disabled are modules that its ceph.conf turns off altogether.
	Disabled []string
}

func (m *MgrMap) clone() *MgrMap {
	c := *m
	c.Standbys = slices.Clone(m.Standbys)
	c.Modules = slices.Clone(m.Modules)
	c.Services = make(map[string]string, len(m.Services))
	for k, v := range m.Services {
		c.Services[k] = v
	}
	return &c
}

// newMgrMap is the map of a cluster that has just been made. The options are
// those of the monitor that makes it.
func newMgrMap(r *release, o *options) *MgrMap {
	m := &MgrMap{Epoch: 1, Modules: r.defaultModules()}
	if text, ok := o.get("mgr_initial_modules"); ok {
		m.Modules = slices.Sorted(slices.Values(words(text)))
	}
	return m
}

// words are the parts of a list option.
func words(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == ';' })
}
