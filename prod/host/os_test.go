package host_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/host"
)

func TestAFileIsWrittenWithItsExactMode(t *testing.T) {
	before := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(before) })
	path := filepath.Join(t.TempDir(), "ceph.conf")
	for i, mode := range []fs.FileMode{0o640, 0o600, 0o666} {
		text := string(rune('a' + i))
		if err := (host.OS{}).WriteFile(path, []byte(text), mode); err != nil {
			t.Fatal(err)
		}
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if info.Mode() != mode {
			t.Errorf("the mode is %v, want %v", info.Mode(), mode)
		}
		if got, err := (host.OS{}).ReadFile(path); err != nil || string(got) != text {
			t.Errorf("the content is %q, %v", got, err)
		}
	}
	names, err := host.OS{}.ReadDir(filepath.Dir(path))
	if err != nil || !slices.Equal(names, []string{"ceph.conf"}) {
		t.Errorf("beside it lie %v, %v", names, err)
	}
}

func TestAWriteThatFailsLeavesNothingBehind(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "full")
	if err := (host.OS{}).MkdirAll(filepath.Join(target, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	// A directory that is not empty cannot be replaced.
	if err := (host.OS{}).WriteFile(target, []byte("x"), 0o600); err == nil {
		t.Fatal("a directory is replaced")
	}
	if names, err := (host.OS{}).ReadDir(dir); err != nil || !slices.Equal(names, []string{"full"}) {
		t.Errorf("there are %v, %v", names, err)
	}
	err := host.OS{}.WriteFile(filepath.Join(dir, "missing", "file"), nil, 0o600)
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a directory the error is %v", err)
	}
}

func TestAReaderSeesTheFormerOrTheNewContent(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	contents := [][]byte{make([]byte, 1<<16), make([]byte, 1<<16)}
	for i := range contents[1] {
		contents[1][i] = 1
	}
	if err := (host.OS{}).WriteFile(path, contents[0], 0o600); err != nil {
		t.Fatal(err)
	}
	var writer sync.WaitGroup
	writer.Go(func() {
		for i := range 50 {
			if err := (host.OS{}).WriteFile(path, contents[i%2], 0o600); err != nil {
				t.Error(err)
			}
		}
	})
	for range 200 {
		got, err := host.OS{}.ReadFile(path)
		if err != nil || len(got) != 1<<16 || slices.Contains(got, 1-got[0]) {
			t.Fatalf("a reader sees %d bytes, %v", len(got), err)
		}
	}
	writer.Wait()
}

func TestDirectories(t *testing.T) {
	before := syscall.Umask(0o077)
	t.Cleanup(func() { syscall.Umask(before) })
	dir := filepath.Join(t.TempDir(), "rook", "rook-ceph")
	files := host.OS{}
	for _, mode := range []fs.FileMode{0o744, 0o700} {
		if err := files.MkdirAll(dir, mode); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o744 {
			t.Errorf("the mode is %v, %v; one that is there keeps its own", info.Mode(), err)
		}
	}
	for _, name := range []string{"b", "a"} {
		if err := files.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if names, err := files.ReadDir(dir); err != nil || !slices.Equal(names, []string{"a", "b"}) {
		t.Errorf("the names are %v, %v", names, err)
	}
	if err := files.Remove(dir); err == nil {
		t.Error("a directory that is not empty is removed")
	}
	if err := files.Remove(filepath.Join(dir, "a")); err != nil {
		t.Error(err)
	}
	if err := files.Remove(filepath.Join(dir, "a")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("what is not there is removed with %v", err)
	}
}
