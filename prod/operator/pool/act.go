package pool

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// What an action does, with its key and value.
const (
	createRule       = "create the crush rule"         // name; "root domain class"
	createProfile    = "create the erasure profile"    // name
	createReplicated = "create the pool"               // pool; rule
	createErasure    = "create the erasure coded pool" // pool; profile
	enable           = "enable the application"        // application
	set              = "set the property"              // property; value
	quota            = "set the quota"                 // field; limit
)

// carryOut does what was planned, in order, up to the first failure.
func carryOut(ctx context.Context, admin *ceph.Admin, w want, actions []action) error {
	for _, a := range actions {
		if err := act(ctx, admin, w, a); err != nil {
			return fmt.Errorf("pool %s: failed to %s %s: %w", w.name, a.what, a.key, err)
		}
	}
	return nil
}

func act(ctx context.Context, admin *ceph.Admin, w want, a action) error {
	switch a.what {
	case createRule:
		place := strings.SplitN(a.value, " ", 3)
		return admin.CrushRuleCreateReplicated(ctx, a.key, place[0], place[1], place[2])
	case createProfile:
		return admin.ErasureProfileSet(ctx, a.key, w.profile())
	case createReplicated:
		return admin.PoolCreate(ctx, a.key, w.pgs(), a.value)
	case createErasure:
		return admin.PoolCreateErasure(ctx, a.key, w.pgs(), a.value)
	case enable:
		return admin.PoolEnable(ctx, w.name, a.key)
	case quota:
		return admin.PoolSetQuota(ctx, w.name, a.key, w.quotas[a.key])
	}
	if a.key == "size" && a.value == "1" && admin.Version().Has(ceph.SizeOneConfirm) {
		return setSizeOne(ctx, admin, w.name)
	}
	return admin.PoolSet(ctx, w.name, a.key, a.value, false)
}

// setSizeOne leaves a pool one copy of everything, which the mons have to be
// allowed to do first; requireSafeReplicaSize: false asks for it.
func setSizeOne(ctx context.Context, admin *ceph.Admin, pool string) error {
	const option = "mon_allow_pool_size_one"
	allowed, err := admin.ConfigGet(ctx, "mon", option)
	if err != nil {
		return err
	}
	if allowed != "true" {
		if err := admin.ConfigSet(ctx, "mon", option, "true"); err != nil {
			return err
		}
	}
	return admin.PoolSet(ctx, pool, "size", "1", true)
}

// pgs is how many placement groups the new pool gets.
func (w want) pgs() int {
	if n, err := strconv.Atoi(w.parameters["pg_num"]); err == nil && n > 0 {
		return n
	}
	return defaultPGs
}
