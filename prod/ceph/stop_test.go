package ceph_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

func TestWhetherDaemonsMayStop(t *testing.T) {
	ctx := t.Context()
	refused := answer{code: 16, stderr: "a line before\nError EBUSY: unsafe to stop osd(s) at this time (2 PGs are or would become offline)\n", stdout: `{"ok_to_stop":false,"osds":[1],"bad_already_inactive":["1.1"],"bad_become_inactive":["2.0"]}`}
	why := "unsafe to stop osd(s) at this time (2 PGs are or would become offline)"
	for name, c := range map[string]struct {
		version ceph.Version
		answer  answer
		ask     func(*ceph.Admin) (ceph.StopAnswer, error)
		command string
		want    ceph.StopAnswer
		fails   error
	}{
		"OSDs, with what Ceph adds": {
			pacific,
			answer{stdout: `{"ok_to_stop":true,"osds":[1,2,5]}`},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.OSDOkToStop(ctx, 20, 1) },
			"ceph osd ok-to-stop 1 --max 20" + flags("json", 1),
			ceph.StopAnswer{OK: true, OSDs: []int{1, 2, 5}},
			nil,
		},
		"OSDs that may not": {
			pacific, refused, func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.OSDOkToStop(ctx, 1, 1) },
			"ceph osd ok-to-stop 1" + flags("json", 1),
			ceph.StopAnswer{Why: why, OSDs: []int{1}, PGs: []string{"1.1", "2.0"}},
			nil,
		},
		"OSDs, up to octopus": {
			octopus,
			answer{},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.OSDOkToStop(ctx, 20, 1, 2) },
			"ceph osd ok-to-stop 1 2" + flags("plain", 1),
			ceph.StopAnswer{OK: true, OSDs: []int{1, 2}},
			nil,
		},
		"an answer that says nothing": {
			pacific,
			answer{stdout: `{}`},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.OSDOkToStop(ctx, 20, 1) },
			"ceph osd ok-to-stop 1 --max 20" + flags("json", 1),
			ceph.StopAnswer{},
			ceph.ErrGarbled,
		},
		"no answer": {
			pacific,
			answer{code: 1, stderr: "timed out\n"},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.OSDOkToStop(ctx, 20, 1) },
			"ceph osd ok-to-stop 1 --max 20" + flags("json", 1),
			ceph.StopAnswer{},
			ceph.ErrUnreachable,
		},
		"a mon": {
			pacific,
			answer{},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.MonOkToStop(ctx, "a") },
			"ceph mon ok-to-stop a" + flags("plain", 1),
			ceph.StopAnswer{OK: true},
			nil,
		},
		"an MDS that may not": {
			pacific,
			answer{code: 16, stderr: "Error EBUSY: one or more filesystems is currently degraded\n"},
			func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.MDSOkToStop(ctx, "a") },
			"ceph mds ok-to-stop a" + flags("plain", 1),
			ceph.StopAnswer{Why: "one or more filesystems is currently degraded"},
			nil,
		},
		"a mon of a release without the question": {
			mimic, answer{}, func(a *ceph.Admin) (ceph.StopAnswer, error) { return a.MonOkToStop(ctx, "a") }, "", ceph.StopAnswer{}, ceph.ErrUnsupported,
		},
	} {
		t.Run(name, func(t *testing.T) {
			d := script(map[string]answer{"ceph": c.answer})
			got, err := c.ask(d.admin(c.version))
			if !errors.Is(err, c.fails) || c.fails == nil && err != nil {
				t.Fatalf("got %v", err)
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if c.command != "" {
				sameLines(t, d.lines(), []string{c.command})
			}
			d.clean(t)
		})
	}
}
