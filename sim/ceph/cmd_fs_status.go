package ceph

import (
	"fmt"
	"slices"
	"strings"
)

// What a rank that nobody uses has in memory, by state: entries, inodes,
// directories, caps.
var idleMDS = map[mdsState][4]int{mdsActive: {10, 13, 12, 0}, mdsStandbyReplay: {5, 5, 5, 5}}

// fsStatus is the manager's `fs status`.
func fsStatus(c *call) reply {
	m := c.state.FSMap
	list := m.Filesystems
	if name := c.args.str("fs"); name != "" {
		f := m.named(name)
		if f == nil {
			return done("Invalid filesystem: %s", name)
		}
		list = []*Filesystem{f}
	}
	clients, ranks, pools, text := array{}, array{}, array{}, ""
	use := c.usage(c.pgs())
	shown := slices.Clone(m.Standbys)
	for _, f := range list {
		clients = append(clients, object{{"clients", 0}, {"fs", f.Name}})
		shown = append(shown, f.MDS...)
		rows := fsRanks(f)
		for _, row := range rows {
			ranks = append(ranks, row.json)
		}
		poolText := table{head: []string{"POOL", "TYPE", "USED", "AVAIL"}}
		for n, id := range append([]int{f.MetadataPool}, f.DataPools...) {
			p, kind := c.state.OSDMap.pool(id), "data"
			if n == 0 {
				kind = "metadata"
			}
			if p == nil {
				continue
			}
			_, used := c.state.PGMap.Objects[id].total()
			avail := c.room(p, use)
			pools = append(pools, object{{"avail", avail}, {"id", id}, {"name", p.Name}, {"type", kind}, {"used", used * p.Size}})
			poolText.rows = append(poolText.rows, []string{p.Name, kind, byteText(uint64(used * p.Size)), byteText(avail)})
		}
		text += f.Name + " - 0 clients\n" + strings.Repeat("=", len(f.Name)) + "\n" + ranksText(rows) + poolText.text()
	}
	for _, i := range m.Standbys {
		ranks = append(ranks, object{{"name", i.Name}, {"state", "standby"}})
		text += "standby " + i.Name + "\n"
	}
	if len(list) == 0 && len(m.Standbys) == 0 {
		return c.show(object{}, func() string { return "" })
	}
	o := object{{"clients", clients}}
	if versions := versionsOf(shown); len(versions) == 1 {
		o = append(o, field{"mds_version", versions[0].name})
		text += "MDS version: " + versions[0].name + "\n"
	}
	if len(ranks) > 0 {
		o = append(o, field{"mdsmap", ranks})
	}
	return c.show(append(o, field{"pools", pools}), func() string { return text })
}

// fsRow is a rank in `fs status`.
type fsRow struct {
	json  object
	cells []string
}

func fsRanks(f *Filesystem) []fsRow {
	var rows []fsRow
	for _, rank := range f.In {
		i := f.mds(f.Up[rank])
		if i == nil {
			rows = append(rows, fsRow{object{{"rank", rank}, {"state", "failed"}}, []string{fmt.Sprint(rank), "failed", ""}})
			continue
		}
		rows = append(rows, i.row(fmt.Sprint(rank)))
	}
	for _, i := range byRank(f.MDS) {
		if i.State == mdsStandbyReplay {
			rows = append(rows, i.row(fmt.Sprintf("%d-s", i.Rank)))
		}
	}
	return rows
}

func (i *MDSInfo) row(label string) fsRow {
	n := idleMDS[i.State]
	state := strings.TrimPrefix(string(i.State), "up:")
	o := object{{"caps", n[3]}, {"dirs", n[2]}, {"dns", n[0]}}
	if i.State == mdsStandbyReplay {
		o = append(o, field{"events", 0})
	}
	var rate any = 0
	if !i.LaggySince.IsZero() {
		state, rate = state+"(laggy)", "0"
	}
	o = append(o, field{"inos", n[1]}, field{"name", i.Name}, field{"rank", i.Rank})
	if i.State != mdsStandbyReplay {
		o = append(o, field{"rate", rate})
	}
	return fsRow{append(o, field{"state", state}), []string{label, state, i.Name}}
}

func ranksText(rows []fsRow) string {
	if len(rows) == 0 {
		return ""
	}
	t := table{head: []string{"RANK", "STATE", "MDS"}}
	for _, r := range rows {
		t.rows = append(t.rows, slices.Clone(r.cells))
	}
	return t.text()
}
