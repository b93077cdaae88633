package ceph

import (
	"context"
	"encoding/json"
	"strconv"
)

// Pool is a pool (`ceph osd pool ls detail`, `ceph osd dump`).
type Pool struct {
	ID   int
	Name string
	// Type is 1 for replicated, 3 for erasure coded.
	Type                int
	Size, MinSize       int
	PGNum               int
	CrushRule           int
	ErasureProfile      string
	QuotaBytes          int64
	QuotaObjects        int64
	AutoscaleMode       string
	ApplicationMetadata map[string]map[string]string
}

// PoolNames returns the names of all pools.
func (a *Admin) PoolNames(ctx context.Context) ([]string, error) {
	return ask[[]string](ctx, a, nil, "osd", "pool", "ls")
}

// Pools returns all pools. It reads them from the osdmap, since the list of
// pools lacks their ids up to mimic.
func (a *Admin) Pools(ctx context.Context) ([]Pool, error) {
	m, err := a.OSDDump(ctx)
	return m.Pools, err
}

// PoolCreate makes a replicated pool with that many placement groups, by the
// crush rule of that name ("" is the default). One that is there is fine, as it
// is.
func (a *Admin) PoolCreate(ctx context.Context, name string, pgs int, rule string) error {
	args := []string{"osd", "pool", "create", name, strconv.Itoa(pgs), strconv.Itoa(pgs), "replicated"}
	if rule != "" {
		args = append(args, rule)
	}
	return a.do(ctx, args...)
}

// PoolSet sets a property of a pool, such as "size". A size of 1 needs yes from
// octopus on, and mon_allow_pool_size_one.
func (a *Admin) PoolSet(ctx context.Context, pool, property, value string, yes bool) error {
	args := []string{"osd", "pool", "set", pool, property, value}
	if yes {
		args = append(args, "--yes-i-really-mean-it")
	}
	return a.do(ctx, args...)
}

// PoolGet returns a property of a pool as it stands in the answer's JSON: text
// without quotes, numbers, true or false.
func (a *Admin) PoolGet(ctx context.Context, pool, property string) (string, error) {
	answer, err := ask(ctx, a, func(answer map[string]json.RawMessage) error {
		return notEmpty(property, string(answer[property]))
	}, "osd", "pool", "get", pool, property)
	if err != nil {
		return "", err
	}
	var text string
	if json.Unmarshal(answer[property], &text) == nil {
		return text, nil
	}
	return string(answer[property]), nil
}

// PoolEnable says what a pool is for ("rbd", "cephfs", "rgw"), even if it is
// for something else already. It may be repeated.
func (a *Admin) PoolEnable(ctx context.Context, pool, application string) error {
	return a.do(ctx, "osd", "pool", "application", "enable", pool, application, "--yes-i-really-mean-it")
}

// PoolDelete destroys a pool and all data in it. One that is not there is fine.
// The mons have to allow it (mon_allow_pool_delete), else [ErrNotPermitted].
func (a *Admin) PoolDelete(ctx context.Context, pool string) error {
	return a.do(ctx, "osd", "pool", "rm", pool, pool, "--yes-i-really-really-mean-it")
}
