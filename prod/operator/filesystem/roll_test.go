package filesystem

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

func TestNext(t *testing.T) {
	f := &ceph.Filesystem{MaxMDS: 1, In: []int{0}, MDS: []ceph.MDS{{Name: "a", State: ceph.MDSActive}, {Name: "c", State: ceph.MDSStandbyReplay}}}
	good := func(id string) server { return server{id: id, exists: true, ready: true} }
	other := func(id string) server { return server{id: id, exists: true, ready: true, differs: true} }
	old := func(id string) server { return server{id: id, exists: true, ready: true, differs: true, image: true} }
	for name, c := range map[string]struct {
		servers []server
		f       *ceph.Filesystem
		want    moves
	}{
		"all are new":                               {[]server{{id: "a"}, {id: "b"}}, nil, moves{ensure: []string{"a", "b"}}},
		"nothing to do":                             {[]server{good("a"), good("b")}, f, moves{}},
		"one more":                                  {[]server{good("a"), {id: "b"}}, f, moves{ensure: []string{"b"}}},
		"standbys change before who serves":         {[]server{other("a"), other("b")}, f, moves{ensure: []string{"b"}}},
		"one that follows is a standby":             {[]server{other("a"), other("c")}, f, moves{ensure: []string{"c"}}},
		"then who serves":                           {[]server{other("a"), good("b")}, f, moves{ensure: []string{"a"}}},
		"not before the other one runs":             {[]server{other("a"), {id: "b", exists: true}}, f, moves{wait: "b"}},
		"what does not run may be mended at once":   {[]server{good("a"), {id: "b", exists: true, differs: true, image: true}}, f, moves{ensure: []string{"b"}}},
		"mended first":                              {[]server{other("a"), {id: "b", exists: true, differs: true}}, f, moves{ensure: []string{"b"}, wait: "b"}},
		"another image: standbys first, with leave": {[]server{old("a"), old("b")}, f, moves{ask: "b"}},
		"then who serves, with leave":               {[]server{old("a"), good("b")}, f, moves{ask: "a"}},
		"two ranks must become one": {
			[]server{old("a"), old("b")}, &ceph.Filesystem{MaxMDS: 2, In: []int{0, 1}, MDS: f.MDS}, moves{ask: "b", quiesce: true},
		},
		"one rank still to go": {
			[]server{old("a"), old("b")}, &ceph.Filesystem{MaxMDS: 1, In: []int{0, 1}, MDS: f.MDS}, moves{ask: "b", quiesce: true},
		},
		"none may follow": {
			[]server{old("a"), old("c")}, &ceph.Filesystem{MaxMDS: 1, In: []int{0}, StandbyReplay: true, MDS: f.MDS}, moves{ask: "c", quiesce: true},
		},
	} {
		if diff := cmp.Diff(c.want, next(c.servers, c.f), cmp.AllowUnexported(moves{})); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
	if rolling([]server{other("a")}) || !rolling([]server{good("a"), old("b")}) || rolling([]server{{id: "a", image: true}}) {
		t.Error("it does not see whether an image is rolled out")
	}
}
