package ceph_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// recordedFS is what was recorded of file systems and MDS, a cluster each, in the
// order of recording. A word that begins with "$" stands for what happened in
// between.
var recordedFS = map[string]string{
	"one MDS": `
fs-get fs-get-nosuch fs-dump fs-status fs-status-nosuch mds-metadata mds-versions fs-feature-ls $pools fs-new-nopool fs-new-again
fs-new-samename-otherpools fs-flag-set-enable_multiple-nosure fs-new-multiple-off fs-flag-set-enable_multiple
fs-new health-detail-fs-without-mds status-fs-without-mds fs-status-without-mds fs-add_data_pool fs-add_data_pool-again
fs-add_data_pool-nosuch fs-rm_data_pool fs-set-max_mds fs-set-standby_count fs-set-nosuch fs-set-nosuchfs fs-set-default fs-rm-active
fs-fail-nosuch fs-rm-nosure fs-rm fs-rm-active-cephfs fs-new-pool-has-data fs-rm-labfs2 fs-authorize fs-authorize-different`,
	"an MDS that ends": `
$stop mds-down-health mds-down-status mds-down-mds-stat mds-down-fs-status mds-down-fs-get`,
	"an MDS that is killed": `
$kill mds-killed-health mds-killed-status mds-killed-fs-get mds-killed-fs-status mds-fail mds-fail-health`,
	"three MDS": `
mds3-fs-ls mds3-fs-ls-plain $mds3 mds3-fs-dump mds3-mds-stat mds3-mds-stat-plain mds3-fs-status mds3-status mds3-versions mds3-node-ls
mds3-metadata-nosuch mds3-ok-to-stop-active mds3-ok-to-stop-all mds3-ok-to-stop-nosuch mds3-fail-nosuch mds3-set-standby_count
mds3-health-standby mds3-set-standby_count-back mds3-set-max_mds-0 mds3-set-max_mds-x mds3-set-max_mds-300 mds3-set-session_timeout-20
mds3-set-max_file_size-1 mds3-set-inline_data mds3-set-standby_replay-maybe mds3-set-standby_replay $rest mds3-replay-fs-get
mds3-replay-status mds3-replay-fs-status mds3-replay-mds-stat-plain mds3-replay-ok-to-stop mds3-set-max_mds-2 $rest mds3-two-fs-get
mds3-two-ok-to-stop mds3-set-max_mds-3 $rest mds3-three-health mds3-three-status mds3-set-max_mds-1 $rest mds3-one-fs-get
mds3-set-standby_replay-off $rest mds3-after-fs-dump mds3-down $rest mds3-down-health mds3-down-status mds3-down-fs-get mds3-up $rest
mds3-fs-rm-up mds3-fs-reset-up mds3-pool-new mds3-pool-new-2 mds3-second-new-used mds3-second-new $rest mds3-second-mds-stat-plain
mds3-second-fs-ls mds3-fs-fail $rest mds3-fail-status mds3-fail-health mds3-fail-ok-to-stop mds3-fs-rm-nosure mds3-fs-rm-failed
mds3-new-used-pool mds3-pool-app`,
}

// load are fields that follow from what clients do, and from how full the disks
// are.
var load = []string{
	"num_objects", "read_op_per_sec", "write_op_per_sec", "read_bytes_sec", "write_bytes_sec", "avail", "used", "clients", "caps", "dirs", "dns", "inos",
	"services", "key",
}

var gids = regexp.MustCompile(`\b(gid_)?[45]\d\d\d\b`)

// sameGIDs gives the MDS of an answer numbers by their order, whatever their gids.
func sameGIDs(text string) string {
	number := func(s string) string { return strings.TrimPrefix(s, "gid_") }
	var seen []string
	for _, g := range gids.FindAllString(text, -1) {
		if !slices.Contains(seen, number(g)) {
			seen = append(seen, number(g))
		}
	}
	slices.Sort(seen)
	return gids.ReplaceAllStringFunc(text, func(g string) string {
		return strings.TrimSuffix(g, number(g)) + fmt.Sprint(slices.Index(seen, number(g)))
	})
}

func TestRecordedFilesystemCommands(t *testing.T) {
	compared := 0
	for of, list := range recordedFS {
		t.Run(of, func(t *testing.T) {
			w := newLab(t)
			for name := range strings.FieldsSeq(list) {
				switch name {
				case "$pools":
					for _, p := range []string{"lab1", "x2", "x3", "x4", "lab_meta", "lab_data"} {
						w.ceph(nil, "osd", "pool", "create", p, "8")
					}
					for _, p := range []string{"x2", "x3", "x4"} { // numbers that went by
						w.ceph(nil, "osd", "pool", "rm", p, p, "--yes-i-really-really-mean-it")
					}
				case "$mds3":
					w.mds("b")
					w.mds("c")
				case "$rest":
					w.loop.RunFor(20 * time.Second)
				case "$stop":
					w.procs["mds.a"].Terminate()
					w.loop.RunFor(3 * time.Second)
				case "$kill":
					w.groups["mds.a"].Kill()
					w.loop.RunFor(25 * time.Second)
				default:
					compared++
					for _, d := range w.replayed(name, sameGIDs, load) {
						t.Errorf("%s: %s", name, d)
					}
				}
			}
		})
	}
	t.Logf("%d recorded commands compared", compared)
}
