package pool

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// observe reads what matters for what is wanted. It changes nothing.
func observe(ctx context.Context, admin *ceph.Admin, w want) (seen, error) {
	s := seen{parameters: map[string]string{}}
	pool, err := find(ctx, admin, w.name)
	if err != nil {
		return seen{}, err
	}
	s.pool = pool
	if s.rules, err = admin.CrushRuleDump(ctx); err != nil {
		return seen{}, fmt.Errorf("failed to get the crush rules: %w", err)
	}
	if w.erasureCoded() {
		name := w.profileName()
		if pool != nil && pool.ErasureProfile != "" {
			name = pool.ErasureProfile
		}
		if s.profile, err = admin.ErasureProfile(ctx, name); err != nil && !errors.Is(err, ceph.ErrNotFound) {
			return seen{}, fmt.Errorf("failed to get the erasure code profile %s: %w", name, err)
		}
	}
	if pool == nil {
		return s, nil
	}
	known := map[string]string{"min_size": strconv.Itoa(pool.MinSize)}
	for _, name := range slices.Sorted(maps.Keys(w.parameters)) {
		if value, ok := known[name]; ok {
			s.parameters[name] = value
			continue
		}
		value, err := admin.PoolGet(ctx, w.name, name)
		switch {
		case err == nil:
			s.parameters[name] = value
		case !errors.Is(err, ceph.ErrNotFound): // which says that it is not set
			return seen{}, fmt.Errorf("failed to get %s of pool %s: %w", name, w.name, err)
		}
	}
	return s, nil
}

// find returns the pool of that name, nil if there is none.
func find(ctx context.Context, admin *ceph.Admin, name string) (*ceph.Pool, error) {
	pools, err := admin.Pools(ctx)
	if err != nil {
		return nil, fmt.Errorf("failed to get the pools: %w", err)
	}
	for i := range pools {
		if pools[i].Name == name {
			return &pools[i], nil
		}
	}
	return nil, nil
}
