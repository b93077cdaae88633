package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
)

// served is the node whose MDS a scenario has taken away.
type served struct{}

func filesystemSteps() []Step {
	return []Step{
		{
			Pattern: `^the node of the active MDS of ` + name + ` loses its power$`,
			Example: `the node of the active MDS of "myfs" loses its power`,
			Meaning: "where the MDS of rank 0 of the file system runs, everything ends",
			Do: func(ctx context.Context, fs string) (context.Context, error) {
				_, node, err := activeMDS(ctx, fs)
				if err != nil {
					return ctx, err
				}
				return context.WithValue(ctx, served{}, node), in(ctx).PowerOff(node)
			},
		},
		{
			Pattern: `^` + within + `an MDS of ` + name + ` on another node is active$`,
			Example: `within 25s an MDS of "myfs" on another node is active`,
			Meaning: "rank 0 of the file system is served, and not from the node that was lost",
			Do: func(ctx context.Context, limit, fs string) error {
				lost, ok := ctx.Value(served{}).(string)
				if !ok {
					return errors.New("no node of an MDS was lost before")
				}
				return soon(ctx, limit, func() error {
					mds, node, err := activeMDS(ctx, fs)
					if err == nil && node == lost {
						err = fmt.Errorf("rank 0 of %s is still held by mds.%s on the lost node %s", fs, mds, node)
					}
					return err
				})
			},
		},
	}
}

// activeMDS is the MDS that serves rank 0 of a file system, and its node.
func activeMDS(ctx context.Context, fs string) (mds, node string, err error) {
	var answer struct {
		MDSMap struct {
			Info map[string]struct {
				Name, State string
				Rank        int
			}
		}
	}
	if err := cephJSON(ctx, &answer, "fs", "get", fs); err != nil {
		return "", "", err
	}
	for _, i := range answer.MDSMap.Info {
		if i.Rank == 0 && i.State == "up:active" {
			mds = i.Name
		}
	}
	if mds == "" {
		return "", "", fmt.Errorf("no MDS serves rank 0 of %s: %+v", fs, answer.MDSMap.Info)
	}
	var metadata []struct{ Name, Hostname string }
	if err := cephJSON(ctx, &metadata, "mds", "metadata"); err != nil {
		return "", "", err
	}
	for _, m := range metadata {
		if m.Name == mds {
			return mds, m.Hostname, nil
		}
	}
	return "", "", fmt.Errorf("mds.%s is not among those that tell of themselves: %+v", mds, metadata)
}

// cephJSON asks Ceph as its admin.
func cephJSON(ctx context.Context, into any, args ...string) error {
	res, err := in(ctx).Ceph(ctx, Namespace, append(slices.Clone(args), "--format", "json")...)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(bytes.TrimSpace(res.Stdout), into); err != nil {
		return fmt.Errorf("ceph %q answered %q: %w", args, res.Stdout, err)
	}
	return nil
}
