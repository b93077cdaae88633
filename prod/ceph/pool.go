package ceph

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Pool is a pool (`ceph osd pool ls detail`, `ceph osd dump`).
type Pool struct {
	ID   int
	Name string
	// Type is [ReplicatedPool] or [ErasurePool].
	Type           int
	Size, MinSize  int
	PGNum          int
	CrushRule      int
	ErasureProfile string
	QuotaBytes     int64
	QuotaObjects   int64
	AutoscaleMode  string
	// Flags are such as "hashpspool" and "ec_overwrites".
	Flags               []string
	ApplicationMetadata map[string]map[string]string
}

// The types of pools.
const (
	ReplicatedPool = 1
	ErasurePool    = 3
)

// HasFlag says whether a flag such as "ec_overwrites" is set.
func (p Pool) HasFlag(flag string) bool { return slices.Contains(p.Flags, flag) }

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
	return a.do(ctx, a.confirmed(name, args)...)
}

// PoolCreateErasure makes a pool of chunks with that many placement groups, by
// an erasure code profile, and a crush rule of the pool's name with it. A pool
// that is there is fine, as it is.
func (a *Admin) PoolCreateErasure(ctx context.Context, name string, pgs int, profile string) error {
	args := []string{"osd", "pool", "create", name, strconv.Itoa(pgs), strconv.Itoa(pgs), "erasure", profile}
	return a.do(ctx, a.confirmed(name, args)...)
}

// confirmed are the arguments of a pool's creation, with what makes a pool of
// this name acceptable: names that begin with a dot are Ceph's own.
func (a *Admin) confirmed(name string, args []string) []string {
	if strings.HasPrefix(name, ".") && a.version.Has(DotPoolConfirm) {
		return append(args, "--yes-i-really-mean-it")
	}
	return args
}

// The fields of a pool's quota.
const (
	QuotaMaxBytes   = "max_bytes"
	QuotaMaxObjects = "max_objects"
)

// PoolSetQuota limits what a pool may hold: field is [QuotaMaxBytes] or
// [QuotaMaxObjects], and 0 is no limit.
func (a *Admin) PoolSetQuota(ctx context.Context, pool, field string, limit int64) error {
	return a.do(ctx, "osd", "pool", "set-quota", pool, field, strconv.FormatInt(limit, 10))
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
