package ceph

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/tidepool-ceph/tidepool/sim/ceph/crush"
)

func dfCommands() map[string]handler {
	return map[string]handler{
		"df":                        clusterDf,
		"osd df":                    osdDf,
		"osd utilization":           osdUtilization,
		"osd perf":                  osdPerf,
		"osd blocked-by":            func(c *call) reply { return reply{out: array{}} },
		"osd pool stats":            poolStats,
		"osd pool autoscale-status": poolAutoscaleStatus,
		"device ls":                 deviceLs,
	}
}

// room is how many bytes a pool still takes: what the fullest of its OSDs has
// left, times their number, shared by the copies.
func (c *call) room(p *Pool, use []usage) uint64 {
	free := math.Inf(1)
	m := c.state.OSDMap
	total := 0.0
	for _, u := range use {
		if o := m.osd(u.id); o.In() {
			w, _ := m.Crush.ItemWeight(u.id)
			total += w.Float()
		}
	}
	for _, u := range use {
		w, _ := m.Crush.ItemWeight(u.id)
		if o := m.osd(u.id); !o.In() || w == 0 || total == 0 {
			continue
		}
		free = min(free, math.Max(0, float64(u.size)*m.Full.Full-float64(u.used))*total/w.Float())
	}
	if math.IsInf(free, 1) {
		return 0
	}
	copies := float64(p.Size)
	if p.Kind == crush.Erasure {
		k, n := ecCounts(m.ECProfiles[p.Profile])
		copies = float64(k+n) / float64(max(k, 1))
	}
	return uint64(free / copies)
}

func clusterDf(c *call) reply {
	d := c.digest()
	use := c.usage(d.pgs)
	r := c.release
	stats := object{{"total_bytes", d.total}, {"total_avail_bytes", d.total - d.used}, {"total_used_bytes", d.used}}
	if r.atLeast(nautilus) {
		ratio := 0.0
		if d.total > 0 {
			ratio = single(float64(d.used) / float64(d.total))
		}
		stats = append(stats, field{"total_used_raw_bytes", d.used}, field{"total_used_raw_ratio", ratio}, field{"num_osds", len(use)},
			field{"num_per_pool_osds", len(use)})
	}
	if r.atLeast(octopus) {
		stats = append(stats, field{"num_per_pool_omap_osds", len(use)})
	}
	pools := array{}
	text := table{head: []string{"POOL", "ID", "PGS", "STORED", "OBJECTS", "USED", "%USED", "MAX AVAIL"}, right: []int{1, 2, 3, 4, 5, 6, 7}}
	for _, p := range c.state.OSDMap.Pools {
		if d.pools == 0 {
			break
		}
		objects, bytes := c.state.PGMap.Objects[p.ID].total()
		var used uint64
		for _, data := range c.state.PGMap.Objects[p.ID].each() {
			used += (uint64(len(data)) + 4095) / 4096 * 4096 * uint64(p.Size)
		}
		room := c.room(p, use)
		percent := 0.0
		if raw := float64(used) + float64(room)*float64(p.Size); raw > 0 {
			percent = single(float64(used) / raw)
		}
		s := object{{"stored", bytes}, {"objects", objects}, {"kb_used", used / 1024}, {"bytes_used", used}, {"percent_used", percent}, {"max_avail", room}}
		if c.args.has("detail") && r.atLeast(octopus) {
			s = object{
				{"stored", bytes},
				{"stored_data", bytes},
				{"stored_omap", 0},
				{"objects", objects},
				{"kb_used", used / 1024},
				{"bytes_used", used},
				{"data_bytes_used", used},
				{"omap_bytes_used", 0},
				{"percent_used", percent},
				{"max_avail", room},
				{"quota_objects", p.QuotaObjects},
				{"quota_bytes", p.QuotaBytes},
				{"dirty", 0},
				{"rd", 0},
				{"rd_bytes", 0},
				{"wr", objects},
				{"wr_bytes", bytes},
				{"compress_bytes_used", 0},
				{"compress_under_bytes", 0},
				{"stored_raw", bytes * p.Size},
				{"avail_raw", room * uint64(p.Size)},
			}
		}
		if !r.atLeast(nautilus) {
			s = object{{"kb_used", used / 1024}, {"bytes_used", bytes}, {"percent_used", percent}, {"max_avail", room}, {"objects", objects}}
		}
		pools = append(pools, object{{"name", p.Name}, {"id", p.ID}, {"stats", s}})
		text.rows = append(text.rows, []string{
			p.Name, strconv.Itoa(p.ID), strconv.Itoa(p.PGNum), byteText(uint64(bytes)), strconv.Itoa(objects), byteText(used),
			strconv.FormatFloat(percent*100, 'f', 2, 64), byteText(room),
		})
	}
	out := object{{"stats", stats}}
	if r.atLeast(nautilus) {
		out = append(out, field{"stats_by_class", c.byClass(use)})
	}
	return c.show(append(out, field{"pools", pools}), func() string {
		percent := 0.0
		if d.total > 0 {
			percent = 100 * float64(d.used) / float64(d.total)
		}
		raw := table{head: []string{"CLASS", "SIZE", "AVAIL", "USED", "RAW USED", "%RAW USED"}, right: []int{1, 2, 3, 4, 5}, rows: [][]string{{
			"TOTAL", byteText(d.total), byteText(d.total - d.used), byteText(d.used), byteText(d.used), strconv.FormatFloat(percent, 'f', 2, 64),
		}}}
		return "--- RAW STORAGE ---\n" + raw.text() + " \n--- POOLS ---\n" + text.text()
	})
}

// each are the contents of the objects.
func (o *Objects) each() map[ObjectName][]byte {
	if o == nil {
		return nil
	}
	return o.Of
}

func (c *call) byClass(use []usage) object {
	o := object{}
	m := c.state.OSDMap.Crush
	for _, class := range slices.Sorted(slices.Values(m.Classes)) {
		var size, used uint64
		for _, u := range use {
			if m.Class(u.id) == class {
				size, used = size+u.size, used+u.used
			}
		}
		ratio := 0.0
		if size > 0 {
			ratio = single(float64(used) / float64(size))
		}
		o = append(o, field{class, object{
			{"total_bytes", size},
			{"total_avail_bytes", size - used},
			{"total_used_bytes", used},
			{"total_used_raw_bytes", used},
			{"total_used_raw_ratio", ratio},
		}})
	}
	return o
}

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

func poolStats(c *call) reply {
	pools := c.state.OSDMap.Pools
	if c.args.has("pool_name") {
		p, bad := c.poolArg("pool_name")
		if bad != nil {
			return fail(syscall.ENOENT, "pool '%s' does not exist", c.args.str("pool_name"))
		}
		pools = []*Pool{p}
	}
	return c.show(arrayOf(pools, func(p *Pool) any {
		return object{{"pool_name", p.Name}, {"pool_id", p.ID}, {"recovery", object{}}, {"recovery_rate", object{}}, {"client_io_rate", object{}}}
	}), func() string {
		var b strings.Builder
		for _, p := range pools {
			fmt.Fprintf(&b, "pool %s id %d\n  nothing is going on\n\n", p.Name, p.ID)
		}
		return b.String()
	})
}

func poolAutoscaleStatus(c *call) reply {
	return c.show(arrayOf(c.state.OSDMap.Pools, func(p *Pool) any {
		objects := c.state.PGMap.Objects[p.ID]
		_, bytes := objects.total()
		return object{
			{"pool_id", p.ID},
			{"pool_name", p.Name},
			{"pg_autoscale_mode", p.Autoscale},
			{"pg_num_ideal", p.PGNumTarget},
			{"pg_num_target", p.PGNumTarget},
			{"pg_num_final", p.PGNum},
			{"logical_used", bytes},
			{"raw_used", bytes * p.Size},
			{"would_adjust", false},
			{"bias", 1},
		}
	}), func() string {
		t := table{head: []string{"POOL", "SIZE", "RATE", "PG_NUM", "AUTOSCALE"}, right: []int{1, 2, 3}}
		for _, p := range c.state.OSDMap.Pools {
			_, bytes := c.state.PGMap.Objects[p.ID].total()
			t.rows = append(t.rows, []string{p.Name, byteText(uint64(bytes)), fmt.Sprintf("%d.0", p.Size), strconv.Itoa(p.PGNum), p.Autoscale})
		}
		return t.text()
	})
}

// deviceLs lists the devices of daemons that have a serial number.
func deviceLs(c *call) reply {
	list := array{}
	for _, o := range c.state.OSDMap.existing() {
		if o.Meta == nil || o.Meta.DeviceID == "" {
			continue
		}
		list = append(list, object{
			{"devid", o.Meta.DeviceID},
			{"location", array{object{{"host", o.Meta.Hostname}, {"dev", o.Meta.Device}}}},
			{"daemons", []string{fmt.Sprintf("osd.%d", o.ID)}},
		})
	}
	return reply{out: list}
}
