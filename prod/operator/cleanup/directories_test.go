package cleanup

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/tidepool-ceph/tidepool/prod/exec"
	"github.com/tidepool-ceph/tidepool/prod/host"
	"github.com/tidepool-ceph/tidepool/prod/operator/door"
)

const ours = "11111111-2222-4333-8444-555555555555"

// rooted is the file system of a directory, shown as the root.
type rooted struct {
	host.OS
	root string
	// removals are left before the power goes; -1 for ever.
	removals int
}

func (r *rooted) at(path string) string { return filepath.Join(r.root, path) }

func (r *rooted) ReadFile(path string) ([]byte, error)  { return r.OS.ReadFile(r.at(path)) }
func (r *rooted) ReadDir(path string) ([]string, error) { return r.OS.ReadDir(r.at(path)) }

func (r *rooted) WriteFile(path string, data []byte, mode fs.FileMode) error {
	return r.OS.WriteFile(r.at(path), data, mode)
}

var errPower = errors.New("no power")

func (r *rooted) Remove(path string) error {
	if r.removals == 0 {
		return errPower
	}
	err := r.OS.Remove(r.at(path))
	if err == nil && r.removals > 0 {
		r.removals--
	}
	return err
}

// mons answers as ceph-mon and monmaptool do: a mon's fsid is in its store.
type mons struct{ files *rooted }

func (m mons) Run(_ context.Context, cmd exec.Command) (exec.Result, error) {
	args := strings.Join(cmd.Args, " ")
	switch cmd.Program {
	case "ceph-mon":
		store, err := m.files.ReadFile(filepath.Join(cmd.Args[5], "store.db", "CURRENT"))
		if err != nil {
			return exec.Result{ExitCode: 1}, exec.NewExitError(cmd, exec.Result{ExitCode: 1, Stderr: []byte("have you run 'mkfs'?")})
		}
		return exec.Result{}, m.files.WriteFile(cmd.Args[1], store, 0o600)
	case "monmaptool":
		fsid, err := m.files.ReadFile(cmd.Args[1])
		return exec.Result{Stdout: []byte("monmaptool: monmap file\nepoch 1\nfsid " + string(fsid) + "\n")}, err
	}
	return exec.Result{}, errors.New("unexpected: " + cmd.Program + " " + args)
}

type silent struct{ lines *[]string }

func (silent) Debugf(string, ...any)         {}
func (silent) Infof(string, ...any)          {}
func (silent) Errorf(string, ...any)         {}
func (s silent) Warningf(f string, a ...any) { *s.lines = append(*s.lines, f) }

// put writes files below a root.
func put(t *testing.T, root string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		at := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(at), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(at, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

func TestDirectories(t *testing.T) {
	root := t.TempDir()
	put(t, root, map[string]string{
		"tmp/x":              "",
		"elsewhere/precious": "",
		"cleanup/data/mon-a/data/store.db/CURRENT":  ours,
		"cleanup/data/mon-a/data/keyring":           "",
		"cleanup/data/mon-b/data/store.db/CURRENT":  "99999999-2222-4333-8444-555555555555",
		"cleanup/data/mon-c/data/keyring":           "",   // a store that does not read
		"cleanup/data/mon-e/being-wiped":            ours, // begun before the power went
		"cleanup/data/mon-e/data/keyring":           "",
		"cleanup/data/mon-f/being-wiped":            "99999999-2222-4333-8444-555555555555",
		"cleanup/data/mon-f/data/keyring":           "",
		"cleanup/data/rook-ceph/log/ceph-mon.a.log": "",
		"cleanup/data/rook-ceph/mine":               "",
		"cleanup/data/other/log/ceph.log":           "",
		"cleanup/data/mon-notes.txt":                "",
		"cleanup/directory-0/osd3/ceph_fsid":        ours + "\n",
		"cleanup/directory-0/osd3/current/x":        "",
		"cleanup/directory-0/osd4/ceph_fsid":        "99999999-2222-4333-8444-555555555555\n",
		"cleanup/directory-0/photos/x":              "",
	})
	if err := os.MkdirAll(filepath.Join(root, "cleanup/data/mon-d/data"), 0o755); err != nil { // nothing was made there yet
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(root, "elsewhere"), filepath.Join(root, "cleanup/data/mon-a/data/link")); err != nil {
		t.Fatal(err)
	}
	var left []string
	files := &rooted{root: root, removals: -1}
	request := Request{Node: "n1", Namespace: "rook-ceph", FSID: ours, DataDir: "/var/lib/rook", Directories: []string{"/srv/osds"}}
	doors := door.Doors{Exec: mons{files}, Files: files, Log: silent{&left}}
	r := &run{doors: doors, request: request}
	r.mons.Exec, r.mons.Files, r.mons.Temp = doors.Exec, files, "/tmp"
	if err := r.directories(context.Background()); err != nil {
		t.Fatal(err)
	}
	for name, there := range map[string]bool{
		"elsewhere/precious": true, "cleanup/data": true, "tmp/monmap.a": false,
		"cleanup/data/mon-a": false, "cleanup/data/mon-b/data/store.db/CURRENT": true, "cleanup/data/mon-c/data/keyring": true,
		"cleanup/data/mon-d": false, "cleanup/data/mon-e": false, "cleanup/data/mon-f/data/keyring": true,
		"cleanup/data/rook-ceph/log": false, "cleanup/data/rook-ceph/mine": true,
		"cleanup/data/other/log/ceph.log": true, "cleanup/data/mon-notes.txt": true,
		"cleanup/directory-0/osd3": false, "cleanup/directory-0/osd4/ceph_fsid": true, "cleanup/directory-0/photos/x": true,
	} {
		_, err := os.Lstat(filepath.Join(root, name))
		if is := err == nil; is != there || err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("%s is there: %v, want %v (%v)", name, is, there, err)
		}
	}
	if len(left) != 4 { // mon-b, mon-c, mon-f and osd4
		t.Errorf("left alone: %q", left)
	}
}

// TestPowerLoss: however far a run came, the next one takes away the rest.
func TestPowerLoss(t *testing.T) {
	for removals := range 12 {
		root := t.TempDir()
		put(t, root, map[string]string{
			"tmp/x": "",
			"cleanup/data/mon-a/data/store.db/CURRENT": ours,
			"cleanup/data/mon-a/data/store.db/1.sst":   "",
			"cleanup/data/mon-a/data/keyring":          "",
			"cleanup/data/mon-a/data/a":                "",
			"cleanup/directory-0/osd3/ceph_fsid":       ours,
			"cleanup/directory-0/osd3/a":               "",
			"cleanup/directory-0/osd3/z":               "",
		})
		var left []string
		files := &rooted{root: root, removals: removals}
		r := &run{doors: door.Doors{Exec: mons{files}, Files: files, Log: silent{&left}}, request: Request{Namespace: "rook-ceph", FSID: ours, Directories: []string{"/srv"}}}
		r.mons.Exec, r.mons.Files, r.mons.Temp = mons{files}, files, "/tmp"
		if err := r.directories(context.Background()); !errors.Is(err, errPower) {
			t.Fatalf("%d removals: %v", removals, err)
		}
		files.removals = -1
		if err := r.directories(context.Background()); err != nil {
			t.Fatalf("after %d removals: %v", removals, err)
		}
		for _, dir := range []string{"cleanup/data", "cleanup/directory-0"} {
			names, err := os.ReadDir(filepath.Join(root, dir))
			if err != nil || len(names) > 0 {
				t.Errorf("after %d removals and another run %s has %v, %v (left alone: %q)", removals, dir, names, err, left)
			}
		}
	}
}

func TestADirectoryThatIsBusyIsAnError(t *testing.T) {
	root := t.TempDir()
	put(t, root, map[string]string{"cleanup/data/rook-ceph/log/x": ""})
	files := &busy{rooted{root: root, removals: -1}}
	r := &run{doors: door.Doors{Files: files, Log: silent{new([]string)}}, request: Request{Namespace: "rook-ceph", FSID: ours}}
	if err := r.directories(context.Background()); !errors.Is(err, syscall.EBUSY) {
		t.Errorf("the error is %v", err)
	}
}

type busy struct{ rooted }

func (b *busy) Remove(string) error { return syscall.EBUSY }
