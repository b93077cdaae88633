package ceph_test

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
)

const keyring = "[mon.]\n\tkey = " + someKey + "\n\tcaps mon = \"allow *\"\n"

func TestKeyringsAreMade(t *testing.T) {
	s := script(map[string]answer{"ceph-authtool": {stdout: keyring}})
	tool := ceph.Authtool{Exec: s, Files: s}
	dir := "/var/lib/rook/rook-ceph"
	mon, err := tool.GenMonKeyring(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	admin, err := tool.GenAdminKeyring(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if mon.Reveal() != someKey || admin.Reveal() != someKey {
		t.Errorf("the keys are %q and %q", mon.Reveal(), admin.Reveal())
	}
	sameLines(t, s.lines(), []string{
		"ceph-authtool --create-keyring /var/lib/rook/rook-ceph/mon.keyring --gen-key -n mon. --cap mon 'allow *'",
		"ceph-authtool --create-keyring /var/lib/rook/rook-ceph/client.admin.keyring --gen-key -n client.admin --cap mon 'allow *' --cap osd 'allow *' --cap mgr 'allow *' --cap mds 'allow *'",
	})
	if s.memory.modes[dir] != 0o744 {
		t.Errorf("the directory's mode is %v", s.memory.modes[dir])
	}
}

func TestKeyringsThatAreNotMade(t *testing.T) {
	for want, s := range map[string]*scripted{
		"failed to gen secret: ":        script(map[string]answer{"ceph-authtool": {code: 1, stderr: "could not write"}}),
		"failed to gen secret: ceph-a":  script(map[string]answer{"ceph-authtool": {err: exec.ErrNotStarted}}),
		"failed to read secret file: ":  script(map[string]answer{"ceph-authtool": {noFile: true}}),
		"failed to parse secret: /d/mo": script(map[string]answer{"ceph-authtool": {stdout: "[mon.]\n\tkey =\n"}}),
	} {
		key, err := ceph.Authtool{Exec: s, Files: s}.GenMonKeyring(t.Context(), "/d")
		if err == nil || !strings.HasPrefix(err.Error(), want) || !key.Empty() {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
	s := script(map[string]answer{"ceph-authtool": {stdout: keyring}})
	s.unreadable = fs.ErrPermission
	if _, err := (ceph.Authtool{Exec: s, Files: s}).GenMonKeyring(t.Context(), "/d"); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("the error is %v", err)
	}
}

func TestKeyringTexts(t *testing.T) {
	for text, want := range map[string]string{
		keyring:                           someKey,
		"\nkey = one and more\nkey = two": "one",
		"key=x":                           "",
		"key = ":                          "",
		"":                                "",
		"monkey = x":                      "",
	} {
		key, err := ceph.ParseKeyring([]byte(text))
		if key.Reveal() != want || (err == nil) != (want != "") || (err != nil && !errors.Is(err, ceph.ErrGarbled)) {
			t.Errorf("%q is read as %q, %v", text, key.Reveal(), err)
		}
	}
}
