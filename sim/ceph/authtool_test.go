package ceph

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

func TestAuthtoolOfTheOperator(t *testing.T) { // S70, S71
	caps := map[string]string{"mon": "allow *", "osd": "allow *", "mgr": "allow *", "mds": "allow"}
	tests := []struct {
		name string
		argv []string
		want conf.Entry
	}{
		{"monitors", []string{"-n", "mon.", "--cap", "mon", "allow *"}, conf.Entry{Entity: "mon.", Caps: map[string]string{"mon": "allow *"}}},
		{"quoted as in the log", []string{"-n", "mon.", "--cap", "mon", "'allow *'"}, conf.Entry{Entity: "mon.", Caps: map[string]string{"mon": "allow *"}}},
		{"administrator", []string{
			"-n", "client.admin", "--cap", "mon", "'allow *'", "--cap", "osd", "allow *", "--cap", "mgr", "allow *", "--cap", "mds", "allow",
		}, conf.Entry{Entity: "client.admin", Caps: caps}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			w := newWorld(t, "13.2.3", 1)
			f := w.host("10.0.0.1").Files
			_ = f.MkdirAll("/var/lib/rook/rook-ceph", 0o744)
			const file = "/var/lib/rook/rook-ceph/x.keyring"
			if out := w.sh("10.0.0.1", append([]string{"ceph-authtool", "--create-keyring", file, "--gen-key"}, tt.argv...)...); out != "creating "+file+"\n" {
				t.Errorf("stdout %q", out)
			}
			text, err := f.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			ring, err := conf.ParseKeyring(text)
			if err != nil {
				t.Fatal(err)
			}
			e := ring[tt.want.Entity]
			if !validKey(e.Key) || strings.Fields(string(text))[3] != e.Key {
				t.Errorf("key %q of\n%s", e.Key, text)
			}
			e.Key = ""
			if e.String() != tt.want.String() || len(ring) != 1 {
				t.Errorf("keyring:\n%s\nwant:\n%s", ring, tt.want)
			}
			if i, _ := f.Stat(file); i.Mode != fs.FileMode(0o600) {
				t.Errorf("mode %v, want 0600", i.Mode)
			}
		})
	}
}

// The texts are what ceph-authtool of 16.2.15 printed.
func TestAuthtoolFailures(t *testing.T) {
	tests := []struct {
		argv   []string
		stderr string
	}{
		{[]string{"-p", "-n", "mon.", "k"}, "entity mon. not found\n"},
		{[]string{"k", "--gen-key", "-n", "bad"}, "error parsing 'bad': expected string of the form TYPE.ID, valid types are: auth, mon, osd, mds, mgr, client\n"},
		{[]string{"k", "-n", "client.x", "-g", "--cap", "mon"}, "must give two arguments to --cap: key and val.\n"},
		{[]string{"k", "-n", "client.x", "-a", "notakey"}, "can't decode key 'notakey'\n"},
		{[]string{"k"}, "no command specified\n"},
		{[]string{"--foo", "k"}, "ceph-authtool: unexpected '--foo'\n"},
		{[]string{"-l"}, "ceph-authtool: must specify filename\n"},
		{[]string{"k", "k2", "-l"}, "ceph-authtool: unexpected 'k2'\n"},
		{[]string{"--import-keyring", "none", "k"}, "can't open none: can't open none: (2) No such file or directory\n"},
		{[]string{"k", "-n", "client.q", "--cap", "mon", "allow r"}, "can't find existing key for client.q and neither gen-key nor add-key specified\n"},
		{[]string{"-l", "bad"}, "error reading file bad\n"},
	}
	for _, tt := range tests {
		w := newWorld(t, "16.2.15", 1)
		f := w.host("10.0.0.1").Files
		_ = f.WriteFile("k", nil, 0o600)
		_ = f.WriteFile("bad", []byte("x\n"), 0o600)
		if r := w.exec("10.0.0.1", nil, append([]string{"ceph-authtool"}, tt.argv...)...); r.code != 1 || r.p.Stderr.String() != tt.stderr {
			t.Errorf("%v: exit code %d, stderr %q, want 1, %q", tt.argv, r.code, r.p.Stderr.String(), tt.stderr)
		}
	}
}
