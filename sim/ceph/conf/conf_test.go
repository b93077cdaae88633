package conf_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tidepool-ceph/tidepool/sim/ceph/conf"
)

const sample = `
early = 1
[global]
fsid                = 24d0f1de
mon initial members = a, b ; of three
mon-host            = 10.0.0.1:6789
run dir = /var/run/ceph
admin socket = ${run_dir}/$cluster-$name.asok
long = one \
two
quoted = "a # b" # c
escaped = a \# b
circle = $round
round = $circle
unknown = $nosuch/x
[mon]
mon host = 10.0.0.2
[mon.a]
mon_data = /var/lib/$type/$cluster-$id on $host
`

func TestLookup(t *testing.T) {
	f, err := conf.Parse([]byte(sample))
	if err != nil {
		t.Fatal(err)
	}
	mon := conf.Who{Cluster: "ceph", Type: "mon", ID: "a", Host: "n1"}
	client := conf.Who{Cluster: "rook", Type: "client", ID: "admin", Host: "n1"}
	for _, c := range []struct {
		who         conf.Who
		name, value string
	}{
		{mon, "early", "1"},
		{mon, "mon_initial_members", "a, b"},
		{mon, "mon host", "10.0.0.2"},
		{client, "mon_host", "10.0.0.1:6789"},
		{mon, "mon-data", "/var/lib/mon/ceph-a on n1"},
		{client, "admin_socket", "/var/run/ceph/rook-client.admin.asok"},
		{mon, "long", "one two"},
		{mon, "quoted", "a # b"},
		{mon, "escaped", "a # b"},
		{mon, "unknown", "$nosuch/x"},
	} {
		if got, ok := f.Lookup(c.who, c.name); !ok || got != c.value {
			t.Errorf("%s of %s is %q (%v), want %q", c.name, c.who.Name(), got, ok, c.value)
		}
	}
	if v, ok := f.Lookup(client, "mon data"); ok {
		t.Errorf("client sees mon.a's option: %q", v)
	}
	if _, ok := f.Lookup(mon, "circle"); !ok {
		t.Error("an option that names itself in a circle was not found")
	}
}

func TestNoConf(t *testing.T) {
	for _, text := range []string{"garbage", "[global", "[]\n", "[a] b", `x = "open`, `x = "a" b`, "= 3"} {
		_, err := conf.Parse([]byte("\n" + text))
		var syntax *conf.SyntaxError
		if !errors.As(err, &syntax) || syntax.Line != 2 {
			t.Errorf("%q: error %v, want a syntax error in line 2", text, err)
		}
	}
}

func TestNoFileHasNoOptions(t *testing.T) {
	var f *conf.File
	if _, ok := f.Lookup(conf.Who{}, "x"); ok {
		t.Error("nothing has an option")
	}
}

const key = "AQCX2w1rhdDJJxAA1r4sVXTLjDipdlZ9tWYeLA=="

func TestKeyring(t *testing.T) {
	text := "[mon.]\n\tkey = " + key + "\n\tcaps mon = \"allow *\"\n" +
		"[osd.1]\n\tkey = " + key + "\n" +
		"[client.admin]\n\tkey = " + key + "\n\tcaps mds = \"allow *\"\n\tcaps mon = \"allow command \\\"x\\\"\"\n"
	k, err := conf.ParseKeyring([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, k.String()); diff != "" {
		t.Errorf("written again (-want +got):\n%s", diff)
	}
	if got := k["client.admin"].Caps["mon"]; got != `allow command "x"` {
		t.Errorf("caps mon = %s", got)
	}
	loose := "[client.admin]\n  key=" + key + "\n  auid = 0\n  caps_mon = allow *\n"
	k, err = conf.ParseKeyring([]byte(loose))
	if err != nil || k["client.admin"].Caps["mon"] != "allow *" {
		t.Errorf("loose spelling: %v, %v", k, err)
	}
}

func TestNoKeyring(t *testing.T) {
	for text, want := range map[string]string{
		"garbage":                       "cannot parse buffer: Malformed input",
		"key = x":                       "cannot parse buffer: Malformed input",
		"[nosuch.x]\nkey = " + key:      "bad entity name in keyring: nosuch.x",
		"[client.x]\nkey = AQ==":        "error setting modifier for [client.x] type=key val=AQ==",
		"[client.x]\nkey = " + key[:20]: "error setting modifier for [client.x] type=key",
		"[client.x]\ncolour = red":      "error setting modifier for [client.x] type=colour val=red",
	} {
		if _, err := conf.ParseKeyring([]byte(text)); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}
