package ceph

import "slices"

// modules lists what the managers of a release can run; always are those that
// cannot be turned off, byDefault those that a new cluster has on.
// Source: `ceph mgr module ls` of each release.
func (r *release) modules() (always, byDefault, others []string) {
	switch {
	case !r.atLeast(nautilus):
		byDefault = []string{"balancer", "iostat", "restful", "status"}
		others = []string{"dashboard", "influx", "localpool", "prometheus", "selftest", "zabbix"}
		if r.atLeast(mimic) {
			byDefault = []string{"balancer", "crash", "iostat", "restful", "status"}
			others = []string{
				"dashboard", "hello", "influx", "localpool", "prometheus", "selftest", "smart", "telegraf", "telemetry", "zabbix",
			}
		}
		return nil, byDefault, others
	case !r.atLeast(octopus):
		always = []string{
			"balancer", "crash", "devicehealth", "orchestrator_cli", "progress", "rbd_support", "status", "volumes",
		}
		return always, []string{"iostat", "restful"}, []string{
			"alerts", "ansible", "dashboard", "deepsea", "diskprediction_local", "influx", "insights", "k8sevents",
			"localpool", "pg_autoscaler", "prometheus", "rook", "selftest", "telegraf", "telemetry", "test_orchestrator", "zabbix",
		}
	}
	always = []string{
		"balancer", "crash", "devicehealth", "orchestrator", "pg_autoscaler", "progress", "rbd_support", "status", "telemetry", "volumes",
	}
	byDefault = []string{"iostat", "restful"}
	others = []string{
		"alerts", "cephadm", "dashboard", "diskprediction_local", "influx", "insights", "k8sevents", "localpool",
		"mds_autoscaler", "prometheus", "rook", "selftest", "snap_schedule", "stats", "telegraf", "test_orchestrator", "zabbix",
	}
	if r.atLeast(pacific) {
		others = append(others, "mirroring", "nfs")
	}
	if r.atLeast(quincy) {
		others = append(others, "osd_perf_query", "osd_support", "rgw")
	}
	if r.atLeast(squid) {
		others = append(others, "smb")
	}
	if r.atLeast(tentacle) {
		byDefault = []string{"iostat"}
		others = slices.DeleteFunc(append(others, "prometheus"), func(m string) bool { return m == "zabbix" || m == "influx" })
		slices.Sort(others)
		others = slices.Compact(others)
	}
	slices.Sort(others)
	return always, byDefault, others
}

func (r *release) defaultModules() []string {
	_, byDefault, _ := r.modules()
	return slices.Clone(byDefault)
}
