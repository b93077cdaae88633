package config_test

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/operator/config"
	"github.com/tidepool-ceph/tidepool/prod/operator/pass"
)

var nautilus = ceph.Version{Major: 14, Minor: 2}

func facts(v ceph.Version) config.Facts {
	return config.Facts{
		FSID: "4b8dfb1b-2a8b-46df-b5d3-a9021b501337", Version: v, LogLevel: "INFO",
		Mons: map[string]pass.Mon{"a": {Name: "a", Endpoint: "10.200.33.128:6789"}},
	}
}

// The seed's file to the byte (S76, S77).
func TestTheOperatorsFileIsTheSeeds(t *testing.T) {
	want, err := os.ReadFile("../../../golden/nautilus-14.2/ceph.conf")
	if err != nil {
		t.Fatal(err)
	}
	got := config.Operator(facts(nautilus), "/var/lib/rook/rook-ceph").String()
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestWhatDependsOnReleaseAndLogLevel(t *testing.T) {
	three := facts(nautilus)
	three.Mons["c"] = pass.Mon{Name: "c", Endpoint: "10.0.0.3:6790"}
	three.Mons["aa"] = pass.Mon{Name: "aa", Endpoint: "10.0.0.4:6789"}
	three.Mons["b"] = pass.Mon{Name: "b"} // not started yet
	for name, c := range map[string]struct {
		file        *config.File
		has, hasNot []string
	}{
		"three mons": {
			config.Operator(three, "/d"),
			[]string{"mon initial members       = a c aa\n", "mon host                  = v1:10.200.33.128:6789,v1:10.0.0.3:6790,v1:10.0.0.4:6789\n"},
			nil,
		},
		"daemons of mimic":     {config.Daemons(facts(ceph.Version{Major: 13, Minor: 2, Patch: 3})), []string{"mon host                  = 10.200.33.128:6789\n", "log file "}, []string{"v1:", "run dir", "client.admin"}},
		"operator of mimic":    {config.Operator(facts(ceph.Version{Major: 13}), "/d"), []string{"= v1:10.200.33.128:6789\n"}, nil},
		"14.2.1 logs by flags": {config.Operator(facts(ceph.Version{Major: 14, Minor: 2, Patch: 1}), "/d"), nil, []string{"log file"}},
		"pools are the seed's": {config.Daemons(facts(nautilus)), []string{"osd pool default size     = 1"}, nil},
		"pools are ceph's own": {config.Daemons(facts(ceph.Version{Major: 16})), nil, []string{"osd pool default"}},
		"log level at WARNING": {level("WARNING"), []string{"debug mon                 = -1\n"}, nil},
		"log level at DEBUG":   {level("DEBUG"), []string{"debug default             = 10\n"}, nil},
		"log level at TRACE":   {level("TRACE"), []string{"debug leveldb             = 100\n"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := c.file.String()
			for _, part := range c.has {
				if !strings.Contains(text, part) {
					t.Errorf("lacks %q:\n%s", part, text)
				}
			}
			for _, part := range c.hasNot {
				if strings.Contains(text, part) {
					t.Errorf("has %q:\n%s", part, text)
				}
			}
		})
	}
}

func level(l string) *config.File {
	f := facts(nautilus)
	f.LogLevel = l
	return config.Operator(f, "/d")
}
