package ceph

import (
	"strings"
	"testing"
)

// The answers are those of Ceph 16.2.15 with one monitor and no other daemon.
func TestAnswers(t *testing.T) {
	w := newWorld(t, "16.2.15", 1)
	w.cluster("a")
	tests := []struct {
		line           string
		code           int
		stdout, stderr string
	}{
		{"mon stat", 0, "e1: 1 mons at {a=[v2:10.0.0.1:3300/0,v1:10.0.0.1:6789/0]} removed_ranks: {}, election epoch 3, leader 0 a, quorum 0 a\n", ""},
		{"node ls mon", 0, "{\n    \"host-10.0.0.1\": [\n        \"a\"\n    ]\n}\n", ""},
		{"mon feature ls", 0, "all features\n\tsupported: [kraken,luminous,mimic,osdmap-prune,nautilus,octopus,pacific,elector-pinging]\n\tpersistent: [kraken,luminous,mimic,osdmap-prune,nautilus,octopus,pacific,elector-pinging]\non current monmap (epoch 1)\n\tpersistent: [kraken,luminous,mimic,osdmap-prune,nautilus,octopus,pacific,elector-pinging]\n\trequired: [kraken,luminous,mimic,osdmap-prune,nautilus,octopus,pacific,elector-pinging]\n", ""},
		{"config log", 0, "--- 1 --- 0.000000 ---\n", ""},
		{"config-key get nope", 2, "", "Error ENOENT: \n"},
		{"config-key set a", 0, "", "set a\n"},
		{"config-key dump", 0, "{\n    \"a\": \"\"\n}\n", ""},
		{"config set osd osd_max_backfills abc", 22, "", "Error EINVAL: error parsing value: strict_si_cast: unit prefix not recognized\n"},
		{"config set global mon_max_pg_per_osd -1", 22, "", "Error EINVAL: error parsing value: strict_sistrtoll: value should not be negative\n"},
		{"config set mon debug_ms x", 22, "", "Error EINVAL: error parsing value: value must take the form N or N/M, where N and M are integers\n"},
		{"config set mon mon_allow_pool_delete yes", 22, "", "Error EINVAL: error parsing value: Expected option value to be integer, got 'yes'\n"},
		{"config set osd/class:ssd osd_max_backfills 3", 0, "", ""},
		{"config dump", 0, "WHO    MASK       LEVEL     OPTION             VALUE  RO\n  osd  class:ssd  advanced  osd_max_backfills  3        \n", ""},
		{"config get osd", 0, "WHO  MASK  LEVEL  OPTION  VALUE  RO\n", ""},
		{"config get osd osd_max_backfills", 0, "1\n", ""},
		{"config get mon public_addr", 0, "-\n", ""},
		{"config get nosuch x", 22, "", "Error EINVAL: unrecognized entity 'nosuch'\n"},
		{"config rm nosuch.x y", 22, "", "Error EINVAL: unrecognized config target 'nosuch.x'\n"},
		{"config reset 99", 22, "", "Error EINVAL: must specify a valid historical version to revert to; see 'ceph config log' for a list of avialable configuration historical versions\n"},
		{"config reset 1", 0, "", ""},
		{"config-key ls", 0, "[\n    \"a\",\n    \"config-history/2/\",\n    \"config-history/2/+osd/class:ssd/osd_max_backfills\",\n    \"config-history/3/\",\n    \"config-history/3/-osd/class:ssd/osd_max_backfills\"\n]\n", ""},
		{"auth get-or-create client.a", 0, "[client.a]\n\tkey = KEY\n", ""},
		{"auth caps client.a", 22, "", "Invalid command: saw 0 of caps(<string>)..., expected at least 1\nauth caps <entity> <caps>... :  update caps for <name> from caps specified in the command\nError EINVAL: invalid command\n"},
		{"auth rm client.zz", 0, "", "entity client.zz does not exist\n"},
		{"auth import", 22, "", "Error EINVAL: auth import: no data supplied\n"},
		{"fsid -f json-pretty", 0, "\n{\n    \"fsid\": \"" + testFSID + "\"\n}\n", ""},
		{"tell mon.* version", 0, "{\n    \"version\": \"16.2.15\",\n    \"release\": \"pacific\",\n    \"release_type\": \"stable\"\n}\n", ""},
		{"tell mon.a nosuch", 22, "", "no valid command found; 10 closest matches:\n" + strings.Join(socketCommands, "\n") + "\nError EINVAL: invalid command\n"},
		{"daemon mon.a config get fsid", 0, "{\n    \"fsid\": \"" + testFSID + "\"\n}\n", ""},
		{"daemon mon.a config set debug_ms 1", 0, "{\n    \"success\": \"\"\n}\n", ""},
		{"--admin-daemon /none version", 22, "", "admin_socket: exception getting command descriptions: [Errno 2] No such file or directory\n"},
		{"health", 0, "HEALTH_WARN mon is allowing insecure global_id reclaim\n", ""},
		{"health mute FOO", 2, "", "Error ENOENT: health alert FOO is not currently raised\n"},
		{"health mute FOO 1h --sticky", 0, "", ""},
		{"health", 0, "HEALTH_WARN mon is allowing insecure global_id reclaim; (muted: FOO(59m))\n", ""},
		{"health unmute FOO", 0, "", ""},
		{"health mute AUTH_INSECURE_GLOBAL_ID_RECLAIM_ALLOWED", 0, "", ""},
		{"time-sync-status", 0, "{\n    \"timechecks\": {\n        \"epoch\": 3,\n        \"round\": 0,\n        \"round_status\": \"finished\"\n    }\n}\n", ""},
		{"mon ok-to-stop a", 16, "", "Error EBUSY: not enough monitors would be available () after stopping mons [a]\n"},
		{"mon ok-to-rm a", 16, "", "Error EBUSY: removing mon.a would break quorum\n"},
		{"mon ok-to-rm zz", 0, "", "mon.zz does not exist\n"},
		{"mon ok-to-add-offline", 16, "", "Error EBUSY: adding a monitor may break quorum (until that monitor starts)\n"},
		{"mon rm a", 22, "", "Error EINVAL: error: refusing removal of last monitor a\n"},
		{"mon dump 99", 2, "", "Error ENOENT: there is no map for epoch 99\n"},
		{"mon metadata zz", 2, "", "Error ENOENT: requested mon not found\n"},
	}
	for _, tt := range tests {
		r := w.exec("10.0.0.1", nil, append([]string{"ceph"}, strings.Fields(tt.line)...)...)
		stdout := plainText(r.p.Stdout.String())
		if r.code != tt.code || stdout != tt.stdout || r.p.Stderr.String() != tt.stderr {
			t.Errorf("ceph %s: exit code %d, want %d\nstdout %q\n  want %q\nstderr %q\n  want %q", tt.line, r.code, tt.code, stdout, tt.stdout, r.p.Stderr.String(), tt.stderr)
		}
	}
}
