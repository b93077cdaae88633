package ceph

import "time"

// change is the next state in the making. Each method hands out a copy of one
// section that may be written to; the first call makes the copy. Maps and
// slices inside an element (caps of an entity, addresses of a daemon) are still
// shared: replace them, never write into them.
type change struct {
	now time.Time
	old *State
	new *State
}

// begin starts a change of a committed state.
func begin(old *State, now time.Time) *change {
	c := *old
	return &change{now: now, old: old, new: &c}
}

// dirty says whether anything was changed.
func (t *change) dirty() bool { return *t.old != *t.new }

// section is the copy of a section that the change may write to.
func section[T any](old *T, now **T, clone func(*T) *T) *T {
	if *now == old {
		*now = clone(old)
	}
	return *now
}

func (t *change) monmap() *MonMap {
	// Which ranks were removed is told of the last change only.
	return section(t.old.MonMap, &t.new.MonMap, func(old *MonMap) *MonMap {
		next := old.clone()
		next.RemovedRanks = nil
		return next
	})
}

func (t *change) monMeta() *MonMeta {
	return section(t.old.MonMeta, &t.new.MonMeta, (*MonMeta).clone)
}

func (t *change) osdmap() *OSDMap {
	return section(t.old.OSDMap, &t.new.OSDMap, (*OSDMap).clone)
}

func (t *change) pgmap() *PGMap {
	return section(t.old.PGMap, &t.new.PGMap, (*PGMap).clone)
}

func (t *change) mgrmap() *MgrMap {
	return section(t.old.MgrMap, &t.new.MgrMap, (*MgrMap).clone)
}

func (t *change) auth() *AuthDB {
	return section(t.old.Auth, &t.new.Auth, (*AuthDB).clone)
}

func (t *change) config() *ConfigDB {
	return section(t.old.Config, &t.new.Config, (*ConfigDB).clone)
}

func (t *change) configKey() *KeyStore {
	return section(t.old.ConfigKey, &t.new.ConfigKey, (*KeyStore).clone)
}

func (t *change) log() *ClusterLog {
	return section(t.old.Log, &t.new.Log, (*ClusterLog).clone)
}

func (t *change) health() *HealthDB {
	return section(t.old.Health, &t.new.Health, (*HealthDB).clone)
}

func (t *change) services() *ServiceMap {
	return section(t.old.Services, &t.new.Services, (*ServiceMap).clone)
}

// finish gives the changed sections their next epoch and the state its next
// version.
func (t *change) finish() *State {
	t.settle()
	if t.new.MonMap != t.old.MonMap {
		t.new.MonMap.Epoch, t.new.MonMap.Modified = t.old.MonMap.Epoch+1, t.now
	}
	if t.new.OSDMap != t.old.OSDMap {
		t.new.OSDMap.Epoch, t.new.OSDMap.Modified = t.old.OSDMap.Epoch+1, t.now
	}
	if t.new.MgrMap != t.old.MgrMap {
		t.new.MgrMap.Epoch = t.old.MgrMap.Epoch + 1
	}
	if t.new.FSMap != t.old.FSMap {
		t.new.FSMap.Epoch = t.old.FSMap.Epoch + 1
	}
	if t.new.Services != t.old.Services {
		t.new.Services.Epoch, t.new.Services.Modified = t.old.Services.Epoch+1, t.now
	}
	t.new.Version = t.old.Version + 1
	return t.new
}
