package ceph_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
)

func TestVersionTexts(t *testing.T) {
	for text, want := range map[string]string{
		"ceph version 13.2.3 (9bf3c8b1a04b0aa4a3cc78456a508f1c48e70279) mimic (stable":                  "13.2.3 mimic",
		"ceph version 12.2.11 (26dc3775efc7bb286a1d6d66faee0ba30ea23eee) luminous (stable)":             "12.2.11 luminous",
		"ceph version 12.2.8-89.el7cp (2f66ab2fa63b2879913db6d6cf314572a83fd1f0) luminous (stable)\n":   "12.2.8 luminous",
		"ceph version 14.2.11-139 (hash) nautilus (stable)":                                             "14.2.11 nautilus",
		"ceph version 19.3.0-123-gabc0123 (abc0123) squid (dev)":                                        "19.3.0 squid",
		"ceph version v14.2.0-20190410 (hash) nautilus":                                                 "14.2.0 nautilus",
		"ceph version 16.2.15+ds-0+deb12u2 (hash) pacific (stable)":                                     "16.2.15 pacific",
		"2019-05-23 7f5b72d9d6c0 -1 warning: old ceph version\nceph version 15.2.17 (hash) octopus\r\n": "15.2.17 octopus",
		"ceph version 20.2.0":                        "20.2.0 tentacle",
		"ceph version 14.2.1.7":                      "14.2.1 nautilus",
		"ceph version 21.0.1 (hash) umbrella":        "21.0.1",
		"ceph version 9.2.1 (hash)":                  "9.2.1",
		"stderr: no locale\n\nceph version 18.2.4\n": "18.2.4 reef",
	} {
		v, err := ceph.ParseVersion(text)
		if err != nil || v.String() != want {
			t.Errorf("%q is read as %q, %v; want %q", text, v, err, want)
		}
	}
	for _, text := range []string{
		"", "garbage", "ceph version", "ceph version 14.2", "ceph version 14.2.x", "version 14.2.1",
		"ceph version Development (no_version) pacific (rc)", "ceph version 99999999999999999999.1.1", "failed to watch file: too many open files",
	} {
		v, err := ceph.ParseVersion(text)
		if !errors.Is(err, ceph.ErrGarbled) || v != (ceph.Version{}) {
			t.Errorf("%q is read as %v, %v", text, v, err)
			continue
		}
		if text != "" && !strings.HasPrefix(text, "ceph version 99") && !strings.Contains(err.Error(), text) {
			t.Errorf("the error for %q does not show it: %v", text, err)
		}
	}
}

func TestSupportedReleases(t *testing.T) {
	for major := 10; major <= 22; major++ {
		v := ceph.Version{Major: major, Minor: 2}
		if want := major >= 12 && major <= 20 && major != 15; v.Supported() != want {
			t.Errorf("%v: supported is %v", v, v.Supported())
		}
		if want := major >= 12 && major <= 20; v.Release().Known() != want {
			t.Errorf("%v: known is %v", v, v.Release().Known())
		}
	}
}

func TestVersionsAreOrdered(t *testing.T) {
	v := ceph.Version{Major: 14, Minor: 2, Patch: 1}
	for _, c := range []struct {
		got  bool
		want bool
		what string
	}{
		{v.AtLeast(ceph.Nautilus), true, "nautilus"},
		{v.AtLeast(ceph.Octopus), false, "octopus"},
		{v.AtLeast(ceph.Mimic, 9, 9), true, "13.9.9"},
		{v.AtLeast(ceph.Nautilus, 2), true, "14.2"},
		{v.AtLeast(ceph.Nautilus, 3), false, "14.3"},
		{v.AtLeast(ceph.Nautilus, 2, 1), true, "14.2.1"},
		{v.AtLeast(ceph.Nautilus, 2, 2), false, "14.2.2"},
		{v.AtLeast(ceph.Nautilus, 1, 9), true, "14.1.9"},
		{v.Less(v), false, "itself"},
	} {
		if c.got != c.want {
			t.Errorf("14.2.1 against %s is %v", c.what, c.got)
		}
	}
}

func TestTheReleaseTable(t *testing.T) {
	all := []ceph.Version{
		luminous, mimic, nautilus,
		{Major: 14, Minor: 2, Patch: 1},
		{Major: 14, Minor: 2, Patch: 16},
		{Major: 14, Minor: 2, Patch: 22},
		{Major: 15, Minor: 2, Patch: 9},
		octopus,
		{Major: 16, Minor: 1},
		pacific,
		{Major: 17, Minor: 2},
		{Major: 18, Minor: 2},
		{Major: 19, Minor: 2},
		tentacle,
		{Major: 21},
	}
	//                          12 13 14.2.0 .1 .16 .22 15.2.9 .17 16.1 16.2 17 18 19 20 21
	for feature, want := range map[ceph.Feature]string{
		ceph.MonStatus:             "++++++---------",
		ceph.Msgr2:                 "--+++++++++++++",
		ceph.ConfigDB:              "-++++++++++++++",
		ceph.ConfigForce:           "--+++++++++++++",
		ceph.Blocklist:             "--------+++++++",
		ceph.InitialCrush:          "++-------------",
		ceph.DashboardTLS:          "-++++++++++++++",
		ceph.DashboardSSLPort:      "--+++++++++++++",
		ceph.DashboardUsers:        "--+++++++++++++",
		ceph.DashboardPasswordFile: "-----+-++++++++",
		ceph.DefaultLogFlags:       "---++++++++++++",
		ceph.Orchestrator:          "------+++++++++",
		ceph.MgrStat:               "------+++++++++",
		ceph.Filestore:             "+++++++++++----",
	} {
		got := ""
		for _, v := range all {
			got += map[bool]string{true: "+", false: "-"}[v.Has(feature)]
		}
		if got != want {
			t.Errorf("feature %d: it is\n%s, want\n%s", feature, got, want)
		}
	}
}
