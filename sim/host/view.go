package host

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"syscall"
)

// View is a container's file system: a root, and what is mounted into it.
type View struct{ mounts []mount }

type mount struct {
	at       string // clean; "/" for the root
	fs       *FS
	dir      string
	readOnly bool
}

// NewView makes a view with root at "/".
func NewView(root *FS) *View {
	return &View{mounts: []mount{{at: "/", fs: root, dir: "/"}}}
}

// Mount shows a directory or file of a file system at a path of the view. The
// path need not be there beforehand: it is made in whatever is mounted there so
// far, also where that is read-only, as a container's runtime does.
func (v *View) Mount(at string, fsys *FS, dir string, readOnly bool) {
	at = clean(at)
	below, point := v.resolve(at)
	if i, err := fsys.Stat(dir); err == nil && !i.Dir {
		_ = below.fs.MkdirAll(path.Dir(point), 0o755) // what is in the way is hidden
		if _, err := below.fs.Stat(point); err != nil {
			_ = below.fs.WriteFile(point, nil, 0o644)
		}
	} else {
		_ = below.fs.MkdirAll(point, 0o755) // what is in the way is hidden
	}
	v.mounts = append(v.mounts, mount{at: at, fs: fsys, dir: dir, readOnly: readOnly})
	slices.SortStableFunc(v.mounts, func(a, b mount) int { return len(a.at) - len(b.at) })
}

// resolve finds the file system behind a path, and the path there.
func (v *View) resolve(name string) (mount, string) {
	name = clean(name)
	for _, m := range slices.Backward(v.mounts) {
		if m.at == "/" && m.dir == "/" {
			return m, name
		}
		if m.at == "/" {
			return m, path.Join(m.dir, name)
		}
		if name == m.at || strings.HasPrefix(name, m.at+"/") {
			return m, path.Join(m.dir, strings.TrimPrefix(name, m.at))
		}
	}
	panic("host: a view has a root")
}

func (v *View) writable(op, name string) (*FS, string, error) {
	m, at := v.resolve(name)
	if m.readOnly {
		return nil, "", fail(op, name, syscall.EROFS)
	}
	return m.fs, at, nil
}

// mountPoint says whether something is mounted at a path, and mountsBelow
// whether at or below it.
func (v *View) mountPoint(name string) bool {
	name = clean(name)
	return slices.ContainsFunc(v.mounts, func(m mount) bool { return m.at == name })
}

func (v *View) mountsBelow(name string) bool {
	name = strings.TrimSuffix(clean(name), "/") + "/"
	return slices.ContainsFunc(v.mounts, func(m mount) bool { return strings.HasPrefix(m.at+"/", name) })
}

// in names the path as the caller wrote it, not as the file system behind
// the mount knows it.
func in(err error, name string) error {
	if pe, ok := err.(*fs.PathError); ok {
		return &fs.PathError{Op: pe.Op, Path: name, Err: pe.Err}
	}
	return err
}

// ReadFile returns a file's content.
func (v *View) ReadFile(name string) ([]byte, error) {
	m, at := v.resolve(name)
	b, err := m.fs.ReadFile(at)
	return b, in(err, name)
}

// WriteFile makes or replaces a file.
func (v *View) WriteFile(name string, data []byte, mode fs.FileMode) error {
	f, at, err := v.writable("open", name)
	if err != nil {
		return err
	}
	return in(f.WriteFile(at, data, mode), name)
}

// Mkdir makes one directory.
func (v *View) Mkdir(name string, mode fs.FileMode) error {
	f, at, err := v.writable("mkdir", name)
	if err != nil {
		return err
	}
	return in(f.Mkdir(at, mode), name)
}

// MkdirAll makes a directory and those above it.
func (v *View) MkdirAll(name string, mode fs.FileMode) error {
	if i, err := v.Stat(name); err == nil && i.Dir {
		return nil
	}
	f, at, err := v.writable("mkdir", name)
	if err != nil {
		return err
	}
	return in(f.MkdirAll(at, mode), name)
}

// ReadDir returns the names in a directory, sorted.
func (v *View) ReadDir(name string) ([]string, error) {
	m, at := v.resolve(name)
	names, err := m.fs.ReadDir(at)
	return names, in(err, name)
}

// Remove takes away a file or an empty directory.
func (v *View) Remove(name string) error {
	if v.mountPoint(name) {
		return fail("remove", name, syscall.EBUSY)
	}
	f, at, err := v.writable("remove", name)
	if err != nil {
		return err
	}
	return in(f.Remove(at), name)
}

// RemoveAll takes away whatever is there. Where something is mounted at or
// below the path, its content goes, the mount point stays, and the error is
// EBUSY.
func (v *View) RemoveAll(name string) error {
	if v.mountsBelow(name) {
		names, _ := v.ReadDir(name) // a mounted file has no names
		for _, n := range names {
			if err := v.RemoveAll(path.Join("/", name, n)); err != nil && !errors.Is(err, syscall.EBUSY) {
				return err
			}
		}
		return fail("remove", name, syscall.EBUSY)
	}
	f, at, err := v.writable("remove", name)
	if err != nil {
		return err
	}
	return in(f.RemoveAll(at), name)
}

// Rename moves within one mount (else EXDEV, also where two mounts show the
// same file system).
func (v *View) Rename(from, to string) error {
	if v.mountPoint(from) || v.mountPoint(to) {
		return fail("rename", from, syscall.EBUSY)
	}
	m, a := v.resolve(from)
	n, b := v.resolve(to)
	switch {
	case m.readOnly || n.readOnly:
		return fail("rename", from, syscall.EROFS)
	case m != n:
		return fail("rename", to, syscall.EXDEV)
	}
	return in(m.fs.Rename(a, b), from)
}

// Chmod sets the permission bits.
func (v *View) Chmod(name string, mode fs.FileMode) error {
	f, at, err := v.writable("chmod", name)
	if err != nil {
		return err
	}
	return in(f.Chmod(at, mode), name)
}

// Stat describes a file or directory.
func (v *View) Stat(name string) (Info, error) {
	m, at := v.resolve(name)
	i, err := m.fs.Stat(at)
	i.Name = path.Base(clean(name))
	return i, in(err, name)
}

// SetState keeps a value at a file or directory.
func (v *View) SetState(name string, s any) error {
	f, at, err := v.writable("open", name)
	if err != nil {
		return err
	}
	return in(f.SetState(at, s), name)
}

// State returns what SetState kept.
func (v *View) State(name string) any {
	m, at := v.resolve(name)
	return m.fs.State(at)
}
