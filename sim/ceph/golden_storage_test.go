package ceph_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/golden"
	"github.com/tidepool-ceph/tidepool/sim/ceph"
	"github.com/tidepool-ceph/tidepool/sim/host"
	"github.com/tidepool-ceph/tidepool/sim/loop"
)

const pacific = "pacific-16.2.15"

// labConf is what the recorded cluster had in its ceph.conf and what answers
// depend on.
const labConf = `
osd_pool_default_size = 2
osd_pool_default_min_size = 1
osd_pool_default_pg_num = 8
osd_pool_default_pg_autoscale_mode = off
osd_crush_chooseleaf_type = 0
osd_crush_initial_weight = 1
osd_class_update_on_start = false
mon_allow_pool_delete = true
mon_allow_pool_size_one = true
mon_warn_on_pool_no_redundancy = false
mon_warn_on_pool_no_app = false
mon_osd_min_down_reporters = 1
mon_max_pg_per_osd = 2000
mon_mgr_mkfs_grace = 1
mon_mgr_beacon_grace = 5
mgr_initial_modules =
mgr_disabled_modules = alerts,cephadm,dashboard,diskprediction_local,influx,insights,iostat,k8sevents,localpool,mds_autoscaler,mirroring,nfs,prometheus,restful,rook,selftest,snap_schedule,stats,telegraf,test_orchestrator,zabbix
bluestore_block_size = 1073741824
`

// newLab is the recorded cluster: mon.a, mgr.x and three OSDs in directories of
// one machine, and two pools of a file system.
func newLab(t *testing.T) *storage { return newLabOf(t, 3, labConf) }

func newLabOf(t *testing.T, osds int, conf string) *storage {
	w := &storage{t: t, loop: loop.New(1), net: host.NewNetwork(), groups: map[string]*loop.Group{}, procs: map[string]*host.Process{}}
	t.Cleanup(w.loop.Close)
	w.sim = ceph.New(w.loop, w.net)
	w.image = w.sim.Image("16.2.15")
	w.machines = []*host.Machine{host.NewMachine(w.loop, w.net, "vm", "127.0.0.1")}
	w.start(conf)
	w.ceph(nil, "config", "set", "mgr", "mgr/devicehealth/enable_monitoring", "false", "--force")
	w.mgr("x")
	for i := range osds {
		w.directoryOSD(i, "/var/lib/ceph/osd/ceph-"+fmt.Sprint(i))
	}
	for _, p := range []string{"metadata", "data"} {
		w.ceph(nil, "osd", "pool", "create", "cephfs_"+p, "8")
	}
	w.ceph(nil, "fs", "new", "cephfs", "cephfs_metadata", "cephfs_data")
	w.mds("a")
	w.loop.RunFor(10 * time.Second)
	return w
}

// directoryOSD makes and starts an OSD in a directory.
func (w *storage) directoryOSD(id int, dir string) {
	w.t.Helper()
	m := w.machines[0]
	w.mkdir(m, dir)
	name := fmt.Sprint(id)
	w.must(m, "ceph", "osd", "create", fmt.Sprintf("0bf55df2-2f1b-405e-97ee-4364b071fcd%d", id), name)
	w.must(m, "ceph", "auth", "get-or-create", "osd."+name, "mon", "allow profile osd", "mgr", "allow profile osd", "osd", "allow *", "-o", dir+"/keyring")
	w.must(m, "ceph-osd", "--mkfs", "-i", name, "--osd-uuid", fmt.Sprintf("0bf55df2-2f1b-405e-97ee-4364b071fcd%d", id))
	w.daemon(m, "osd."+name, "ceph-osd", "-f", "-i", name)
	w.loop.RunFor(3 * time.Second)
}

// loose are the fields that may differ: times, epochs, ids that are drawn,
// addresses, what the machine is, and what follows from where data lies.
var loose = map[string]bool{
	"epoch": true, "created": true, "modified": true, "create_time": true, "until": true, "last_up_change": true, "last_in_change": true,
	"osd_up_since": true, "osd_in_since": true, "crush_version": true, "last_change": true, "up_from": true, "up_thru": true, "down_at": true,
	"last_clean_begin": true, "last_clean_end": true, "last_purged_snaps_scrub": true, "down_stamp": true, "quorum_age": true, "election_epoch": true,
	"fsid": true, "uuid": true, "osd_fsid": true, "nonce": true, "addr": true, "addrs": true, "gid": true,
	"public_addr": true, "cluster_addr": true, "heartbeat_back_addr": true, "heartbeat_front_addr": true,
	"kb_used": true, "kb_used_data": true, "kb_used_meta": true, "kb_avail": true, "utilization": true, "var": true, "pgs": true,
	"total_kb_used": true, "total_kb_used_data": true, "total_kb_used_meta": true, "total_kb_avail": true, "average_utilization": true,
	"min_var": true, "max_var": true, "dev": true, "total_avail_bytes": true, "total_used_bytes": true, "total_used_raw_bytes": true,
	"total_used_raw_ratio": true, "max_avail": true, "percent_used": true, "avail_raw": true, "total_used": true, "total_avail": true,
	"bytes_used": true, "bytes_avail": true, "num_bytes": true, "data_bytes": true,
	"min_osd": true, "min_osd_pgs": true, "max_osd_pgs": true, "std_dev": true, "avg_pgs": true, "expected_baseline_std_dev": true,
	"degraded_ratio": true, "degraded_objects": true, "degraded_total": true,
	"num_ok_pgs": true, "ok_become_degraded": true, "write_ops": true, "write_bytes": true, "size_bytes": true, "size_kb": true,
	"arch": true, "cpu": true, "distro": true, "distro_description": true, "distro_version": true, "kernel_description": true,
	"kernel_version": true, "mem_swap_kb": true, "mem_total_kb": true, "container_name": true, "created_at": true, "back_addr": true,
	"front_addr": true, "hb_back_addr": true, "hb_front_addr": true, "devices": true, "bluestore_bdev_devices": true, "bluestore_bdev_size": true,
	"bluestore_bdev_access_mode": true, "objectstore_numa_unknown_devices": true,
	"incarnation": true, "state_seq": true, "last_failure_osd_epoch": true, "mdsmap_last_committed": true, "laggy_since": true,
}

// looser are fields of single cases that may differ, with the reason.
var looser = map[string][]string{
	"osd-utilization":         {"max_osd"},                                                                  // which OSD has the most placement groups is CRUSH's own choice
	"df-detail":               {"wr", "wr_bytes", "stored", "stored_data", "stored_raw", "data_bytes_used"}, // a real file system writes other objects
	"pg-stat":                 {"num_pg_by_state"},                                                          // taken in the moment in which a new pool's were unknown
	"pg-stat-degraded":        {"num_pg_by_state", "write_bytes_sec", "io_sec"},                             // how many share the down OSD, and what was just written
	"health-degraded":         {"message", "count"},                                                         // as above
	"osd-ok-to-stop-degraded": {"num_not_ok_pgs", "bad_become_inactive", "ok_become_more_degraded"},         // as above
	"balancer-status":         {"last_optimize_duration", "last_optimize_started", "optimize_result"},       // it had run once
	"mgr-down-df":             {"stored"},                                                                   // a real file system writes other objects
	"status-fs-without-mds":   {"num_pools", "num_pgs", "pgs_by_state"},                                     // other pools were there
	"status-after-osd-back":   {"num_objects"},                                                              // the file system wrote one more
}

// differences compares two JSON values field by field.
func differences(path string, want, got any, skip map[string]bool, out *[]string) {
	note := func(format string, args ...any) { *out = append(*out, path+": "+fmt.Sprintf(format, args...)) }
	switch w := want.(type) {
	case map[string]any:
		g, ok := got.(map[string]any)
		if !ok {
			note("want an object, got %v", got)
			return
		}
		for _, k := range slices.Sorted(maps.Keys(w)) {
			v, there := g[k]
			switch {
			case skip[k] && (there || !loose[k] || k == "container_name"):
			case !there:
				note("no field %q, want %v", k, w[k])
			default:
				differences(path+"."+k, w[k], v, skip, out)
			}
		}
		for _, k := range slices.Sorted(maps.Keys(g)) {
			if _, there := w[k]; !there {
				note("field %q is not in the recording", k)
			}
		}
	case []any:
		g, ok := got.([]any)
		if !ok || len(g) != len(w) {
			note("want %v, got %v", want, got)
			return
		}
		for i := range w {
			differences(fmt.Sprintf("%s[%d]", path, i), w[i], g[i], skip, out)
		}
	case float64:
		if g, ok := got.(float64); !ok || math.Abs(g-w) > 1e-6 {
			note("want %v, got %v", want, got)
		}
	default:
		if want != got {
			note("want %v, got %v", want, got)
		}
	}
}

var (
	stamps  = regexp.MustCompile(`\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\.\d+(\+0000|Z)?`)
	threads = regexp.MustCompile(`\b[0-9a-f]{12}\b`)
	counted = regexp.MustCompile(`\d+ (PGs|pgs) |OSD\(s\) \d+ have \d+|mapped epoch \d+|^\d+\n$|epoch \d+`)
)

// text is a text without what may differ.
func text(s string) string {
	return counted.ReplaceAllString(threads.ReplaceAllString(stamps.ReplaceAllString(s, "TIME"), "THREAD"), "N")
}

// replay runs a recorded command and says in what the answers differ.
func (w *storage) replay(name string) []string {
	return w.replayed(name, func(s string) string { return s }, nil)
}

// replayed is replay of answers that same makes comparable, apart from some
// fields more.
func (w *storage) replayed(name string, same func(string) string, apart []string) []string {
	run, err := golden.Case(pacific, name)
	if err != nil {
		return []string{err.Error()}
	}
	got := w.run(w.machines[0], "", run.Argv...)
	got.out, got.stderr = same(got.out), same(got.stderr)
	run.Stdout, run.Stderr = []byte(same(string(run.Stdout))), same(run.Stderr)
	var out []string
	if got.code != run.ExitCode {
		out = append(out, fmt.Sprintf("exit code %d, want %d (%s)", got.code, run.ExitCode, got.stderr))
	}
	if text(got.stderr) != text(run.Stderr) {
		out = append(out, fmt.Sprintf("stderr\n got %q\nwant %q", got.stderr, run.Stderr))
	}
	var want, have any
	if json.Unmarshal(run.Stdout, &want) != nil {
		if text(strings.TrimSpace(got.out)) != text(strings.TrimSpace(string(run.Stdout))) && !strings.Contains(name, "plain") {
			out = append(out, fmt.Sprintf("stdout\n got %q\nwant %q", got.out, run.Stdout))
		}
		return out
	}
	if err := json.Unmarshal([]byte(got.out), &have); err != nil {
		return append(out, fmt.Sprintf("no JSON: %q", got.out))
	}
	skip := maps.Clone(loose)
	for _, k := range append(slices.Clone(apart), looser[name]...) {
		skip[k] = true
	}
	differences("", want, have, skip, &out)
	return out
}

// recorded is what was recorded of one cluster, in the order of recording. A
// line that begins with "$" is a command that belongs between but is not
// compared.
var recorded = strings.Fields(strings.ReplaceAll(`
df-detail rados-df rados-lspools mgr-stat mgr-module-ls mgr-services mgr-metadata mgr-versions
osd-dump osd-df osd-df-tree osd-stat osd-ls osd-find osd-find-nosuch osd-metadata osd-metadata-all osd-metadata-nosuch osd-getmaxosd
osd-versions osd-utilization osd-perf osd-lspools osd-pool-ls osd-pool-create osd-pool-create-again osd-pool-create-plain
osd-pool-create-badname osd-pool-create-badrule osd-pool-ls-detail osd-pool-get-all osd-pool-get-size osd-pool-get-nosuchvar
osd-pool-get-nosuchpool osd-pool-set-size2 osd-pool-set-size1-nosure osd-pool-set-size1 osd-pool-set-size9 osd-pool-set-nosuchvar
osd-pool-set-pg_num osd-pool-application-enable osd-pool-application-enable-again osd-pool-application-get
osd-pool-application-disable-nosure osd-pool-rename osd-pool-stats osd-pool-rm-nosure osd-pool-rm osd-pool-rm-missing
osd-pool-rm-infs osd-crush-tree osd-crush-dump osd-crush-rule-ls osd-crush-rule-dump-nosuch osd-crush-rule-create-replicated
osd-crush-rule-create-replicated-again osd-crush-rule-create-replicated-different osd-crush-rule-create-badroot
osd-crush-rule-create-badtype osd-crush-rule-rm osd-crush-rule-rm-inuse osd-crush-set-device-class
osd-crush-set-device-class-again osd-crush-rm-device-class osd-crush-show-tunables osd-crush-tunables-optimal
osd-crush-tunables-optimal-plain osd-crush-tunables-bad osd-crush-add-bucket osd-crush-add-bucket-again osd-crush-move
osd-crush-remove osd-crush-reweight osd-crush-reweight-nosuch osd-getcrushmap crushtool-d crushtool-d-stdout crushtool-c
crushtool-c-bad crushtool-c-missing crushtool-test osd-setcrushmap osd-setcrushmap-garbage osd-setcrushmap-nofile
osd-pool-get-quota osd-pool-set-quota osd-erasure-code-profile-set osd-erasure-code-profile-set-same
osd-erasure-code-profile-set-different osd-erasure-code-profile-set-bad osd-pool-create-erasure osd-pool-set-allow_ec_overwrites
osd-erasure-code-profile-rm-inuse pg-stat osd-set-noout osd-unset-noout osd-set-bad osd-require-osd-release
osd-set-require-min-compat-client osd-blocklist-add osd-blocklist-ls osd-blocklist-rm osd-blocklist-rm-missing osd-blacklist-ls
osd-getmap orch-status balancer-status progress daemon-asok tell-osd tell-mgr injectargs
ceph-mgr-version ceph-osd-no-data mgr-module-enable-nosuch mgr-module-enable-alwayson mgr-module-enable-disabled-by-conf mgr-module-disable
mgr-module-disable-not-enabled
`, "\n", " "))

// second is what was recorded of another such cluster, in which an OSD is
// stopped, brought back, taken out and purged.
var second = strings.Fields(strings.ReplaceAll(`
osd-safe-to-destroy osd-safe-to-destroy-nosuch osd-ok-to-stop osd-ok-to-stop-nosuch osd-ok-to-stop-all osd-out osd-out-again
osd-out-nosuch osd-in osd-in-again osd-down-running $up osd-purge-up osd-purge-nosure osd-destroy-up osd-rm-up $stop health-degraded
osd-tree-down pg-stat-degraded osd-ok-to-stop-degraded osd-safe-to-destroy-degraded $start status-after-osd-back
health-detail-after-osd-back osd-out-2b $rest osd-safe-to-destroy-yes osd-ok-to-stop-yes $stop osd-purge osd-tree-after-purge
osd-new osd-new-again osd-create-deprecated osd-destroy osd-rm osd-rm-missing
`, "\n", " "))

func TestRecordedStorageCommands(t *testing.T) {
	compared := 0
	for name, list := range map[string][]string{"one": recorded, "two": second} {
		t.Run(name, func(t *testing.T) {
			w := newLab(t)
			m := w.machines[0]
			w.write(m, "/etc/ceph/bad.txt", "# begin\nnonsense here\n")
			w.write(m, "/etc/ceph/garbage.bin", "this is no crush map")
			for _, name := range list {
				switch name {
				case "$up", "$rest":
					w.loop.RunFor(20 * time.Second)
					continue
				case "$stop":
					w.procs["osd.2"].Terminate()
					w.loop.RunFor(3 * time.Second)
					continue
				case "$start":
					w.daemon(m, "osd.2", "ceph-osd", "-f", "-i", "2")
					w.loop.RunFor(20 * time.Second)
					continue
				}
				compared++
				for _, d := range w.replay(name) {
					t.Errorf("%s: %s", name, d)
				}
			}
		})
	}
	t.Logf("%d recorded commands compared; %d fields may differ", compared, len(loose))
}

func TestSeedCrushCommands(t *testing.T) {
	const text = `tunable choose_local_tries 0
tunable choose_local_fallback_tries 0
tunable choose_total_tries 50
tunable chooseleaf_descend_once 1
tunable chooseleaf_vary_r 1
tunable straw_calc_version 1
type 0 osd
type 1 host
type 2 rack
type 10 root
root default { # all of it
	id -1
	alg straw
	hash 0
}
rule replicated_ruleset {
	ruleset 0
	type replicated
	min_size 1
	max_size 10
	step take default
	step chooseleaf firstn 0 type host
	step emit
}
`
	for version, want := range map[string]string{
		"13.2.3": "HEALTH_OK",
		"14.2.0": "HEALTH_WARN OLD_CRUSH_TUNABLES: crush map has legacy tunables (require firefly, min is hammer);",
	} {
		w := newStorage(t, version, "", 3)
		w.mgr("a")
		m := w.machines[0]
		w.write(m, "/tmp/in", text)
		w.must(m, "ceph", "osd", "crush", "tunables", "firefly", "--connect-timeout=15", "--format", "plain", "--out-file", "/tmp/1")
		w.must(m, "crushtool", "-c", "/tmp/in", "-o", "/tmp/out")
		w.must(m, "ceph", "osd", "setcrushmap", "-i", "/tmp/out", "--connect-timeout=15", "--format", "json", "--out-file", "/tmp/2")
		for n := 1; n <= 3; n++ {
			w.osd(n)
		}
		if version == "14.2.0" {
			w.ceph(nil, "mon", "enable-msgr2")
			w.loop.RunFor(10 * time.Second)
		}
		if h := w.health(); h != want {
			t.Errorf("%s: %s, want %s", version, h, want)
		}
		if d := w.must(m, "ceph", "osd", "getcrushmap", "-o", "/tmp/got"); d != "" {
			t.Errorf("%s: getcrushmap printed %q", version, d)
		}
		if d := w.must(m, "crushtool", "-d", "/tmp/got"); !strings.Contains(d, "alg straw\n") || !strings.Contains(d, "rule replicated_ruleset {") {
			t.Errorf("%s: %s", version, d)
		}
	}
}

// third is what was recorded of a cluster with one OSD whose manager is gone.
var third = strings.Fields("osd-safe-to-destroy-plain $kill mgr-down-status mgr-down-health mgr-down-df mgr-down-osd-pool-ls")

func TestRecordedWithoutManager(t *testing.T) {
	w := newLabOf(t, 1, strings.Replace(labConf, "osd_pool_default_size = 2", "osd_pool_default_size = 1", 1))
	for _, name := range third {
		if name == "$kill" {
			w.groups["mgr.x"].Kill()
			w.loop.RunFor(20 * time.Second)
			continue
		}
		for _, d := range w.replay(name) {
			t.Errorf("%s: %s", name, d)
		}
	}
}
