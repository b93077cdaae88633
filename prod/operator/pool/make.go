package pool

import (
	"context"
	"errors"
	"fmt"

	v1 "github.com/tidepool-ceph/tidepool/prod/api/v1"
	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// Asked is a pool that another resource than a CephBlockPool asks for.
type Asked struct {
	// Name is the pool's, Application what it is for, as in "cephfs".
	Name, Application string
	Spec              v1.PoolSpec
}

// Check is nil for a pool that can be meant; else the error begins with the field
// of its spec.
func (a Asked) Check() error {
	_, err := wantsOf(a.Name, a.Application, &a.Spec)
	return err
}

// Bring makes the pool, or makes it what is asked for if it is there. It runs no
// command that changes anything where there is nothing to do. A [*pass.Refused]
// says that a person has to decide; remark is what is asked for and was not done
// on purpose, "" for nothing.
func (a Asked) Bring(ctx context.Context, admin *ceph.Admin) (created bool, remark string, err error) {
	wanted, err := wantsOf(a.Name, a.Application, &a.Spec)
	if err != nil {
		return false, "", err
	}
	seen, created, err := bring(ctx, admin, wanted)
	if err == nil && seen.pool != nil {
		_, remark, err = plan(wanted, seen)
	}
	return created, remark, err
}

// Tidy removes what was made for the pool beside it, once it is gone.
func (a Asked) Tidy(ctx context.Context, admin *ceph.Admin) error {
	wanted, err := wantsOf(a.Name, a.Application, &a.Spec)
	if err != nil {
		return nil // it never was a pool
	}
	return tidy(ctx, admin, wanted)
}

// bring does what is planned for a pool and returns what it is then. A pool that
// is new is looked at once more: Ceph has given it properties of its own.
func bring(ctx context.Context, admin *ceph.Admin, wanted want) (after seen, created bool, err error) {
	before, err := observe(ctx, admin, wanted)
	if err != nil {
		return seen{}, false, err
	}
	actions, _, err := plan(wanted, before)
	if err != nil || len(actions) == 0 {
		return before, false, err
	}
	if err := carryOut(ctx, admin, wanted, actions); err != nil {
		return before, false, err
	}
	created = before.pool == nil
	if after, err = observe(ctx, admin, wanted); err != nil || !created {
		return after, created, err
	}
	if actions, _, err = plan(wanted, after); err == nil {
		err = carryOut(ctx, admin, wanted, actions)
	}
	return after, created, err
}

// Gate is whether the operator lets the mons delete pools.
type Gate struct {
	// Open is whether it had them do it when it stopped.
	Open bool
	// Note writes down that the mons are about to be let, or are no longer, so
	// that it is taken back even by an operator that was restarted in between.
	Note func(open bool) error
	// Removed is told of each pool that is gone.
	Removed func(pool string)
}

// GateOf is the gate that a resource's status tells of and write writes down.
func GateOf(ctx context.Context, status *v1.DependentStatus, write func(context.Context, *v1.DependentStatus) error, removed func(pool string)) Gate {
	return Gate{
		Open: status.Info[v1.PoolInfoDeletionOpened] == "true",
		Note: func(open bool) error {
			if !open {
				delete(status.Info, v1.PoolInfoDeletionOpened)
				return nil
			}
			if status.Info == nil {
				status.Info = map[string]string{}
			}
			status.Info[v1.PoolInfoDeletionOpened] = "true"
			return write(ctx, status)
		},
		Removed: removed,
	}
}

// Destroy removes pools with all that they hold, letting the mons do it for that
// time.
func Destroy(ctx context.Context, admin *ceph.Admin, gate Gate, pools ...string) (err error) {
	open := gate.Open
	if len(pools) > 0 && !open && admin.Version().Has(ceph.ConfigDB) {
		allowed, err := admin.ConfigGet(ctx, "mon", allowDelete)
		if err != nil {
			return err
		}
		if open = allowed != "true"; open {
			if err := gate.Note(true); err != nil {
				return err
			}
		}
	}
	if open && len(pools) > 0 {
		if err := admin.ConfigSet(ctx, "mon", allowDelete, "true"); err != nil {
			return err
		}
	}
	for _, name := range pools {
		if err = admin.PoolDelete(ctx, name); err != nil {
			err = fmt.Errorf("failed to remove the pool %s: %w", name, err)
			break
		}
		gate.Removed(name)
	}
	if open {
		closed := admin.ConfigRm(ctx, "mon", allowDelete)
		if closed == nil {
			closed = gate.Note(false)
		}
		err = errors.Join(err, closed)
	}
	return err
}
