package ceph_test

import (
	"errors"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// monmapText is what monmaptool of pacific prints.
const monmapText = `monmaptool: monmap file /tmp/monmap.a
epoch 3
fsid 0f1bcbb8-a5b6-4d5c-8c7e-6d0a4a0c8a11
last_changed 2026-07-01T10:00:00.000000+0000
created 2026-07-01T09:59:59.000000+0000
min_mon_release 16 (pacific)
election_strategy: 1
0: [v2:127.0.0.1:3300/0,v1:127.0.0.1:6789/0] mon.a
`

func TestTheClusterOfAMonsStore(t *testing.T) {
	s := script(map[string]answer{"ceph-mon": {}, "monmaptool": {stdout: monmapText}})
	fsid, err := ceph.MonStore{Exec: s, Files: s, Temp: "/tmp"}.FSID(t.Context(), "a", "/data/mon-a/data")
	if err != nil || fsid != "0f1bcbb8-a5b6-4d5c-8c7e-6d0a4a0c8a11" {
		t.Errorf("%q, %v", fsid, err)
	}
	sameLines(t, s.lines(), []string{
		"ceph-mon --extract-monmap /tmp/monmap.a -i a --mon-data /data/mon-a/data",
		"monmaptool --print /tmp/monmap.a",
	})
}

func TestAMonsStoreThatDoesNotSay(t *testing.T) {
	for name, c := range map[string]struct {
		answers map[string]answer
		want    error
	}{
		"no store":             {map[string]answer{"ceph-mon": {code: 1, stderr: "monitor data directory at '/x' does not exist: have you run 'mkfs'?"}}, ceph.ErrFailed},
		"no program":           {map[string]answer{"ceph-mon": {err: exec.ErrNotStarted}}, ceph.ErrFailed},
		"a map that is none":   {map[string]answer{"ceph-mon": {}, "monmaptool": {code: 255, stderr: "unable to read monmap file"}}, ceph.ErrFailed},
		"nothing":              {map[string]answer{"ceph-mon": {}, "monmaptool": {}}, ceph.ErrGarbled},
		"an fsid that is none": {map[string]answer{"ceph-mon": {}, "monmaptool": {stdout: "epoch 1\nfsid xyz\n"}}, ceph.ErrGarbled},
	} {
		s := script(c.answers)
		if fsid, err := (ceph.MonStore{Exec: s, Files: s, Temp: "/tmp"}).FSID(t.Context(), "a", "/x"); fsid != "" || !errors.Is(err, c.want) {
			t.Errorf("%s: %q, %v", name, fsid, err)
		}
	}
}
