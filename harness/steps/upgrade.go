package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
)

func upgradeSteps() []Step {
	return []Step{
		{
			Pattern: `^the status of the ` + kind + ` ` + name + ` is lost$`,
			Example: `the status of the CephCluster "rook-ceph" is lost`,
			Meaning: "takes the whole status away, as a backup does that is restored",
			Do: func(ctx context.Context, kind, named string) error {
				u, err := get(ctx, kind, named)
				if err != nil {
					return err
				}
				delete(u.Object, "status")
				return in(ctx).Client().Status().Update(ctx, u)
			},
		},
		{
			Pattern: `^` + within + `every daemon of Ceph runs ([\d.]+)$`,
			Example: `within 1m every daemon of Ceph runs 16.2.15`,
			Meaning: "`ceph versions` has no other version",
			Do: func(ctx context.Context, limit, version string) error {
				return soon(ctx, limit, func() error { return everyDaemonRuns(ctx, version) })
			},
		},
	}
}

func everyDaemonRuns(ctx context.Context, version string) error {
	res, err := in(ctx).Ceph(ctx, "rook-ceph", "versions", "--format", "json")
	if err != nil {
		return err
	}
	var said struct {
		Overall map[string]int `json:"overall"`
	}
	if err := json.Unmarshal(res.Stdout, &said); err != nil {
		return fmt.Errorf("`ceph versions` answers %q: %w", res.Stdout, err)
	}
	for text := range said.Overall {
		if !strings.HasPrefix(text, "ceph version "+version+" ") {
			return fmt.Errorf("`ceph versions` answers %s", res.Stdout)
		}
	}
	if len(said.Overall) == 0 {
		return fmt.Errorf("`ceph versions` names no daemon")
	}
	return nil
}
