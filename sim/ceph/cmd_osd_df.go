package ceph

import (
	"fmt"
	"math"
	"slices"
	"strconv"
)

func osdDf(c *call) reply {
	m := c.state.OSDMap
	use := c.usage(c.pgs())
	of := map[int]usage{}
	var sum usage
	for _, u := range use {
		of[u.id] = u
		sum.size, sum.used, sum.data, sum.meta = sum.size+u.size, sum.used+u.used, sum.data+u.data, sum.meta+u.meta
	}
	average := sum.percent()
	tree := c.args.str("output_method") == "tree"
	nodes := walk(m.Crush, m.Crush.Roots(false), nil)
	list := array{}
	minVar, maxVar, dev := 0.0, 0.0, 0.0
	first := true
	text := table{
		head:  []string{"ID", "CLASS", "WEIGHT", "REWEIGHT", "SIZE", "RAW USE", "DATA", "META", "AVAIL", "%USE", "VAR", "PGS", "STATUS"},
		right: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12},
	}
	for i, n := range nodes {
		if n.bucket != nil {
			if tree {
				list = append(list, append(c.usageJSON(m, n, below(nodes[i:], of), average), n.childrenField()))
			}
			continue
		}
		u := of[n.id]
		list = append(list, c.usageJSON(m, n, u, average))
		v := u.variation(average)
		if u.size > 0 {
			if first || v < minVar {
				minVar = v
			}
			maxVar = max(maxVar, v)
			dev += (u.percent() - average) * (u.percent() - average)
			first = false
		}
		status, reweight := "DNE", 0.0
		if o := m.osd(n.id); o != nil {
			status, reweight = o.status(), o.Weight
		}
		text.rows = append(text.rows, []string{
			strconv.Itoa(n.id), m.Crush.Class(n.id), fmt.Sprintf("%.5f", n.weight.Float()), fmt.Sprintf("%.5f", reweight), byteText(u.size),
			byteText(u.used), byteText(u.data), byteText(u.meta), byteText(u.size - u.used), fmt.Sprintf("%.2f", u.percent()),
			fmt.Sprintf("%.2f", v), strconv.Itoa(u.pgs), status,
		})
	}
	if len(use) > 0 {
		dev = math.Sqrt(dev / float64(len(use)))
	}
	kb := func(n uint64) uint64 { return n / 1024 }
	return c.show(object{{"nodes", list}, {"stray", array{}}, {"summary", object{
		{"total_kb", kb(sum.size)},
		{"total_kb_used", kb(sum.used)},
		{"total_kb_used_data", kb(sum.data)},
		{"total_kb_used_omap", 0},
		{"total_kb_used_meta", kb(sum.meta)},
		{"total_kb_avail", kb(sum.size - sum.used)},
		{"average_utilization", average},
		{"min_var", minVar},
		{"max_var", maxVar},
		{"dev", dev},
	}}}, func() string {
		return text.text() + fmt.Sprintf("MIN/MAX VAR: %.2f/%.2f  STDDEV: %.2f\n", minVar, maxVar, dev)
	})
}

func (u usage) percent() float64 {
	if u.size == 0 {
		return 0
	}
	return 100 * float64(u.used) / float64(u.size)
}

func (u usage) variation(average float64) float64 {
	if average == 0 {
		return 0
	}
	return u.percent() / average
}

// below sums up the OSDs below the first of the nodes.
func below(nodes []node, of map[int]usage) usage {
	var sum usage
	for i, n := range nodes {
		if i > 0 && n.depth <= nodes[0].depth {
			break
		}
		u := of[n.id]
		sum.size, sum.used, sum.data, sum.meta = sum.size+u.size, sum.used+u.used, sum.data+u.data, sum.meta+u.meta
	}
	return sum
}

func (c *call) usageJSON(m *OSDMap, n node, u usage, average float64) object {
	reweight := any(-1)
	o := m.osd(n.id)
	if n.bucket == nil {
		reweight = 0.0
		if o != nil {
			reweight = single(o.Weight)
		}
	}
	j := append(c.nodeJSON(m.Crush, n), field{"reweight", reweight}, field{"kb", u.size / 1024}, field{"kb_used", u.used / 1024})
	if c.release.atLeast(nautilus) {
		j = append(j, field{"kb_used_data", u.data / 1024}, field{"kb_used_omap", 0}, field{"kb_used_meta", u.meta / 1024})
	}
	j = append(j, field{"kb_avail", (u.size - u.used) / 1024}, field{"utilization", u.percent()}, field{"var", u.variation(average)},
		field{"pgs", u.pgs})
	if n.bucket == nil && c.release.atLeast(nautilus) {
		status := "DNE"
		if o != nil {
			status = o.status()
		}
		j = append(j, field{"status", status})
	}
	return j
}

func osdUtilization(c *call) reply {
	use := c.usage(c.pgs())
	use = slices.DeleteFunc(use, func(u usage) bool { o := c.state.OSDMap.osd(u.id); return !o.In() || !o.Up })
	if len(use) == 0 {
		return reply{out: object{{"avg_pgs", 0}, {"std_dev", 0}, {"expected_baseline_std_dev", 0}}}
	}
	sum := 0
	least, most := use[0], use[0]
	for _, u := range use {
		sum += u.pgs
		if u.pgs < least.pgs {
			least = u
		}
		if u.pgs > most.pgs {
			most = u
		}
	}
	n := float64(len(use))
	avg := float64(sum) / n
	variance := 0.0
	for _, u := range use {
		variance += (avg - float64(u.pgs)) * (avg - float64(u.pgs))
	}
	dev := math.Sqrt(variance / n)
	base := math.Sqrt(avg * (1 - 1/n))
	return c.show(object{
		{"avg_pgs", single(avg)},
		{"std_dev", dev},
		{"expected_baseline_std_dev", base},
		{"min_osd", least.id},
		{"min_osd_pgs", least.pgs},
		{"max_osd", most.id},
		{"max_osd_pgs", most.pgs},
	}, func() string {
		return fmt.Sprintf("avg %g\nstddev %g (expected baseline %g)\nmin osd.%d with %d pgs\nmax osd.%d with %d pgs\n",
			avg, dev, base, least.id, least.pgs, most.id, most.pgs)
	})
}

func osdPerf(c *call) reply {
	list := array{}
	for _, u := range slices.Backward(c.usage(nil)) {
		stats := object{{"commit_latency_ms", 0}, {"apply_latency_ms", 0}}
		if c.release.atLeast(nautilus) {
			stats = append(stats, field{"commit_latency_ns", 0}, field{"apply_latency_ns", 0})
		}
		list = append(list, object{{"id", u.id}, {"perf_stats", stats}})
	}
	infos := object{{"osd_perf_infos", list}}
	if !c.release.atLeast(nautilus) {
		return reply{out: infos}
	}
	return reply{out: object{{"pg_ready", c.state.MgrMap.Available}, {"osdstats", infos}}}
}
