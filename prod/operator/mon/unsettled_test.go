package mon

import (
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

func TestUnsettled(t *testing.T) {
	quorum := func(ranks ...int) *ceph.Quorum {
		return &ceph.Quorum{Ranks: ranks, MonMap: ceph.MonMap{Mons: []ceph.MonInfo{{Name: "a"}, {Name: "b", Rank: 1}}}}
	}
	members := func(a, b bool) []member { return []member{{name: "a", ready: a}, {name: "b", ready: b}} }
	for name, c := range map[string]struct {
		view view
		want bool
	}{
		"both run and are in":           {view{members: members(true, true), quorum: quorum(0, 1)}, false},
		"one has ended and is still in": {view{members: members(true, false), quorum: quorum(0, 1)}, true},
		"it has left":                   {view{members: members(true, false), quorum: quorum(0)}, false},
		"it runs and has not joined":    {view{members: members(true, true), quorum: quorum(0)}, true},
		"nobody runs":                   {view{members: members(false, false), quorum: nil}, false},
	} {
		if got := c.view.unsettled(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
