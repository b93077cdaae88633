package ceph

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

// pgs are the placement groups of the cluster as the manager knows them: none
// as long as there never was one.
func (c *call) pgs() []pg {
	if !c.state.MgrMap.everActive() {
		return nil
	}
	return c.sim.pgs(c.state, c.now)
}

// stateCount is how many placement groups are in a state.
type stateCount struct {
	state string
	n     int
}

// countStates counts placement groups by state.
func countStates(pgs []pg) []stateCount {
	var out []stateCount
	for i := range pgs {
		j := slices.IndexFunc(out, func(s stateCount) bool { return s.state == pgs[i].state })
		if j < 0 {
			out = append(out, stateCount{pgs[i].state, 1})
			continue
		}
		out[j].n++
	}
	return out
}

// digest is what `ceph status` and its like say about data.
type digest struct {
	pgs              []pg
	states           []stateCount // the most first, as in `ceph status`
	pools            int
	objects, bytes   int
	degraded, copies int
	misplaced        int
	used, total      uint64 // bytes of all OSDs
}

func (c *call) digest() digest {
	d := digest{pgs: c.pgs()}
	d.states = countStates(d.pgs)
	slices.SortStableFunc(d.states, func(a, b stateCount) int {
		return cmp.Or(cmp.Compare(b.n, a.n), cmp.Compare(b.state, a.state))
	})
	if c.state.MgrMap.everActive() {
		d.pools = len(c.state.OSDMap.Pools)
	}
	for i := range d.pgs {
		g := &d.pgs[i]
		d.objects += g.objects
		d.bytes += g.bytes
		d.degraded += g.degraded
		d.misplaced += g.misplaced
		d.copies += g.objects * g.pool.Size
	}
	for _, u := range c.usage(d.pgs) {
		d.used += u.used
		d.total += u.size
	}
	return d
}

// moving are the fields of a summary that tell of objects without enough copies,
// and of those in the wrong place.
func (d *digest) moving() object {
	var o object
	for _, k := range []struct {
		word string
		n    int
	}{{"degraded", d.degraded}, {"misplaced", d.misplaced}} {
		if k.n > 0 {
			o = append(o, field{k.word + "_objects", k.n}, field{k.word + "_total", d.copies},
				field{k.word + "_ratio", float64(k.n) / float64(d.copies)})
		}
	}
	return o
}

// movingText says the same in words.
func (d *digest) movingText() []string {
	var lines []string
	if d.degraded > 0 {
		lines = append(lines, fmt.Sprintf("%d/%d objects degraded (%.3f%%)", d.degraded, d.copies, 100*float64(d.degraded)/float64(d.copies)))
	}
	if d.misplaced > 0 {
		lines = append(lines, fmt.Sprintf("%d/%d objects misplaced (%.3f%%)", d.misplaced, d.copies, 100*float64(d.misplaced)/float64(d.copies)))
	}
	return lines
}

// usage is how full an OSD is, in bytes.
type usage struct {
	id               int
	size, used, data uint64
	meta             uint64
	pgs              int
}

// usage lists the OSDs that have told about their store: those that are up or
// were.
func (c *call) usage(pgs []pg) []usage {
	if !c.state.MgrMap.everActive() {
		return nil
	}
	var out []usage
	at := map[int]int{}
	for _, o := range c.state.OSDMap.existing() {
		if o.Meta == nil {
			continue
		}
		meta := o.Meta.reserved()
		at[o.ID] = len(out)
		out = append(out, usage{id: o.ID, size: o.Meta.Size, used: meta, meta: meta})
	}
	const unit = 4096 // min_alloc_size
	for i := range pgs {
		g := &pgs[i]
		share := g.bytes
		if g.pool.Kind == crush.Erasure && present(g.up) > 0 {
			share = g.bytes / max(1, g.pool.MinSize)
		}
		for _, id := range g.up {
			j, ok := at[id]
			if !ok {
				continue
			}
			data := (uint64(share) + unit - 1) / unit * unit
			out[j].pgs++
			out[j].data += data
			out[j].used += data
		}
	}
	return out
}

// reserved is what an empty store takes: 1 GiB until octopus, about 290 MiB
// later, but never more than a third of the device.
func (m *OSDMeta) reserved() uint64 {
	n := uint64(290 << 20)
	if !m.Release.atLeast(pacific) {
		n = 1 << 30
	}
	return min(n, m.Size/3)
}

// byteText is a number of bytes with at most three digits.
func byteText(n uint64) string {
	units := []string{"B", "KiB", "MiB", "GiB", "TiB", "PiB"}
	f, u := float64(n), 0
	for f >= 1024 && u < len(units)-1 {
		f /= 1024
		u++
	}
	if u == 0 || f >= 10 || f == float64(int(f)) {
		return fmt.Sprintf("%d %s", int(f), units[u])
	}
	return fmt.Sprintf("%.1f %s", f, units[u])
}
