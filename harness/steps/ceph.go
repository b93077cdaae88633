package steps

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/cucumber/godog"
)

func cephSteps() []Step {
	return []Step{
		{
			Pattern: `^` + within + `the mons? ` + names + ` forms? a quorum$`,
			Example: `within 2m the mons "a", "b" and "c" form a quorum`,
			Meaning: "Ceph's quorum_names are exactly these",
			Do: func(ctx context.Context, limit, mons string) error {
				return soon(ctx, limit, func() error { return quorumIs(ctx, list(mons)) })
			},
		},
		{
			Pattern: `^` + within + "`ceph ([^`]*)` answers$",
			Example: "within 1m `ceph auth get client.admin` answers",
			Meaning: "run with the admin's keyring and --format json, the command's answer has what the doc string (YAML) says",
			Do: func(ctx context.Context, limit, args string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					res, err := in(ctx).Ceph(ctx, Namespace, append(strings.Fields(args), "--format", "json")...)
					if err != nil {
						return err
					}
					var v any
					if err := json.Unmarshal(bytes.TrimSpace(res.Stdout), &v); err != nil {
						return fmt.Errorf("ceph %s answered no JSON: %q", args, res.Stdout)
					}
					return holdsYAML(doc.Content, v)
				})
			},
		},
		{
			Pattern: `^` + within + "`ceph ([^`]*)` prints$",
			Example: "within 1m `ceph health` prints",
			Meaning: "run with the admin's keyring, the command's output is the doc string",
			Do: func(ctx context.Context, limit, args string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					res, err := in(ctx).Ceph(ctx, Namespace, strings.Fields(args)...)
					if err != nil {
						return err
					}
					return sameText(doc.Content, string(res.Stdout))
				})
			},
		},
		{
			Pattern: `^` + within + "`ceph ([^`]*)` fails$",
			Example: "within 1m `ceph quorum_status` fails",
			Meaning: "run with the admin's keyring, the command ends with an exit code other than 0",
			Do: func(ctx context.Context, limit, args string) error {
				return soon(ctx, limit, func() error {
					res, err := in(ctx).Ceph(ctx, Namespace, strings.Fields(args)...)
					if err == nil {
						return fmt.Errorf("ceph %s answered %q", args, res.Stdout)
					}
					return nil
				})
			},
		},
		{
			Pattern: `^the fsid of Secret ` + name + `, of the mon ` + name + ` and of Ceph are the same$`,
			Example: `the fsid of Secret "rook-ceph-mon", of the mon "a" and of Ceph are the same`,
			Meaning: "compares the recorded fsid, the mon's --fsid and what `ceph fsid` answers (S110)",
			Do:      oneFSID,
		},
		{
			Pattern: "^the admin runs `ceph ([^`]*)`$",
			Example: "the admin runs `ceph osd pool create cephfs_data 128`",
			Meaning: "the command, run with the admin's keyring, succeeds",
			Do: func(ctx context.Context, args string) error {
				_, err := in(ctx).Ceph(ctx, Namespace, strings.Fields(args)...)
				return err
			},
		},
		{
			Pattern: "^the admin runs `rados ([^`]*)`$",
			Example: "the admin runs `rados -p replicapool create object`",
			Meaning: "the command, run with the admin's keyring, succeeds",
			Do: func(ctx context.Context, args string) error {
				_, err := in(ctx).Rados(ctx, Namespace, strings.Fields(args)...)
				return err
			},
		},
	}
}

func quorumIs(ctx context.Context, want []string) error {
	res, err := in(ctx).Ceph(ctx, Namespace, "quorum_status", "--format", "json")
	if err != nil {
		return err
	}
	var q struct {
		QuorumNames []string `json:"quorum_names"`
	}
	if err := json.Unmarshal(bytes.TrimSpace(res.Stdout), &q); err != nil {
		return fmt.Errorf("quorum_status answered %q: %w", res.Stdout, err)
	}
	slices.Sort(q.QuorumNames)
	if !slices.Equal(q.QuorumNames, want) {
		return fmt.Errorf("the mons in quorum are %q, want %q", q.QuorumNames, want)
	}
	return nil
}

// oneFSID checks S110.
func oneFSID(ctx context.Context, secret, mon string) error {
	recorded, err := dataOf(ctx, "Secret", secret, "fsid")
	if err != nil {
		return err
	}
	p, err := onlyPod(ctx, "mon="+mon)
	if err != nil {
		return err
	}
	args, err := in(ctx).ContainerArgs(p.GetNamespace(), p.GetName(), "mon")
	if err != nil {
		return err
	}
	if !slices.Contains(args, "--fsid="+recorded) {
		return fmt.Errorf("the mon does not run with --fsid=%s: %q", recorded, args)
	}
	res, err := in(ctx).Ceph(ctx, Namespace, "fsid")
	if err != nil {
		return err
	}
	return sameText(recorded, string(res.Stdout))
}
