package explore

import (
	"io"
	"testing"

	"github.com/tidepool-ceph/tidepool/harness/world"
	"github.com/tidepool-ceph/tidepool/harness/world/sim"
)

func simWorld(seed uint64, trace io.Writer) (world.World, error) { return sim.New(seed, trace) }

// A history in which the operator is stopped fails, whatever else happens in it.
func TestAHistoryIsShortenedToWhatMakesItFail(t *testing.T) {
	const of = `spec: {mon: {count: 1}, cephVersion: {image: "ceph/ceph:v14.2.22"}, storage: {useAllDevices: true, nodes: [{name: n1}, {name: n2}, {name: n3}]}}`
	h := History{Seed: 7, Steps: []Sentence{
		{Text: `nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi`},
		{Text: `the operator's effect "ceph" times out`},
		{Text: `10s pass`},
		{Text: `the node "n2" is cordoned`},
		{Text: `the operator is stopped`},
		{Text: `the node "n2" is uncordoned`},
		{Text: `the CephCluster "rook-ceph" is applied with`, Doc: of},
		{Text: `2m pass`},
	}}
	valid, failure := replay(h, simWorld, nil)
	if !valid || failure == nil {
		t.Fatalf("valid %v, %v", valid, failure)
	}
	short := shorten(h, failure, simWorld)
	const want = `  Scenario: history 7
    * nodes "n1", "n2" and "n3", each with disks "sdb" of 100Gi
    * the operator is stopped
    * the CephCluster "rook-ceph" is applied with
      """yaml
      ` + of + `
      """
`
	if got := short.String(); got != want {
		t.Errorf("%d steps are left:\n%s", len(short.Steps), got)
	}
}

func TestAHistoryIsTheSameAgain(t *testing.T) {
	var all []string
	for range 2 {
		h, err := drawn(3, simWorld)
		if err != nil {
			t.Fatalf("%v\n%s", err, h)
		}
		valid, err := replay(h, simWorld, nil)
		if !valid || err != nil {
			t.Fatalf("valid %v, %v\n%s", valid, err, h)
		}
		all = append(all, h.String())
	}
	if all[0] != all[1] {
		t.Errorf("%s\n%s", all[0], all[1])
	}
}

func TestNames(t *testing.T) {
	n := newNames(map[string]string{"2": "<n1#1>"})
	const (
		id  = "0a1b2c3d-1111-2222-3333-444455556666"
		key = "AQC6ZxVd0123456789ABCDEFGHIJKLMNOPQRST=="
	)
	for _, c := range []struct{ place, text, want string }{
		{"Secret fsid", id, "<uuid of Secret fsid #1>"},
		{"ConfigMap fsid", "fsid " + id, "fsid <uuid of Secret fsid #1>"},
		{"Secret key", key, "<key of Secret key #1>"},
		{"Ceph key", "key = " + key, "key = <key of Secret key #1>"},
		{"mon", "v2:10.96.0.1:3300/0,v1:10.96.0.1:6789/17", "v2:<address of mon #1>:3300,v1:<address of mon #1>:6789"},
		{"", "2019-05-23T06:46:46Z", "<time>"},
		{"", "osd.2 and osd.3, rook-ceph-osd-2", "osd.<n1#1> and osd.3, rook-ceph-osd-<n1#1>"},
		{"", "0123456789abcdef", "<hash>"},
	} {
		if got := n.replace(c.place, c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
