package host

import (
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"

	prodhost "github.com/tidepool-ceph/tidepool/prod/host"
)

// Files is what a program sees of a file system. Errors are *fs.PathError with
// the errno that the system call would give.
type Files interface {
	prodhost.Files
	Stat(name string) (Info, error)
	Mkdir(name string, mode fs.FileMode) error
	RemoveAll(name string) error
	// Rename moves a file or directory within one file system (else EXDEV).
	Rename(from, to string) error
	Chmod(name string, mode fs.FileMode) error
	// SetState keeps a value that is no bytes at a file or directory that is
	// there; State returns it, nil if there is none.
	SetState(name string, v any) error
	State(name string) any
}

// Info describes a file or directory.
type Info struct {
	Name string
	Dir  bool
	Mode fs.FileMode // permission bits
	Size int64       // bytes; 0 for a directory
}

// FS is a file system in memory.
type FS struct{ root *node }

type node struct {
	dir      bool
	mode     fs.FileMode
	data     []byte
	state    any
	children map[string]*node
}

// NewFS makes a file system with nothing but its root directory.
func NewFS() *FS { return &FS{root: newDir(0o755)} }

func newDir(mode fs.FileMode) *node {
	return &node{dir: true, mode: mode.Perm(), children: map[string]*node{}}
}

func fail(op, name string, errno syscall.Errno) error {
	return &fs.PathError{Op: op, Path: name, Err: errno}
}

// split returns the elements of a path, "." and ".." resolved.
func split(name string) []string {
	name = clean(name)
	if name == "/" {
		return nil
	}
	return strings.Split(name[1:], "/")
}

// clean is the shortest name of the same file, from the root.
func clean(name string) string {
	if strings.HasPrefix(name, "/") {
		return path.Clean(name) // which is name itself, most often
	}
	return path.Clean("/" + name)
}

func (f *FS) find(op, name string) (*node, error) {
	n := f.root
	for e := range strings.SplitSeq(clean(name)[1:], "/") {
		if e == "" {
			break // the root
		}
		if !n.dir {
			return nil, fail(op, name, syscall.ENOTDIR)
		}
		next, ok := n.children[e]
		if !ok {
			return nil, fail(op, name, syscall.ENOENT)
		}
		n = next
	}
	return n, nil
}

// parent finds the directory that holds name, and name's last element.
func (f *FS) parent(op, name string) (*node, string, error) {
	es := split(name)
	if len(es) == 0 {
		return nil, "", fail(op, name, syscall.EBUSY)
	}
	n, err := f.find(op, "/"+strings.Join(es[:len(es)-1], "/"))
	if err != nil {
		return nil, "", fail(op, name, err.(*fs.PathError).Err.(syscall.Errno))
	}
	if !n.dir {
		return nil, "", fail(op, name, syscall.ENOTDIR)
	}
	return n, es[len(es)-1], nil
}

// ReadFile returns a copy of a file's content.
func (f *FS) ReadFile(name string) ([]byte, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if n.dir {
		return nil, fail("read", name, syscall.EISDIR)
	}
	return slices.Clone(n.data), nil
}

// WriteFile makes or replaces a file.
func (f *FS) WriteFile(name string, data []byte, mode fs.FileMode) error {
	if len(split(name)) == 0 {
		return fail("open", name, syscall.EISDIR)
	}
	dir, base, err := f.parent("open", name)
	if err != nil {
		return err
	}
	if n, ok := dir.children[base]; ok && n.dir {
		return fail("open", name, syscall.EISDIR)
	}
	dir.children[base] = &node{mode: mode.Perm(), data: slices.Clone(data)}
	return nil
}

// Mkdir makes one directory.
func (f *FS) Mkdir(name string, mode fs.FileMode) error {
	if len(split(name)) == 0 {
		return fail("mkdir", name, syscall.EEXIST)
	}
	dir, base, err := f.parent("mkdir", name)
	if err != nil {
		return err
	}
	if _, ok := dir.children[base]; ok {
		return fail("mkdir", name, syscall.EEXIST)
	}
	dir.children[base] = newDir(mode)
	return nil
}

// MkdirAll makes a directory and those above it.
func (f *FS) MkdirAll(name string, mode fs.FileMode) error {
	n := f.root
	for _, e := range split(name) {
		next, ok := n.children[e]
		if !ok {
			next = newDir(mode)
			n.children[e] = next
		}
		if !next.dir {
			return fail("mkdir", name, syscall.ENOTDIR)
		}
		n = next
	}
	return nil
}

// ReadDir returns the names in a directory, sorted.
func (f *FS) ReadDir(name string) ([]string, error) {
	n, err := f.find("open", name)
	if err != nil {
		return nil, err
	}
	if !n.dir {
		return nil, fail("readdirent", name, syscall.ENOTDIR)
	}
	names := make([]string, 0, len(n.children))
	for e := range n.children {
		names = append(names, e)
	}
	slices.Sort(names)
	return names, nil
}

// Remove takes away a file or an empty directory.
func (f *FS) Remove(name string) error {
	dir, base, err := f.parent("remove", name)
	if err != nil {
		return err
	}
	n, ok := dir.children[base]
	if !ok {
		return fail("remove", name, syscall.ENOENT)
	}
	if len(n.children) > 0 {
		return fail("remove", name, syscall.ENOTEMPTY)
	}
	delete(dir.children, base)
	return nil
}

// RemoveAll takes away whatever is there; nothing there is fine.
func (f *FS) RemoveAll(name string) error {
	if len(split(name)) == 0 {
		f.root.children = map[string]*node{}
		return nil
	}
	dir, base, err := f.parent("remove", name)
	if err != nil {
		if err.(*fs.PathError).Err == syscall.ENOENT {
			return nil
		}
		return err
	}
	delete(dir.children, base)
	return nil
}

// Rename moves a file or directory; a file in the way is replaced.
func (f *FS) Rename(from, to string) error {
	src, srcBase, err := f.parent("rename", from)
	if err != nil {
		return err
	}
	n, ok := src.children[srcBase]
	if !ok {
		return fail("rename", from, syscall.ENOENT)
	}
	from, to = path.Clean("/"+from), path.Clean("/"+to)
	switch {
	case from == to:
		return nil
	case n.dir && strings.HasPrefix(to+"/", from+"/"):
		return fail("rename", to, syscall.EINVAL)
	}
	dst, dstBase, err := f.parent("rename", to)
	if err != nil {
		return err
	}
	if old, ok := dst.children[dstBase]; ok {
		switch {
		case old.dir && !n.dir:
			return fail("rename", to, syscall.EISDIR)
		case !old.dir && n.dir:
			return fail("rename", to, syscall.ENOTDIR)
		case len(old.children) > 0:
			return fail("rename", to, syscall.ENOTEMPTY)
		}
	}
	delete(src.children, srcBase)
	dst.children[dstBase] = n
	return nil
}

// Chmod sets the permission bits.
func (f *FS) Chmod(name string, mode fs.FileMode) error {
	n, err := f.find("chmod", name)
	if err != nil {
		return err
	}
	n.mode = mode.Perm()
	return nil
}

// Stat describes a file or directory.
func (f *FS) Stat(name string) (Info, error) {
	n, err := f.find("stat", name)
	if err != nil {
		return Info{}, err
	}
	return Info{Name: path.Base(path.Clean("/" + name)), Dir: n.dir, Mode: n.mode, Size: int64(len(n.data))}, nil
}

// SetState keeps v at a file or directory that is there.
func (f *FS) SetState(name string, v any) error {
	n, err := f.find("open", name)
	if err != nil {
		return err
	}
	n.state = v
	return nil
}

// State returns what SetState kept there.
func (f *FS) State(name string) any {
	n, err := f.find("open", name)
	if err != nil {
		return nil
	}
	return n.state
}
