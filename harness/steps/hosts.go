package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
)

// noted is what nodes held when a scenario noted it.
type noted struct{}

func hostSteps() []Step {
	return []Step{
		{
			Pattern: `^what the nodes? ` + names + ` holds? is noted$`,
			Example: `what the nodes "n1" and "n2" hold is noted`,
			Meaning: "remembers every file, directory and disk of these machines, to compare them later",
			Do: func(ctx context.Context, nodes string) (context.Context, error) {
				held, err := holdings(ctx, list(nodes))
				return context.WithValue(ctx, noted{}, held), err
			},
		},
		{
			Pattern: `^the nodes still hold what was noted$`,
			Example: `the nodes still hold what was noted`,
			Meaning: "no file, directory or disk of these machines is gone, new or changed",
			Do: func(ctx context.Context) error {
				before, ok := ctx.Value(noted{}).(map[string][]string)
				if !ok {
					return errors.New("nothing was noted before")
				}
				var nodes []string
				for node := range before {
					nodes = append(nodes, node)
				}
				slices.Sort(nodes)
				now, err := holdings(ctx, nodes)
				if err == nil && !cmp.Equal(before, now) {
					err = fmt.Errorf("the nodes hold something else (-before +now):\n%s", cmp.Diff(before, now))
				}
				return err
			},
		},
		{
			Pattern: `^` + within + `the nodes? ` + names + ` (?:has|have) nothing below ` + name + `$`,
			Example: `within 5m the nodes "n1" and "n2" have nothing below "/var/lib/rook"`,
			Meaning: "the directory is empty or not there",
			Do: func(ctx context.Context, limit, nodes, dir string) error {
				return soon(ctx, limit, func() error {
					return eachHolding(ctx, nodes, func(node, held string) error {
						if below(held, dir) {
							return fmt.Errorf("node %s has %s", node, held)
						}
						return nil
					})
				})
			},
		},
		{
			Pattern: `^` + within + `the node ` + name + ` has something below ` + name + `$`,
			Example: `the node "n1" has something below "/var/lib/rook/mon-a"`,
			Meaning: "there is a file or directory in the directory",
			Do: func(ctx context.Context, limit, node, dir string) error {
				return soon(ctx, limit, func() error {
					held, err := in(ctx).NodeHolds(node)
					if err == nil && !slices.ContainsFunc(held, func(h string) bool { return below(h, dir) }) {
						err = fmt.Errorf("node %s has nothing below %s", node, dir)
					}
					return err
				})
			},
		},
		{
			Pattern: `^the directory ` + name + ` of the node ` + name + ` is moved to ` + name + `$`,
			Example: `the directory "/var/lib/other/mon-a" of the node "n1" is moved to "/var/lib/rook/mon-x"`,
			Meaning: "gives a directory of a machine another path, as mv does",
			Do: func(ctx context.Context, from, node, to string) error {
				return in(ctx).MoveNodeFile(node, from, to)
			},
		},
		{
			Pattern: `^the disk ` + name + ` of the node ` + name + ` cannot be written$`,
			Example: `the disk "sdb" of the node "n3" cannot be written`,
			Meaning: "from now on the disk is read-only, as one that is broken",
			Do:      func(ctx context.Context, disk, node string) error { return in(ctx).ProtectDevice(node, disk) },
		},
		{
			Pattern: `^` + within + `the disk ` + name + ` of the nodes? ` + names + ` is (empty|not empty)$`,
			Example: `within 5m the disk "sdb" of the nodes "n1" and "n2" is empty`,
			Meaning: "it has no file system, volume or partition",
			Do: func(ctx context.Context, limit, disk, nodes, how string) error {
				return soon(ctx, limit, func() error {
					for _, node := range list(nodes) {
						held, err := in(ctx).NodeHolds(node)
						if err != nil {
							return err
						}
						if empty := slices.Contains(held, "disk "+disk); empty != (how == "empty") {
							return fmt.Errorf("disk %s of node %s is not %s:\n%s", disk, node, how, strings.Join(slices.DeleteFunc(held, func(h string) bool { return !strings.HasPrefix(h, "disk ") }), "\n"))
						}
					}
					return nil
				})
			},
		},
	}
}

// holdings is what nodes hold, by their names.
func holdings(ctx context.Context, nodes []string) (map[string][]string, error) {
	held := map[string][]string{}
	for _, node := range nodes {
		h, err := in(ctx).NodeHolds(node)
		if err != nil {
			return nil, err
		}
		held[node] = h
	}
	return held, nil
}

func eachHolding(ctx context.Context, nodes string, check func(node, held string) error) error {
	for _, node := range list(nodes) {
		held, err := in(ctx).NodeHolds(node)
		if err != nil {
			return err
		}
		for _, h := range held {
			if err := check(node, h); err != nil {
				return err
			}
		}
	}
	return nil
}

// below says whether what a node holds is in a directory.
func below(held, dir string) bool {
	rest, ok := strings.CutPrefix(held, strings.TrimSuffix(dir, "/")+"/")
	return ok && rest != ""
}
