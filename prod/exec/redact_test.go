package exec_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/secret"
)

const key = "AQB6ZxVdEvKKHhAAN3Y8rbv9GM7CpNYWuU5ZkA=="

func TestACommandPrintsForTheShell(t *testing.T) {
	for _, c := range []struct {
		cmd  exec.Command
		want string
	}{
		{exec.Command{Program: "ceph", Args: []string{"mon_status", "--connect-timeout=15", "--conf=/var/lib/rook/rook-ceph/rook-ceph.config", "--format", "json"}}, "ceph mon_status --connect-timeout=15 --conf=/var/lib/rook/rook-ceph/rook-ceph.config --format json"},
		{exec.Command{Program: "ceph-authtool", Args: []string{"-n", "mon.", "--cap", "mon", "allow *"}}, "ceph-authtool -n mon. --cap mon 'allow *'"},
		{exec.Command{Program: "ceph-mon", Args: []string{"--log-stderr-prefix=debug ", "", "it's", "$(HOME)", "[v2:1.2.3.4:3300]"}}, `ceph-mon '--log-stderr-prefix=debug ' '' 'it'\''s' '$(HOME)' '[v2:1.2.3.4:3300]'`},
		{exec.Command{Program: "ceph", Args: []string{"-m", "192.168.73.64:6789", "--id", "admin", "--key=" + key, "fs", "ls"}}, "ceph -m 192.168.73.64:6789 --id admin --key=***stripped*** fs ls"},
		{exec.Command{Program: "ceph", Args: []string{"--key=no base64"}}, "ceph '--key=***stripped*** base64'"},
		{exec.Command{Program: "rados", Args: []string{"--key", "anything", "ls"}}, "rados --key ***stripped*** ls"},
		{exec.Command{Program: "ceph-authtool", Args: []string{"ring", "--gen-key", "--add-key", key}}, "ceph-authtool ring --gen-key --add-key ***stripped***"},
		{exec.Command{Program: "mount", Args: []string{"-t", "ceph", "-o", "name=admin,secret=hush,mds_namespace=fs"}}, "mount -t ceph -o name=admin,secret=***stripped***,mds_namespace=fs"},
		{exec.Command{Program: "mount", Args: []string{"-o", "secretfile=/run/k", "--keyfile=/run/k", "--keyring=/run/k", "-k", "/run/k"}}, "mount -o secretfile=/run/k --keyfile=/run/k --keyring=/run/k -k /run/k"},
		{exec.Command{Program: "ceph", Args: []string{"dashboard", "set-login-credentials", "admin", "pass word"}, Secrets: []secret.Value{secret.New("pass word"), {}}}, "ceph dashboard set-login-credentials admin ***stripped***"},
		{exec.Command{Program: "ceph", Stdin: []byte(key), Env: []string{"CEPH_ARGS=--key=" + key}}, "ceph"},
	} {
		if got := c.cmd.String(); got != c.want {
			t.Errorf("it prints\n%s\nwant\n%s", got, c.want)
		}
	}
}

func TestKeysLeaveNoText(t *testing.T) {
	for text, want := range map[string]string{
		"[client.admin]\n\tkey = " + key + "\n":    "[client.admin]\n\tkey = ***stripped***\n",
		`{"key":"` + key + `"}`:                    `{"key":"***stripped***"}`,
		"ran --key=" + key + " and --key hush now": "ran --key=***stripped*** and --key ***stripped*** now",
		"AgB" + strings.Repeat("x", 55) + "== end": "***stripped*** end",
		"no key for client.admin in AQUARIUM":      "no key for client.admin in AQUARIUM",
	} {
		if got := exec.Strip(text); got != want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}

func TestNoErrorShowsASecret(t *testing.T) {
	hush := sh(`echo "bad key ` + key + ` and hush-hush" >&2; exit 1`)
	hush.Args = append(hush.Args, "--key="+key, "hush-hush")
	hush.Secrets = []secret.Value{secret.New("hush-hush")}
	long := hush
	long.MaxOutput = 3
	slow := hush
	slow.Args = append([]string{"-c", "sleep 100"}, hush.Args[2:]...)
	slow.Timeout = 1
	missing := hush
	missing.Program = "tidepool-no-such-program"
	for _, cmd := range []exec.Command{hush, long, slow, missing} {
		_, err := exec.OS{}.Run(t.Context(), cmd)
		if err == nil {
			t.Fatalf("%s succeeds", cmd)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(err.Error(), "AQB6") || strings.Contains(err.Error(), "hush-hush") {
				t.Errorf("a secret shows in %v", err)
			}
		}
	}
}

func TestALongErrorTextKeepsItsEnd(t *testing.T) {
	err := exec.NewExitError(exec.Command{Program: "ceph"}, exec.Result{ExitCode: 1, Stderr: []byte(strings.Repeat("ä log line\n", 1000) + "the reason\n")})
	if len(err.Stderr) > 2100 || !strings.HasSuffix(err.Stderr, "the reason") {
		t.Errorf("%d bytes are kept, which end %q", len(err.Stderr), err.Stderr[len(err.Stderr)-20:])
	}
}

func TestAnErrorShowsWhatTells(t *testing.T) {
	cmd := exec.Command{Program: "ceph", Args: []string{"auth", "get", "mgr.a", "--out-file", "/tmp/1"}, Telling: 3}
	if got, want := exec.NewExitError(cmd, exec.Result{ExitCode: 2}).Error(), "ceph auth get mgr.a: exit code 2"; got != want {
		t.Errorf("the error says %q, want %q", got, want)
	}
	if got, want := cmd.String(), "ceph auth get mgr.a --out-file /tmp/1"; got != want {
		t.Errorf("the line is %q, want %q", got, want)
	}
	cmd.Telling = 0
	if got := cmd.Name(); got != cmd.String() {
		t.Errorf("with nothing said it is %q, want all of it", got)
	}
}
