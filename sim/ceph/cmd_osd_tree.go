package ceph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func osdTreeCommands() map[string]handler {
	return map[string]handler{
		"osd tree":       osdTree,
		"osd tree-from":  osdTree,
		"osd crush tree": crushTree,
	}
}

// node is an item of the tree as the commands show it.
type node struct {
	id       int
	bucket   *crush.Bucket // nil for a device
	weight   crush.Weight
	depth    int
	root     bool
	children []int // shown ones, in Ceph's order: the last one first
}

// walk lists the nodes below the roots of the map, each bucket before what it
// holds. keep says which devices to show, nil all; buckets without any are left
// out then.
func walk(m *crush.Map, roots []*crush.Bucket, keep func(int) bool) []node {
	var out []node
	var visit func(id int, w crush.Weight, depth int) bool
	visit = func(id int, w crush.Weight, depth int) bool {
		b := m.Bucket(id)
		if b == nil {
			if keep != nil && !keep(id) {
				return false
			}
			out = append(out, node{id: id, weight: w, depth: depth})
			return true
		}
		at := len(out)
		out = append(out, node{id: id, bucket: b, weight: b.Weight(), depth: depth, root: depth == 0})
		items := slices.Clone(b.Items)
		slices.SortStableFunc(items, func(x, y crush.Item) int { return cmp.Compare(sortKey(m, x.ID), sortKey(m, y.ID)) })
		var children []int
		for _, i := range items {
			if visit(i.ID, i.Weight, depth+1) {
				children = append(children, i.ID)
			}
		}
		if keep != nil && len(children) == 0 {
			out = out[:at]
			return false
		}
		slices.Reverse(children)
		out[at].children = children
		return true
	}
	for _, b := range roots {
		visit(b.ID, b.Weight(), 0)
	}
	return out
}

// sortKey orders items by class, then name.
func sortKey(m *crush.Map, id int) string {
	if id >= 0 {
		return fmt.Sprintf("%s_osd.%08d", m.Class(id), id)
	}
	return "_" + m.Name(id)
}

// nodeJSON is what tree, df tree and crush tree have in common.
func (c *call) nodeJSON(m *crush.Map, n node) object {
	o := object{{"id", n.id}}
	if class := m.Class(n.id); n.bucket == nil && class != "" {
		o = append(o, field{"device_class", class})
	}
	if n.bucket != nil {
		o = append(o, field{"name", n.bucket.Name}, field{"type", m.TypeName(n.bucket.Type)}, field{"type_id", n.bucket.Type})
		if !n.root {
			o = append(o, field{"pool_weights", object{}})
		}
		return o
	}
	return append(o, field{"name", fmt.Sprintf("osd.%d", n.id)}, field{"type", m.TypeName(0)}, field{"type_id", 0},
		field{"crush_weight", n.weight.Float()}, field{"depth", n.depth}, field{"pool_weights", object{}})
}

func (n node) childrenField() field {
	return field{"children", append([]int{}, n.children...)}
}

func osdTree(c *call) reply {
	m := c.state.OSDMap
	keep, bad := c.treeFilter()
	if bad != nil {
		return *bad
	}
	roots := m.Crush.Roots(false)
	if name := c.args.str("bucket"); name != "" {
		b := m.Crush.BucketNamed(name)
		if b == nil {
			return fail(syscall.ENOENT, "bucket '%s' does not exist", name)
		}
		roots = []*crush.Bucket{b}
	}
	nodes := walk(m.Crush, roots, keep)
	shown := map[int]bool{}
	all, stray := array{}, array{}
	for _, n := range nodes {
		shown[n.id] = true
		all = append(all, c.treeNode(m, n))
	}
	var strays []node
	for _, o := range m.existing() {
		if c.args.str("bucket") == "" && m.Crush.Parent(o.ID) == nil && (keep == nil || keep(o.ID)) {
			strays = append(strays, node{id: o.ID})
		}
	}
	for _, n := range strays {
		stray = append(stray, c.treeNode(m, n))
	}
	return c.show(object{{"nodes", all}, {"stray", stray}}, func() string { return c.treeText(m, nodes, strays) })
}

// treeFilter says which OSDs the argument "states" asks for; nil is all.
func (c *call) treeFilter() (func(int) bool, *reply) {
	states := c.args.list("states")
	if len(states) == 0 {
		return nil, nil
	}
	has := func(s string) bool { return slices.Contains(states, s) }
	if has("up") && has("down") || has("in") && has("out") {
		r := fail(syscall.EINVAL, "cannot specify both up and down or both in and out")
		return nil, &r
	}
	m := c.state.OSDMap
	return func(id int) bool {
		o := m.osd(id)
		if o == nil {
			return false
		}
		return !(has("up") && !o.Up || has("down") && o.Up || has("in") && !o.In() || has("out") && o.In() || has("destroyed") && !o.Destroyed)
	}, nil
}

func (o *OSDInfo) status() string {
	switch {
	case o.Up:
		return "up"
	case o.Destroyed:
		return "destroyed"
	}
	return "down"
}

func (c *call) treeNode(m *OSDMap, n node) object {
	j := c.nodeJSON(m.Crush, n)
	if n.bucket != nil {
		return append(j, n.childrenField())
	}
	o := m.osd(n.id)
	if o == nil {
		return append(j, field{"exists", 0}, field{"status", "DNE"}, field{"reweight", 0}, field{"primary_affinity", 0})
	}
	return append(j, field{"exists", 1}, field{"status", o.status()}, field{"reweight", single(o.Weight)},
		field{"primary_affinity", single(o.PrimaryAffinity)})
}

func (c *call) treeText(m *OSDMap, nodes, strays []node) string {
	t := table{head: []string{"ID", "CLASS", "WEIGHT", "TYPE NAME", "STATUS", "REWEIGHT", "PRI-AFF"}, right: []int{0, 1, 2, 4, 5, 6}}
	for _, n := range append(nodes, strays...) {
		row := []string{fmt.Sprint(n.id), m.Crush.Class(n.id), fmt.Sprintf("%.5f", n.weight.Float()), "", "", "", ""}
		indent := strings.Repeat("    ", n.depth)
		if n.bucket != nil {
			row[3] = indent + m.Crush.TypeName(n.bucket.Type) + " " + n.bucket.Name
			t.rows = append(t.rows, row)
			continue
		}
		row[3] = fmt.Sprintf("%sosd.%d", indent, n.id)
		row[4], row[5], row[6] = "DNE", "0", ""
		if o := m.osd(n.id); o != nil {
			row[4], row[5], row[6] = o.status(), fmt.Sprintf("%.5f", o.Weight), fmt.Sprintf("%.5f", o.PrimaryAffinity)
		}
		t.rows = append(t.rows, row)
	}
	return t.text()
}

func crushTree(c *call) reply {
	m := c.state.OSDMap.Crush
	nodes := walk(m, m.Roots(c.args.has("shadow") || c.args.has("show_shadow")), nil)
	return c.show(object{
		{"nodes", arrayOf(nodes, func(n node) any {
			j := c.nodeJSON(m, n)
			if n.bucket != nil {
				j = append(j, n.childrenField())
			}
			return j
		})},
		{"stray", array{}},
	}, func() string {
		t := table{head: []string{"ID", "CLASS", "WEIGHT", "TYPE NAME"}, right: []int{0, 1, 2}}
		for _, n := range nodes {
			name := fmt.Sprintf("osd.%d", n.id)
			if n.bucket != nil {
				name = m.TypeName(n.bucket.Type) + " " + n.bucket.Name
			}
			t.rows = append(t.rows, []string{
				fmt.Sprint(n.id), m.Class(n.id), fmt.Sprintf("%.5f", n.weight.Float()), strings.Repeat("    ", n.depth) + name,
			})
		}
		return t.text()
	})
}

// table is a plain answer in columns.
type table struct {
	head  []string
	right []int // columns that stand at the right
	rows  [][]string
}

func (t table) text() string {
	width := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			width[i] = max(width[i], len(cell))
		}
	}
	var b strings.Builder
	line := func(row []string, head bool) {
		for i, cell := range row {
			if i > 0 {
				b.WriteString("  ")
			}
			pad := strings.Repeat(" ", width[i]-len(cell))
			if slices.Contains(t.right, i) && !head {
				b.WriteString(pad + cell)
			} else {
				b.WriteString(cell + pad)
			}
		}
		b.WriteByte('\n')
	}
	line(t.head, true)
	for _, row := range t.rows {
		line(row, false)
	}
	return b.String()
}
