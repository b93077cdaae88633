package steps

import (
	"context"
	"fmt"
	"strings"

	"github.com/cucumber/godog"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

func nodeSteps() []Step {
	return []Step{
		{
			Pattern: `^(?:a node|nodes) ` + names + `$`,
			Example: `nodes "n1", "n2" and "n3"`,
			Meaning: "adds machines with 8 CPUs, 32Gi of memory and no spare disk to the Kubernetes cluster",
			Do: func(ctx context.Context, names string) error {
				for _, n := range list(names) {
					if err := in(ctx).AddNode(world.Node{Name: n}); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Pattern: `^(?:a node|nodes) ` + names + `,? (?:each )?with (?:the )?disks? (.+)$`,
			Example: `nodes "n1" and "n2", each with disks "sdb" of 10Gi and "sdc" of 10Gi`,
			Meaning: "adds machines with empty disks",
			Do: func(ctx context.Context, names, disks string) error {
				devices, err := parseDisks(disks)
				if err != nil {
					return err
				}
				for _, n := range list(names) {
					if err := in(ctx).AddNode(world.Node{Name: n, Devices: devices}); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Pattern: `^these nodes$`,
			Example: `these nodes`,
			Meaning: `adds machines by a table with columns name, and any of hostname, address, labels ("a=b, c=d"), taints ("a=b:NoSchedule"), cpu, memory, disks ("sdb 10Gi, sdc 10Gi xfs")`,
			Do: func(ctx context.Context, t *godog.Table) error {
				for _, row := range rows(t) {
					n, err := parseNode(row)
					if err != nil {
						return err
					}
					if err := in(ctx).AddNode(n); err != nil {
						return err
					}
				}
				return nil
			},
		},
		{
			Pattern: `^the node ` + name + ` has the file ` + name + `$`,
			Example: `the node "n1" has the file "/var/lib/rook/mon-a/data/keyring"`,
			Meaning: "writes a file (the doc string) to a machine, with the directories above it",
			Do: func(ctx context.Context, node, path string, doc *godog.DocString) error {
				return in(ctx).WriteNodeFile(node, path, []byte(doc.Content))
			},
		},
		{
			Pattern: `^the node ` + name + ` loses the directory ` + name + `$`,
			Example: `the node "n1" loses the directory "/var/lib/rook/mon-a"`,
			Meaning: "removes a directory of a machine with all that is in it",
			Do: func(ctx context.Context, node, path string) error {
				return in(ctx).RemoveNodeFile(node, path)
			},
		},
		{
			Pattern: `^` + within + `the file ` + name + ` on node ` + name + ` is$`,
			Example: `within 10s the file "/var/lib/rook/a" on node "n1" is`,
			Meaning: "compares a file of a machine with the doc string",
			Do: func(ctx context.Context, limit, path, node string, doc *godog.DocString) error {
				return soon(ctx, limit, func() error {
					b, err := in(ctx).NodeFile(node, path)
					if err != nil {
						return err
					}
					return sameText(doc.Content, string(b))
				})
			},
		},
	}
}

// parseDisks reads `"sdb" of 10Gi and "sdc" of 10Gi`.
func parseDisks(s string) ([]world.Device, error) {
	var out []world.Device
	for _, part := range strings.FieldsFunc(strings.ReplaceAll(s, " and ", ","), func(r rune) bool { return r == ',' }) {
		f := strings.Fields(part)
		if len(f) != 3 || f[1] != "of" {
			return nil, fmt.Errorf("a disk reads %q, is %q", `"sdb" of 10Gi`, part)
		}
		out = append(out, world.Device{Name: strings.Trim(f[0], `"`), Size: f[2]})
	}
	return out, nil
}

// rows gives each row of a table as a map from the head.
func rows(t *godog.Table) []map[string]string {
	var out []map[string]string
	for _, r := range t.Rows[1:] {
		m := map[string]string{}
		for i, c := range r.Cells {
			m[t.Rows[0].Cells[i].Value] = c.Value
		}
		out = append(out, m)
	}
	return out
}

func parseNode(row map[string]string) (world.Node, error) {
	n := world.Node{Labels: map[string]string{}}
	for column, v := range row {
		switch column {
		case "name":
			n.Name = v
		case "hostname":
			n.Hostname = v
		case "address":
			n.Addr = v
		case "cpu":
			n.CPU = v
		case "memory":
			n.Memory = v
		case "labels":
			for _, kv := range commaList(v) {
				k, val, _ := strings.Cut(kv, "=")
				n.Labels[k] = val
			}
		case "taints":
			n.Taints = commaList(v)
		case "disks":
			for _, d := range commaList(v) {
				dev, err := parseDevice(d)
				if err != nil {
					return n, err
				}
				n.Devices = append(n.Devices, dev)
			}
		default:
			return n, fmt.Errorf("a table of nodes has no column %q", column)
		}
	}
	return n, nil
}

// parseDevice reads `sdb 10Gi [FILESYSTEM] [mounted:/path] [partitions:N] [rotational] [readonly]`.
func parseDevice(s string) (world.Device, error) {
	f := strings.Fields(s)
	if len(f) < 2 {
		return world.Device{}, fmt.Errorf("a disk reads %q, is %q", "sdb 10Gi", s)
	}
	d := world.Device{Name: f[0], Size: f[1]}
	for _, w := range f[2:] {
		key, value, _ := strings.Cut(w, ":")
		switch key {
		case "mounted":
			d.Mountpoint = value
		case "partitions":
			if _, err := fmt.Sscan(value, &d.Partitions); err != nil {
				return d, fmt.Errorf("disk %q: %w", s, err)
			}
		case "rotational":
			d.Rotational = true
		case "readonly":
			d.ReadOnly = true
		default:
			d.Filesystem = w
		}
	}
	return d, nil
}

func commaList(s string) []string {
	var out []string
	for _, p := range strings.Split(s, ",") {
		if p = strings.TrimSpace(p); p != "" {
			out = append(out, p)
		}
	}
	return out
}
