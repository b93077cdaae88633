package ceph_test

import (
	"strings"
	"testing"
	"time"
)

func TestMonmaptool(t *testing.T) {
	w := newStorage(t, "16.2.15", "", 1)
	m := w.machines[1]
	const fsid = "ae45b5c5-60db-4338-b235-642ed55b515f"
	out := w.must(m, "monmaptool", "--create", "--fsid", fsid, "--addv", "a", "[v2:127.0.0.1:3300/0,v1:127.0.0.1:6789/0]", "--add", "b", "10.0.0.9:6789", "/tmp/monmap")
	if !strings.HasSuffix(out, "monmaptool: writing epoch 0 to /tmp/monmap (2 monitors)\n") {
		t.Errorf("create: %s", out)
	}
	w.must(m, "monmaptool", "--rm", "b", "/tmp/monmap")
	out = w.must(m, "monmaptool", "--print", "/tmp/monmap")
	for _, want := range []string{
		"monmaptool: monmap file /tmp/monmap\nepoch 0\nfsid " + fsid + "\n", "\n0: [v2:127.0.0.1:3300/0,v1:127.0.0.1:6789/0] mon.a\n",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("print: %s\nlacks %s", out, want)
		}
	}
	if strings.Contains(out, "mon.b") {
		t.Errorf("mon.b is still there: %s", out)
	}
	for _, c := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--print", "/tmp/none"}, 255, "monmaptool: couldn't open /tmp/none: (2) No such file or directory\n"},
		{[]string{"--create", "/tmp/monmap"}, 255, "monmaptool: /tmp/monmap exists, --clobber to overwrite\n"},
		{[]string{"--add", "a", "10.0.0.1", "/tmp/monmap"}, 255, "monmaptool: map already contains mon.a\n"},
		{[]string{"--rm", "z", "/tmp/monmap"}, 255, "monmaptool: map does not contain z\n"},
		{[]string{"--print"}, 1, "monmaptool: must specify monmap filename\n"},
		{[]string{"--print", "/etc/ceph/ceph.conf"}, 255, "monmaptool: unable to read monmap file\n"},
	} {
		if r := w.run(m, "", append([]string{"monmaptool"}, c.args...)...); r.code != c.code || r.stderr != c.want {
			t.Errorf("%v: exit code %d: %q, want %d %q", c.args, r.code, r.stderr, c.code, c.want)
		}
	}
}

func TestAStoppedOSDStays(t *testing.T) {
	w := three(t, "16.2.15")
	w.ceph(nil, "osd", "stop", "1")
	w.loop.RunFor(30 * time.Second)
	w.wantOSD("30s after osd stop", 1, 0, 1)
}

func TestRados(t *testing.T) {
	w := three(t, "16.2.15")
	m := w.machines[0]
	w.must(m, "rados", "-p", "data", "get", "object3", "/tmp/back")
	if b, err := m.Files.ReadFile("/tmp/back"); err != nil || string(b) != "content" {
		t.Errorf("got %q, %v", b, err)
	}
	w.must(m, "rados", "-p", "data", "-N", "ns", "put", "other", "/tmp/object")
	if out := w.must(m, "rados", "-p", "data", "-N", "ns", "ls"); out != "other\n" {
		t.Errorf("ls of a namespace: %q", out)
	}
	ring := w.must(m, "ceph", "auth", "get-or-create", "client.ns", "mon", "allow r", "osd", "allow rw pool=data namespace=ns")
	w.write(m, "/etc/ceph/ceph.client.ns.keyring", ring)
	w.must(m, "rados", "--id", "ns", "-p", "data", "-N", "ns", "rm", "other")
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"--id", "ns", "-p", "data", "get", "object3", "-"}, "error in get data/object3: (1) Operation not permitted\n"},
		{[]string{"-p", "nosuch", "ls"}, "error opening pool nosuch: (2) No such file or directory\n"},
		{[]string{"-p", "data", "get", "nosuch", "-"}, "error in get data/nosuch: (2) No such file or directory\n"},
		{[]string{"-p", "data", "create", "object3"}, "error in create data/object3: (17) File exists\n"},
	} {
		if r := w.run(m, "", append([]string{"rados"}, c.args...)...); r.code != 1 || r.stderr != c.want {
			t.Errorf("%v: exit code %d: %q, want %q", c.args, r.code, r.stderr, c.want)
		}
	}
	w.ceph(nil, "osd", "pool", "set-quota", "data", "max_objects", "10")
	if r := w.run(m, "", "rados", "-p", "data", "put", "more", "/tmp/object"); r.code != 1 || !strings.Contains(r.stderr, "(122) Disk quota exceeded") {
		t.Errorf("over quota: exit code %d: %s", r.code, r.stderr)
	}
	if h := w.health(); !strings.Contains(h, "POOL_FULL: 1 pool(s) full") {
		t.Errorf("health %s", h)
	}
}
