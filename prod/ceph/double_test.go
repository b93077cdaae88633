package ceph_test

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tidepool-ceph/tidepool/prod/ceph"
	"github.com/tidepool-ceph/tidepool/prod/exec"
)

// memory is a file system that only has files.
type memory struct {
	files map[string][]byte
	modes map[string]fs.FileMode
	// unreadable are paths that cannot be read.
	unreadable error
	unwritable error
}

func (m *memory) ReadFile(path string) ([]byte, error) {
	if m.unreadable != nil {
		return nil, m.unreadable
	}
	data, ok := m.files[path]
	if !ok {
		return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
	}
	return data, nil
}

func (m *memory) WriteFile(path string, data []byte, mode fs.FileMode) error {
	if m.unwritable != nil {
		return m.unwritable
	}
	m.files[path], m.modes[path] = data, mode
	return nil
}

func (m *memory) MkdirAll(path string, mode fs.FileMode) error {
	m.modes[path] = mode
	return nil
}

func (m *memory) ReadDir(string) ([]string, error) { return nil, fs.ErrNotExist }

func (m *memory) Remove(path string) error {
	if _, ok := m.files[path]; !ok {
		return &fs.PathError{Op: "remove", Path: path, Err: fs.ErrNotExist}
	}
	delete(m.files, path)
	return nil
}

// numbered are ids 1, 2, ….
type numbered struct{ n int }

func (n *numbered) UUID() string { n.n++; return fmt.Sprint(n.n) }

// answer is what a program does in a test.
type answer struct {
	stdout string
	stderr string
	code   int
	err    error
	// noFile leaves the file of --out-file unwritten.
	noFile bool
}

// scripted answers programs by the words that their arguments begin with.
type scripted struct {
	*memory
	answers map[string]answer
	ran     []exec.Command
	// inputs are the contents of the files of -i and -c at the time of the run.
	inputs []string
	modes  []fs.FileMode
}

func script(answers map[string]answer) *scripted {
	return &scripted{
		memory:  &memory{files: map[string][]byte{}, modes: map[string]fs.FileMode{}},
		answers: answers,
	}
}

// find is the answer with the longest beginning that fits.
func (s *scripted) find(line string) (found answer) {
	longest := -1
	for prefix, a := range s.answers {
		if strings.HasPrefix(line+" ", prefix) && len(prefix) > longest {
			found, longest = a, len(prefix)
		}
	}
	return found
}

func (s *scripted) Run(_ context.Context, cmd exec.Command) (exec.Result, error) {
	s.ran = append(s.ran, cmd)
	a := s.find(cmd.Program + " " + strings.Join(cmd.Args, " "))
	for i := range len(cmd.Args) - 1 {
		switch cmd.Args[i] {
		case "--out-file", "-o", "--create-keyring":
			if !a.noFile {
				s.files[cmd.Args[i+1]] = []byte(a.stdout)
			}
		case "-i", "-c":
			s.inputs = append(s.inputs, string(s.files[cmd.Args[i+1]]))
			s.modes = append(s.modes, s.memory.modes[cmd.Args[i+1]])
		}
	}
	res := exec.Result{Stdout: []byte(a.stdout), Stderr: []byte(a.stderr), ExitCode: a.code}
	if a.err != nil {
		return res, fmt.Errorf("%s: %w", cmd, a.err)
	}
	if a.code != 0 {
		return res, exec.NewExitError(cmd, res)
	}
	return res, nil
}

// lines are the commands that ran, as they print.
func (s *scripted) lines() []string {
	var lines []string
	for _, cmd := range s.ran {
		lines = append(lines, cmd.String())
	}
	return lines
}

var (
	luminous = ceph.Version{Major: 12, Minor: 2, Patch: 11}
	mimic    = ceph.Version{Major: 13, Minor: 2, Patch: 3}
	nautilus = ceph.Version{Major: 14, Minor: 2}
	octopus  = ceph.Version{Major: 15, Minor: 2, Patch: 17}
	pacific  = ceph.Version{Major: 16, Minor: 2, Patch: 15}
	tentacle = ceph.Version{Major: 20, Minor: 2}
)

// rook is how the seed's operator reaches its cluster.
var rook = ceph.Conn{
	Cluster: "rook-ceph",
	Conf:    "/var/lib/rook/rook-ceph/rook-ceph.config",
	Keyring: "/var/lib/rook/rook-ceph/client.admin.keyring",
}

func (s *scripted) admin(v ceph.Version) *ceph.Admin {
	return ceph.NewAdmin(s, s, &numbered{}, rook, v)
}

// flags are what S99 adds to a command.
func flags(format string, out int) string {
	return fmt.Sprintf(" --connect-timeout=15 --cluster=rook-ceph --conf=%s --keyring=%s --format %s --out-file /tmp/%d", rook.Conf, rook.Keyring, format, out)
}

// clean reports files that a test left behind.
func (s *scripted) clean(t *testing.T) {
	t.Helper()
	if left := slices.Sorted(maps.Keys(s.files)); len(left) > 0 {
		t.Errorf("these files are left: %v", left)
	}
}

func sameLines(t *testing.T, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("it runs\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestEveryRunHasADeadlineBeyondTheConnectTimeout(t *testing.T) {
	s := script(map[string]answer{"ceph fsid": {stdout: `{"fsid":"f"}`}})
	conn := rook
	for _, connect := range []time.Duration{0, 5 * time.Second} {
		conn.ConnectTimeout = connect
		if _, err := ceph.NewAdmin(s, s, &numbered{}, conn, pacific).FSID(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.admin(pacific).EnableMsgr2(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []struct {
		flag string
		most time.Duration
	}{{"--connect-timeout=15", time.Minute}, {"--connect-timeout=5", 50 * time.Second}, {"enable-msgr2", time.Minute}} {
		if !slices.Contains(s.ran[i].Args, want.flag) || s.ran[i].Timeout != want.most {
			t.Errorf("%s has the deadline %v", s.ran[i], s.ran[i].Timeout)
		}
	}
}
