package ceph

import (
	"fmt"
	"slices"
	"strings"
)

// shown is the state of an MDS in summaries.
func (i *MDSInfo) shown() string {
	if i.LaggySince.IsZero() {
		return string(i.State)
	}
	return string(i.State) + "(laggy or crashed)"
}

// fsmapJSON is the fsmap of `ceph status`. With two file systems it has fields
// twice, as Ceph writes them.
func (c *call) fsmapJSON() object {
	m := c.state.FSMap
	o := object{{"epoch", m.Epoch}}
	if c.release.atLeast(reef) {
		o = append(o, field{"btime", c.release.stamp(c.state.Created)})
	}
	failed, damaged := 0, 0
	ranks := array{}
	for _, f := range m.Filesystems {
		o = append(o, field{"id", f.ID}, field{"up", len(f.Up)}, field{"in", len(f.In)}, field{"max", f.MaxMDS})
		failed, damaged = failed+len(f.Failed), damaged+len(f.Damaged)
	}
	for _, i := range m.all() {
		_, f := m.mds(i.GID)
		if f == nil {
			continue
		}
		j := object{{"filesystem_id", f.ID}, {"rank", i.Rank}, {"name", i.Name}, {"status", i.shown()}}
		if c.release.atLeast(nautilus) {
			j = append(j, field{"gid", i.GID})
		}
		ranks = append(ranks, j)
	}
	o = append(o, field{"by_rank", ranks})
	if c.release.atLeast(nautilus) || len(m.Standbys) > 0 {
		o = append(o, field{"up:standby", len(m.Standbys)})
	}
	if failed > 0 {
		o = append(o, field{"failed", failed})
	}
	if damaged > 0 {
		o = append(o, field{"damaged", damaged})
	}
	return o
}

// fsmapLine is the map in one line, as of `mds stat`.
func (c *call) fsmapLine() string {
	m := c.state.FSMap
	var out strings.Builder
	old := !c.release.atLeast(nautilus)
	for n, f := range m.Filesystems {
		if n > 0 {
			out.WriteString(" ")
		}
		switch {
		case old:
			fmt.Fprintf(&out, "%s-%d/%d/%d up ", f.Name, len(f.Up), len(f.In), f.MaxMDS)
		case f.degraded():
			fmt.Fprintf(&out, "%s:%d/%d", f.Name, len(f.Up), len(f.In))
		default:
			fmt.Fprintf(&out, "%s:%d", f.Name, len(f.In))
		}
	}
	var ranks []string
	followers, failed, damaged := 0, 0, 0
	for _, f := range m.Filesystems {
		followers, failed, damaged = followers+f.followers(), failed+len(f.Failed), damaged+len(f.Damaged)
		for _, i := range byRank(f.MDS) {
			if i.State == mdsStandbyReplay {
				continue
			}
			text := fmt.Sprintf("%d=%s=%s", i.Rank, i.Name, i.shown())
			if len(m.Filesystems) > 1 {
				text = f.Name + ":" + text
			}
			ranks = append(ranks, text)
		}
	}
	if len(m.Filesystems) > 1 {
		slices.Sort(ranks)
	}
	if len(ranks) > 0 && len(ranks) < 5 {
		out.WriteString(" {" + strings.Join(ranks, ",") + "}")
	}
	sep := " "
	if old {
		sep = ", "
	}
	if followers > 0 {
		fmt.Fprintf(&out, "%s%d up:standby-replay", sep, followers)
	}
	if n := len(m.Standbys); n > 0 {
		fmt.Fprintf(&out, "%s%d up:standby", sep, n)
	}
	if failed > 0 {
		fmt.Fprintf(&out, ", %d failed", failed)
	}
	if damaged > 0 {
		fmt.Fprintf(&out, ", %d damaged", damaged)
	}
	return out.String()
}

// mdsLine is the line of MDS among the services of plain `ceph status`, behind
// "mds: "; "" for a cluster without file systems.
func (c *call) mdsLine() string {
	m := c.state.FSMap
	if len(m.Filesystems) == 0 {
		return ""
	}
	if !c.release.atLeast(pacific) {
		return c.fsmapLine()
	}
	up, in, failed, followers := 0, 0, 0, 0
	for _, f := range m.Filesystems {
		up, in, failed, followers = up+len(f.Up), in+len(f.In), failed+len(f.Failed), followers+f.followers()
	}
	text := fmt.Sprintf("%d/%d daemons up", up, in)
	if failed > 0 {
		text += fmt.Sprintf(" (%d failed)", failed)
	}
	if n := len(m.Standbys); n > 0 {
		text += fmt.Sprintf(", %d standby", n)
	}
	if followers > 0 {
		text += fmt.Sprintf(", %d hot standby", followers)
	}
	return text
}

// volumesLine is the line of file systems among the data of plain `ceph status`;
// "" if there is none to show.
func (c *call) volumesLine() string {
	m := c.state.FSMap
	if len(m.Filesystems) == 0 || !c.release.atLeast(pacific) {
		return ""
	}
	healthy, recovering, failed, stopped, damaged := 0, 0, 0, 0, 0
	for _, f := range m.Filesystems {
		damaged += bit(len(f.Damaged) > 0)
		switch {
		case len(f.Failed) > 0:
			failed++
		case f.degraded():
			recovering++
		case f.MaxMDS == 0:
			stopped++
		default:
			healthy++
		}
	}
	text := fmt.Sprintf("    volumes: %d/%d healthy", healthy, len(m.Filesystems))
	for _, part := range []struct {
		n    int
		what string
	}{{recovering, "recovering"}, {failed, "failed"}, {stopped, "stopped"}, {damaged, "damaged"}} {
		if part.n > 0 {
			text += fmt.Sprintf(", %d %s", part.n, part.what)
		}
	}
	return text + "\n"
}
