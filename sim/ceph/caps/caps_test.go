package caps_test

import (
	"testing"

	"github.com/tidepool-ceph/tidepool/sim/ceph/caps"
)

func TestCheck(t *testing.T) {
	for _, c := range []struct{ service, text, err string }{
		{"mon", "allow *", ""},
		{"mon", "allow r", ""},
		{"mon", "allow rwx; allow profile osd", ""},
		{"mon", "profile rbd", ""},
		{"mon", "allow profile mds, allow service auth r", ""},
		{"mon", `allow command "osd blocklist" with blocklistop=add addr regex "^10"`, ""},
		{"mon", `allow command=config-key`, ""},
		{"mon", "allow r fsname=cephfs", ""},
		{"mon", "allow nonsense", "mon capability parse failed, stopped at 'allow nonsense' of 'allow nonsense'"},
		{"mon", "allow r, nonsense", "mon capability parse failed, stopped at ', nonsense' of 'allow r, nonsense'"},
		{"mon", "allow r nonsense", "mon capability parse failed, stopped at 'nonsense' of 'allow r nonsense'"},
		{"mgr", "allow *", ""},
		{"mgr", "profile osd", ""},
		{"mgr", "allow module volumes rw", ""},
		{"mgr", "x", "mgr capability parse failed, stopped at 'x' of 'x'"},
		{"osd", "allow *", ""},
		{"osd", "allow rwx", ""},
		{"osd", "allow rw pool=data namespace=ns-1", ""},
		{"osd", "allow class-read object_prefix rbd_children, allow rwx pool=rbd", ""},
		{"osd", "allow rw tag cephfs data=cephfs", ""},
		{"osd", "allow rw tag cephfs *=*", ""},
		{"osd", "allow pool data rw", ""},
		{"osd", "profile rbd pool=rbd", ""},
		{"osd", "allow rw pool=", "osd capability parse failed, stopped at 'pool=' of 'allow rw pool='"},
		{"mds", "allow", ""},
		{"mds", "allow *", ""},
		{"mds", "allow rw path=/csi-volumes/csi-vol-1", ""},
		{"mds", "allow rws fsname=a path=/x, allow r", ""},
		{"mds", "deny", "mds capability parse failed, stopped at 'deny' of 'deny'"},
		{"rgw", "allow r", "unknown cap type 'rgw'"},
	} {
		err := caps.Check(c.service, c.text)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if got != c.err {
			t.Errorf("%s %q: %q, want %q", c.service, c.text, got, c.err)
		}
	}
}

func TestAllows(t *testing.T) {
	q := func(service, command string, need caps.Access) caps.Request {
		return caps.Request{Entity: "osd.1", Service: service, Command: command, Need: need}
	}
	key := func(k string) caps.Request {
		r := q("config-key", "config-key get", caps.R)
		r.Args = map[string]string{"key": k}
		return r
	}
	for _, c := range []struct {
		text  string
		q     caps.Request
		allow bool
	}{
		{"allow *", q("auth", "auth get", caps.R|caps.W|caps.X), true},
		{"allow *", key("anything"), true},
		{"allow r", q("osd", "osd tree", caps.R), true},
		{"allow r", q("osd", "osd out", caps.R|caps.W), false},
		{"allow r", key("anything"), false},
		{"allow r, allow service osd w", q("osd", "osd out", caps.R|caps.W), true},
		{"allow r, allow service osd w", q("mon", "mon rm", caps.R|caps.W), false},
		{"profile osd", q("osd", "osd crush add", caps.R|caps.W|caps.X), true},
		{"profile osd", q("auth", "auth get", caps.R|caps.X), false},
		{"profile osd", key("daemon-private/osd.1/x"), true},
		{"profile osd", key("daemon-private/osd.2/x"), false},
		{"profile bootstrap-osd", q("osd", "osd new", caps.R|caps.W), true},
		{"profile bootstrap-osd", q("osd", "osd purge", caps.R|caps.W), false},
		{"profile nosuch", q("mon", "status", caps.R), false},
		{`allow command "osd out" with ids=3`, q("osd", "osd out", caps.R|caps.W), false},
		{"", q("mon", "status", caps.R), false},
	} {
		parsed, err := caps.Parse("mon", c.text)
		if err != nil {
			t.Errorf("%q: %v", c.text, err)
			continue
		}
		if got := parsed.Allows(c.q); got != c.allow {
			t.Errorf("%q allows %+v: %v", c.text, c.q, got)
		}
	}
}

func TestObjects(t *testing.T) {
	at := caps.Object{Pool: "data", Namespace: "ns-1", Name: "obj", Tags: map[string]map[string]string{"cephfs": {"data": "fs"}}}
	for text, want := range map[string]bool{
		"allow *":                             true,
		"allow r":                             false,
		"allow rw pool=data namespace=ns-1":   true,
		"allow rw pool=data namespace=ns*":    true,
		"allow rw pool=data namespace=\"\"":   false,
		"allow rw pool=other":                 false,
		"allow rw tag cephfs data=fs":         true,
		"allow rw tag cephfs *=*":             true,
		"allow rw tag rbd *=*":                false,
		"allow r, allow w object_prefix o":    true,
		"allow r, allow w object_prefix else": false,
		"profile rbd":                         true,
		"":                                    false,
	} {
		o, err := caps.ParseOSD(text)
		if err != nil {
			t.Errorf("%q: %v", text, err)
		}
		if got := o.Allows(at, caps.R|caps.W); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}
