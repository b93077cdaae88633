package ceph

import "fmt"

// fsChecks are the health checks about file systems and their MDS.
func (c *call) fsChecks() []check {
	m := c.state.FSMap
	var out []check
	// about gathers a check of those file systems of which it says something.
	about := func(code string, s severity, summary func(n int) string, detail func(f *Filesystem) string) {
		k := check{code: code, severity: s}
		for _, f := range m.Filesystems {
			if text := detail(f); text != "" {
				k.detail = append(k.detail, "fs "+f.Name+" "+text)
			}
		}
		if k.count = len(k.detail); k.count > 0 {
			k.summary = summary(k.count)
			out = append(out, k)
		}
	}
	are := func(what string) func(n int) string {
		return func(n int) string { return fmt.Sprintf("%d filesystem%s %s %s", n, plural(n), isAre(n), what) }
	}
	about("FS_WITH_FAILED_MDS", warn, func(n int) string {
		return fmt.Sprintf("%d filesystem%s %s a failed mds daemon", n, plural(n), map[bool]string{true: "has", false: "have"}[n == 1])
	}, func(f *Filesystem) string {
		stuck := 0
		for _, rank := range f.Failed {
			stuck += bit(m.replacement(f, rank) == nil)
		}
		if stuck == 0 {
			return ""
		}
		return fmt.Sprintf("has %d failed mds%s", stuck, plural(stuck))
	})
	about("MDS_DAMAGE", erring, func(n int) string { return fmt.Sprintf("%d mds daemon%s damaged", n, plural(n)) }, func(f *Filesystem) string {
		if len(f.Damaged) == 0 {
			return ""
		}
		return fmt.Sprintf("mds.%d is damaged", f.Damaged[0])
	})
	about("FS_DEGRADED", warn, are("degraded"), func(f *Filesystem) string {
		if !f.degraded() {
			return ""
		}
		return "is degraded"
	})
	about("MDS_UP_LESS_THAN_MAX", warn, are("online with fewer MDS than max_mds"), func(f *Filesystem) string {
		if len(f.In) >= f.MaxMDS {
			return ""
		}
		return fmt.Sprintf("has %d MDS online, but wants %d", len(f.In), f.MaxMDS)
	})
	about("MDS_ALL_DOWN", erring, are("offline"), func(f *Filesystem) string {
		if len(f.Up) > 0 || f.MaxMDS == 0 {
			return ""
		}
		return "is offline because no MDS is active for it."
	})
	missing := 0
	for _, f := range m.Filesystems {
		missing = max(missing, f.standbysMissing(len(m.Standbys)))
	}
	if missing > 0 {
		out = append(out, check{
			code: "MDS_INSUFFICIENT_STANDBY", severity: warn, count: missing, summary: "insufficient standby MDS daemons available",
			detail: []string{fmt.Sprintf("have %d; want %d more", len(m.Standbys), missing)},
		})
	}
	return out
}
