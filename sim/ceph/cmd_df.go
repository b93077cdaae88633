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
