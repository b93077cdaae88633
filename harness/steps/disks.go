package steps

import (
	"context"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// diskSteps are what happens to the disks of nodes that are there.
func diskSteps() []Step {
	return []Step{
		{
			Pattern: `^the disk ` + name + ` of (\w+) is added to the node ` + name + `$`,
			Example: `the disk "sdc" of 10Gi is added to the node "n1"`,
			Meaning: "plugs an empty disk into a machine that may be running",
			Do: func(ctx context.Context, disk, size, node string) error {
				return in(ctx).AddDevice(node, world.Device{Name: disk, Size: size})
			},
		},
		{
			Pattern: `^the disk ` + name + ` of the node ` + name + ` is (wiped|taken away)$`,
			Example: `the disk "sdc" of the node "n1" is wiped`,
			Meaning: "wiped leaves the disk empty, taken away leaves none; daemons that have it open are not asked",
			Do: func(ctx context.Context, disk, node, how string) error {
				if how == "wiped" {
					return in(ctx).WipeDevice(node, disk)
				}
				return in(ctx).RemoveDevice(node, disk)
			},
		},
	}
}
