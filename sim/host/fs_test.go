package host_test

import (
	"errors"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/tidepool-ceph/tidepool/sim/host"
)

// tree is a file system with a few things in it.
func tree(t *testing.T) *host.FS {
	t.Helper()
	f := host.NewFS()
	for _, err := range []error{
		f.MkdirAll("/a/b", 0o750), f.MkdirAll("/empty", 0o755),
		f.WriteFile("/a/file", []byte("content"), 0o640), f.WriteFile("/a/b/deep", []byte("x"), 0o600),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	return f
}

func TestErrorsAreThoseOfTheSystemCalls(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*host.FS) error
		want error
	}{
		{"read what is not there", func(f *host.FS) error { _, err := f.ReadFile("/a/none"); return err }, syscall.ENOENT},
		{"read a directory", func(f *host.FS) error { _, err := f.ReadFile("/a"); return err }, syscall.EISDIR},
		{"read below a file", func(f *host.FS) error { _, err := f.ReadFile("/a/file/x"); return err }, syscall.ENOTDIR},
		{"write into a directory that is not there", func(f *host.FS) error { return f.WriteFile("/none/x", nil, 0o600) }, syscall.ENOENT},
		{"write over a directory", func(f *host.FS) error { return f.WriteFile("/a/b", nil, 0o600) }, syscall.EISDIR},
		{"write over the root", func(f *host.FS) error { return f.WriteFile("/", nil, 0o600) }, syscall.EISDIR},
		{"write below a file", func(f *host.FS) error { return f.WriteFile("/a/file/x", nil, 0o600) }, syscall.ENOTDIR},
		{"make what is there", func(f *host.FS) error { return f.Mkdir("/a", 0o700) }, syscall.EEXIST},
		{"make the root", func(f *host.FS) error { return f.Mkdir("/", 0o700) }, syscall.EEXIST},
		{"make below what is not there", func(f *host.FS) error { return f.Mkdir("/none/x", 0o700) }, syscall.ENOENT},
		{"make all, a file in the way", func(f *host.FS) error { return f.MkdirAll("/a/file/x", 0o700) }, syscall.ENOTDIR},
		{"make all that is there", func(f *host.FS) error { return f.MkdirAll("/a/b", 0o700) }, nil},
		{"list a file", func(f *host.FS) error { _, err := f.ReadDir("/a/file"); return err }, syscall.ENOTDIR},
		{"list what is not there", func(f *host.FS) error { _, err := f.ReadDir("/none"); return err }, syscall.ENOENT},
		{"remove what is not there", func(f *host.FS) error { return f.Remove("/none") }, syscall.ENOENT},
		{"remove a full directory", func(f *host.FS) error { return f.Remove("/a") }, syscall.ENOTEMPTY},
		{"remove an empty directory", func(f *host.FS) error { return f.Remove("/empty") }, nil},
		{"remove the root", func(f *host.FS) error { return f.Remove("/") }, syscall.EBUSY},
		{"remove all of what is not there", func(f *host.FS) error { return f.RemoveAll("/none/x") }, nil},
		{"remove all below a file", func(f *host.FS) error { return f.RemoveAll("/a/file/x") }, syscall.ENOTDIR},
		{"rename what is not there", func(f *host.FS) error { return f.Rename("/none", "/x") }, syscall.ENOENT},
		{"rename into itself", func(f *host.FS) error { return f.Rename("/a", "/a/b/c") }, syscall.EINVAL},
		{"rename to itself", func(f *host.FS) error { return f.Rename("/a", "/a/") }, nil},
		{"rename a file over a directory", func(f *host.FS) error { return f.Rename("/a/file", "/empty") }, syscall.EISDIR},
		{"rename a directory over a file", func(f *host.FS) error { return f.Rename("/empty", "/a/file") }, syscall.ENOTDIR},
		{"rename a directory over a full one", func(f *host.FS) error { return f.Rename("/empty", "/a") }, syscall.ENOTEMPTY},
		{"rename a directory over an empty one", func(f *host.FS) error { return f.Rename("/a", "/empty") }, nil},
		{"chmod what is not there", func(f *host.FS) error { return f.Chmod("/none", 0o700) }, syscall.ENOENT},
		{"state of what is not there", func(f *host.FS) error { return f.SetState("/none", 1) }, syscall.ENOENT},
	} {
		t.Run(c.name, func(t *testing.T) {
			err := c.do(tree(t))
			if !errors.Is(err, c.want) {
				t.Fatalf("%v, not %v", err, c.want)
			}
			var pe *fs.PathError
			if c.want != nil && !errors.As(err, &pe) {
				t.Errorf("%T is no *fs.PathError", err)
			}
		})
	}
	if _, err := tree(t).ReadFile("/none"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v is not fs.ErrNotExist", err)
	}
}

func TestFilesKeepWhatWasWritten(t *testing.T) {
	f := tree(t)
	data := []byte("mine")
	if err := f.WriteFile("/a/x", data, 0o600); err != nil {
		t.Fatal(err)
	}
	data[0] = 'X'
	got, err := f.ReadFile("/a/../a/./x")
	if err != nil || string(got) != "mine" {
		t.Errorf("%q, %v", got, err)
	}
	got[0] = 'Y'
	if again, _ := f.ReadFile("/a/x"); string(again) != "mine" {
		t.Errorf("a reader has changed it to %q", again)
	}
	if i, err := f.Stat("/a/x"); err != nil || i != (host.Info{Name: "x", Mode: 0o600, Size: 4}) {
		t.Errorf("%+v, %v", i, err)
	}
	if names, _ := f.ReadDir("/a"); !slices.Equal(names, []string{"b", "file", "x"}) {
		t.Errorf("names %v", names)
	}
	if err := f.RemoveAll("/a"); err != nil {
		t.Fatal(err)
	}
	if names, _ := f.ReadDir("/"); !slices.Equal(names, []string{"empty"}) {
		t.Errorf("names %v", names)
	}
}

func TestStateLivesAndGoesWithItsDirectory(t *testing.T) {
	f := tree(t)
	if err := f.SetState("/a/b", 42); err != nil {
		t.Fatal(err)
	}
	if err := f.Rename("/a", "/moved"); err != nil {
		t.Fatal(err)
	}
	if got := f.State("/moved/b"); got != 42 {
		t.Errorf("after a rename: %v", got)
	}
	if err := f.RemoveAll("/moved"); err != nil {
		t.Fatal(err)
	}
	if err := f.MkdirAll("/moved/b", 0o755); err != nil {
		t.Fatal(err)
	}
	if got := f.State("/moved/b"); got != nil {
		t.Errorf("a new directory has the old state %v", got)
	}
}
