package host_test

import (
	"errors"
	"io/fs"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// container is a view as a mon has it: configuration read-only with another
// volume inside, and a directory of the host.
func container(t *testing.T) (v *host.View, onHost *host.FS) {
	t.Helper()
	config, keys, machine := host.NewFS(), host.NewFS(), host.NewFS()
	for _, err := range []error{
		config.WriteFile("/ceph.conf", []byte("[global]"), 0o400), keys.WriteFile("/keyring", []byte("key"), 0o600),
		machine.MkdirAll("/var/lib/rook/mon-a/data", 0o755), machine.MkdirAll("/var/log", 0o755),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	v = host.NewView(host.NewFS())
	v.Mount("/etc/ceph", config, "/", true)
	v.Mount("/etc/ceph/keyring-store/", keys, "/", true)
	v.Mount("/var/lib/ceph/mon/ceph-a", machine, "/var/lib/rook/mon-a/data", false)
	v.Mount("/var/log/ceph", machine, "/var/log", false)
	return v, machine
}

func TestMountsShowTheirFiles(t *testing.T) {
	v, machine := container(t)
	for name, want := range map[string]string{"/etc/ceph/ceph.conf": "[global]", "/etc/ceph/keyring-store/keyring": "key"} {
		if b, err := v.ReadFile(name); err != nil || string(b) != want {
			t.Errorf("%s: %q, %v", name, b, err)
		}
	}
	if names, err := v.ReadDir("/etc/ceph"); err != nil || !slices.Equal(names, []string{"ceph.conf", "keyring-store"}) {
		t.Errorf("names %v, %v", names, err)
	}
	if err := v.WriteFile("/var/lib/ceph/mon/ceph-a/kv", []byte("1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := machine.ReadFile("/var/lib/rook/mon-a/data/kv"); err != nil || string(b) != "1" {
		t.Errorf("on the host: %q, %v", b, err)
	}
	if err := v.SetState("/var/lib/ceph/mon/ceph-a", "store"); err != nil || machine.State("/var/lib/rook/mon-a/data") != "store" {
		t.Errorf("state %v, %v", machine.State("/var/lib/rook/mon-a/data"), err)
	}
	if i, err := v.Stat("/var/lib/ceph/mon/ceph-a"); err != nil || i.Name != "ceph-a" || !i.Dir {
		t.Errorf("%+v, %v", i, err)
	}
}

func TestMountedFile(t *testing.T) {
	v, machine := container(t)
	if err := machine.WriteFile("/var/log/one", []byte("1"), 0o644); err != nil {
		t.Fatal(err)
	}
	v.Mount("/opt/one", machine, "/var/log/one", false)
	if b, err := v.ReadFile("/opt/one"); err != nil || string(b) != "1" {
		t.Errorf("%q, %v", b, err)
	}
	if err := v.WriteFile("/opt/one", []byte("2"), 0o644); err != nil {
		t.Fatal(err)
	}
	if b, _ := machine.ReadFile("/var/log/one"); string(b) != "2" {
		t.Errorf("on the host: %q", b)
	}
	if names, _ := v.ReadDir("/opt"); !slices.Equal(names, []string{"one"}) {
		t.Errorf("names %v", names)
	}
}

func TestWhatMountsForbid(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*host.View) error
		want error
	}{
		{"write read-only", func(v *host.View) error { return v.WriteFile("/etc/ceph/x", nil, 0o600) }, syscall.EROFS},
		{"make read-only", func(v *host.View) error { return v.Mkdir("/etc/ceph/x", 0o700) }, syscall.EROFS},
		{"make all read-only", func(v *host.View) error { return v.MkdirAll("/etc/ceph/x/y", 0o700) }, syscall.EROFS},
		{"make all that is there", func(v *host.View) error { return v.MkdirAll("/etc/ceph", 0o700) }, nil},
		{"remove read-only", func(v *host.View) error { return v.Remove("/etc/ceph/ceph.conf") }, syscall.EROFS},
		{"chmod read-only", func(v *host.View) error { return v.Chmod("/etc/ceph/ceph.conf", 0o600) }, syscall.EROFS},
		{"state read-only", func(v *host.View) error { return v.SetState("/etc/ceph/ceph.conf", 1) }, syscall.EROFS},
		{"rename read-only", func(v *host.View) error { return v.Rename("/etc/ceph/ceph.conf", "/tmp") }, syscall.EROFS},
		{"remove a mount point", func(v *host.View) error { return v.Remove("/var/log/ceph") }, syscall.EBUSY},
		{"remove all of a mount point", func(v *host.View) error { return v.RemoveAll("/var/lib/ceph/mon/ceph-a") }, syscall.EBUSY},
		{"remove all above mount points", func(v *host.View) error { return v.RemoveAll("/var") }, syscall.EBUSY},
		{"rename a mount point", func(v *host.View) error { return v.Rename("/var/log/ceph", "/x") }, syscall.EBUSY},
		{"rename over mounts of one file system", func(v *host.View) error {
			if err := v.WriteFile("/var/log/ceph/log", nil, 0o600); err != nil {
				return err
			}
			return v.Rename("/var/log/ceph/log", "/var/lib/ceph/mon/ceph-a/log")
		}, syscall.EXDEV},
		{"rename in the root", func(v *host.View) error {
			if err := v.WriteFile("/x", nil, 0o600); err != nil {
				return err
			}
			return v.Rename("/x", "/y")
		}, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			v, machine := container(t)
			if err := c.do(v); !errors.Is(err, c.want) {
				t.Errorf("%v, not %v", err, c.want)
			}
			if _, err := machine.Stat("/var/lib/rook/mon-a/data"); err != nil {
				t.Errorf("the host's directory: %v", err)
			}
		})
	}
}

func TestRemoveAllEmptiesMounts(t *testing.T) {
	v, machine := container(t)
	for _, name := range []string{"/var/lib/ceph/mon/ceph-a/store/x", "/var/lib/ceph/other"} {
		if err := v.MkdirAll(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := v.RemoveAll("/var/lib/ceph"); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("%v", err)
	}
	if names, _ := machine.ReadDir("/var/lib/rook/mon-a/data"); len(names) != 0 {
		t.Errorf("on the host are %v", names)
	}
	if names, _ := v.ReadDir("/var/lib/ceph"); !slices.Equal(names, []string{"mon"}) {
		t.Errorf("left are %v", names)
	}
}

func TestErrorsNameThePathAsWritten(t *testing.T) {
	v, _ := container(t)
	_, err := v.ReadFile("/var/lib/ceph/mon/ceph-a/none")
	var pe *fs.PathError
	if !errors.As(err, &pe) || pe.Path != "/var/lib/ceph/mon/ceph-a/none" || strings.Contains(err.Error(), "rook") {
		t.Errorf("%v", err)
	}
}
