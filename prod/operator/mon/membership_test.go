package mon

import (
	"strings"
	"testing"
	"time"
)

// peers reads mons from words: "a" is recorded and in quorum; "a:out" out of it
// for an hour, "a:late" for a minute, "a:new" recorded and not in Ceph's monmap
// for a moment, "a:never" for an hour; "a:gone", "a:moved" out for a minute with
// that wrong, "a:lost" in quorum as far as the others know, "a:unfit", "a:shared" in quorum with that wrong; "x:foreign" not
// recorded, in quorum for an hour, "x:stray" out for an hour, "x:fresh" in quorum
// for a moment, "x:ours" in quorum with a Deployment.
func peers(text string) []peer {
	var all []peer
	for word := range strings.FieldsSeq(text) {
		name, how, _ := strings.Cut(word, ":")
		p := peer{name: name, recorded: true, inMap: true, in: true, since: time.Hour}
		out := func(d time.Duration) { p.in, p.out = false, d }
		switch how {
		case "out":
			out(time.Hour)
		case "late":
			out(time.Minute)
		case "new":
			out(0)
			p.inMap, p.since = false, time.Second
		case "never":
			out(time.Hour)
			p.inMap = false
		case "gone":
			out(time.Minute)
			p.gone = "gone"
		case "moved":
			out(time.Minute)
			p.moved = "moved"
		case "lost":
			p.lost = true
		case "unfit":
			p.unfit = "unfit"
		case "shared":
			p.shared = "shared"
		case "foreign":
			p.recorded, p.out = false, time.Hour
		case "fresh":
			p.recorded = false
		case "stray":
			out(time.Hour)
			p.recorded = false
		case "ours":
			p.recorded, p.adoptable = false, true
		}
		all = append(all, p)
	}
	return all
}

func TestDecide(t *testing.T) {
	names := map[deed]string{keep: "keep", adopt: "adopt", disown: "disown", remove: "remove", replace: "replace"}
	for name, c := range map[string]struct {
		peers  string
		wanted int
		never  bool // no time-out
		want   string
	}{
		"all well": {"a b c", 3, false, "keep"},

		"of too many the lost one goes":          {"a b:lost c", 1, false, "remove b"},
		"none goes while another one is lost":    {"a b:lost c:lost", 1, false, "keep"},
		"the lost one is waited for, not needed": {"a b:lost c", 3, false, "keep"},

		"one is out, not for long":              {"a:late b c", 3, false, "keep"},
		"one is out for too long":               {"a:out b c", 3, false, "replace a"},
		"one is out, and for ever may be":       {"a:out b c", 3, true, "keep"},
		"its node is gone":                      {"a:gone b c", 3, false, "replace a"},
		"one is out while a new one may join":   {"a b c:out d:new", 5, false, "keep"},
		"one was removed from Ceph alone":       {"a b:never", 5, false, "replace b"},
		"one of two is out":                     {"a b:out", 5, false, "keep b"},
		"its node is gone, and for ever may be": {"a:gone b c", 3, true, "keep"},
		"its address is another one":            {"a b:moved c", 3, false, "replace b"},
		"two are out, one after the other":      {"a:out b:out c d e", 5, false, "replace a"},
		"of two none is replaced":               {"a:out b", 2, false, "keep a"},
		"one alone is not moved":                {"a:unfit", 1, false, "keep a"},
		"a dead one does not hold growth up":    {"a b c:out", 5, false, "replace c"},

		"the replacement has not joined yet":              {"a:out b c d:new", 3, false, "keep a"},
		"the replacement is slow to join":                 {"a:out b c d:late", 3, false, "keep a"},
		"the replacement has joined":                      {"a:out b c d", 3, false, "remove a"},
		"the replacement has joined, its node was gone":   {"a:gone b c d", 3, false, "remove a"},
		"the replacement never joins":                     {"a:out b c d:never", 3, false, "remove d"},
		"the dead one is back before":                     {"a b c d:new", 3, false, "keep"},
		"the dead one is back, the replacement out":       {"a b c d:late", 3, false, "remove d"},
		"the dead one is back, both in":                   {"a b c d", 3, false, "remove d"},
		"removed from Ceph, not yet from the record":      {"a:never b c d", 3, false, "remove a"},
		"one of two dead ones has a replacement":          {"a:out b:out c d e f", 5, false, "remove a"},
		"one of two dead ones, its replacement not there": {"a:out b:out c d e f:new", 5, false, "keep a"},
		"then the other one":                              {"b:out c d e f g", 5, false, "remove b"},

		"two too many":                         {"a b c d e", 3, false, "remove e"},
		"one too many":                         {"a b c d", 3, false, "remove d"},
		"of two, one":                          {"a b", 1, false, "remove b"},
		"the one that is out goes first":       {"a b:late c d e", 3, false, "remove b"},
		"not with a second one out":            {"a b:late c:late d e", 4, false, "keep"},
		"two out, and three are enough":        {"a b:late c:late d e", 3, false, "remove c"},
		"a dead one and two too many":          {"a:out b c d e", 3, false, "remove a"},
		"the one in a bad place goes":          {"a b:unfit c d e", 3, false, "remove b"},
		"a shared node":                        {"a b c:shared d", 3, false, "remove c"},
		"one that has just started has a time": {"a b c d:new", 3, false, "keep"},
		"for ever out, and too many":           {"a:out b c d", 3, true, "remove a"},

		"a bad place":                       {"a b:unfit c", 3, false, "replace b"},
		"a bad place, and one is out":       {"a b:unfit c:late", 3, false, "keep"},
		"a bad place, and more are to come": {"a b:unfit c", 5, false, "keep"},
		"the new place is not taken yet":    {"a b:unfit c d:new", 3, false, "keep b"},
		"the new place is taken":            {"a b:unfit c d", 3, false, "remove b"},
		"the dead one before the misplaced": {"a b:unfit c:out", 3, false, "replace c"},

		"ours, and not recorded":             {"a:late c i j:ours", 3, false, "adopt j"},
		"nobody's, in quorum":                {"a b c x:foreign", 3, false, "disown x"},
		"nobody's, and more are to come":     {"a b c x:foreign", 5, false, "keep"},
		"nobody's, and one is missing":       {"a b:late c x:foreign", 3, false, "keep"},
		"nobody's, for a moment":             {"a b c x:fresh", 3, false, "keep"},
		"nobody's, out":                      {"a b:late c x:stray", 3, false, "disown x"},
		"nobody's, out, and for ever may be": {"a b c x:stray", 3, true, "keep"},
	} {
		t.Run(name, func(t *testing.T) {
			m := membership{peers: peers(c.peers), wanted: c.wanted, timeout: 10 * time.Minute, settled: true}
			if c.never {
				m.timeout = 0
			}
			d := m.decide()
			if got := strings.TrimSpace(names[d.deed] + " " + d.mon); got != c.want {
				t.Errorf("got %s (%s), want %s", got, d.why, c.want)
			}
		})
	}
}

func TestNothingCountsBeforeTheQuorumHasSettled(t *testing.T) {
	m := membership{peers: peers("a:out b:gone c d e"), wanted: 5, timeout: 10 * time.Minute}
	if d := m.decide(); d.deed != keep || d.mon != "" {
		t.Errorf("got %+v", d)
	}
}

func TestOthersStandInForOneWithoutAPlace(t *testing.T) {
	m := membership{peers: peers("a:unfit b:shared c"), wanted: 3, timeout: time.Minute, settled: true}
	if d := m.decide(); d.mon != "a" || len(d.others) != 1 || d.others[0].mon != "b" {
		t.Errorf("got %+v", d)
	}
}
