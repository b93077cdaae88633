package ceph

import (
	"context"
	"fmt"
)

// PoolUse is what a pool holds (`ceph df`).
type PoolUse struct {
	ID      int
	Name    string
	Objects int64
}

// PoolUses asks what the pools hold. The OSDs report it every few seconds, so
// that what was written just now is not in it.
func (a *Admin) PoolUses(ctx context.Context) ([]PoolUse, error) {
	type pool struct {
		ID    int    `json:"id"`
		Name  string `json:"name"`
		Stats *struct {
			Objects *int64 `json:"objects"`
		} `json:"stats"`
	}
	type answer struct {
		Pools []pool `json:"pools"`
	}
	said, err := ask(ctx, a, func(said answer) error {
		for _, p := range said.Pools {
			if p.Stats == nil || p.Stats.Objects == nil {
				return fmt.Errorf("it does not say how many objects pool %q has", p.Name)
			}
		}
		return notNil("pools", said.Pools)
	}, "df")
	if err != nil {
		return nil, err
	}
	var uses []PoolUse
	for _, p := range said.Pools {
		uses = append(uses, PoolUse{ID: p.ID, Name: p.Name, Objects: *p.Stats.Objects})
	}
	return uses, nil
}
