package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/tidepool-ceph/tidepool/harness/world"
)

// ask runs a command and reads its answer; false if there is no cluster to ask.
func ask(ctx context.Context, w world.World, args ...string) (any, bool) {
	res, err := w.Ceph(ctx, namespace, append(args, "--format", "json")...)
	if err != nil {
		return nil, false
	}
	var v any
	d := json.NewDecoder(bytes.NewReader(res.Stdout))
	d.UseNumber()
	if err := d.Decode(&v); err != nil {
		return nil, false
	}
	return v, true
}

// osdPlaces say for each OSD's id on which host it is: which number an OSD gets is
// a matter of which came first.
func osdPlaces(ctx context.Context, w world.World) map[string]string {
	out := map[string]string{}
	v, ok := ask(ctx, w, "osd", "tree")
	if !ok {
		return out
	}
	on := map[string]int{}
	for _, n := range tree(v) {
		if n["type"] == "osd" {
			host := fmt.Sprint(n["parent"])
			on[host]++
			out[fmt.Sprint(n["id"])] = fmt.Sprintf("<%s#%d>", host, on[host])
		}
	}
	return out
}

// tree are the nodes of `osd tree`, each with its parent's name.
func tree(v any) []map[string]any {
	m, _ := v.(map[string]any)
	var out []map[string]any
	parents := map[string]string{}
	for _, n := range list(m["nodes"]) {
		for _, c := range list0(n["children"]) {
			parents[fmt.Sprint(c)] = fmt.Sprint(n["name"])
		}
	}
	for _, n := range list(m["nodes"]) {
		n["parent"] = parents[fmt.Sprint(n["id"])]
		out = append(out, n)
	}
	return out
}

func list0(v any) []any {
	l, _ := v.([]any)
	return l
}

// list are the mappings of a list.
func list(v any) []map[string]any {
	var out []map[string]any
	for _, e := range list0(v) {
		if m, ok := e.(map[string]any); ok {
			out = append(out, m)
		}
	}
	return out
}

// pick takes some fields of a mapping.
func pick(m map[string]any, fields ...string) map[string]any {
	out := map[string]any{}
	for _, f := range fields {
		if v, ok := m[f]; ok {
			out[f] = v
		}
	}
	return out
}

// ceph writes what Ceph knows.
func (t *taker) ceph(ctx context.Context, w world.World) {
	get := func(args ...string) map[string]any {
		v, ok := ask(ctx, w, args...)
		if !ok {
			return nil
		}
		m, _ := v.(map[string]any)
		return m
	}
	mons := get("mon", "dump")
	if mons == nil {
		t.lines = append(t.lines, "Ceph: does not answer")
		return
	}
	for _, m := range list(mons["mons"]) {
		t.add("Ceph mon "+fmt.Sprint(m["name"]), pick(m, "public_addrs"))
	}
	t.add("Ceph monmap", pick(mons, "quorum", "min_mon_release", "min_mon_release_name"))
	t.osdmap(ctx, w, get("osd", "dump"))
	if v, ok := ask(ctx, w, "osd", "crush", "rule", "dump"); ok {
		for _, r := range list(v) {
			t.add("Ceph rule "+fmt.Sprint(r["rule_name"]), r)
		}
	}
	for _, e := range list(get("auth", "ls")["auth_dump"]) {
		t.add("Ceph user "+fmt.Sprint(e["entity"]), pick(e, "key", "caps"))
	}
	if v, ok := ask(ctx, w, "config", "dump"); ok {
		for _, o := range list(v) {
			t.add(fmt.Sprintf("Ceph option %v %v %v", o["section"], o["mask"], o["name"]), pick(o, "value"))
		}
	}
	if v, ok := ask(ctx, w, "config-key", "ls"); ok {
		t.add("Ceph config-keys", v)
	}
	mgr := get("mgr", "dump")
	t.add("Ceph mgr", pick(mgr, "active_name", "available", "modules", "services", "standbys_names"))
	for _, s := range list(mgr["standbys"]) {
		t.add("Ceph mgr standby "+fmt.Sprint(s["name"]), map[string]any{"there": true})
	}
	for _, fs := range list(get("fs", "dump")["filesystems"]) {
		t.filesystem(fs)
	}
	t.add("Ceph versions", get("versions"))
	if h := get("health", "detail"); h != nil {
		t.add("Ceph health", map[string]any{"status": h["status"]})
		checks, _ := h["checks"].(map[string]any)
		for code, c := range checks {
			m, _ := c.(map[string]any)
			t.add("Ceph health "+code, pick(m, "summary"))
		}
	}
}

func (t *taker) osdmap(ctx context.Context, w world.World, dump map[string]any) {
	t.add("Ceph osdmap", pick(dump, "flags_set", "require_osd_release", "require_min_compat_client", "erasure_code_profiles", "full_ratio"))
	for _, o := range list(dump["osds"]) {
		id := fmt.Sprint(o["osd"])
		t.add("Ceph osd."+id, pick(o, "up", "in", "weight"))
	}
	for _, p := range list(dump["pools"]) {
		t.add("Ceph pool "+fmt.Sprint(p["pool_name"]), pick(p, "type", "size", "min_size", "crush_rule", "pg_num", "application_metadata", "pg_autoscale_mode"))
	}
	if v, ok := ask(ctx, w, "osd", "tree"); ok {
		for _, n := range tree(v) {
			t.add(fmt.Sprintf("Ceph crush %v", n["name"]), pick(n, "type", "device_class", "crush_weight", "reweight", "status", "parent"))
		}
	}
}

func (t *taker) filesystem(fs map[string]any) {
	m, _ := fs["mdsmap"].(map[string]any)
	t.add("Ceph file system "+fmt.Sprint(m["fs_name"]), pick(m, "max_mds", "in", "standby_count_wanted", "data_pools", "metadata_pool"))
}

// disks writes what the operator leaves on the nodes' disks, and in its own
// container.
func (t *taker) disks(ctx context.Context, w world.World) {
	for _, n := range nodeNames(ctx, w) {
		names, err := w.NodeDir(n, "/var/lib/rook")
		if err != nil {
			continue // nothing was put there
		}
		for _, name := range names {
			t.add("Node "+n+" disk", map[string]any{"/var/lib/rook/" + name: "there"})
		}
	}
	names, err := w.OperatorDir("/tmp")
	if err != nil {
		names = []string{err.Error()}
	}
	for _, name := range names {
		t.lines = append(t.lines, "Operator disk: /tmp/"+strings.TrimSpace(name)+" was left")
	}
}
