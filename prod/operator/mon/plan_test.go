package mon

import (
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

// quorum is one of the mons in the monmap, of which those in the second list are
// in it.
func quorum(monmap string, in string) *ceph.Quorum {
	q := &ceph.Quorum{}
	for rank, name := range monmap {
		q.MonMap.Mons = append(q.MonMap.Mons, ceph.MonInfo{Rank: rank, Name: string(name)})
		for _, n := range in {
			if n == name {
				q.Ranks = append(q.Ranks, rank)
			}
		}
	}
	return q
}

// members are mons that have been as they are for an hour; a capital letter is
// one that is not ready, "!" after a letter makes it so for a second.
func members(text string) []member {
	var all []member
	for _, r := range text {
		switch {
		case r == '!':
			all[len(all)-1].since = time.Second
		case r >= 'A' && r <= 'Z':
			all = append(all, member{name: string(r + 'a' - 'A'), since: time.Hour})
		default:
			all = append(all, member{name: string(r), ready: true, since: time.Hour})
		}
	}
	return all
}

func TestJudge(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		quorum  *ceph.Quorum
		wanted  int
		want    verdict
	}{
		"no answer":                     {"abc", nil, 0, noMajority},
		"all":                           {"abc", quorum("abc", "abc"), 0, complete},
		"one alone":                     {"a", quorum("a", "a"), 0, complete},
		"a dead mon is no hindrance":    {"Abc", quorum("abc", "bc"), 0, partial},
		"a new mon has time":            {"abC!", quorum("ab", "ab"), 0, joining},
		"a new mon had its time":        {"abC", quorum("ab", "ab"), 0, partial},
		"first mon not there yet":       {"a!", nil, 0, noMajority},
		"second of two":                 {"aB!", quorum("a", "a"), 0, noMajority},
		"half is not enough":            {"abCD", quorum("abcd", "ab"), 0, noMajority},
		"others' mons do not count":     {"abC", quorum("xyz", "xyz"), 0, noMajority},
		"a replacement is not missed":   {"AbcD!", quorum("abc", "bc"), 3, joining},
		"nor one that never joins":      {"AbcD", quorum("abc", "bc"), 3, partial},
		"a foreign mon is no hindrance": {"abc", quorum("abcx", "abc"), 0, complete},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (view{members: members(c.members), quorum: c.quorum, wanted: c.wanted}).judge(); got != c.want {
				t.Errorf("got %d, want %d", got, c.want)
			}
		})
	}
}

func TestSpares(t *testing.T) {
	for name, c := range map[string]struct {
		quorum *ceph.Quorum
		want   bool
	}{
		"the others have the data": {quorum("abc", "abc"), true},
		"it is out":                {quorum("abc", "bc"), true},
		"one other is no majority": {quorum("abc", "ab"), false},
		"of two, neither can":      {quorum("ab", "ab"), false},
		"the only one":             {quorum("a", "a"), false},
		"nobody answers":           {nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (view{quorum: c.quorum}).spares("a"); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}

func TestMayChange(t *testing.T) {
	for name, c := range map[string]struct {
		members string
		quorum  *ceph.Quorum
		mon     string
		want    bool
	}{
		"all well":                          {"abc", quorum("abc", "abc"), "a", true},
		"one is out already":                {"aBc", quorum("abc", "ac"), "a", false},
		"the one that is out":               {"aBc", quorum("abc", "ac"), "b", true},
		"one runs and is not back yet":      {"ab!c", quorum("abc", "ac"), "c", false},
		"that one itself":                   {"ab!c", quorum("abc", "ac"), "b", true},
		"one has ended, and is not missed":  {"aBc", quorum("abc", "abc"), "c", false},
		"one has begun, and was not missed": {"ab!c", quorum("abc", "abc"), "c", false},
		"five can miss two":                 {"abcdE", quorum("abcde", "abcd"), "a", true},
		"five cannot miss three":            {"abcDE", quorum("abcde", "abc"), "a", false},
		"four cannot miss two":              {"abcD", quorum("abcd", "abc"), "a", false},
		"a single mon":                      {"a", quorum("a", "a"), "a", true},
		"a single mon that does not answer": {"a", nil, "a", true},
		"two mons":                          {"ab", quorum("ab", "ab"), "a", true},
		"no answer, but all run":            {"abc", nil, "a", true},
		"no answer, one not back":           {"aBc", nil, "a", false},
		"no answer, one just back":          {"ab!c", nil, "a", false},
		"no answer, not ready itself":       {"Abc", nil, "a", true},
		"not recorded":                      {"abc", quorum("abc", "abc"), "z", true},
	} {
		t.Run(name, func(t *testing.T) {
			if got := (view{members: members(c.members), quorum: c.quorum}).mayChange(c.mon); got != c.want {
				t.Errorf("got %v, want %v", got, c.want)
			}
		})
	}
}
